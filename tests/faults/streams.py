#!/usr/bin/env python3
"""Mutated streams of messages on the standard input of `notesdb mcp`.

A stream is a conversation of some ten lines, of which some are damaged: bytes changed, cut out or doubled, lines cut off,
joined, doubled or exchanged, a piece of another message put in, and the last one may lack its end. Each stream goes to a
server of its own. Whatever comes in,

  - nothing is on standard output but messages, a line each;
  - a request that is still one, by an id of its own, has one answer, and no other id has one;
  - at the end of input the server ends by itself, and well;
  - rows that no message names by then are as they were.

A dose is the number of streams.
"""

import collections
import json
import math
import random
import subprocess
import sys

import faults

MOST_DIGITS = 300
LONGEST = 60  # seconds until a server is said to hang
KEPT = faults.row("Kept", ours="as it was")
TOOLS = [
    ("db_list", {}),
    ("db_query", {"database_id": "tasks", "filters": [{"field": "count", "operator": "gt", "value": 1}]}),
    ("db_get_row", {"database_id": "tasks", "row_id": "a"}),
    ("db_get_schema", {"database_id": "tasks"}),
    ("db_insert_row", {"database_id": "tasks", "fields": {"title": "caf\u00e9 \U0001f600"}, "body": "Text.\n"}),
    ("db_update_row", {"database_id": "tasks", "row_id": "a", "fields": {"count": 12345678901}}),
    ("db_delete_row", {"database_id": "tasks", "row_id": "a"}),
    ("db_batch", {"operations": [{"action": "insert", "database_id": "tasks", "fields": {"title": "x"}}]}),
]
OTHER = [
    {"method": "ping"},
    {"method": "tools/list"},
    {"method": "resources/list"},
    {"method": "prompts/list"},
    {"method": "no/such"},
]
PIECES = [b'"', b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b"1e999", b"-0", b"\\u0000", b"\\ud800", b"\xff", b"\x00", b"\n",
          b"\r", b" ", b'"id":7,', b'"id":null,', b'"jsonrpc":"2.0",', b'"method":"ping",', b"\xef\xbb\xbf", b"9" * 400, b"[" * 200]


def conversation():
    """Lines; the ids of a stream differ."""
    number = 0

    def line(**message):
        return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=random.random() < 0.5).encode() + b"\n"
    yield line(id=number, method="initialize", params=faults.introduction())
    yield line(method="notifications/initialized")
    for _ in range(random.randrange(1, 10)):
        number += 1
        identity = random.choice([number, f"s{number}"])
        if random.random() < 0.7:
            tool, arguments = random.choice(TOOLS)
            yield line(id=identity, method="tools/call", params={"name": tool, "arguments": arguments})
        else:
            yield line(id=identity, **random.choice(OTHER))


def damaged(line):
    data = bytearray(line)
    for _ in range(random.choice([1, 1, 1, 2, 4, 16])):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice([1, 1, 2, 8, 64]))
        how = random.randrange(5)
        if how == 0:
            data[at:end] = b""
        elif how == 1:
            data[at:at] = data[at:end]
        elif how == 2:
            data[at:at] = random.choice(PIECES)
        elif how == 3:
            data[at:end] = bytes(random.randrange(256) for _ in range(end - at))
        elif data:
            data[at % len(data)] ^= 1 << random.randrange(8)
    return bytes(data)


def stream():
    lines = list(conversation())
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        at = random.randrange(len(lines))
        how = random.randrange(6)
        if how < 3:
            lines[at] = damaged(lines[at])
        elif how == 3:
            lines[at] = lines[at][:random.randrange(len(lines[at]) + 1)]
        elif how == 4:
            lines.insert(random.randrange(len(lines)), lines[at])
        else:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    whole = b"".join(lines)
    return whole.removesuffix(b"\n") if random.random() < 0.1 else whole


def read_strictly(line):
    """What a line says; None if that is nothing, or something that a reader may refuse: a duplicate key, half of a pair of
    surrogates, a number beyond all bounds. A byte order mark says nothing."""
    def members(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key is given twice")
        return dict(pairs)

    def bounded(digits):
        if len(digits) > MOST_DIGITS:
            raise ValueError("too large")
        return int(digits)

    def finite(digits):
        if math.isinf(float(digits)):
            raise ValueError("too large")
        return float(digits)
    try:
        said = json.loads(line.decode("utf-8-sig", errors="strict"), object_pairs_hook=members, parse_int=bounded,
                          parse_float=finite)
        json.dumps(said, ensure_ascii=False).encode()
        return said
    except (ValueError, RecursionError):
        return None


def key_of(identity):
    return type(identity).__name__, identity


def requests_in(data):
    """(how often each id stands in what is a request beyond doubt, every id that an answer may name)"""
    sure, possible = collections.Counter(), set()
    for line in data.split(b"\n"):
        message = read_strictly(line)
        if not isinstance(message, dict) or not isinstance(message.get("id"), (int, str)) or isinstance(message["id"], bool):
            continue
        possible.add(key_of(message["id"]))
        params = message.get("params", {})
        if message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str) and isinstance(params, dict) and not (
                {"result", "error"} & set(message)):
            sure[key_of(message["id"])] += 1
    return sure, possible


def judge(report, data, done):
    where = f"{data[:2000]!r}: "
    if done.returncode != 0:
        report.complain(where + f"ended with {done.returncode}: {done.stderr[-300:]!r}")
    answers = collections.Counter()
    for line in done.stdout.removesuffix(b"\n").split(b"\n") if done.stdout else []:
        message = read_strictly(line)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            report.complain(where + f"this is no message: {line[:200]!r}")
        elif "method" not in message and "id" in message:
            answers[key_of(message["id"])] += 1
    sure, possible = requests_in(data)
    for identity, count in sure.items():
        if answers[identity] < count:
            report.complain(where + f"{count} requests of id {identity[1]!r} have {answers[identity]} answers")
    for identity, count in answers.items():
        if identity not in possible or (count > 1 and count > sum(1 for each in data.split(b"\n") if is_of(each, identity))):
            report.complain(where + f"{count} answers to id {identity[1]!r}, which nobody has asked so often")
    return sum(answers.values())


def is_of(line, identity):
    message = read_strictly(line)
    return isinstance(message, dict) and "id" in message and key_of(message["id"]) == identity


def main():
    given = faults.options(__doc__.splitlines()[0], dose=300)
    report = faults.Report(given)
    streams = answered = asked = 0
    while streams < given.dose and not faults.time_is_up(given):
        with faults.Workspace(given, {"a": faults.row("A", count=1), "kept": KEPT}) as workspace:
            for _ in range(min(50, given.dose - streams)):
                data = stream()
                streams += 1
                asked += data.count(b"\n")
                try:
                    done = subprocess.run(workspace.words("mcp"), input=data, env=workspace.environment(), capture_output=True,
                                          timeout=LONGEST, check=False)
                except subprocess.TimeoutExpired:
                    report.complain(f"{data[:2000]!r}: hangs")
                    continue
                answered += judge(report, data, done)
                if workspace.read("tasks/kept.md") != KEPT:
                    report.complain(f"{data[:2000]!r}: changed a row that nobody named")
    report.end(test="streams", streams=streams, lines=asked, answered=answered)


if __name__ == "__main__":
    sys.exit(main())
