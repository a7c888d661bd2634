#!/usr/bin/env python3
"""Two servers do operations of all kinds for a long time, and hold no more in the end than after a while.

One on standard input and output, one over HTTP whose clients come and go, in one workspace: reads, queries, searches,
inserts, updates, deletes, batches, undos, schema changes to and fro, and calls that are refused. It must have

  - no more open descriptors at the end than after a tenth of the operations, once the last client has gone, and few
    threads;
  - no more memory in its last quarter than in the one before it. What is counted are the bytes that it has asked for and
    not given back, to the byte, by faults_shim.so (`ninja faults_parts`): what the process takes of the system's memory
    goes up and down by a third with its holes, and would hide a small leak;

and in the workspace there are no more versions put aside than a sweep comes for, nothing half-done, and no stray file.

A dose is the number of operations.
"""

import os
import random
import re
import statistics
import sys
import time

import faults
import shim

ROWS = 60  # about as many at any time
VISIT = 200  # operations between a client's coming and going
# The trash holds no more than its bytes, in blocks.
TRASH = 64 << 20  # bytes
MOST_VERSIONS = TRASH // 4096
WARMED_UP = 2000  # operations, where a tenth of them are fewer
MOST_THREADS = 32
PATIENCE = 30  # seconds until what the last visitor needed must have been given back
SPARE = 64 << 10  # bytes between the medians of two quarters, as what is kept ready varies


