#!/usr/bin/env python3
"""What is over the limits is refused in words, with 100 ms of work and 10 MiB beside what was sent.

Files that are too large, too deep or too many in themselves (bombs of aliases, a million brackets, keys, lines), and
messages, arguments and questions of that kind. Each meets a fresh server that has answered a question before. A file must
be refused or come with an issue, what is asked must be refused; the answer must be short; and it is measured how long the
server worked (not how long it took, as the machine may be busy) and by how much its memory has ever grown, without twice
the size of what was sent, which must be read and understood before it can be refused. Then the server must still answer.
A dose is how often all of it is done.
"""

import glob
import json
import os

import faults

MIB = 1 << 20
MOST_MS = 100
MOST_MIB = 10
LONGEST_ANSWER = 64 << 10


def front(text):
    return ("---\ntitle: Large\n" + text + "\n---\nText.\n").encode()


def bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * 9) + "]" for level in range(1, 12)]
    return "\n".join(lines)


def nested(levels):
    return "\n".join("  " * level + "a:" for level in range(levels))


# Files: what a row holds, or how many bytes of nothing.
FILES = {
    "a file of a GiB, sparse": 1 << 30,
    "a file of a TiB, sparse": 1 << 40,
    "a file of 16 MiB and a byte": 16 * MIB + 1,
    "a bomb of aliases": lambda: front(bomb()),
    "an alias of itself": lambda: front("a: &a [*a]"),
    "a map that is its own key": lambda: front("a: &a {*a : b}"),
    "a million brackets": lambda: front("a: " + "[" * 10**6),
    "a million brackets that close": lambda: front("a: " + "[" * 10**6 + "]" * 10**6),
    "a million braces": lambda: front("a: " + "{a: " * 10**6),
    "brackets and braces": lambda: front("a: " + "[{a: " * 10**5),
    "a million dashes": lambda: front("a:\n" + "- " * 10**6),
    "33 levels in brackets": lambda: front("a: " + "[" * 33 + "]" * 33),
    "34 levels of maps": lambda: front(nested(34)),
    "a thousand levels of maps": lambda: front(nested(1000)),
    "a thousand and one keys": lambda: front("\n".join(f"k{number}: 1" for number in range(1001))),
    "a hundred thousand keys": lambda: front("\n".join(f"k{number}: 1" for number in range(10**5))),
    "twenty thousand items": lambda: front("a: [" + "{b: 1}, " * 20000 + "]"),
    "a hundred thousand items below": lambda: front("a:\n" + "  - {b: 1}\n" * 10**5),
    "a million commas": lambda: front("a: [" + "," * 10**6 + "]"),
    "a million quotes": lambda: front('a: ' + '"' * (10**6 + 1)),
    "a quote never closed before a MiB": lambda: front('a: "' + "x\n " * (MIB // 3)),
    "a million backslashes": lambda: front('a: "' + "\\" * (10**6 + 1)),
    "a million question marks": lambda: front("? " * 10**6),
    "a million anchors": lambda: front("a: " + "&a " * 10**6),
    "a million tags": lambda: front("a: " + "!a " * 10**6),
    "a key of a MiB": lambda: front("k" * MIB + ": 1"),
    "front matter that never ends": lambda: b"---\n" + b"a: 1\n" * (MIB // 5),
    "zeros": lambda: b"---\n" + b"\0" * MIB,
    "carriage returns": lambda: b"---\n" + b"\r" * MIB + b"\n---\n",
    "a million markers of a conflict": lambda: front("<<<<<<< a\n" * 10**5),
    "TOML of a million brackets": lambda: b"+++\na = " + b"[" * 10**6 + b"\n+++\n",
    "TOML of a hundred thousand keys": lambda: b"+++\n" + b"".join(b"k%d = 1\n" % n for n in range(10**5)) + b"+++\n",
    "TOML of a deep key": lambda: b"+++\n" + b"a." * 10**5 + b"a = 1\n+++\n",
}


def call(tool, **arguments):
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def query(**arguments):
    return call("db_query", database_id="tasks", **arguments)


def line_of(message):
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def deep(levels, inner="1"):
    return b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + b'{"a":' * levels + inner.encode() + b"}" * levels + b"}"


def triple(**given):
    return {"field": "count", "operator": "eq", "value": 1, **given}


# Messages: a line each on the standard input of a server.
MESSAGES = {
    "a line of 17 MiB": lambda: b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"' + b"x" * 17 * MIB + b'"}}',
    "a line of 17 MiB of brackets": lambda: b"[" * 17 * MIB,
    "65 levels": lambda: deep(65),
    "a hundred thousand levels": lambda: deep(10**5),
    "a million brackets in a message": lambda: b"[" * 10**6,
    "a batch of a thousand": lambda: json.dumps([{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(1000)]).encode(),
    "a number without end": lambda: b'{"jsonrpc":"2.0","id":' + b"9" * MIB + b',"method":"ping"}',
    "a duplicate key": lambda: b'{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}',
    "an unknown tool of a MiB": lambda: call("x" * MIB),
    "a row id of a MiB": lambda: call("db_get_row", database_id="tasks", row_id="x" * MIB),
    "a database of a MiB": lambda: call("db_get_row", database_id="x" * MIB, row_id="r1"),
    "an etag of a MiB": lambda: call("db_update_row", database_id="tasks", row_id="r1", etag="0" * MIB, fields={"count": 1}),
    "a field of a MiB": lambda: call("db_insert_row", database_id="tasks", fields={"x" * MIB: 1}),
    "fifty thousand unknown arguments": lambda: query(**{f"a{number}": 1 for number in range(50000)}),
    "fifty thousand unknown fields": lambda: call("db_insert_row", database_id="tasks",
                                                  fields={f"a{number}": 1 for number in range(50000)}),
    "a filter of an unknown field of a MiB": lambda: query(filters=[triple(field="x" * MIB)]),
    "a filter of an unknown operator of a MiB": lambda: query(filters=[triple(operator="x" * MIB)]),
    "a pattern of a MiB": lambda: query(filters=[triple(field="title", operator="matches", value="(a*)*" * (MIB // 5))]),
    "a pattern that explodes": lambda: query(filters=[triple(field="title", operator="matches",
                                                             value="((a{100}){100}){100}")]),
    "a filter in filters in filters": lambda: query(filters=json.loads('[{"any":' * 30 + "[]" + "}]" * 30)),
    "a limit beyond all numbers": lambda: query(limit=10**30),
    "an offset below none": lambda: query(offset=-1),
    "a sort by ten thousand unknown fields": lambda: query(sort=[f"f{number}" for number in range(10**4)]),
    "ten thousand unknown columns": lambda: query(columns=[f"f{number}" for number in range(10**4)]),
    "a batch of 1,001 operations": lambda: call("db_batch", operations=[
        {"action": "delete", "database_id": "tasks", "row_id": f"x{number}"} for number in range(1001)]),
    "a database of ten thousand wrong columns": lambda: call("db_create", name="n", columns=[
        {"id": f"c{number}", "type": "none"} for number in range(10**4)]),
    "a change of a MiB": lambda: call("db_undo", change="x" * MIB),
}


class Fresh:
    """A server that has answered a question, and what a second one costs it."""

    def __init__(self, workspace):
        self.client = workspace.client()
        self.query()
        self.mib, self.ms = self.memory(), self.work()

    def query(self):
        return self.client.call("db_query", database_id="tasks", limit=100)

    def memory(self):
        """The most that it ever held, in MiB."""
        with open(f"/proc/{self.client.process.pid}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

    def work(self):
        """Of all its threads, in ms."""
        spent = 0
        for path in glob.glob(f"/proc/{self.client.process.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as file:
                spent += int(file.read().split()[0]) / 10**6
        return spent

    def ask(self, line):
        self.client.process.stdin.write(line + b"\n")
        self.client.process.stdin.flush()
        return self.client.process.stdout.readline()


def write(path, content):
    """How many bytes of it must be read."""
    with open(path, "wb") as file:
        if isinstance(content, int):
            file.truncate(content)
            return 0
        return file.write(content)


class Trial:
    def __init__(self, given):
        self.given, self.report = given, faults.Report(given)
        self.tried = 0
        self.worst_ms = self.worst_mib = 0

    def file(self, name, make):
        with faults.Workspace(self.given, {"r1": faults.row("One", count=1)}) as workspace:
            fresh = Fresh(workspace)
            path = workspace.path("tasks/large.md")
            size = write(path, make if isinstance(make, int) else make())
            self.judge(name, fresh, size, line_of(call("db_get_row", database_id="tasks", row_id="large")))
            os.unlink(path)
            self.judge_rest(name, fresh)

    def message(self, name, make):
        with faults.Workspace(self.given, {"r1": faults.row("One", count=1)}) as workspace:
            fresh = Fresh(workspace)
            line = line_of(make())
            self.judge(name, fresh, len(line), line)
            self.judge_rest(name, fresh)

    def judge(self, name, fresh, size, line):
        self.tried += 1
        said = fresh.ask(line)
        took, grown = fresh.work() - fresh.ms, fresh.memory() - fresh.mib - 2 * size / MIB
        self.worst_ms, self.worst_mib = max(self.worst_ms, took), max(self.worst_mib, grown)
        answer = json.loads(said)
        text = said.decode()
        if "error" not in answer and '"isError":true' not in text and '\\"issues\\":[{' not in text:
            self.report.complain(f"{name}: not refused: {text[:200]}")
        if took > MOST_MS or grown > MOST_MIB or len(said) > LONGEST_ANSWER:
            self.report.complain(f"{name}: refused after {took:.0f} ms, with {grown:.1f} MiB, in {len(said):,} bytes")

    def judge_rest(self, name, fresh):
        if "rows" not in fresh.query():
            self.report.complain(f"{name}: the server does not answer any more")
        fresh.client.kill()


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    trial = Trial(given)
    for _ in range(given.dose):
        for name, make in FILES.items():
            trial.file(name, make)
        for name, make in MESSAGES.items():
            trial.message(name, make)
    trial.report.end(test="limits", shapes=trial.tried, worst_ms=round(trial.worst_ms, 1),
                     worst_mib=round(trial.worst_mib, 1))


if __name__ == "__main__":
    main()
