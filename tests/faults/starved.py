#!/usr/bin/env python3
"""A server that for a moment gets no memory.

A conversation over standard input and output asks and changes, while others edit rows from outside; the requests for
memory in it are counted once. Then from one of chance on it may for some requests hold no more than it does. The server
must go on: each question has its one answer, which may be that there is not enough memory, each change that it
told of is in the files, one that it refused is there wholly or not at all, and what it says at the end, when there is
memory again, is what a command reads out of the files without an index. A dose is the number of conversations.

As in memory.py it is the program into which want of memory can be loaded that runs (shim.py).
"""

import json
import random
import sys

import faults
import shim

ROWS = {f"r{number}": faults.row(f"Row {number}", f"Words of {number}.\n", count=number) for number in range(6)}
LONGEST = 2000  # requests for memory in the time of want


class Conversation:
    """One server and what its files may hold: for each row the counts that are possible."""

    def __init__(self, workspace, report, where):
        self.workspace, self.report, self.where = workspace, report, where
        self.possible = {name: {number} for number, name in enumerate(ROWS)}
        self.starved = 0

    def ask(self, client, tool, **arguments):
        answer = client.call(tool, **arguments)
        if "error" in answer:
            said = json.dumps(answer["error"])
            if "memory" not in said:
                self.report.complain(f"{self.where}{tool} is refused: {said[:300]}")
            self.starved += 1
        return answer

    def update(self, client, name, count):
        row = self.ask(client, "db_get_row", database_id="tasks", row_id=name)
        if "error" in row:
            return
        answer = self.ask(client, "db_update_row", database_id="tasks", row_id=name, etag=row["row"]["etag"], fields={"count": count})
        self.possible[name] = {count} if "error" not in answer else self.possible[name] | {count}

    def insert(self, client, name, count):
        answer = self.ask(client, "db_insert_row", database_id="tasks", row_id=name, fields={"title": name, "count": count})
        self.possible[name] = {count} if "error" not in answer else {None, count}

    def delete(self, client, name):
        row = self.ask(client, "db_get_row", database_id="tasks", row_id=name)
        if "error" in row:
            return
        answer = self.ask(client, "db_delete_row", database_id="tasks", row_id=name, etag=row["row"]["etag"])
        self.possible[name] = {None} if "error" not in answer else self.possible[name] | {None}

    def edit(self, name, count):
        self.workspace.write(f"tasks/{name}.md", faults.row(f"Edited {count}", count=count))
        self.possible[name] = {count}

    def hold(self, client):
        everything = {"database_id": "tasks", "limit": 100}
        self.ask(client, "db_query", **everything)
        self.update(client, "r0", 10)
        self.edit("r1", 11)
        self.ask(client, "db_query", **everything, filters={"field": "count", "operator": "gte", "value": 3},
                 sort=[{"field": "count", "direction": "desc"}])
        self.insert(client, "new", 12)
        self.ask(client, "db_search", text="words")
        self.edit("other", 13)
        self.ask(client, "db_get_row", database_id="tasks", row_id="r2")
        self.delete(client, "r3")
        self.ask(client, "db_aggregate", database_id="tasks", metrics=[{"function": "sum", "field": "count"}])
        self.update(client, "r4", 14)
        self.ask(client, "db_list")

    def counts(self, rows):
        return {row["id"]: row["fields"]["count"] for row in rows}

    def end(self, client):
        """There is memory again: what it says now must be what the files say."""
        for _ in range(LONGEST):
            answer = client.call("db_query", database_id="tasks", limit=100)
            if "error" not in answer:
                break
        told = self.counts(answer.get("rows", []))
        read = self.workspace.run("query", "tasks", "--no-cache", "--no-server", "--limit", "100", "--json")
        held = self.counts(json.loads(read.stdout)["rows"])
        if told != held:
            self.report.complain(f"{self.where}it says {told} where the files hold {held}")
        for name, possible in self.possible.items():
            if held.get(name) not in possible:
                self.report.complain(f"{self.where}{name} is {held.get(name)} and may be {possible}")


def range_of_requests(given, report, loaded):
    """Of a whole conversation, and of the greeting alone."""
    with faults.Workspace(given, ROWS) as workspace:
        counter = workspace.base + "/count"
        client = workspace.client(before=shim.before(loaded, SHIM_COUNT=counter))
        client.ask("ping", {})
        begin, _ = shim.counted(counter)
        talk = Conversation(workspace, report, "with memory: ")
        talk.hold(client)
        end, _ = shim.counted(counter)
        talk.end(client)
        client.close()
        return begin, end


def main():
    given = faults.options(__doc__.splitlines()[0], dose=60)
    loaded = shim.need(given)
    report = faults.Report(given)
    begin, end = range_of_requests(given, report, loaded)
    tried = starved = 0
    while tried < given.dose and not faults.time_is_up(given):
        tried += 1
        plan = f"memory:{random.randrange(begin + 1, end + 1)}={random.choice([0, 10, 100, random.randrange(LONGEST)])}"
        with faults.Workspace(given, ROWS) as workspace:
            talk = Conversation(workspace, report, plan + ": ")
            client = workspace.client(before=shim.before(loaded, SHIM=plan))
            try:
                talk.hold(client)
                talk.end(client)
                client.close()
            except (BrokenPipeError, ValueError, KeyError) as problem:
                report.complain(f"{plan}: {type(problem).__name__} {problem}")
                client.kill()
        starved += talk.starved
    report.end(test="starved", conversations=tried, of=end - begin, starved=starved)


if __name__ == "__main__":
    sys.exit(main())
