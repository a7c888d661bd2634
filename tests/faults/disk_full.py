#!/usr/bin/env python3
"""A full disk: everything that only reads works, and deleting; writing is refused, and works again with space.

The workspace lies on a file system in memory that is filled to the last byte, then one that has no inode left. A dose
is how often each is done.
"""

import contextlib
import os
import subprocess
import tempfile

import faults


@contextlib.contextmanager
def small_disk(options):
    """A mounted tmpfs; skips the test where mounting is not allowed."""
    folder = tempfile.mkdtemp(prefix="notesdb-full-")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode != 0:
        os.rmdir(folder)
        faults.skip("file systems cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
        os.rmdir(folder)


def fill_bytes(folder):
    with contextlib.suppress(OSError), open(folder + "/filler", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def fill_inodes(folder):
    with contextlib.suppress(OSError):
        for number in range(100000):
            with open(f"{folder}/filler{number}", "wb"):
                pass


def free(folder):
    for name in os.listdir(folder):
        if name.startswith("filler"):
            os.unlink(os.path.join(folder, name))


class Trial:
    def __init__(self, report, workspace, folder):
        self.report, self.workspace, self.folder = report, workspace, folder
        self.checks = 0

    def expect(self, claim, right, seen=""):
        self.checks += 1
        if not right:
            self.report.complain(f"{claim}: {seen}")

    def works(self, *words):
        done = self.workspace.run(*words)
        self.expect(f"{words[0]} on a full disk works", done.returncode == 0, done.stderr.decode(errors="replace")[:200])

    def refused(self, *words):
        before = self.workspace.tree()
        done = self.workspace.run(*words)
        said = done.stderr.decode(errors="replace")
        self.expect(f"{words[0]} on a full disk is refused in words", done.returncode == 1 and "space" in said, said[:200])
        self.expect(f"{words[0]} that was refused changed nothing", self.workspace.tree() == before)

    def run(self, fill):
        made = self.workspace.run("update", "tasks", "a", "--set", "ours=first")
        self.expect("a first update", made.returncode == 0, made.stderr)
        fill(self.folder)
        self.works("list")
        self.works("query", "tasks")
        self.works("get", "tasks", "a")
        self.works("history", "tasks")
        self.refused("insert", "tasks", "--set", "title=New", "--body", "x" * 20000)
        self.refused("update", "tasks", "a", "--set", "ours=second", "--body", "x" * 20000)
        self.works("delete", "tasks", "b")
        self.expect("the deleted row is gone", self.workspace.read("tasks/b.md") is None)
        free(self.folder)
        self.works("update", "tasks", "a", "--set", "ours=third")
        self.works("insert", "tasks", "--set", "title=New")
        self.works("undo", "2")
        self.expect("undo put it back", "ours: first" in (self.workspace.read("tasks/a.md") or ""))


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    report = faults.Report(given)
    checks = 0
    for _ in range(given.dose):
        for options, fill in (("size=256k", fill_bytes), ("size=4m,nr_inodes=60", fill_inodes)):
            with small_disk(options) as folder:
                given.folder = folder
                with faults.Workspace(given, {name: faults.row(name, ours="old") for name in "abc"}) as workspace:
                    trial = Trial(report, workspace, folder)
                    trial.run(fill)
                    checks += trial.checks
    report.end(test="disk_full", checks=checks)


if __name__ == "__main__":
    main()
