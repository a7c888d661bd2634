#!/usr/bin/env python3
"""Breaks commands at their system calls, one after the other, and looks at what is left.

Each command is traced once. Then for every call it made and every fault (an errno, or a kill) there is a point at which
it can be broken. A dose is that many points, drawn by the seed, but first one of each kind of call with each fault in each
command; 0 is all of them. Afterwards

  - a command that says it is done has done all of it; one that says it failed has done nothing;
  - one that was killed has done all or nothing, at the latest when the next command has written;
  - no other file has changed, and none has appeared.
"""

import collections
import os
import random
import re
import sys

import faults

CALLS = ("openat,openat2,write,pwrite64,writev,fsync,fdatasync,syncfs,renameat,renameat2,linkat,unlinkat,ftruncate,"
         "fchmod,fchown,mkdirat,flock,fcntl,read,pread64,newfstatat,fstat,close,getdents64,statx,mmap,brk,readlinkat,"
         "flistxattr,fsetxattr,ioctl,futex,clone3")
FAULTS = "KILL,ENOSPC,EIO,EINTR,EACCES,EMFILE,EDQUOT,EROFS,ENOMEM".split(",")
# What the kernel never says to these calls, and what a C library may not survive.
SENSELESS = {("close", "EINTR"), ("futex", "*"), ("clone3", "EINTR"), ("mmap", "EINTR"),
             ("brk", "*")}  # the kernel answers a refused brk with the old end, never with an errno

COMMANDS = {
    "insert": ["insert", "tasks", "--row-id", "new", "--set", "title=New"],
    "insert with a counter": ["insert", "tasks", "--set", "title=New"],
    "update": ["update", "tasks", "a", "--set", "ours=changed"],
    "append": ["update", "tasks", "a", "--body", "Another text.\n"],
    "delete": ["delete", "tasks", "a"],
    "rename": ["update", "tasks", "a", "--new-row-id", "z"],
    "batch": ["batch", "--operations",
              '[{"action":"insert","database_id":"tasks","row_id":"new","fields":{"title":"New"}},'
              '{"action":"update","database_id":"tasks","row_id":"a","fields":{"ours":"changed"}},'
              '{"action":"delete","database_id":"tasks","row_id":"b"}]'],
    "create": ["create", "Other", "--column", "a:text"],
    "undo": ["undo"],
}
Point = collections.namedtuple("Point", "command call number fault")

ROWS = {name: faults.row(name.upper(), count=1, ours="old") for name in "abc"}


def prepare(given):
    workspace = faults.Workspace(given, ROWS)
    # So that there is something to take back; c is not touched by any command.
    done = workspace.run("update", "tasks", "b", "--set", "ours=before")
    assert done.returncode == 0, done.stderr
    return workspace


def is_senseless(call, fault):
    return (call, fault) in SENSELESS or ((call, "*") in SENSELESS and fault != "KILL")


def points_of(given, name):
    """Every point of it, and the files as the command leaves them."""
    with prepare(given) as workspace:
        log = workspace.base + "/trace"
        done = workspace.run(*COMMANDS[name], before=["strace", "-f", "-qq", "-o", log, "-e", "trace=" + CALLS])
        assert done.returncode == 0, done.stderr
        with open(log, encoding="utf-8", errors="replace") as trace:
            counts = collections.Counter(re.findall(r"^\d+ +(\w+)\(", trace.read(), re.MULTILINE))
        after = workspace.tree()
    points = [Point(name, call, number, fault) for call, count in counts.items() for number in range(1, count + 1)
              for fault in FAULTS if not is_senseless(call, fault)]
    return points, after


def drawn(points, dose):
    """That many; a second one of the same command, call and fault only if there is one of each."""
    random.shuffle(points)
    seen = collections.Counter()
    turns = []
    for point in points:
        kind = point.command, point.call, point.fault
        turns.append(seen[kind])
        seen[kind] += 1
    in_turn = [point for _, point in sorted(zip(turns, points), key=lambda each: each[0])]
    return in_turn[:dose or None]


def judge(report, point, workspace, done, before, after):
    name, call, number, fault = point
    where = f"{name}: {fault} at {call} #{number}: exit {done.returncode}: "
    said = done.stderr.decode(errors="replace").strip()[:200]
    if done.returncode in (134, 139, -6, -11):
        report.complain(where + "crashed: " + said)
    # The next command finishes what was interrupted.
    follow = workspace.run("update", "tasks", "c", "--set", "ours=next")
    if follow.returncode != 0:
        report.complain(where + "the next command failed: " + follow.stderr.decode(errors="replace")[:200])
    tree = workspace.tree()
    tree["tasks/c.md"] = tree["tasks/c.md"].replace("ours: next", "ours: old")
    wanted = {0: [after]}.get(done.returncode, [before])
    if fault == "KILL":
        wanted = [before, after]
    if tree not in wanted:
        different = [path for path in sorted({*tree, *wanted[-1]}) if tree.get(path) != wanted[-1].get(path)]
        report.complain(where + f"left in neither state: {different}: " + said)


def break_at(given, report, point, after):
    name, call, number, fault = point
    with prepare(given) as workspace:
        before = workspace.tree()
        how = "signal=KILL" if fault == "KILL" else "error=" + fault
        log = workspace.base + "/trace"
        done = workspace.run(*COMMANDS[name], before=[
            "strace", "-f", "-qq", "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:{how}:when={number}"])
        with open(log, encoding="utf-8", errors="replace") as trace:
            text = trace.read()
        if "INJECTED" not in text and "killed by SIGKILL" not in text:
            return False
        judge(report, point, workspace, done, before, after)
        return True


def main():
    given = faults.options(__doc__.splitlines()[0], dose=150)
    faults.need_strace(given)
    report = faults.Report(given)
    points = []
    after = {}
    for name in COMMANDS:
        found, after[name] = points_of(given, name)
        points += found
    hit = []
    for point in drawn(points, given.dose):
        if faults.time_is_up(given):
            break
        if break_at(given, report, point, after[point.command]):
            hit.append(point)
    report.end(test="sweep", commands=len(COMMANDS), points=len(hit), of=len(points),
               kills=sum(point.fault == "KILL" for point in hit))


if __name__ == "__main__":
    sys.exit(main())
