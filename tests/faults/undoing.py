#!/usr/bin/env python3
"""Changes are taken back, one after the other, and the workspace is then byte for byte and mode for mode as it was.

A server and commands make changes of chance: inserts, updates, deletes, renames, batches, new databases, imports that make
one, one of them killed now and then. Then `notesdb undo` and `notesdb redo` walk among them at random, and in the end back to
the beginning, and after each step the workspace must be what it was there, folders too. At last an import of many files
does the same. A change that a kill has interrupted counts as what it has become. A dose is the number of changes.
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
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), workspace.root) + "/"] = None
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
        return "db_batch", {"expect_count": 1 + len(some), "operations": [
            {"action": "insert", "database_id": "tasks", "fields": {"title": word}},
            *({"action": random.choice(["update", "delete"]), "database_id": "tasks", "row_id": each, "etag": self.etag(each)}
              for each in some)]}

    def make(self):
        kind = random.random()
        if kind < 0.08:
            return self.run("create", f"base{self.number}-{random.randrange(10**6)}", "--column", "title:text")
        if kind < 0.14:
            return self.import_rows(random.randrange(1, 12))
        return self.make_by_tool()

    def run(self, *words):
        self.number += 1
        done = self.workspace.run(*words)
        if done.returncode != 0:
            self.report.complain(f"{words[0]}: {done.stderr.decode(errors='replace')[:200]}")

    def import_rows(self, count):
        self.number += 1
        name = f"import{self.number}-{random.randrange(10**6)}"
        path = os.path.join(self.workspace.base, name + ".csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,title\n" + "".join(f"r{each},Row {each}\n" for each in range(count)))
        self.run("import", name, path, "--create")

    def make_by_tool(self):
        tool, arguments = self.change()
        for each in arguments.get("operations", []):
            if each["action"] == "update":
                each["fields"] = {"ours": f"batch{self.number}"}  # what is there already is no change
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
        # Reading finishes nothing; one who writes does, even where the write is refused.
        self.client.call("db_undo", change="no-such-change")

    def step(self, word):
        """The newest change, or the next to be made again; what was said."""
        done = self.workspace.run(word)
        return done.returncode == 0, done.stderr.decode(errors="replace")


def difference(one, other):
    return sorted(path for path in {*one, *other} if one.get(path, "none") != other.get(path, "none"))


class Walk:
    """Back and forth among the states of a workspace."""

    def __init__(self, game, states):
        self.game, self.states = game, states
        self.at = len(states) - 1
        self.steps = 0

    def go(self, word):
        self.at += -1 if word == "undo" else 1
        self.steps += 1
        worked, said = self.game.step(word)
        now = snapshot(self.game.workspace)
        if worked and now == self.states[self.at]:
            return True
        self.game.report.complain(f"{word} number {self.steps} to {self.at}: {said[:200]} {difference(now, self.states[self.at])[:5]}")
        return False

    def run(self, random_steps):
        for _ in range(random_steps):
            can = [word for word, may in (("undo", self.at > 0), ("redo", self.at < len(self.states) - 1)) if may]
            if can and not self.go(random.choice(can)):
                return
        while self.at > 0:
            if not self.go("undo"):
                return


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
        walk = Walk(game, states)
        walk.run(changes // 2)
        game.client.kill()
        return walk.steps


def try_many_files(given, report, files):
    """However many files a change has, undo and redo go to and fro."""
    with faults.Workspace(given, {row: faults.row(row) for row in ROWS}) as workspace:
        game = Round(workspace, report)
        states = [snapshot(workspace)]
        for make in (lambda: game.run("update", "tasks", "r1", "--set", "ours=b"), lambda: game.import_rows(files)):
            make()
            states.append(snapshot(workspace))
        game.client.kill()
        Walk(game, states).run(6)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=200)
    report = faults.Report(given)
    changes = 0
    while changes < given.dose and not faults.time_is_up(given):
        changes += max(1, try_round(given, report, min(IN_A_ROW, given.dose - changes)))
    try_many_files(given, report, 5000 if given.dose >= 1000 else 2500)
    report.end(test="undoing", changes=changes)


if __name__ == "__main__":
    sys.exit(main())
