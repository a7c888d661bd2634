#!/usr/bin/env python3
"""git changes branches all the time while servers write: it never fails because of us, and the tree stays clean.

The workspace is a repository with two branches that differ in some of its rows; these git rewrites at every checkout,
while two servers update, insert and delete others, by all ways of writing, and read all of them. A checkout must end well,
and afterwards every row in which the branches differ must be as its branch has it, nothing of ours may be known to git but
the rows we wrote, and no row may have been told as missing or half-written that nobody removed. A server may answer that
git is working; it may not wait longer for it than it promises. A dose is the number of checkouts.
"""

import random
import subprocess
import threading
import time

import faults

SWITCHED = [f"git{number}" for number in range(8)]
OURS = [f"ours{number}" for number in range(8)]
PAUSE = 0.01  # seconds between two checkouts at most
MOST_SECONDS = 20  # for one call: half a second for git, five for the lock, and a busy machine


def git(workspace, *words):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"]
    return subprocess.run(["git", *identity, *words], cwd=workspace.root, capture_output=True, text=True, check=False)


def text_of(name, branch):
    return faults.row(name, count={"one": 1, "two": 2}[branch], body=f"Text of {branch}.\n" * 50)


def make_repository(workspace):
    git(workspace, "init", "-q", "-b", "one")
    for branch in ("one", "two"):
        if branch == "two":
            git(workspace, "checkout", "-q", "-b", "two")
        for name in SWITCHED:
            workspace.write(f"tasks/{name}.md", text_of(name, branch))
        git(workspace, "add", "-A")
        git(workspace, "commit", "-q", "-m", branch)


class Writer(threading.Thread):
    """Changes its own rows and reads all."""

    def __init__(self, workspace, report, rows):
        super().__init__(daemon=True)
        self.report, self.rows = report, rows
        self.client = workspace.client()
        self.ended = False
        self.writes = self.refused = self.reads = 0

    def run(self):
        while not self.ended:
            begin = time.monotonic()
            self.move()
            if time.monotonic() - begin > MOST_SECONDS:
                self.report.complain(f"a call took {time.monotonic() - begin:.1f} s")

    def move(self):
        row = random.choice(self.rows)
        of_row = {"database_id": "tasks", "row_id": row}
        seen = self.client.call("db_get_row", **of_row)
        if "row" not in seen:
            return self.report.complain(f"{row}, which nobody removed: {str(seen)[:200]}")
        if seen["row"]["fields"].get("title") != row:
            self.report.complain(f"{row} is told as {str(seen)[:200]}")
        self.reads += 1
        new = f"{row}-{random.randrange(10**9)}"
        for tool, arguments in random.choice([
                [("db_update_row", {**of_row, "etag": seen["row"]["etag"], "fields": {"ours": new}})],
                [("db_insert_row", {"database_id": "tasks", "row_id": new, "fields": {"title": new}}),
                 ("db_delete_row", {"database_id": "tasks", "row_id": new})],
                [("db_batch", {"operations": [{"action": "update", "database_id": "tasks", "row_id": each,
                                               "fields": {"theirs": new}} for each in self.rows]})]]):
            code = faults.code_of(self.client.call(tool, **arguments))
            self.writes += code is None
            self.refused += code is not None
            if code not in (None, "busy") and not (tool == "db_delete_row" and code == "unknown_row"):
                self.report.complain(f"{tool} is refused as {code}")
        return None


def switch(workspace, report, branch):
    done = git(workspace, "checkout", "-q", branch)
    if done.returncode != 0:
        return report.complain(f"git fails: {done.stderr[:300]}")
    for name in SWITCHED:
        if workspace.read(f"tasks/{name}.md") != text_of(name, branch):
            report.complain(f"{name} is not as {branch} has it")
    return None


def look(workspace, report):
    """What git says has changed: rows that we wrote."""
    for line in git(workspace, "status", "--porcelain", "-uall").stdout.splitlines():
        if not any(line[3:].startswith(f"tasks/{name}") for name in OURS):
            report.complain(f"git says: {line}")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=100)
    report = faults.Report(given)
    with faults.Workspace(given, {name: faults.row(name, ours="old") for name in OURS}) as workspace:
        make_repository(workspace)
        writers = [Writer(workspace, report, OURS[:4]), Writer(workspace, report, OURS[4:])]
        for writer in writers:
            writer.start()
        checkouts = 0
        while checkouts < given.dose and not faults.time_is_up(given):
            switch(workspace, report, "one" if checkouts % 2 else "two")
            checkouts += 1
            if checkouts % 50 == 0:
                look(workspace, report)
            time.sleep(random.uniform(0, PAUSE))
        for writer in writers:
            writer.ended = True
            writer.join(300)
            if writer.client.close() != 0:
                report.complain("a server did not end well")
        look(workspace, report)
        if git(workspace, "fsck").returncode != 0:
            report.complain("git finds its store broken")
    report.end(test="git_beside", checkouts=checkouts, writes=sum(each.writes for each in writers),
               refused=sum(each.refused for each in writers))


if __name__ == "__main__":
    main()
