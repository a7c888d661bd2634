#!/usr/bin/env python3
"""Other programs change rows in every way there is, and the next query tells of it.

A server on standard input and output is asked for all rows after each edit, and must give exactly those that are there
then. The edits are of 18 kinds: in place or by a new file, of the same size or not, with the old time stamp, an older one or
one of the future, by a memory map or through another name; rows that come, go, change their names or their places; a folder
that is replaced as a whole. For two of them the kernel has no event, and they need only be seen within two seconds
(docs/index.md); they are tried less often. All of it is done on each file system that can be had, with a server that follows
folders by inotify, with one whose inotify is refused, and now and then in a storm of other changes, by which the kernel's
queue overflows.

A dose is the number of edits of each kind on each file system.
"""

import contextlib
import ctypes
import itertools
import mmap
import os
import random
import shutil
import sys
import tempfile
import time

import faults
import volumes

ROWS = 8
PATIENCE = 3  # seconds until an edit without an event must have been seen, and some for a busy machine
RARELY = 25  # one in so many of these
STORM = 400  # one in so many edits
QUEUE = 16384  # events that the kernel keeps
WITHOUT_INOTIFY = ["strace", "-f", "-qq", "-o", os.devnull, "--seccomp-bpf", "-e", "trace=inotify_init1",
                   "-e", "inject=inotify_init1:error=EMFILE"]
RENAME_EXCHANGE = 2
AT_FDCWD = -100
LIBC = ctypes.CDLL(None, use_errno=True)
YEAR = 365 * 86400


def text_of(title):
    return f"---\ntitle: {title}\n---\nText below.\n"


