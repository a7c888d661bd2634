#!/usr/bin/env python3
"""Seeded bugs in our own protocol: each of mutants/*.patch must turn the test that it names red.

Every patch begins with what is wrong ("Bug:") and the test that says so ("Test:", as Catch2 selects tests). It is applied
to a copy of the one source that it is about; this is compiled as the build of the program compiles it, linked with the
rest of the build's tests of the room, and that one test is run. Without any patch all of these tests must pass. A dose is
the number of patches; 0 is all. Those whose module's tests are not built beside the program (`ninja files_test`) are
passed over.
"""

import concurrent.futures
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
PATCHES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants")
AT_ONCE = 2
LONGEST = 300  # seconds for one test; a bug that makes it wait for ever is caught, too


def done(words, folder, timeout=None):
    try:
        return subprocess.run(words, cwd=folder, timeout=timeout, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


class Mutant:
    def __init__(self, name):
        self.name = name.removesuffix(".patch")
        self.patch = os.path.join(PATCHES, name)
        with open(self.patch, encoding="utf-8") as file:
            text = file.read()
        self.test = re.search(r"^Test: (.*)$", text, re.MULTILINE).group(1)
        source = re.search(r"^--- a/(\S+)", text, re.MULTILINE).group(1)
        self.source = os.path.join(TREE, source)
        self.program = f"tests/{source.split('/')[1]}_test"


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
    if not done(["patch", "--silent", "-o", start + ".cpp", mutant.source, mutant.patch], base):
        return "does not apply"
    if not build.compile(mutant.source, start + ".cpp", start + ".o"):
        return "does not compile"
    if not build.link_with(start + ".o", start):
        return "does not link"
    survived = done([start, "-w", "NoTests", mutant.test], build.folder, LONGEST)
    os.unlink(start)
    return f"survived '{mutant.test}'" if survived else None


def main():
    given = faults.options(__doc__.splitlines()[0], dose=0)
    faults.use_for_tests_too(given)
    build_folder = os.path.dirname(given.program)
    for tool in ("ninja", "patch"):
        if not shutil.which(tool):
            faults.skip("there is no " + tool)
    report = faults.Report(given)
    mutants = [Mutant(name) for name in sorted(os.listdir(PATCHES)) if name.endswith(".patch")]
    if given.dose:
        mutants = random.sample(mutants, min(given.dose, len(mutants)))
    mutants = [mutant for mutant in mutants if os.path.exists(os.path.join(build_folder, mutant.program))]
    if not mutants:
        faults.skip("no tests of modules are built beside the program")
    builds = {program: Build(build_folder, program) for program in {mutant.program for mutant in mutants}}
    for program, test in sorted({(mutant.program, mutant.test) for mutant in mutants}):
        if not done([os.path.join(build_folder, program), "-w", "NoTests", test], build_folder, LONGEST):
            report.complain(f"'{test}' is red without any bug")
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
