#!/usr/bin/env python3
"""The programs as they are linked: at another address each time, tables read-only, stacks guarded, nothing bound late.

readelf is asked, not the build's own words, about the program and notesdb-serve beside it. A release is also compiled
with _FORTIFY_SOURCE; there the checked forms of the C library's functions are among the symbols.
"""

import os
import re
import shutil
import subprocess

import faults


def asked(*words):
    return subprocess.run(["readelf", "-W", *words], check=True, capture_output=True, text=True).stdout


def look_at(report, program):
    """How many properties were looked for, and whether the checked forms are used."""
    header, segments = asked("-h", program), asked("-l", program)
    symbols, dynamic = asked("-s", program), asked("-d", program)
    checks = {
        "another address at each start (PIE)": re.search(r"Type: +DYN", header) is not None,
        "tables that are read-only after the start (RELRO)": "GNU_RELRO" in segments,
        "a stack that is not executable": re.search(r"GNU_STACK.* RW ", segments) is not None,
        "guarded stacks": "__stack_chk_fail" in symbols,
        "everything bound at the start": "NEEDED" not in dynamic or "BIND_NOW" in dynamic or "NOW" in dynamic,
        "no segment that can be written and executed": re.search(r"LOAD.* RWE ", segments) is None,
    }
    for claim, holds in checks.items():
        if not holds:
            report.complain(f"{os.path.basename(program)}: not so: {claim}")
    return len(checks), re.search(r"__(memcpy|read|snprintf|vsnprintf|strcpy|memset|fread)_chk", symbols) is not None


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    if not shutil.which("readelf"):
        faults.skip("there is no readelf")
    report = faults.Report(given)
    programs = [given.program, os.path.join(os.path.dirname(given.program), "notesdb-serve")]
    looked = [look_at(report, program) for program in programs if os.path.exists(program)]
    report.end(test="hardening", checks=sum(count for count, _ in looked), fortified=all(used for _, used in looked))


if __name__ == "__main__":
    main()
