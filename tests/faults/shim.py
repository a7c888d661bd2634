"""shim.cpp as the parts use it: loaded into notesdb_dynamic, the program linked with a dynamic linker.

The program itself is linked without one, so that nothing can be loaded into it; `ninja faults_parts` builds both beside it.
"""

import os
import struct

import faults


NOT_BUILT = "notesdb_dynamic and faults_shim.so are not built"


def find(program):
    """The paths of the shim and of the program that it is loaded into, beside this one; None if they are not built."""
    folder = os.path.dirname(program)
    paths = os.path.join(folder, "faults_shim.so"), os.path.join(folder, "notesdb_dynamic")
    return paths if all(map(os.path.exists, paths)) else None


def need(given):
    """The shim's path; from then on the program is the one that it is loaded into. Skips where they are not built."""
    found = find(given.program)
    if not found:
        faults.skip(NOT_BUILT)
    shim, given.program = found
    return shim


def before(shim, **variables):
    """What stands before the words of a command that has it; NOTESDB_ goes before the names of shim.cpp's variables."""
    return ["env", "LD_PRELOAD=" + shim, *(f"NOTESDB_{key}={value}" for key, value in variables.items())]


def counted(path):
    """What SHIM_COUNT has put into a file: requests for memory so far, and bytes held now."""
    with open(path, "rb") as file:
        return struct.unpack("QQ", file.read(16))
