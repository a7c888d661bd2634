#!/usr/bin/env python3
"""Eight clients at once, and afterwards: was there an order in which one writer at a time would have got these answers?

Servers on standard input and output, one over HTTP, and commands read, insert, update and delete a few rows. No two
writes have the same text, so every etag is of one write, and the etag that a write replaced says which write came before
it: the versions of a row are chains, each a life of the row from an insert to a delete. A history is legal when

  - every write replaced the newest version (no etag is replaced twice, none is made from nothing);
  - an answer tells of a version that was the newest at some moment between question and answer;
  - of two reads one after the other the second does not see an older version.

A dose is the number of operations.
"""

import collections
import functools
import json
import random
import sys
import threading
import time

import faults

SERVERS = 4
WEB_CLIENTS = 2
COMMANDERS = 2
ROWS = [f"r{number}" for number in range(5)]

# kind: read, insert, update, delete; before and after: etags, None for "no such row".
Event = collections.namedtuple("Event", "row kind begin end before after")


class ServerDoor:
    def __init__(self, workspace):
        self.client = workspace.client()

    def call(self, tool, **arguments):
        return self.client.call(tool, **arguments)

    def close(self):
        self.client.close()


class WebDoor:
    """A client of a server over HTTP that all of them share."""

    def __init__(self, server):
        self.client = faults.WebClient(server)

    def call(self, tool, **arguments):
        return self.client.call(tool, **arguments)

    def close(self):
        self.client.close()


class CommandDoor:
    def __init__(self, workspace):
        self.workspace = workspace

    def call(self, tool, **arguments):
        done = self.workspace.run("call", tool, json.dumps(arguments), "--json")
        return json.loads(done.stdout if done.returncode == 0 else done.stderr)

    def close(self):
        pass


class Player(threading.Thread):
    def __init__(self, door, report, seed, moves):
        super().__init__(daemon=True)
        self.door, self.report, self.moves = door, report, moves
        self.chance = random.Random(seed)
        self.name = f"p{seed}"
        self.events = []
        self.known = dict.fromkeys(ROWS)
        self.refused = 0

    def run(self):
        for number in range(self.moves):
            self.move(number)
        self.door.close()

    def move(self, number):
        row = self.chance.choice(ROWS)
        word = f"{self.name}x{number}"
        kind = self.chance.choices(["read", "query", "update", "insert", "delete"], [4, 1, 6, 3, 1])[0]
        if kind in ("update", "delete") and self.known[row] is None:
            kind = "read"
        begin = time.monotonic()
        if kind == "query":
            answer = self.door.call("db_query", database_id="tasks", filters=[])
            end = time.monotonic()
            seen = {each["id"]: each["etag"] for each in answer["rows"]}
            for each in ROWS:
                self.saw(each, begin, end, seen.get(each))
        elif kind == "read":
            answer = self.door.call("db_get_row", database_id="tasks", row_id=row)
            self.judge(row, "read", begin, answer, None)
        elif kind == "insert":
            answer = self.door.call("db_insert_row", database_id="tasks", row_id=row, fields={"title": word})
            self.judge(row, "insert", begin, answer, None)
        elif kind == "update":
            before = self.known[row]
            answer = self.door.call("db_update_row", database_id="tasks", row_id=row, etag=before,
                                    fields={"title": word})
            self.judge(row, "update", begin, answer, before)
        else:
            before = self.known[row]
            answer = self.door.call("db_delete_row", database_id="tasks", row_id=row, etag=before)
            self.judge(row, "delete", begin, answer, before)

    def saw(self, row, begin, end, etag):
        self.known[row] = etag
        self.events.append(Event(row, "read", begin, end, None, etag))

    def judge(self, row, kind, begin, answer, before):
        end = time.monotonic()
        code = faults.code_of(answer)
        if code is None and kind == "delete":
            self.known[row] = None
            self.events.append(Event(row, kind, begin, end, before, None))
        elif code is None and kind == "read":
            self.saw(row, begin, end, answer["row"]["etag"])
        elif code is None:
            self.known[row] = answer["row"]["etag"]
            self.events.append(Event(row, kind, begin, end, before, answer["row"]["etag"]))
        elif code == "conflict" and "etag" in answer["error"].get("data", {}):
            self.refused += 1
            self.saw(row, begin, end, answer["error"]["data"]["etag"])
        elif code == "unknown_row":
            self.saw(row, begin, end, None)
        elif code in ("busy", "conflict", "already_exists"):
            self.refused += 1
            self.known[row] = None
        else:
            self.report.complain(f"{kind} of {row}: {str(answer)[:300]}")


