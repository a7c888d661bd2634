#!/usr/bin/env python3
"""The attacks of tests/http/abuse.py on `notesdb serve` itself, while another client asks for rows all the time.

Each attack meets a fresh server. It must be answered as abuse.py says, or not at all; the server must live, grow by less
than 8 MiB, and serve the others, of whose calls at most one in a hundred may take longer than 50 ms, also beside 64 slow
connections. How long that takes is told of all attacks together and of those with slow connections.
"""

import os
import re
import subprocess
import sys
import threading
import time

import faults

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../http"))
import abuse  # noqa: E402: it lies beside the tests of the room

MOST_P99_MS = 50
PAUSE = 0.005  # seconds between the questions of the other client
SLOW = ("64 ", "200 ", "16 ", "400 ")


class Other(threading.Thread):
    """Somebody who is served meanwhile, over a connection of their own: how long each call took, in milliseconds."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client = faults.WebClient(server)
        self.ended = False
        self.waits, self.failures = [], []

    def run(self):
        while not self.ended:
            begin = time.monotonic()
            try:
                answer = self.client.call("db_get_row", database_id="tasks", row_id="a")
                if "row" not in answer:
                    self.failures.append(str(answer)[:200])
            except (OSError, ValueError) as why:
                self.failures.append(repr(why))
                return
            self.waits.append((time.monotonic() - begin) * 1000)
            time.sleep(PAUSE)


def starter(workspace):
    def start():
        process = subprocess.Popen(workspace.words("serve", "--port", "0"), env=workspace.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return process, int(re.search(rb":(\d+)", process.stderr.readline()).group(1))
    return start


def tried(workspace, attack, expected):
    """(what is to be complained of, how long others waited, MiB that the server has grown by)"""
    with abuse.Server(starter(workspace)) as server:
        other = Other(server)
        other.start()
        time.sleep(0.05)
        answer = attack(server)
        other.ended = True
        other.join(60)
        problems = abuse.judge(server, answer, expected)
        grown = server.memory() - server.before if server.process.poll() is None else 0.0
        return problems + other.failures, other.waits, grown


def p99(waits):
    return sorted(waits)[int(0.99 * (len(waits) - 1))] if waits else 0.0


def main():
    given = faults.options(__doc__.splitlines()[0], dose=0)
    report = faults.Report(given)
    rows = {f"r{number}": faults.row(f"Row {number}", "Some words of a body.\n" * 50) for number in range(100)}
    big = abuse.call("db_query", database_id="tasks", include_body=True, limit=100)
    failing = abuse.call("db_get_row", database_id="tasks", row_id="no such row")
    attacks = abuse.ATTACKS + abuse.attacks_with(big, failing)
    waits, slow_waits, most = [], [], 0.0
    with faults.Workspace(given, {**rows, "a": faults.row("A")}) as workspace:
        for name, attack, expected in attacks[:given.dose or None]:
            problems, waited, grown = tried(workspace, attack, expected)
            for problem in problems:
                report.complain(f"{name}: {problem}")
            waits += waited
            slow_waits += waited if name.startswith(SLOW) else []
            most = max(most, grown)
    for what, some in (("all attacks", waits), ("slow connections", slow_waits)):
        if p99(some) >= MOST_P99_MS:
            report.complain(f"beside {what} one call in a hundred took {p99(some):.1f} ms")
    report.end(test="attacks", attacks=len(attacks[:given.dose or None]), served=len(waits), p99_ms=round(p99(waits), 1),
               worst_ms=round(max(waits, default=0.0), 1), slow_p99_ms=round(p99(slow_waits), 1), grown_mib=round(most, 1))


if __name__ == "__main__":
    main()
