#!/usr/bin/env python3
"""Which lines of the rooms that touch files and read foreign bytes the tests of their room reach.

The rooms are built with the preset `coverage` and their tests run once; gcov counts. Only the tests of the room itself
count for it, not what the whole program's tests reach besides. Nothing is demanded; the lines not reached are told, room
by room, for those who write the next test. The dose means nothing here.
"""

import collections
import glob
import json
import os
import shutil
import subprocess
import tempfile

import faults

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TREE, "build/coverage")
ROOMS = ["core", "json", "note", "files"]


def done(*words, folder=TREE):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def lines_of(room):
    """{source of the room: {line: how often it was reached}}"""
    found = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for data in glob.glob(f"{BUILT}/src/CMakeFiles/notesdb_{room}.dir/{room}/*.gcda"):
            told = done("gcov", "--json-format", "--stdout", data, folder=folder).stdout
            for line in told.splitlines():
                for source in json.loads(line)["files"]:
                    path = os.path.relpath(os.path.join(BUILT, source["file"]), TREE)
                    if path.startswith(f"src/{room}/"):
                        for each in source["lines"]:
                            found[path][each["line_number"]] += each["count"]
    return found


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    faults.use_for_tests_too(given)
    if not shutil.which("gcov"):
        faults.skip("there is no gcov")
    report = faults.Report(given)
    made = done("cmake", "--preset", "coverage")
    made = made if made.returncode else done("cmake", "--build", "--preset", "coverage", "--parallel", "2")
    if made.returncode != 0:
        report.complain("does not build: " + made.stdout[-500:])
    for data in glob.glob(BUILT + "/**/*.gcda", recursive=True):
        os.unlink(data)
    rooms, unreached = {}, {}
    for room in ROOMS:
        test = done(f"{BUILT}/tests/{room}_test", folder=BUILT)
        if test.returncode != 0:
            report.complain(f"{room}_test is red: {test.stdout[-300:]}")
        lines = [(path, line, count) for path, counts in lines_of(room).items() for line, count in counts.items()]
        reached = sum(count > 0 for _, _, count in lines)
        rooms[room] = f"{100 * reached / max(1, len(lines)):.1f} % of {len(lines):,}"
        unreached[room] = dict(collections.Counter(path for path, _, count in lines if count == 0).most_common(8))
    report.end(test="coverage", rooms=rooms, unreached=unreached)


if __name__ == "__main__":
    main()
