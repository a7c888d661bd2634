#!/usr/bin/env python3
"""Nothing of ours is needed: `.notesdb` and the cache are removed over and over, while servers and commands work.

Two servers and commands count in rows of their own and insert others; beside them `.notesdb`, or what lies in it, or the
cache is removed at moments of chance. Whatever was acknowledged must be there, each row whole, and each count what its
writer last heard or, where a removal took the very file that a change was made with, one more: such a change may be refused
and yet stand. At the end the folder without `.notesdb` must be answered as with it, by a server that was there all the time,
by a new one and by a command without a cache; an undo must be refused in words; and the next change works. A dose is the
number of removals.
"""

import json
import os
import random
import re
import shutil
import threading
import time

import faults

WRITERS = ["a", "b", "c"]
PAUSE = 0.05  # seconds between two removals at most


class CommandDoor:
    def __init__(self, workspace):
        self.workspace = workspace

    def call(self, tool, **arguments):
        done = self.workspace.run("call", tool, json.dumps(arguments), "--json", "--no-server")
        return json.loads(done.stdout if done.returncode == 0 else done.stderr)

    def close(self):
        return 0


class Writer(threading.Thread):
    def __init__(self, report, door, name):
        super().__init__(daemon=True)
        self.report, self.door, self.name = report, door, name
        self.ended = False
        self.counted = self.refused = 0
        self.inserted = []

    def run(self):
        while not self.ended:
            self.count()
            self.insert()

    def count(self):
        row = {"database_id": "tasks", "row_id": self.name}
        seen = self.door.call("db_get_row", **row)
        if "row" not in seen:
            return self.note(seen)
        now = seen["row"]["fields"]["count"]
        if not self.counted <= now <= self.counted + 1:
            self.report.complain(f"{self.name} holds {now} and was told {self.counted}")
        self.counted = now
        done = self.door.call("db_update_row", **row, etag=seen["row"]["etag"], fields={"count": now + 1})
        self.counted += "row" in done
        return self.note(done)

    def insert(self):
        name = f"{self.name}-{len(self.inserted)}-{random.randrange(10**9)}"
        done = self.door.call("db_insert_row", database_id="tasks", row_id=name, fields={"title": name})
        if "row" in done:
            self.inserted.append(name)
        self.note(done)

    def note(self, answer):
        code = faults.code_of(answer)
        self.refused += code is not None
        if code not in (None, "conflict", "busy", "io_error", "unknown_row"):
            self.report.complain(f"{self.name} was refused as {code}: {str(answer)[:200]}")


def remove_something(workspace):
    store = workspace.path(".notesdb")
    shutil.rmtree(random.choice([store, store, store + "/displaced", store + "/intent", store + "/lock",
                                 os.path.join(workspace.base, "cache")]), ignore_errors=True)
    if random.random() < 0.3 and os.path.exists(store + "/lock"):
        os.unlink(store + "/lock")


def look(report, workspace, writer):
    for name in writer.inserted:
        if workspace.read(f"tasks/{name}.md") != f"---\ntitle: {name}\n---\n":
            report.complain(f"acknowledged row {name} holds {workspace.read(f'tasks/{name}.md')!r}")
    found = re.fullmatch(r"---\ntitle: \w+   # kept\ncount: (\d+)\n---\nText below.\n", workspace.read(f"tasks/{writer.name}.md") or "")
    if not found or not writer.counted <= int(found.group(1)) <= writer.counted + 1:
        report.complain(f"{writer.name} was told {writer.counted} and holds {workspace.read(f'tasks/{writer.name}.md')!r}")


def compare_answers(report, workspace, old):
    """With and without what is ours, whoever is asked."""
    wanted = old.call("db_query", database_id="tasks", limit=100, sort="title")
    last = old.call("db_insert_row", database_id="tasks", row_id="last", fields={"title": "last"})
    old.call("db_delete_row", database_id="tasks", row_id="last")
    shutil.rmtree(workspace.path(".notesdb"))
    shutil.rmtree(os.path.join(workspace.base, "cache"), ignore_errors=True)
    new = workspace.client()
    asked = {"the old server": old.call("db_query", database_id="tasks", limit=100, sort="title"),
             "a new server": new.call("db_query", database_id="tasks", limit=100, sort="title"),
             "a command": CommandDoor(workspace).call("db_query", database_id="tasks", limit=100, sort="title")}
    for who, answer in asked.items():
        if answer != wanted:
            report.complain(f"{who} answers otherwise without .notesdb: {str(answer)[:200]}")
    if os.path.exists(workspace.path(".notesdb")):
        report.complain("a question has made .notesdb")
    if faults.code_of(old.call("db_undo", change=last["change"])) is None:
        report.complain("a change was undone whose versions are gone")
    if "row" not in new.call("db_insert_row", database_id="tasks", fields={"title": "next"}):
        report.complain("the next change does not work")
    new.close()


def main():
    given = faults.options(__doc__.splitlines()[0], dose=60)
    report = faults.Report(given)
    with faults.Workspace(given, {name: faults.row(name, count=0) for name in WRITERS}) as workspace:
        doors = [workspace.client(), workspace.client(), CommandDoor(workspace)]
        writers = [Writer(report, door, name) for door, name in zip(doors, WRITERS)]
        for writer in writers:
            writer.start()
        removals = 0
        while removals < given.dose and not faults.time_is_up(given):
            time.sleep(random.uniform(0, PAUSE))
            remove_something(workspace)
            removals += 1
        for writer in writers:
            writer.ended = True
            writer.join(300)
            look(report, workspace, writer)
        compare_answers(report, workspace, doors[0])
        if any(door.close() != 0 for door in doors):
            report.complain("a server did not end well")
    acknowledged = sum(writer.counted + len(writer.inserted) for writer in writers)
    report.end(test="store_gone", removals=removals, acknowledged=acknowledged, refused=sum(each.refused for each in writers))


if __name__ == "__main__":
    main()
