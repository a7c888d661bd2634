#!/usr/bin/env python3
"""Kills writers at random moments and looks at every row that they were told is stored.

Four servers write at once: each inserts rows, counts in a row of its own, and counts in one that all share. A dose is
that many kills. After each kill the rows of the one that was killed, and at the end all of them, must be there, whole,
and hold at least what was acknowledged and at most one step more.
"""

import random
import re
import threading
import time

import faults

WRITERS = 4


class Writer(threading.Thread):
    """One server and what it was told. It is started anew after each kill."""

    def __init__(self, workspace, report, name):
        super().__init__(daemon=True)
        self.workspace, self.report, self.name = workspace, report, name
        self.inserted = []
        self.counted = 0
        self.shared = 0
        self.unsure = 0  # steps on the shared row that a kill left without an answer
        self.waiting_for_shared = False
        self.ended = False
        self.alive = threading.Event()  # its server has begun, and nobody has killed it
        self.paused = threading.Event()
        self.client = workspace.client()
        self.alive.set()

    def run(self):
        while not self.ended:
            try:
                self.work()
            except (BrokenPipeError, OSError, ValueError):
                if self.waiting_for_shared:
                    self.unsure += 1
                    self.waiting_for_shared = False
                self.client.kill()
                self.paused.set()
                while self.paused.is_set() and not self.ended:
                    time.sleep(0.002)
                if not self.ended:
                    self.client = self.workspace.client()
                    self.alive.set()

    def work(self):
        name = f"{self.name}-{len(self.inserted)}-{random.randrange(10**9)}"
        done = self.client.call("db_insert_row", database_id="tasks", row_id=name, fields={"title": name})
        if "row" in done:
            self.inserted.append(name)
        else:
            self.refused(done)
        self.counted = self.count("own-" + self.name) or self.counted
        if self.count("shared", shared=True):
            self.shared += 1

    def count(self, row, shared=False):
        """One more in a row, however often another is faster. What stands there then."""
        seen = self.client.call("db_get_row", database_id="tasks", row_id=row)
        while "row" in seen:
            number = seen["row"]["fields"]["count"] + 1
            self.waiting_for_shared = shared
            done = self.client.call("db_update_row", database_id="tasks", row_id=row, etag=seen["row"]["etag"],
                                    fields={"count": number})
            self.waiting_for_shared = False
            if "row" in done:
                return number
            if faults.code_of(done) != "conflict":
                self.refused(done)
                return None
            seen = done["error"]["data"]
            if "row" not in seen:
                seen = self.client.call("db_get_row", database_id="tasks", row_id=row)
        self.refused(seen)
        return None

    def refused(self, answer):
        if faults.code_of(answer) not in ("busy", "conflict"):
            self.report.complain(f"{self.name} was refused: {str(answer)[:200]}")


def number_in(text):
    found = re.fullmatch(r"---\ntitle: \w+   # kept\ncount: (\d+)\n---\nText below.\n", text or "")
    return int(found.group(1)) if found else None


def look_at(report, workspace, writer):
    for name in writer.inserted:
        text = workspace.read(f"tasks/{name}.md")
        if text != f"---\ntitle: {name}\n---\n":
            report.complain(f"acknowledged row {name} holds {text!r}")
    count = number_in(workspace.read(f"tasks/own-{writer.name}.md"))
    if count is None or not writer.counted <= count <= writer.counted + 1:
        report.complain(f"row own-{writer.name} holds {count}, acknowledged {writer.counted}")
    writer.counted = count or writer.counted


def main():
    given = faults.options(__doc__.splitlines()[0], dose=25)
    report = faults.Report(given)
    names = [chr(ord("a") + i) for i in range(WRITERS)]
    rows = {f"own-{name}": faults.row("Own", count=0) for name in names} | {"shared": faults.row("Shared", count=0)}
    with faults.Workspace(given, rows) as workspace:
        writers = [Writer(workspace, report, name) for name in names]
        for writer in writers:
            writer.start()
        for _ in range(given.dose):
            time.sleep(random.uniform(0.005, 0.4))
            victim = random.choice(writers)
            victim.alive.wait()
            victim.alive.clear()
            victim.client.process.kill()
            if not victim.paused.wait(300):
                report.complain(f"{victim.name} did not notice that its server was killed")
            look_at(report, workspace, victim)
            victim.paused.clear()
        for writer in writers:
            writer.ended = True
        for writer in writers:
            writer.join(300)
            writer.client.kill()
            look_at(report, workspace, writer)
        told = sum(writer.shared for writer in writers)
        unsure = sum(writer.unsure for writer in writers)
        shared = number_in(workspace.read("tasks/shared.md"))
        if shared is None or not told <= shared <= told + unsure:
            report.complain(f"the shared row holds {shared}, acknowledged {told}, without an answer {unsure}")
        stray = [name for name in workspace.tree() if "conflict" in name or not name.endswith(".md")]
        if stray:
            report.complain(f"left beside the rows: {stray}")
        acknowledged = told + sum(len(writer.inserted) + writer.counted for writer in writers)
    report.end(test="kill_loop", kills=given.dose, acknowledged=acknowledged)


if __name__ == "__main__":
    main()
