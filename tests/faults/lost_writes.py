#!/usr/bin/env python3
"""Power cuts of a simulated disk: what was not synced is lost, halved or zeroed, in any combination.

Each command of sweep.py is traced once. From the trace the writes to files and the changes of names are taken, in their
order, with the syncs between them. Then the power is cut after each of them: what a sync has reached is there; of the
rest any part may be, later bytes without earlier ones. A sync of a file is one of its bytes, not of its name; one of a
folder is of the changes of its names. Those that no sync has reached are lost from some moment on, since file systems that
keep a journal (ext4, xfs, btrfs) keep their order, and each is there or not: a moved file is not in both places, nor in none.

Of each state the workspace is laid out and another command writes to it, which finishes what was interrupted. Then all
rows must be as before the command or as after it; as after it, if the cut came when it had said that it was done. A dose
is the number of states, drawn by the seed.
"""

import collections
import itertools
import os
import random
import re
import shutil
import sys

import faults
import sweep

CALLS = ("openat,openat2,write,pwrite64,writev,ftruncate,fsync,fdatasync,syncfs,renameat,renameat2,linkat,unlinkat,mkdirat,"
         "symlinkat,close")
HEX = r"(?:\\x[0-9a-f]{2})"
TEXT = re.compile(rf'"({HEX}*)"')
NO_ENTRY = None
ROOT = 0  # the number of the folder that all others are in

# What happens to the disk: bytes of a file (number, offset, bytes), its length, names ({(folder, name): number or None}),
# and the syncs of a file, of a folder or of all.
Write = collections.namedtuple("Write", "file offset bytes")
Length = collections.namedtuple("Length", "file length")
Names = collections.namedtuple("Names", "entries")
Sync = collections.namedtuple("Sync", "what")
EVERYTHING = "everything"


def decoded(text):
    return bytes.fromhex(text.replace("\\x", ""))


class Disk:
    """Files and folders by number, as they lie under a folder."""

    def __init__(self):
        self.bytes = {}  # number of a file -> its bytes
        self.modes = {}
        self.names = collections.defaultdict(dict)  # number of a folder -> {name: number}
        self.numbers = itertools.count(ROOT + 1)

    def read(self, root):
        folders = {root: ROOT}
        for folder, names, files in os.walk(root):
            for name in names:
                number = folders[os.path.join(folder, name)] = next(self.numbers)
                self.names[folders[folder]][name] = number
            for name in files:
                path, number = os.path.join(folder, name), next(self.numbers)
                with open(path, "rb") as file:
                    self.bytes[number] = file.read()
                self.modes[number] = os.stat(path).st_mode & 0o777
                self.names[folders[folder]][name] = number
        return self

    def find(self, path):
        """The number of what has this path, relative to the root; None if there is nothing."""
        number = ROOT
        for name in [each for each in path.split("/") if each not in ("", ".")]:
            number = self.names.get(number, {}).get(name)
        return number

    def lay_out(self, root, folder=ROOT):
        os.makedirs(root, exist_ok=True)
        for name, number in self.names.get(folder, {}).items():
            path = os.path.join(root, name)
            if number in self.bytes:
                with open(path, "wb") as file:
                    file.write(self.bytes[number])
                os.chmod(path, self.modes.get(number, 0o644) | 0o600)
            elif number is not NO_ENTRY:
                self.lay_out(path, number)

    def apply(self, deed):
        if isinstance(deed, Write):
            old = self.bytes.get(deed.file, b"").ljust(deed.offset, b"\0")
            self.bytes[deed.file] = old[:deed.offset] + deed.bytes + old[deed.offset + len(deed.bytes):]
        elif isinstance(deed, Length):
            self.bytes[deed.file] = self.bytes.get(deed.file, b"")[:deed.length].ljust(deed.length, b"\0")
        elif isinstance(deed, Names):
            for (folder, name), number in deed.entries.items():
                self.names[folder][name] = number


