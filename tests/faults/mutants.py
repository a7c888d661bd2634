#!/usr/bin/env python3
"""Seeded bugs in our own protocol: each of mutants/*.bug must turn the test that it names red.

    Bug: the lock is shared.
    Test: two do not hold the lock at once
    In: flock_queue.cpp

    - while (::flock(file, LOCK_EX) != 0) {
    + while (::flock(file, LOCK_SH) != 0) {

A file says what is wrong, the test that says so (as Catch2 selects tests, or a program of tests/security with its options,
which is then run on the whole program), the source, and pairs of text: what stands
behind the minus, which must be there exactly once, is replaced by what stands behind the plus. Any run of spaces and line
ends equals any other, and a part of a line is enough, so that a bug outlives what is written around it. A source is known by
its name alone (with its folder's where there are several) and a test by the source that has it, wherever these lie.

The bug is put into a copy of the source; this is compiled as the build of the program compiles it, linked with the rest of
the module's tests, and that one test is run. Without any bug all of these tests must pass. A dose is the number of bugs; 0 is
all. Those whose module's tests are not built beside the program (`ninja files_test`) are passed over. `--texts` only
looks whether every text has its place and every test its source, which needs no build.
"""

import concurrent.futures
import fnmatch
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import faults

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants")
AT_ONCE = 2
DRIVING = ["cases", "commands", "laws", "sync"]  # modules of tests/ that run the program, whichever NOTESDB_PROGRAM names
LONGEST = 300  # seconds for one test; a bug that makes it wait for ever is caught, too


