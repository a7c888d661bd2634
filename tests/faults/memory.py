#!/usr/bin/env python3
"""Memory that runs out at a request of chance, and writes that all stop half-way.

Each command is run once to count its requests for memory; then one of them is refused, or that one and all after it. A
dose is that many refusals, drawn by the seed. A command that says it is done has done all of it; any other has done
nothing, at the latest when the next command has written, or says that there was no memory to say how it went. With
halved writes every command must do its work.

It is not the program itself that runs, but the one into which memory that is refused can be loaded (shim.py).
"""

import random
import sys

import faults
import shim
import sweep


def requests_of(given, loaded, name):
    """How often the command asks for memory, and the files as it leaves them."""
    with sweep.prepare(given) as workspace:
        counter = workspace.base + "/count"
        done = workspace.run(*sweep.COMMANDS[name], before=shim.before(loaded, SHIM_COUNT=counter))
        assert done.returncode == 0, done.stderr
        return shim.counted(counter)[0], workspace.tree()


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
    loaded = shim.need(given)
    report = faults.Report(given)
    requests, after, aborted, tried = {}, {}, 0, 0
    for name in sweep.COMMANDS:
        requests[name], after[name] = requests_of(given, loaded, name)
    while tried < given.dose and not faults.time_is_up(given):
        tried += 1
        name = random.choice(list(sweep.COMMANDS))
        number = random.randrange(1, requests[name] + 1)
        manner = random.choice(["", "+"])
        with sweep.prepare(given) as workspace:
            before = workspace.tree()
            done = workspace.run(*sweep.COMMANDS[name], before=shim.before(loaded, SHIM=f"memory:{number}{manner}"))
            aborted += done.returncode < 0
            judge(report, f"{name}: no memory at request {number}{manner}: ", workspace, done, before, after[name])
    for name in sweep.COMMANDS:
        with sweep.prepare(given) as workspace:
            done = workspace.run(*sweep.COMMANDS[name], before=shim.before(loaded, SHIM="short"))
            if done.returncode != 0 or workspace.tree() != after[name]:
                report.complain(f"{name}: with halved writes: exit {done.returncode}")
    report.end(test="memory", points=tried, of=2 * sum(requests.values()), commands=len(sweep.COMMANDS), aborted=aborted)


if __name__ == "__main__":
    sys.exit(main())
