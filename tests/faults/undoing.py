#!/usr/bin/env python3
"""Changes are taken back, one after the other, and the workspace is then byte for byte and mode for mode as it was.

A server and commands make changes of chance: inserts, updates, deletes, renames, batches, one of them killed now and then.
Then they are taken back, the newest first, by the server or by `notesdb undo`, and after each the workspace must be what
it was before that change. A change that a kill has interrupted counts as what it has become. A dose is the number of
changes.
"""

import os
import random
import signal
import sys
import time

import faults

IN_A_ROW = 40  # changes before they are taken back
ROWS = [f"r{number}" for number in range(6)]


def snapshot(workspace):
    """Every file but those of .notesdb, with its bytes and its mode."""
    found = {}
    for folder, folders, names in os.walk(workspace.root):
        folders[:] = [name for name in folders if name != ".notesdb"]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, workspace.root)] = file.read(), os.stat(path).st_mode & 0o777
    return found


class Round:
    def __init__(self, workspace, report):
        self.workspace, self.report = workspace, report
        self.client = workspace.client()
        self.number = 0

    def rows(self):
        return [name[:-3] for name in os.listdir(self.workspace.path("tasks")) if name.endswith(".md") and name[0] != "_"]

    def etag(self, row):
        return self.client.call("db_get_row", database_id="tasks", row_id=row)["row"]["etag"]

    def change(self):
        """The arguments of a change by a tool."""
        self.number += 1
        rows, word = self.rows(), f"w{self.number}-{random.randrange(10**6)}"
        kind = random.choice(["insert", "insert", "update", "update", "update", "delete", "rename", "batch"]) if rows else "insert"
        row = random.choice(rows) if rows else None
        if kind == "insert":
            return "db_insert_row", {"fields": {"title": word}, "body": word + "\n"}
        if kind == "update":
            return "db_update_row", {"row_id": row, "etag": self.etag(row), "fields": {"ours": word}}
        if kind == "delete":
            return "db_delete_row", {"row_id": row, "etag": self.etag(row)}
        if kind == "rename":
            return "db_update_row", {"row_id": row, "etag": self.etag(row), "new_row_id": word}
        some = random.sample(rows, min(3, len(rows)))
        return "db_batch", {"operations": [
            {"action": "insert", "database_id": "tasks", "fields": {"title": word}},
            *({"action": random.choice(["update", "delete"]), "database_id": "tasks", "row_id": each, "etag": self.etag(each)}
              for each in some)]}

    def make(self):
        tool, arguments = self.change()
        for each in arguments.get("operations", []):
            if each["action"] == "update":
                each["fields"] = {"ours": "batch"}
        if tool != "db_batch":
            arguments["database_id"] = "tasks"
        if random.random() < 0.1:
            self.make_killed(tool, arguments)
            return
        answer = self.client.call(tool, **arguments)
        if faults.code_of(answer) is not None:
            self.report.complain(f"{tool} {arguments}: {str(answer)[:200]}")

    def make_killed(self, tool, arguments):
        """The server is killed while it works; another one finishes or drops what it has begun."""
        self.client.number += 1
        self.client.send({"jsonrpc": "2.0", "id": self.client.number, "method": "tools/call",
                          "params": {"name": tool, "arguments": arguments}})
        time.sleep(random.uniform(0, 0.003))
        self.client.process.send_signal(signal.SIGKILL)
        self.client.kill()
        self.client = self.workspace.client()
        self.client.call("db_list")

    def take_back(self):
        """The newest change, by a tool or by a command; False if there is none any more."""
        done = self.workspace.run("undo")
        return done.returncode == 0, done.stderr.decode(errors="replace")


def try_round(given, report, changes):
    with faults.Workspace(given, {row: faults.row(row.upper(), ours="a") for row in ROWS}) as workspace:
        for row in ROWS[:3]:
            os.chmod(workspace.path(f"tasks/{row}.md"), random.choice([0o600, 0o640, 0o664]))
        game = Round(workspace, report)
        states = [snapshot(workspace)]
        for _ in range(changes):
            game.make()
            now = snapshot(workspace)
            if now != states[-1]:  # a killed one may have come to nothing
                states.append(now)
        taken = 0
        while len(states) > 1:
            states.pop()
            taken += 1
            worked, said = game.take_back()
            now = snapshot(workspace)
            if not worked or now != states[-1]:
                different = sorted(path for path in {*now, *states[-1]} if now.get(path) != states[-1].get(path))
                report.complain(f"after {taken} undos: {said[:200]} {different[:5]}")
                break
        game.client.kill()
        return taken


def main():
    given = faults.options(__doc__.splitlines()[0], dose=200)
    report = faults.Report(given)
    changes = 0
    while changes < given.dose and not faults.time_is_up(given):
        changes += max(1, try_round(given, report, min(IN_A_ROW, given.dose - changes)))
    report.end(test="undoing", changes=changes)


if __name__ == "__main__":
    sys.exit(main())
