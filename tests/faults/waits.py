#!/usr/bin/env python3
"""A writer that is stopped in the middle keeps nobody for longer than is said, and goes on afterwards.

Each command of sweep.py is stopped (SIGSTOP) at one of the system calls that it makes from its lock on. Meanwhile another
command reads, which must work at once, and one writes, which must have done so or answer `busy` within the five seconds
that a lock is waited for. Then the stopped one goes on: it must end by itself, with all done or nothing, and a third write
works. That no lock outlives a holder that is killed is tried by sweep.py and kill_loop.py. How long an answer took is told;
ten seconds are too long on any machine. A dose is the number of stops, drawn by the seed; several are tried at once, as
most of the time is waiting.
"""

import concurrent.futures
import os
import random
import re
import signal
import subprocess
import time

import faults
import sweep

AT_ONCE = 6
MOST_SECONDS = 10
CALLS = "flock,renameat2,fsync,fdatasync,linkat,openat,openat2,write,pwrite64,fcntl,unlinkat,mkdirat,newfstatat,read,close"


def points_of(given, name):
    """(command, call, its number) from the lock on, and the files as the command leaves them."""
    with sweep.prepare(given) as workspace:
        log = workspace.base + "/trace"
        done = workspace.run(*sweep.COMMANDS[name], before=["strace", "-f", "-qq", "-o", log, "-e", "trace=" + CALLS])
        assert done.returncode == 0, done.stderr
        counts, points, locked = {}, [], False
        with open(log, encoding="utf-8", errors="replace") as trace:
            for call, rest in re.findall(r"^\d+ +(\w+)\((.*)", trace.read(), re.MULTILINE):
                counts[call] = counts.get(call, 0) + 1
                locked = locked or (call == "flock" and "LOCK_EX" in rest)
                if locked:
                    points.append((name, call, counts[call]))
        return points, workspace.tree()


def stopped_child(process, log):
    """The command that strace has started, once it is stopped; None if it has ended."""
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as trace:
                found = re.search(r"^(\d+) +--- stopped by SIGSTOP", trace.read(), re.MULTILINE)
            if found:
                return int(found.group(1))
        time.sleep(0.005)
    return None


class Trial:
    def __init__(self, given, report, after):
        self.given, self.report, self.after = given, report, after
        self.stops = self.busy = 0
        self.slowest = 0.0

    def timed(self, workspace, where, *words):
        begin = time.monotonic()
        done = workspace.run(*words)
        took = time.monotonic() - begin
        self.slowest = max(self.slowest, took)
        if took > MOST_SECONDS:
            self.report.complain(f"{where}: {words[0]} took {took:.1f} s")
        return done

    def run(self, point):
        name, call, number = point
        where = f"{name}: stopped at {call} #{number}"
        with sweep.prepare(self.given) as workspace:
            before = workspace.tree()
            log = workspace.base + "/trace"
            words = ["strace", "-f", "-qq", "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:signal=STOP:when={number}",
                     *workspace.words(*sweep.COMMANDS[name])]
            with subprocess.Popen(words, env=workspace.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                stopped = stopped_child(process, log)
                if stopped is None:
                    if process.poll() is None:
                        with open(log, encoding="utf-8", errors="replace") as trace:
                            self.report.complain(f"{where}: neither stopped nor ended: {trace.read()[-300:]}")
                        process.kill()
                    return
                self.stops += 1
                self.while_stopped(workspace, where)
                while process.poll() is None:
                    try:
                        os.kill(stopped, signal.SIGCONT)
                    except ProcessLookupError:
                        break
                    time.sleep(0.01)
                code = process.wait(timeout=60)
            self.look(workspace, where, code, before, self.after[name])

    def while_stopped(self, workspace, where):
        read = self.timed(workspace, where, "get", "tasks", "c")
        if read.returncode != 0:
            self.report.complain(f"{where}: reading is refused: {read.stderr.decode(errors='replace')[:200]}")
        wrote = self.timed(workspace, where, "update", "tasks", "c", "--set", "ours=next")
        said = wrote.stderr.decode(errors="replace")
        self.busy += wrote.returncode != 0
        if wrote.returncode != 0 and "busy" not in said:
            self.report.complain(f"{where}: writing is refused otherwise than as busy: {said[:200]}")

    def look(self, workspace, where, code, before, after):
        follow = self.timed(workspace, where, "update", "tasks", "c", "--set", "ours=next")
        if follow.returncode != 0:
            self.report.complain(f"{where}: the next command failed: {follow.stderr.decode(errors='replace')[:200]}")
        tree = workspace.tree()
        tree["tasks/c.md"] = tree["tasks/c.md"].replace("ours: next", "ours: old")
        if tree != (after if code == 0 else before):
            self.report.complain(f"{where}: exit {code}: left in neither state")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=12)
    faults.need_strace(given)
    report = faults.Report(given)
    points, after = [], {}
    for name in sweep.COMMANDS:
        if name != "undo":  # what is the newest change is another one, once somebody has written
            found, after[name] = points_of(given, name)
            points += found
    random.shuffle(points)
    trial = Trial(given, report, after)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(trial.run, points[:given.dose]))
    report.end(test="waits", stops=trial.stops, busy=trial.busy, slowest_s=round(trial.slowest, 1))


if __name__ == "__main__":
    main()
