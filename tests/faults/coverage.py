#!/usr/bin/env python3
"""Which lines of the rooms the tests reach.

The rooms below are built with the preset `coverage`, without optimization, and the test programs of the same rooms run
once; gcov counts what all of them reach together. Not counted is what only other tests reach: those that drive the whole
program (cases, commands, the parts of this folder), and processes that are killed or leave by _exit, as many of the tests
of files/ do. Nothing is demanded; the files with most lines not reached are told, room by room, for those who write the
next test. The dose means nothing here.
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
ROOMS = ["core", "json", "note", "query", "files", "index", "database", "check", "infer"]


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
    targets = [room + "_test" for room in ROOMS]
    made = made if made.returncode else done("cmake", "--build", "--preset", "coverage", "--parallel", "2", "--target", *targets)
    if made.returncode != 0:
        report.complain("does not build: " + made.stdout[-500:])
    for data in glob.glob(BUILT + "/**/*.gcda", recursive=True):
        os.unlink(data)
    for target in targets:
        test = done(f"{BUILT}/tests/{target}", folder=BUILT)
        if test.returncode != 0:
            report.complain(f"{target} is red: {test.stdout[-300:]}")
    rooms, unreached = {}, {}
    for room in ROOMS:
        lines = [(path, line, count) for path, counts in lines_of(room).items() for line, count in counts.items()]
        reached = sum(count > 0 for _, _, count in lines)
        rooms[room] = f"{100 * reached / max(1, len(lines)):.1f} % of {len(lines):,}"
        unreached[room] = dict(collections.Counter(path for path, _, count in lines if count == 0).most_common(8))
    report.end(test="coverage", rooms=rooms, unreached=unreached)


if __name__ == "__main__":
    main()
