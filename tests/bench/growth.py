"""Growth: what a write costs through a server as a database grows, beside sqlite3 in process.

The schema has what could make a write look at every row: a counter with `next_row_id`, a unique column,
a relation to the database itself and one to another. Every operation is measured alone, in turns, so that
a slow moment of the machine is one for all of them: the wall clock's median, and the processor time of the
server, which other programs disturb less.
"""
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import time

import conversation

SCHEMA = """name: Tasks
columns:
  - { id: title, type: text, required: true }
  - { id: key, type: text, unique: true }
  - { id: status, type: select, options: [todo, doing, done] }
  - { id: estimate, type: number }
  - { id: parent, type: relation, target: tasks }
  - { id: owner, type: relation, target: people }
row_id: { style: counter, prefix: task-, digits: 7 }
next_row_id: %d
"""
ROW = """---
title: Task number %d
key: key-%d
status: %s
estimate: %d
parent: task-%07d
owner: person-%d
---
The body of task %d, which links to [[task-%07d]] and holds some words of its own.
"""
STATUS = ("todo", "doing", "done")
OPERATIONS = ("insert", "update", "update of unique", "delete", "undo", "batch of 10")
PEOPLE = 50


def make(folder, count):
    """A workspace of `count` rows. Made again each time: a run leaves more rows than it found."""
    workspace = folder / ("grow%d" % count)
    shutil.rmtree(workspace, ignore_errors=True)
    for name in ("tasks", "people"):
        (workspace / name).mkdir(parents=True)
    (workspace / "people" / "_schema.yaml").write_text("name: People\ncolumns: [{ id: name, type: text }]\n")
    for number in range(1, PEOPLE + 1):
        (workspace / "people" / ("person-%d.md" % number)).write_text("---\nname: Person %d\n---\n" % number)
    (workspace / "tasks" / "_schema.yaml").write_text(SCHEMA % (count + 1))
    for number in range(1, count + 1):
        text = ROW % (number, number, STATUS[number % 3], number % 9, number % count + 1, number % PEOPLE + 1,
                      number, (number * 7) % count + 1)
        (workspace / "tasks" / ("task-%07d.md" % number)).write_text(text)
    return workspace


def processor_time(talk):
    fields = pathlib.Path("/proc/%d/stat" % talk.process.pid).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(talk, tool, arguments):
    answer = json.loads(talk.ask("tools/call", {"name": tool, "arguments": arguments}))["result"]
    if answer.get("isError"):
        raise SystemExit("bench: %s: %s" % (tool, answer["content"][0]["text"][:400]))
    return answer["structuredContent"]


class Writer:
    """One write of each kind for turn N; each kind takes rows of its own."""

    def __init__(self, talk):
        self.talk = talk
        self.made = []
        self.change = None

    def fields(self, turn, more=""):
        return {"title": "New %d" % turn, "key": "new-%d%s" % (turn, more), "status": "todo",
                "parent": "task-%07d" % (turn + 1), "owner": "person-%d" % (turn % PEOPLE + 1)}

    def prepare(self, name, turn):
        """What a write needs to know is read outside of its time."""
        number = turn + 1 + 100 * OPERATIONS.index(name)
        row = "task-%07d" % number
        if name in ("update", "update of unique"):
            etag = call(self.talk, "db_query", {"database_id": "tasks", "select": ["_id"], "limit": 1, "filters": [
                {"field": "_id", "operator": "eq", "value": row}]})["rows"][0]["etag"]
            fields = {"estimate": 1000 + turn} if name == "update" else {"key": "other-%d" % turn}
            return "db_update_row", {"database_id": "tasks", "row_id": row, "etag": etag, "fields": fields}
        if name == "delete":
            return "db_delete_row", {"database_id": "tasks", "row_id": self.made.pop()}
        if name == "undo":
            return "db_undo", {"change": self.change}
        if name == "insert":
            return "db_insert_row", {"database_id": "tasks", "fields": self.fields(turn)}
        return "db_batch", {"operations": [
            {"action": "insert", "database_id": "tasks", "fields": self.fields(turn, "-%d" % i)} for i in range(10)]}

    def write(self, name, turn):
        tool, arguments = self.prepare(name, turn)
        before, begun = processor_time(self.talk), time.perf_counter()
        answer = call(self.talk, tool, arguments)
        taken = time.perf_counter() - begun, processor_time(self.talk) - before
        if name == "insert":
            self.made.append(answer["row"]["id"])
        self.change = answer["change"]
        return taken


def measure(bench, count, runs):
    """{operation: (ms of the wall clock, ms of processor time)}"""
    workspace = make(bench.folder, count)
    taken = {name: [] for name in OPERATIONS}
    with conversation.Conversation(bench, workspace, realtime=False) as talk:
        call(talk, "db_query", {"database_id": "tasks", "limit": 1})
        writer = Writer(talk)
        for name in OPERATIONS:  # what a server learns with its first write of a kind is not of this table
            writer.write(name, 0)
        for turn in range(1, runs + 1):
            for name in OPERATIONS:
                taken[name].append(writer.write(name, turn))
        memory = talk.memory()
    shutil.rmtree(workspace)
    found = {name: (statistics.median(wall for wall, _ in times) * 1000,
                    statistics.mean(cpu for _, cpu in times) * 1000) for name, times in taken.items()}
    found["memory"] = memory
    return found


def sqlite_insert(folder, count, runs):
    """ms of one durable insert into a table with the same indexes."""
    path = folder / "growth.db"
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute("create table task(id text primary key, title text, key text unique, parent text, owner text)")
    base.execute("create index parents on task(parent)")
    base.executemany("insert into task values (?, ?, ?, ?, ?)",
                     (("task-%07d" % n, "Task %d" % n, "key-%d" % n, "task-1", "p") for n in range(count)))
    base.commit()
    times = []
    for turn in range(runs):
        begun = time.perf_counter()
        base.execute("insert into task values (?, 'New', ?, 'task-1', 'p')", ("n-%d" % turn, "n-%d" % turn))
        base.commit()
        times.append(time.perf_counter() - begun)
    base.close()
    path.unlink()
    return statistics.median(times) * 1000


def report(bench, sizes, runs):
    """The table: a row an operation, a column a size, and how much more the largest costs than the smallest."""
    found = {count: measure(bench, count, runs) for count in sizes}
    lines = ["| a write through a server, ms (of these processor) | %s | grows |" %
             " | ".join("{:,} rows".format(count) for count in sizes), "|---|%s" % ("---|" * (len(sizes) + 1))]
    for name in OPERATIONS:
        cells = ["%.2f (%.2f)" % found[count][name] for count in sizes]
        grows = found[sizes[-1]][name][0] / found[sizes[0]][name][0]
        lines.append("| %s | %s | %.1f |" % (name, " | ".join(cells), grows))
    base = [sqlite_insert(bench.folder, count, runs) for count in sizes]
    lines.append("| sqlite3: insert | %s | %.1f |" % (" | ".join("%.2f" % ms for ms in base), base[-1] / base[0]))
    lines.append("| the server's memory, MB | %s | |" % " | ".join(
        "%.0f" % (found[count]["memory"] / 1e6) for count in sizes))
    return "\n".join(lines)