class Life:
    """The writes of a row from an insert on, in their order, and when its insert and delete can have happened.

    A call takes effect at some moment between question and answer. Whoever saw a version of this life came after the
    insert and before the delete, which narrows both.
    """

    def __init__(self, writes, reads):
        self.writes = writes
        etags = {write.after for write in writes}
        witnesses = writes + [read for read in reads if read.after in etags]
        self.born_by = min(each.end for each in witnesses)
        is_over = writes[-1].kind == "delete"
        self.dead_from = max(each.begin for each in witnesses) if is_over else float("inf")

    def can_precede(self, other):
        return self.dead_from < other.born_by


def compare(one, other):
    forwards, backwards = one.can_precede(other), other.can_precede(one)
    if forwards != backwards:
        return -1 if forwards else 1
    return -1 if one.born_by < other.born_by else 1


def chain_of(row, events, report):
    """The writes of a row in their order: its lives, one after the other."""
    writes = [event for event in events if event.kind != "read"]
    reads = [event for event in events if event.kind == "read" and event.after is not None]
    after = {}
    for write in writes:
        if write.kind != "insert":
            if write.before in after:
                report.complain(f"{row}: the version {write.before} was replaced twice")
            after[write.before] = write
    lives = []
    for write in [write for write in writes if write.kind == "insert"]:
        life = []
        while write is not None:
            life.append(write)
            write = after.pop(write.after, None) if write.after is not None else None
        lives.append(Life(life, reads))
    for write in after.values():
        report.complain(f"{row}: {write.before} was replaced and never written")
    lives.sort(key=functools.cmp_to_key(compare))
    for earlier, later in zip(lives, lives[1:]):
        if not earlier.can_precede(later):
            report.complain(f"{row}: inserted while it was there")
    return [write for life in lives for write in life.writes]


def check_row(row, events, report):
    chain = chain_of(row, events, report)
    # Version i is there from some moment of its write to some moment of the next one.
    begins = [float("-inf")] + [write.begin for write in chain]
    ends = [write.end for write in chain] + [float("inf")]
    for earlier, later in zip(chain, chain[1:]):
        if later.end < earlier.begin:
            report.complain(f"{row}: a write came before the one it replaced")
    places = collections.defaultdict(list)
    for place, etag in enumerate([None] + [write.after for write in chain]):
        places[etag].append(place)
    reads = sorted((event for event in events if event.kind == "read"), key=lambda event: event.begin)
    finished = sorted(reads, key=lambda event: event.end)
    placed, floor, next_finished = {}, 0, 0
    for read in reads:
        while next_finished < len(finished) and finished[next_finished].end < read.begin:
            floor = max(floor, placed.get(id(finished[next_finished]), 0))
            next_finished += 1
        fitting = [place for place in places[read.after]
                   if begins[place] <= read.end and read.begin <= ends[place] and place >= floor]
        if not fitting:
            report.complain(f"{row}: a read saw {read.after}, which was not the newest then")
            continue
        placed[id(read)] = fitting[0]
    return len(chain)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=2000)
    report = faults.Report(given)
    with faults.Workspace(given) as workspace:
        by_command = max(1, given.dose // 100)  # a command starts a process, a server answers in a moment
        by_server = (given.dose - COMMANDERS * by_command) // (SERVERS + WEB_CLIENTS)
        web = faults.WebServer(workspace)
        doors = [(ServerDoor(workspace), by_server) for _ in range(SERVERS)]
        doors += [(WebDoor(web), by_server) for _ in range(WEB_CLIENTS)]
        doors += [(CommandDoor(workspace), by_command) for _ in range(COMMANDERS)]
        players = [Player(door, report, given.seed * 100 + i, moves) for i, (door, moves) in enumerate(doors)]
        for player in players:
            player.start()
        for player in players:
            player.join()
        web.close()
        events = [event for player in players for event in player.events]
        writes = sum(check_row(row, [event for event in events if event.row == row], report) for row in ROWS)
    report.end(test="histories", clients=len(players), operations=sum(player.moves for player in players), writes=writes,
               refused=sum(player.refused for player in players))


if __name__ == "__main__":
    sys.exit(main())
