#!/usr/bin/env python3
"""The tests and the program under AddressSanitizer and UBSan, and under ThreadSanitizer; and commands under valgrind.

The presets `asan` and `tsan` build the tests of the rooms and the program. First the tests run, then parts of this folder
that drive the program by messages, by commands and by several clients at once, on a program that is itself sanitized. For
valgrind the commands of sweep.py are given to notesdb_dynamic (`ninja faults_parts`), because it cannot watch the memory of
a program that is linked without a dynamic linker. A finding of one of them is a test that fails, or a report that a server
has left. A dose is how many of the three are tried: first valgrind, then tsan, then asan, which has most to build; with
`--minutes` what is left by then is left out, and the page says what has run.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

import faults
import sweep

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
TESTS = {
    "asan": ["core", "json", "note", "query", "files", "database", "index", "check", "infer", "search", "exchange",
             "operations", "git", "mcp", "http", "cli", "serving", "sync", "commands"],
    "tsan": ["files", "index", "database", "serving", "mcp", "http"],
}
# Parts of this folder on the sanitized program, with their doses.
PARTS = {
    "asan": {"streams": 200, "questions": 600, "undoing": 100, "histories": 2000, "damage": 3},
    "tsan": {"histories": 2000, "undoing": 60, "questions": 300},
}
# Laws that open a workspace thousands of times, which takes too long there.
LEFT_OUT = {("tsan", "index"): ["~answers*"]}
LONGEST = 1800  # seconds for one of them
FOUND = 99  # how valgrind says that it has found something


def build(report, preset):
    for words in (["cmake", "--preset", preset],
                  ["cmake", "--build", "--preset", preset, "--parallel", "2", "--target", "notesdb", "notesdb-serve",
                   *(room + "_test" for room in TESTS[preset])]):
        done = subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            report.complain(f"{preset} does not build: {done.stdout[-500:]}")
            return False
    return True


class Watched:
    """What one of the two is told, and where it reports."""

    def __init__(self, report, preset):
        self.report, self.preset = report, preset
        self.folder = os.path.join(TREE, "build", preset)
        self.reports = tempfile.mkdtemp(prefix="notesdb-sanitized-")
        into = f"log_path={self.reports}/report"
        self.environment = {
            **os.environ, "ASAN_OPTIONS": into, "UBSAN_OPTIONS": into + ":print_stacktrace=1",
            "TSAN_OPTIONS": f"{into}:suppressions={TREE}/tests/thread_sanitizer.supp"}

    def run(self, name, words, judges_speed=False):
        try:
            done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                  errors="replace", timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return self.report.complain(f"{name} under {self.preset} takes longer than {LONGEST} s")
        left = glob.glob(self.reports + "/*")
        if left or (done.returncode not in (0, faults.SKIPPED) and not judges_speed):
            self.report.complain(f"{name} under {self.preset}: exit {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
        for path in left:
            with open(path, encoding="utf-8", errors="replace") as file:
                print(file.read()[:3000], flush=True)
            os.unlink(path)
        return None

    def test(self, room):
        left_out = LEFT_OUT.get((self.preset, room), [])
        self.run(room + "_test", [os.path.join(self.folder, "tests", room + "_test"), *left_out])
        return room + (" without its laws" if left_out else "")

    def part(self, name, dose):
        self.run(name, [sys.executable, "-B", os.path.join(HERE, name + ".py"), "--program",
                        os.path.join(self.folder, "notesdb"), "--dose", str(dose), "--seed", str(self.report.given.seed)],
                 judges_speed=True)  # a server gives up what it has not answered two seconds after the end of input
        return f"{name} ({dose:,})"


def build_and_run(given, report, preset):
    """What has run."""
    ran = []
    if not build(report, preset):
        return ran
    watched = Watched(report, preset)
    for room in TESTS[preset]:
        if not faults.time_is_up(given):
            ran.append(watched.test(room))
    for name, dose in PARTS[preset].items():
        if not faults.time_is_up(given):
            ran.append(watched.part(name, dose))
    shutil.rmtree(watched.reports)
    return ran


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
    thread = build_and_run(given, report, "tsan") if given.dose > 1 else []
    address = build_and_run(given, report, "asan") if given.dose > 2 else []
    report.end(test="sanitized", address=address, thread=thread, valgrind=valgrind)


if __name__ == "__main__":
    main()
