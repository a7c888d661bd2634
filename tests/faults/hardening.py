#!/usr/bin/env python3
"""The program as it is linked: tables read-only, stacks guarded, nothing bound late.

readelf is asked, not the build's own words. A release is also compiled with _FORTIFY_SOURCE; there the checked forms
of the C library's functions must be among the symbols.
"""

import re
import shutil
import subprocess

import faults


def asked(*words):
    return subprocess.run(["readelf", "-W", *words], check=True, capture_output=True, text=True).stdout


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    if not shutil.which("readelf"):
        faults.skip("there is no readelf")
    report = faults.Report(given)
    segments = asked("-l", given.program)
    symbols = asked("-s", given.program)
    dynamic = asked("-d", given.program)
    checks = {
        "tables that are read-only after the start (RELRO)": "GNU_RELRO" in segments,
        "a stack that is not executable": re.search(r"GNU_STACK.* RW ", segments) is not None,
        "guarded stacks": "__stack_chk_fail" in symbols,
        "everything bound at the start": "NEEDED" not in dynamic or "BIND_NOW" in dynamic or "NOW" in dynamic,
        "no segment that can be written and executed": re.search(r"LOAD.* RWE ", segments) is None,
    }
    has_fortified = re.search(r"__(memcpy|read|snprintf|vsnprintf|strcpy|memset|fread)_chk", symbols) is not None
    for claim, holds in checks.items():
        if not holds:
            report.complain("not so: " + claim)
    report.end(test="hardening", checks=len(checks), fortified=has_fortified)


if __name__ == "__main__":
    main()