class Trace:
    """The deeds of a command, read from what strace saw of it."""

    def __init__(self, root, log):
        self.root = root
        self.live = Disk().read(root)
        self.open = {}  # descriptor -> [number, position]
        self.deeds = []
        self.log = log

    def do(self, deed):
        self.deeds.append(deed)
        self.live.apply(deed)

    def inside(self, path):
        """The path relative to the root, None if it is elsewhere."""
        return os.path.relpath(path, self.root) if path == self.root or path.startswith(self.root + "/") else None

    def read(self):
        unfinished = {}
        with open(self.log, encoding="ascii", errors="replace") as lines:
            for line in lines:
                task, _, call = line.rstrip("\n").partition(" ")
                call = call.strip()
                if call.endswith("<unfinished ...>"):
                    unfinished[task] = call[:-len("<unfinished ...>")]
                    continue
                resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", call)
                call = unfinished.pop(task, "") + resumed.group(1) if resumed else call
                found = re.match(r"(\w+)\((.*)\)\s+= (\d+)(.*)", call)
                if found:
                    self.see(found.group(1), found.group(2), int(found.group(3)), found.group(4))
        return self.deeds

    def see(self, call, words, result, behind):
        paths = [decoded(each).decode("utf-8", "replace") for each in TEXT.findall(words)]
        first = re.match(r"(\d+)", words)
        file = self.open.get(int(first.group(1))) if first else None
        if call in ("openat", "openat2"):
            self.opened(words, result, behind, paths[0])
        elif call == "close":
            self.open.pop(int(first.group(1)), None)
        elif call in ("write", "pwrite64", "writev") and file:
            self.written(call, words, result, file)
        elif call == "ftruncate" and file:
            self.do(Length(file[0], int(words.split(", ")[1])))
        elif call in ("fsync", "fdatasync") and file:
            self.do(Sync(file[0]))
        elif call == "syncfs":
            self.do(Sync(EVERYTHING))
        elif call in ("renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "symlinkat"):
            self.named(call, words, paths)

    def opened(self, words, descriptor, behind, name):
        is_unnamed = "O_TMPFILE" in words
        told = re.match(rf"<({HEX}+)>", behind)
        path = self.inside(decoded(told.group(1)).decode("utf-8", "replace")) if told else None
        if path is None:
            self.open.pop(descriptor, None)
            return
        number = None if is_unnamed else self.live.find(path)
        if number is None:
            number = next(self.live.numbers)
            self.live.bytes[number] = b""
            mode = re.search(r", 0([0-7]{3})\b", words)
            self.live.modes[number] = int(mode.group(1), 8) if mode else 0o644
            if not is_unnamed:
                folder, name = os.path.split(path)
                self.do(Names({(self.live.find(folder), name): number}))
        elif "O_TRUNC" in words:
            self.do(Length(number, 0))
        self.open[descriptor] = [number, "O_APPEND" in words, 0]

    def written(self, call, words, result, file):
        data = b"".join(decoded(each) for each in TEXT.findall(words))[:result]
        number, appends, position = file
        if call == "pwrite64":
            position = int(words.rsplit(", ", 1)[1])
        elif appends:
            position = len(self.live.bytes[number])
        self.do(Write(number, position, data))
        if call != "pwrite64":
            file[2] = position + len(data)

    def places(self, words, paths):
        """(number of the folder, name) of each path of a call, which is relative to the descriptor before it."""
        folders = re.findall(rf'(?:(\d+)<[^>]*>|AT_FDCWD<({HEX}*)>|AT_FDCWD), "', words)
        for (descriptor, working), path in zip(folders, paths):
            if descriptor:
                yield (self.open.get(int(descriptor), [None])[0], path)
            else:
                inside = self.inside(os.path.join(decoded(working).decode() if working else "/", path))
                folder, name = os.path.split(inside) if inside is not None else ("", path)
                yield (self.live.find(folder) if inside is not None else None, name)

    def named(self, call, words, paths):
        places = list(self.places(words, paths))
        if any(folder is None for folder, _ in places[-1:]):
            return  # not in the workspace
        if call == "unlinkat":
            self.do(Names({places[-1]: NO_ENTRY}))
        elif call in ("mkdirat", "symlinkat"):
            self.do(Names({places[-1]: next(self.live.numbers)}))
        elif call == "linkat":
            magic = re.match(r"/proc/self/fd/(\d+)", paths[0])
            number = self.open[int(magic.group(1))][0] if magic else self.live.names[places[0][0]][places[0][1]]
            self.do(Names({places[-1]: number}))
        else:
            source, target = places
            left = self.live.names[target[0]].get(target[1]) if "RENAME_EXCHANGE" in words else NO_ENTRY
            self.do(Names({source: left, target: self.live.names[source[0]][source[1]]}))


def is_kept(deed, later):
    """Whether one of the syncs that follow has reached it."""
    places = {folder for folder, _ in deed.entries} if isinstance(deed, Names) else {deed.file}
    return any(isinstance(each, Sync) and each.what in {*places, EVERYTHING} for each in later)


def damaged(deed, how):
    if not isinstance(deed, Write) or how == "whole":
        return deed
    return deed._replace(bytes=deed.bytes[:len(deed.bytes) // 2] if how == "half" else bytes(len(deed.bytes)))


def choices_of(names, others, extra):
    """What of it may be there: names up to some moment, and of the rest none, all, all but one, one, and some by chance."""
    rests = [[], others, *([each] for each in others), *([other for other in others if other != each] for each in others)]
    rests += [[each for each in others if random.random() < 0.5] for _ in range(extra)]
    for moment in range(len(names) + 1):
        yield from (names[:moment] + rest for rest in rests)


def states_of(deeds, wanted):
    """{what has reached the disk: (at which cut, whether the command had said that it was done)}, about as many as wanted."""
    found = {}
    for cut in range(len(deeds) + 1):
        done = [(number, deed) for number, deed in enumerate(deeds[:cut]) if not isinstance(deed, Sync)]
        kept = {number for number, deed in done if is_kept(deed, deeds[number + 1:cut])}
        loose = [number for number, _ in done if number not in kept]
        names = [number for number in loose if isinstance(deeds[number], Names)]
        others = [number for number in loose if number not in names]
        for choice in choices_of(names, others, wanted // (len(deeds) + 1)):
            reached = tuple(
                (number, "whole" if number in kept else random.choice(["whole", "whole", "half", "zeros"]))
                for number, deed in done if number in kept or number in choice)
            found.setdefault((reached, cut == len(deeds)), cut)
    return found


def traced(given, name):
    """A command's deeds, and the files as it leaves them."""
    with sweep.prepare(given) as workspace:
        start = Disk().read(workspace.root)
        trace = Trace(workspace.root, workspace.base + "/trace")
        done = workspace.run(*sweep.COMMANDS[name], before=[
            "strace", "-f", "-qq", "-y", "-xx", "-s", "1000000", "-o", trace.log, "-e", "trace=" + CALLS])
        assert done.returncode == 0, done.stderr
        deeds, after = trace.read(), workspace.tree()
        replayed = Disk().read(workspace.root)
        if flat(trace.live) != flat(replayed):
            raise AssertionError(f"{name}: the trace does not tell how the workspace came to be as it is: "
                                 f"{set(flat(trace.live).items()) ^ set(flat(replayed).items())}")
        return start, deeds, after


def flat(disk, folder=ROOT, path=""):
    found = {}
    for name, number in disk.names.get(folder, {}).items():
        if number in disk.bytes:
            found[path + name] = disk.bytes[number]
        elif number is not NO_ENTRY:
            found.update(flat(disk, number, path + name + "/"))
    return found


def copy_of(disk):
    other = Disk()
    other.bytes, other.modes = dict(disk.bytes), dict(disk.modes)
    other.names.update({folder: dict(names) for folder, names in disk.names.items()})
    return other


def judge(report, workspace, where, before, after, is_acknowledged):
    follow = workspace.run("update", "tasks", "c", "--set", "ours=next")
    if follow.returncode != 0:
        report.complain(where + "the next command failed: " + follow.stderr.decode(errors="replace")[:200])
        return
    tree = workspace.tree()
    tree["tasks/c.md"] = tree["tasks/c.md"].replace("ours: next", "ours: old")
    wanted = [after] if is_acknowledged else [before, after]
    if tree not in wanted:
        different = {path: tree.get(path) for path in sorted({*tree, *after}) if tree.get(path) != after.get(path)}
        report.complain(where + f"left in neither state: {different}"[:400])


def try_command(given, report, name, wanted):
    """(states tried, cuts)"""
    start, deeds, after = traced(given, name)
    with sweep.prepare(given) as workspace:
        before = workspace.tree()
    states = list(states_of(deeds, wanted).items())
    chosen = random.sample(states, min(len(states), wanted))
    for (reached, is_acknowledged), cut in chosen:
        disk = copy_of(start)
        for number, how in reached:
            disk.apply(damaged(deeds[number], how))
        with faults.Workspace(given) as workspace:
            shutil.rmtree(workspace.root)
            disk.lay_out(workspace.root)
            workspace.adopt_store()
            judge(report, workspace, f"{name}, cut after {cut} of {len(deeds)}: ", before, after, is_acknowledged)
    return len(chosen), len(deeds) + 1


def main():
    given = faults.options(__doc__.splitlines()[0], dose=300)
    faults.need_strace(given)
    report = faults.Report(given)
    tried = [try_command(given, report, name, -(-given.dose // len(sweep.COMMANDS))) for name in sweep.COMMANDS]
    report.end(test="lost_writes", states=sum(states for states, _ in tried), cuts=sum(cuts for _, cuts in tried),
               commands=len(sweep.COMMANDS))


if __name__ == "__main__":
    sys.exit(main())