class Table:
    """The rows as they are, in a folder and in mind. Titles of one length make texts of one length."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.numbers = itertools.count(10000)
        self.titles = {}
        for number in range(ROWS):
            self.make(f"r{number}")

    def path(self, row):
        return self.workspace.path(f"tasks/{row}.md")

    def word(self):
        return f"t{next(self.numbers)}"

    def write(self, path, title):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(title))

    def make(self, row):
        self.titles[row] = self.word()
        self.write(self.path(row), self.titles[row])

    def chosen(self):
        row = random.choice(sorted(self.titles))
        self.titles[row] = self.word()
        return self.path(row), self.titles[row]

    def beside(self, title, stamp=None):
        """A file with the new text, out of the way."""
        path = self.workspace.path("new")
        self.write(path, title)
        if stamp is not None:
            os.utime(path, ns=(stamp, stamp))
        return path


def in_place(table):
    path, title = table.chosen()
    with open(path, "r+", encoding="utf-8") as file:
        file.write(text_of(title))


def in_place_with_old_time(table):
    path, title = table.chosen()
    before = os.stat(path)
    with open(path, "r+", encoding="utf-8") as file:
        file.write(text_of(title))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def one_byte(table):
    row = random.choice(sorted(table.titles))
    old = table.titles[row]
    table.titles[row] = old[:-1] + random.choice([letter for letter in "abcdefgh" if letter != old[-1]])
    file = os.open(table.path(row), os.O_WRONLY)
    os.pwrite(file, table.titles[row][-1].encode(), text_of(old).index(old) + len(old) - 1)
    os.close(file)


def emptied_and_written(table):
    table.write(*table.chosen())


def made_longer(table):
    path, title = table.chosen()
    row = os.path.basename(path)[:-3]
    table.titles[row] = title + "x" * random.randrange(1, 5000)
    table.write(path, table.titles[row])


def by_memory_map(table):
    path, title = table.chosen()
    with open(path, "r+b") as file:
        file.truncate(len(text_of(title)))
        with mmap.mmap(file.fileno(), 0) as memory:
            memory[:] = text_of(title).encode()


def through_another_name(table):
    path, title = table.chosen()
    other = table.workspace.base + "/other-name"
    os.link(path, other)
    table.write(other, title)
    os.unlink(other)


def by_rename(table):
    path, title = table.chosen()
    os.replace(table.beside(title), path)


def by_rename_with_old_time(table):
    path, title = table.chosen()
    os.replace(table.beside(title, os.stat(path).st_mtime_ns), path)


def by_rename_with_older_time(table):
    path, title = table.chosen()
    os.replace(table.beside(title, time.time_ns() - YEAR * 10**9), path)


def by_rename_with_future_time(table):
    path, title = table.chosen()
    os.replace(table.beside(title, time.time_ns() + YEAR * 10**9), path)


def unlinked_and_created(table):
    path, title = table.chosen()
    before = os.stat(path)
    os.unlink(path)
    table.write(path, title)
    if random.random() < 0.5:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def linked_over(table):
    path, title = table.chosen()
    os.unlink(path)
    os.link(table.beside(title), path)
    os.unlink(table.workspace.path("new"))


def appeared(table):
    table.make(f"n{next(table.numbers)}")


def gone(table):
    if len(table.titles) > 3:
        row = random.choice(sorted(table.titles))
        del table.titles[row]
        os.unlink(table.path(row))
    else:
        appeared(table)


def renamed(table):
    row, name = random.choice(sorted(table.titles)), f"m{next(table.numbers)}"
    os.rename(table.path(row), table.path(name))
    table.titles[name] = table.titles.pop(row)


def exchanged(table):
    one, other = random.sample(sorted(table.titles), 2)
    paths = [table.path(row).encode() for row in (one, other)]
    if LIBC.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE) != 0:
        os.rename(table.path(one), table.workspace.path("third"))
        os.rename(table.path(other), table.path(one))
        os.rename(table.workspace.path("third"), table.path(other))
    table.titles[one], table.titles[other] = table.titles[other], table.titles[one]


def folder_replaced(table):
    tasks, fresh = table.workspace.path("tasks"), table.workspace.path(".fresh")
    shutil.copytree(tasks, fresh)
    row = random.choice(sorted(table.titles))
    table.titles[row] = table.word()
    table.write(f"{fresh}/{row}.md", table.titles[row])
    os.rename(tasks, table.workspace.path(".old"))
    os.rename(fresh, tasks)
    shutil.rmtree(table.workspace.path(".old"))


AT_ONCE = [in_place, in_place_with_old_time, one_byte, emptied_and_written, made_longer, by_rename, by_rename_with_old_time,
           by_rename_with_older_time, by_rename_with_future_time, unlinked_and_created, linked_over, appeared, gone, renamed,
           exchanged, folder_replaced]
SOON = [by_memory_map, through_another_name]


def storm(table):
    """More changes than the kernel's queue holds."""
    path = table.path(random.choice(sorted(table.titles)))
    for number in range(QUEUE // 2):
        os.chmod(path, 0o644 if number % 2 else 0o600)
        os.chmod(table.workspace.path("tasks/_schema.md"), 0o644 if number % 2 else 0o600)


def seen(client):
    answer = client.call("db_query", database_id="tasks", limit=100)
    if "rows" not in answer:
        return answer
    return {each["id"]: each["fields"].get("title") for each in answer["rows"]}


def try_edit(report, where, client, table, edit):
    edit(table)
    patience = time.monotonic() + (PATIENCE if edit in SOON else 0)
    told = seen(client)
    while told != table.titles and time.monotonic() < patience:
        time.sleep(0.02)
        told = seen(client)
    if told != table.titles:
        missed = {row: (told.get(row), table.titles.get(row)) for row in {*told, *table.titles}
                  if told.get(row) != table.titles.get(row)}
        report.complain(f"{where}: {edit.__name__}: {str(missed)[:300]}")


def edits(dose):
    chosen = [edit for edit in AT_ONCE for _ in range(dose)] + [edit for edit in SOON for _ in range(-(-dose // RARELY))]
    random.shuffle(chosen)
    return chosen


def try_folder(given, report, kind, folder, has_inotify, chosen):
    given.folder = folder
    tried = 0
    with faults.Workspace(given) as workspace:
        table = Table(workspace)
        client = workspace.client(before=[] if has_inotify else WITHOUT_INOTIFY)
        for edit in chosen:
            if faults.time_is_up(given):
                break
            if random.randrange(STORM) == 0:
                storm(table)
            try_edit(report, f"{kind}, {'with' if has_inotify else 'without'} inotify", client, table, edit)
            tried += 1
        client.close()
    return tried


@contextlib.contextmanager
def overlay():
    """A folder whose files come from one below it until they are written to."""
    base = tempfile.mkdtemp(prefix="notesdb-overlay-", dir=volumes.quick_folder())
    parts = {part: os.path.join(base, part) for part in ("lower", "upper", "work", "merged")}
    for part in parts.values():
        os.mkdir(part)
    options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['work']}"
    if not volumes.quiet("mount", "-t", "overlay", "-o", options, "overlay", parts["merged"]):
        raise OSError("no overlay")
    try:
        yield parts["merged"]
    finally:
        volumes.quiet("umount", "-l", parts["merged"])


@contextlib.contextmanager
def in_memory():
    folder = tempfile.mkdtemp(prefix="notesdb-tmpfs-")
    if not volumes.quiet("mount", "-t", "tmpfs", "tmpfs", folder):
        raise OSError("no tmpfs")
    try:
        yield folder
    finally:
        volumes.quiet("umount", "-l", folder)
        os.rmdir(folder)


@contextlib.contextmanager
def on_volume(kind):
    volume = volumes.Volume(kind)
    try:
        yield volume.folder
    finally:
        volume.remove()


def main():
    given = faults.options(__doc__.splitlines()[0], dose=20)
    report = faults.Report(given)
    ways = [True] + ([False] if shutil.which("strace") else [])
    by_file_system, missing = {}, []
    for kind in ("ext4", "xfs", "btrfs", "tmpfs", "overlay"):
        places = {"tmpfs": in_memory, "overlay": overlay}
        try:
            with places.get(kind, lambda kind=kind: on_volume(kind))() as folder:
                chosen = edits(given.dose)
                for way, has_inotify in enumerate(ways):
                    tried = try_folder(given, report, kind, folder, has_inotify, chosen[way::len(ways)])
                    by_file_system[kind] = by_file_system.get(kind, 0) + tried
        except OSError as why:
            missing.append(f"{kind} ({why})")
    if not by_file_system:
        by_file_system["the system's"] = try_folder(given, report, "the system's", None, True, edits(given.dose))
    report.end(test="outside_edits", edits=sum(by_file_system.values()), kinds=len(AT_ONCE) + len(SOON),
               by_file_system=by_file_system, missing=missing)


if __name__ == "__main__":
    sys.exit(main())