def done(words, folder, timeout=None, **variables):
    try:
        return subprocess.run(words, cwd=folder, timeout=timeout, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def sources_below(folder):
    for path, _, names in os.walk(os.path.join(TREE, folder)):
        yield from (os.path.join(path, name) for name in names if name.endswith(".cpp"))


def modules_by_test():
    """The folders of tests/ that hold a test, by its name."""
    found = {}
    for path in sources_below("tests"):
        module = os.path.relpath(path, os.path.join(TREE, "tests")).split(os.sep)[0]
        with open(path, encoding="utf-8") as file:
            for first, second in re.findall(r'\bTEST_CASE\(\s*"([^"\n]*)"(?:\s*"([^"\n]*)")?', file.read()):
                found.setdefault(first + second, set()).add(module)
    return found


class Mutant:
    def __init__(self, name, sources, tests):
        self.name = name.removesuffix(".bug")
        with open(os.path.join(BUGS, name), encoding="utf-8") as file:
            text = file.read()
        self.test = re.search(r"^Test: (.*)$", text, re.MULTILINE).group(1)
        self.pairs = [(self.behind("-", pair), self.behind("+", pair)) for pair in text.split("\n\n")[1:]]
        self.source, self.program, self.tests, self.text, self.script = None, None, None, None, None
        self.problem = self.place(re.search(r"^In: (.*)$", text, re.MULTILINE).group(1), sources) or self.find(tests)

    @staticmethod
    def behind(sign, pair):
        return "\n".join(line[2:] for line in pair.splitlines() if line.startswith(sign))

    def place(self, name, sources):
        """Puts the bug into the text of the source; what is in the way of that."""
        paths = [path for path in sources if path.endswith("/" + name)]
        if len(paths) != 1:
            return f"{len(paths)} sources have that name"
        self.source = paths[0]
        with open(self.source, encoding="utf-8") as file:
            self.text = file.read()
        for before, after in self.pairs:
            pattern = r"\s+".join(map(re.escape, before.split()))
            self.text, times = re.subn(pattern, lambda _, after=after: after, self.text) if pattern else ("", 0)
            if times != 1:
                return f"'{before}' is {times} times in {os.path.relpath(self.source, TREE)}"
        return None if self.pairs else "has no text"

    def find(self, tests):
        words = shlex.split(self.test) if self.test.startswith("security/") else []
        if words:
            self.program = "notesdb"
            self.script = [sys.executable, "-B", os.path.join(TREE, "tests", words[0]), *words[1:]]
            return None if os.path.exists(self.script[2]) else f"there is no {words[0]}"
        found = set().union(*(tests[name] for name in tests if fnmatch.fnmatchcase(name, self.test)))
        if len(found) != 1:
            return f"'{self.test}' names tests of {len(found)} modules"
        module = found.pop()
        self.tests = f"tests/{module}_test"
        self.program = "notesdb" if module in DRIVING else self.tests
        return None

    def passes(self, program, build_folder):
        if self.script:
            return done([*self.script, "--program", program], build_folder, LONGEST)
        tests = program if self.program == self.tests else os.path.join(build_folder, self.tests)
        return done([tests, "-w", "NoTests", self.test], build_folder, LONGEST, NOTESDB_PROGRAM=program)

    def is_built(self, build_folder):
        return all(os.path.exists(os.path.join(build_folder, each)) for each in (self.program, self.tests or "."))


class Build:
    """The build folder of the program: how it compiles a source, and links the tests of a module."""

    def __init__(self, folder, program):
        self.folder = folder
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            self.commands = {each["file"]: each["command"] for each in json.load(file)}
        told = subprocess.run(["ninja", "-C", folder, "-t", "commands", "-s", program], check=True,
                              capture_output=True, text=True).stdout.strip().splitlines()[-1]
        self.link = told.replace(": && ", "").replace(" && :", "")

    def compile(self, source, mutated, into):
        words = shlex.split(self.commands[source])
        words[words.index("-o") + 1] = into
        words[words.index(source)] = mutated
        return done([*words, "-O0", "-Wno-error"], self.folder)

    def link_with(self, mutated, into):
        # What it defines is then not looked for in the room's archive.
        words = shlex.split(self.link)
        at = words.index("-o") + 1
        words[at:at + 1] = [into, mutated]
        return done(words, self.folder)


def judge(build, base, mutant):
    """What is to be complained of; None if the bug was caught."""
    start = os.path.join(base, mutant.name)
    with open(start + ".cpp", "w", encoding="utf-8") as file:
        file.write(mutant.text)
    if not build.compile(mutant.source, start + ".cpp", start + ".o"):
        return "does not compile"
    if not build.link_with(start + ".o", start):
        return "does not link"
    survived = mutant.passes(start, build.folder)
    os.unlink(start)
    return f"survived '{mutant.test}'" if survived else None


def add_options(parser):
    parser.add_argument("--texts", action="store_true", help="only look whether every text has its place")
    parser.add_argument("--only", default="", help="a pattern of the names of bugs")


def all_mutants(only):
    sources, tests = list(sources_below("src")), modules_by_test()
    return [Mutant(name, sources, tests) for name in sorted(os.listdir(BUGS))
            if name.endswith(".bug") and re.search(only, name)]


def main():
    given = faults.options(__doc__.splitlines()[0], 0, add_options)
    faults.use_for_tests_too(given)
    build_folder = os.path.dirname(given.program)
    report = faults.Report(given)
    mutants = all_mutants(given.only)
    for mutant in mutants:
        if mutant.problem:
            report.complain(f"{mutant.name}: {mutant.problem}")
    if given.texts:
        report.end(test="mutants", texts=len(mutants))
    if not shutil.which("ninja"):
        faults.skip("there is no ninja")
    if given.dose:
        mutants = random.sample(mutants, min(given.dose, len(mutants)))
    mutants = [each for each in mutants if not each.problem and each.is_built(build_folder)]
    if not mutants:
        faults.skip("no tests of modules are built beside the program")
    builds = {program: Build(build_folder, program) for program in {mutant.program for mutant in mutants}}
    for mutant in {mutant.test: mutant for mutant in mutants}.values():
        if not mutant.passes(os.path.join(build_folder, mutant.program), build_folder):
            report.complain(f"'{mutant.test}' is red without any bug")
    base = tempfile.mkdtemp(prefix="notesdb-mutants-", dir=given.folder)

    def try_one(mutant):
        said = judge(builds[mutant.program], base, mutant)
        print(f"{mutant.name}: {said or 'caught'}", flush=True)
        if said:
            report.complain(f"{mutant.name}: {said}")

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(try_one, mutants))
    shutil.rmtree(base, ignore_errors=True)
    report.end(test="mutants", mutants=len(mutants), caught=len(mutants) - report.broken)


if __name__ == "__main__":
    sys.exit(main())
