#!/usr/bin/env python3
"""Memory that runs out at a request of chance, and writes that all stop half-way.

Each command is run once to count its requests for memory; then one of them is refused, or that one and all after it. A
dose is that many refusals, drawn by the seed. A command that says it is done has done all of it; any other has done
nothing, at the latest when the next command has written, or says that there was no memory to say how it went. With
halved writes every command must do its work.

The program is linked without a dynamic linker, so another one of the same objects, notesdb_dynamic, is looked for beside
it, and faults_shim.so, which is loaded into it: `ninja faults_parts` builds both.
"""

import os
import random
import struct
import sys

import faults
import sweep


def run_with(workspace, shim, command, **variables):
    words = ["env", "LD_PRELOAD=" + shim, *(f"NOTESDB_{key}={value}" for key, value in variables.items())]
    return workspace.run(*sweep.COMMANDS[command], before=words)


def requests_of(given, shim, name):
    """How often the command asks for memory, and the files as it leaves them."""
    with sweep.prepare(given) as workspace:
        counter = workspace.base + "/count"
        done = run_with(workspace, shim, name, SHIM_COUNT=counter)
        assert done.returncode == 0, done.stderr
        with open(counter, "rb") as file:
            return struct.unpack("Q", file.read(8))[0], workspace.tree()


def judge(report, where, workspace, done, before, after):
    follow = workspace.run("update", "tasks", "c", "--set", "ours=next")
    if follow.returncode != 0:
        report.complain(where + "the next command failed: " + follow.stderr.decode(errors="replace")[:200])
    tree = workspace.tree()
    tree["tasks/c.md"] = tree["tasks/c.md"].replace("ours: next", "ours: old")
    said = done.stderr.decode(errors="replace").strip()[:200]
    unsure = done.returncode < 0 or "not enough memory" in said
    wanted = [after] if done.returncode == 0 else [before, after] if unsure else [before]
    if tree not in wanted:
        report.complain(where + f"exit {done.returncode}: left in neither state: {said}")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=300)
    folder = os.path.dirname(given.program)
    shim = os.path.join(folder, "faults_shim.so")
    given.program = os.path.join(folder, "notesdb_dynamic")
    if not os.path.exists(shim) or not os.path.exists(given.program):
        faults.skip("notesdb_dynamic and faults_shim.so are not built")
    report = faults.Report(given)
    requests, after, aborted, tried = {}, {}, 0, 0
    for name in sweep.COMMANDS:
        requests[name], after[name] = requests_of(given, shim, name)
    while tried < given.dose and not faults.time_is_up(given):
        tried += 1
        name = random.choice(list(sweep.COMMANDS))
        number = random.randrange(1, requests[name] + 1)
        manner = random.choice(["", "+"])
        with sweep.prepare(given) as workspace:
            before = workspace.tree()
            done = run_with(workspace, shim, name, SHIM=f"memory:{number}{manner}")
            aborted += done.returncode < 0
            judge(report, f"{name}: no memory at request {number}{manner}: ", workspace, done, before, after[name])
    for name in sweep.COMMANDS:
        with sweep.prepare(given) as workspace:
            done = run_with(workspace, shim, name, SHIM="short")
            if done.returncode != 0 or workspace.tree() != after[name]:
                report.complain(f"{name}: with halved writes: exit {done.returncode}")
    report.end(test="memory", points=tried, of=2 * sum(requests.values()), commands=len(sweep.COMMANDS), aborted=aborted)


if __name__ == "__main__":
    sys.exit(main())