class Watched:
    """A server's process, and the file in which it counts the memory that it holds."""

    def __init__(self, start, counter, loaded):
        self.counter = counter
        self.server = start(shim.before(loaded, SHIM_COUNT=counter) if loaded else [])
        self.bytes = []  # after each visit

    def held(self):
        """Descriptors, threads."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii", errors="replace") as file:
            threads = int(re.search(r"^Threads:\s+(\d+)", file.read(), re.MULTILINE).group(1))
        return {"descriptors": len(os.listdir(f"/proc/{self.server.process.pid}/fd")), "threads": threads}

    def note_bytes(self):
        if os.path.exists(self.counter):
            self.bytes.append(shim.counted(self.counter)[1])

    def last_quarters(self):
        """The medians of the last two; nothing where it was not counted, or too seldom."""
        quarter = len(self.bytes) // 4
        if quarter < 2:
            return []
        return [round(statistics.median(part)) for part in (self.bytes[-2 * quarter:-quarter], self.bytes[-quarter:])]


class Player:
    """Does one operation of chance after the other, by any client."""

    def __init__(self, report, workspace):
        self.report, self.workspace = report, workspace
        self.number = 0
        self.refused = 0
        self.doings = [
            (8, self.get), (4, self.query), (2, self.search), (6, self.update), (4, self.insert_or_delete), (1, self.batch),
            (1, self.undo), (1, self.schema), (0.2, self.alter), (2, self.wrong)]

    def play(self, client):
        self.number += 1
        doing = random.choices([each for _, each in self.doings], [weight for weight, _ in self.doings])[0]
        answer = doing(client)
        code = faults.code_of(answer)
        self.refused += code is not None
        if code == "internal":
            self.report.complain(f"{doing.__name__}: {str(answer)[:200]}")

    def rows(self):
        return [name[:-3] for name in os.listdir(self.workspace.path("tasks")) if name.endswith(".md") and name[0] != "_"]

    def get(self, client):
        return client.call("db_get_row", database_id="tasks", row_id=random.choice(self.rows()))

    def query(self, client):
        return client.call("db_query", database_id="tasks", limit=random.choice([1, 10, 100]), sort="-count",
                           filters=[{"field": "count", "operator": "gt", "value": random.randrange(100)}])

    def search(self, client):
        return client.call("db_search", text=random.choice(["text", "below", "changed", "nowhere"]))

    def update(self, client):
        row = self.get(client)
        if "row" not in row:
            return row
        return client.call("db_update_row", database_id="tasks", row_id=row["row"]["id"], etag=row["row"]["etag"],
                           fields={"count": random.randrange(100), "ours": f"changed {self.number}"})

    def insert_or_delete(self, client):
        rows = self.rows()
        if len(rows) < random.randrange(2 * ROWS):
            return client.call("db_insert_row", database_id="tasks", fields={"title": f"New {self.number}"}, body="Text.\n" * 20)
        return client.call("db_delete_row", database_id="tasks", row_id=random.choice(rows))

    def batch(self, client):
        return client.call("db_batch", operations=[
            {"action": "update", "database_id": "tasks", "row_id": row, "fields": {"theirs": f"b{self.number}"}}
            for row in random.sample(self.rows(), 3)])

    def undo(self, client):
        done = self.update(client)
        return client.call("db_undo", change=done["change"]) if "change" in done else done

    def schema(self, client):
        return client.call("db_get_schema", database_id="tasks")

    def alter(self, client):
        column = f"c{self.number}"
        for change in {"action": "add_column", "column": column, "type": "text"}, {"action": "drop_column", "column": column}:
            done = client.call("db_alter", database_id="tasks", etag=self.schema(client)["etag"], changes=[change], expect_count=0)
        return done

    def wrong(self, client):
        return random.choice([
            lambda: client.call("db_get_row", database_id="tasks", row_id="../" + "x" * 300),
            lambda: client.call("db_query", database_id="tasks", filters=[{"field": "none", "operator": "eq", "value": 1}]),
            lambda: client.call("db_update_row", database_id="tasks", row_id="r1", etag="0" * 16, fields={"count": "many"}),
            lambda: client.call("db_" + "x" * random.randrange(1000)),
        ])()


def visits(given, player, operations, watched):
    """Clients come and go, while there is time."""
    for _ in range(0, operations, VISIT):
        visitor = faults.WebClient(watched["serve"].server)
        for _ in range(VISIT):
            player.play(random.choice([watched["mcp"].server, visitor]))
        visitor.close()
        for each in watched.values():
            each.note_bytes()
        if faults.time_is_up(given):
            return


def settled(watched, wanted=None):
    """What each holds when the last visitor has been seen off: soon no more descriptors than wanted."""
    end = time.monotonic() + PATIENCE
    while True:
        time.sleep(1)
        held = {name: each.held() for name, each in watched.items()}
        if wanted is None or time.monotonic() > end or all(held[name]["descriptors"] <= wanted[name]["descriptors"] for name in held):
            return held


def judge(report, watched, before, after):
    for name, each in watched.items():
        if after[name]["descriptors"] > before[name]["descriptors"] or after[name]["threads"] > MOST_THREADS:
            report.complain(f"{name} held {before[name]} and holds {after[name]}")
        quarters = each.last_quarters()
        if quarters and quarters[1] > quarters[0] + SPARE:
            report.complain(f"{name} held {quarters[0]:,} bytes in the third quarter and {quarters[1]:,} in the last")


def tell(first, then, unit=""):
    return f"{first:,} and {then:,}{unit}"


def look_at_folder(report, workspace):
    versions = [name for name in os.listdir(workspace.path(".notesdb/displaced")) if name != "journal"]
    if len(versions) > MOST_VERSIONS:
        report.complain(f"{len(versions)} versions are kept")
    if os.path.isdir(workspace.path(".notesdb/intent")) and os.listdir(workspace.path(".notesdb/intent")):
        report.complain(f"something is half-done: {os.listdir(workspace.path('.notesdb/intent'))}")
    stray = [name for name in workspace.tree() if not re.fullmatch(r"tasks/[\w-]+\.md|notesdb\.yaml", name)]
    if stray:
        report.complain(f"left beside the rows: {stray[:5]}")
    return len(versions)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=4000)
    loaded, given.program = shim.find(given.program) or (None, given.program)
    report = faults.Report(given)
    with faults.Workspace(given, {f"r{number}": faults.row(f"R{number}", count=number) for number in range(ROWS)}) as workspace:
        workspace.write("notesdb.yaml", f"trash_bytes: {TRASH}\n")
        doors = {"mcp": lambda before: workspace.client(before=before),
                 "serve": lambda before: faults.WebServer(workspace, before=before)}
        watched = {name: Watched(start, os.path.join(workspace.base, name), loaded)
                   for name, start in doors.items()}
        player = Player(report, workspace)
        visits(given, player, max(given.dose // 10, min(WARMED_UP, given.dose // 2)), watched)
        before = settled(watched)
        visits(given, player, given.dose - player.number, watched)
        after = settled(watched, before)
        judge(report, watched, before, after)
        versions = look_at_folder(report, workspace)
        if any(each.server.close() != 0 for each in watched.values()):
            report.complain("a server did not end well")
    report.end(test="leaks", operations=player.number, refused=player.refused, versions=versions,
               descriptors={name: tell(before[name]["descriptors"], after[name]["descriptors"]) for name in watched},
               memory={name: tell(*(each.last_quarters() or [0, 0]), " bytes") for name, each in watched.items()})


if __name__ == "__main__":
    sys.exit(main())
