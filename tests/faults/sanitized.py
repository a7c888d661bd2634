#!/usr/bin/env python3
"""Tests under AddressSanitizer and UBSan, and under ThreadSanitizer; and commands under valgrind.

The presets `asan` and `tsan` build the tests of the rooms that hold foreign bytes and threads. For valgrind the commands
of sweep.py are given to notesdb_dynamic (`ninja faults_parts`), because it cannot watch the memory of a program that is
linked without a dynamic linker. A finding of one of them is a test that fails. A dose is how many of the three are tried:
first valgrind, then tsan, then asan, which has most to build.
"""

import os
import shutil
import subprocess

import faults
import sweep

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = {"asan": ["core", "json", "note", "query", "files", "http"], "tsan": ["files", "index"]}
# Laws that open a workspace thousands of times, which takes too long there.
LEFT_OUT = {("tsan", "index"): ["~answers*"]}
FOUND = 99  # how valgrind says that it has found something


def build_and_run(report, preset):
    """Those that have run."""
    targets = {room: room + "_test" for room in TESTS[preset]}
    for words in (["cmake", "--preset", preset],
                  ["cmake", "--build", "--preset", preset, "--parallel", "2", "--target", *targets.values()]):
        done = subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            report.complain(f"{preset} does not build: {done.stdout[-500:]}")
            return []
    environment = {**os.environ, "TSAN_OPTIONS": f"suppressions={TREE}/tests/thread_sanitizer.supp"}
    for room, target in targets.items():
        folder = os.path.join(TREE, "build", preset)
        done = subprocess.run([os.path.join(folder, "tests", target), *LEFT_OUT.get((preset, room), [])], cwd=folder,
                              env=environment, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            report.complain(f"{target} under {preset}: {(done.stdout + done.stderr)[-500:]}")
    return [room + (" without its laws" if (preset, room) in LEFT_OUT else "") for room in targets]


def under_valgrind(given, report):
    """How many commands have run."""
    program = os.path.join(os.path.dirname(given.program), "notesdb_dynamic")
    if not shutil.which("valgrind") or not os.path.exists(program):
        return 0
    given.program = program
    watch = ["valgrind", "--quiet", f"--error-exitcode={FOUND}", "--leak-check=full", "--track-fds=yes"]
    commands = {**sweep.COMMANDS, "query": ["query", "tasks"], "search": ["search", "text"], "check": ["check"]}
    for name, words in commands.items():
        with sweep.prepare(given) as workspace:
            done = workspace.run(*words, before=watch)
            if done.returncode != 0:
                report.complain(f"{name} under valgrind: exit {done.returncode}: {done.stderr.decode(errors='replace')[:500]}")
    return len(commands)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=3)
    faults.use_for_tests_too(given)
    report = faults.Report(given)
    valgrind = under_valgrind(given, report)
    thread = build_and_run(report, "tsan") if given.dose > 1 else []
    address = build_and_run(report, "asan") if given.dose > 2 else []
    report.end(test="sanitized", address=address, thread=thread, valgrind=valgrind)


if __name__ == "__main__":
    main()
