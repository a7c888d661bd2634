#!/usr/bin/env python3
"""Which lines of the rooms below the operations all tests together reach.

All is built with the preset `coverage`, without optimization. Then the test programs run once, those of the case folders,
commands and clones too, which drive the program from outside, and parts of this folder that put no faults into its calls;
gcov counts what all of them reach together. Not counted is what a process does that is killed or leaves by _exit, as in
many tests of files/, or that has locked itself in and may not write its counts any more. Nothing is demanded; the files
with most lines not reached are told, room by room, for those who write the next test. The dose means nothing here.
"""

import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import faults

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(TREE, "build/coverage")
ROOMS = ["core", "json", "note", "query", "files", "index", "database", "check", "infer"]
TESTS = ROOMS + ["search", "git", "exchange", "operations", "mcp", "http", "cli", "serving", "cases", "commands", "sync"]
# Not refusals, which leaves programs so little memory that these, larger by their counts, do not begin.
PARTS = {"attributes": 1, "damage": 2, "disk_full": 1, "row_text": 4, "store_gone": 40, "undoing": 80}


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
    targets = ["notesdb", "notesdb-serve", *(room + "_test" for room in TESTS)]
    made = made if made.returncode else done("cmake", "--build", "--preset", "coverage", "--parallel", "2", "--target", *targets)
    if made.returncode != 0:
        report.complain("does not build: " + made.stdout[-500:])
    for data in glob.glob(BUILT + "/**/*.gcda", recursive=True):
        os.unlink(data)
    for room in TESTS:
        test = done(f"{BUILT}/tests/{room}_test", folder=BUILT)
        if test.returncode != 0:
            report.complain(f"{room}_test is red: {test.stdout[-300:]}")
    for part, dose in PARTS.items():
        test = done(sys.executable, "-B", f"{HERE}/{part}.py", "--program", f"{BUILT}/notesdb", "--dose", str(dose))
        if test.returncode not in (0, faults.SKIPPED):
            report.complain(f"{part} is red: {test.stdout[-300:]}")
    rooms, unreached = {}, {}
    for room in ROOMS:
        lines = [(path, line, count) for path, counts in lines_of(room).items() for line, count in counts.items()]
        reached = sum(count > 0 for _, _, count in lines)
        rooms[room] = f"{100 * reached / max(1, len(lines)):.1f} % of {len(lines):,}"
        unreached[room] = dict(collections.Counter(path for path, _, count in lines if count == 0).most_common(8))
    report.end(test="coverage", rooms=rooms, unreached=unreached)


if __name__ == "__main__":
    main()
