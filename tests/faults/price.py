#!/usr/bin/env python3
"""What safety costs: a durable update of a row, beside a write, a sync, a rename and a sync of the folder alone.

A server is asked for the update, and a file of the same size is written, interleaved, so that a busy machine is busy for
both. The bare way looks at nothing, asks nobody and remembers nothing; what it takes to ask a server for nothing at all
(a ping, interleaved with the others) is no price of safety and is taken off ours. Both are tried on an ext4 made for this, with its
journal, whose file lies on the system's disk, where a sync is a sync; there the medians may differ by 1.3 times. Beside
it is told what they are in the system's folder for temporary files, and on an ext4 in memory, where a sync is nearly
nothing and all the rest of the work shows. A dose is the number of pairs.
"""

import json
import os
import statistics
import tempfile
import time

import faults
import volumes

ALLOWED = 1.3
SETTLED = 2.5  # seconds after which a schema just made is not read again for each call


def bare(folder, number, text):
    """Seconds."""
    begin = time.perf_counter()
    temp = os.path.join(folder, f".temp{number}")
    file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, text)
    os.fsync(file)
    os.close(file)
    os.rename(temp, os.path.join(folder, "bare.md"))
    opened = os.open(folder, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)
    return time.perf_counter() - begin


def ask(client, method, params):
    """The answer, and the seconds from the request, as the bytes that it is, to the bytes of the answer."""
    client.number += 1
    line = json.dumps({"jsonrpc": "2.0", "id": client.number, "method": method, "params": params}).encode() + b"\n"
    begin = time.perf_counter()
    client.process.stdin.write(line)
    client.process.stdin.flush()
    answer = client.process.stdout.readline()
    took = time.perf_counter() - begin
    return json.loads(answer), took


def medians(given, folder):
    """Microseconds of our updates, of bare ones and of pings."""
    given.folder = folder
    body = "Some words of a body.\n" * 40
    ours, theirs, pings = [], [], []
    with faults.Workspace(given, {"a": faults.row("A", body, count=0)}) as workspace:
        client = workspace.client()
        os.sync()
        time.sleep(SETTLED)
        row = client.call("db_get_row", database_id="tasks", row_id="a")["row"]
        for number in range(1, given.dose + 1):
            update = {"database_id": "tasks", "row_id": "a", "etag": row["etag"], "fields": {"count": number}}
            answer, took = ask(client, "tools/call", {"name": "db_update_row", "arguments": update})
            row = faults.result_of(answer)["row"]
            ours.append(took)
            pings.append(ask(client, "ping", {})[1])
            theirs.append(bare(workspace.base, number, faults.row("A", body, count=number).encode()))
        client.close()
    return tuple(round(1e6 * statistics.median(times)) for times in (ours, theirs, pings))


def main():
    given = faults.options(__doc__.splitlines()[0], dose=200)
    report = faults.Report(given)
    if os.geteuid() != 0:
        faults.skip("making a file system needs root")
    ours_in_memory, bare_in_memory, _ = medians(given, given.folder)
    ours_here, bare_here, _ = medians(given, tempfile.gettempdir())
    try:
        volume = volumes.Volume("ext4", folder=tempfile.gettempdir())
    except OSError as why:
        faults.skip(str(why))
    try:
        ours, bare_ones, ping = medians(given, volume.folder)
    finally:
        volume.remove()
    ratio = (ours - ping) / bare_ones
    if ratio > ALLOWED:
        report.complain(f"a durable update, without the asking, takes {ratio:.2f} times a bare one")
    report.end(test="price", pairs=given.dose, ours_us=ours, bare_us=bare_ones, ping_us=ping, ratio=round(ratio, 2), allowed=ALLOWED,
               ours_here_us=ours_here, bare_here_us=bare_here, ratio_here=round(ours_here / bare_here, 2),
               ours_in_memory_us=ours_in_memory, bare_in_memory_us=bare_in_memory)


if __name__ == "__main__":
    main()
