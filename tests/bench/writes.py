"""Writes: one row, and batches of a thousand, beside what the same bytes cost without notesdb.

An ext4 without a journal, as a machine for trials may have, looks at every file of the neighbourhood that was deleted in
the last minutes before it makes a new one. So what an earlier run left is removed long before, and of the ways to write
many files those come last that delete the most.
"""
import json
import shutil
import statistics
import subprocess
import time

import rows

BATCH = 1000
RUNS = 3


def forget(folder):
    """What an earlier run left."""
    for name in ("writing", "batching"):
        shutil.rmtree(folder / name, ignore_errors=True)


def measure_update(bench, count):
    """{name: ms} of one durable update. A row is put back before each run, so that there always is
    something to change, and synced, so that its flush is not paid for here."""
    workspace = rows.copy(bench.folder, count, "writing")
    row = workspace / "tasks" / "task-000500.md"
    saved = workspace / "saved"
    text = row.read_text().split("\n")
    saved.write_text("\n".join("estimate: 1" if line.startswith("estimate:") else line for line in text))
    base = bench.folder / "writing.db"
    base.write_bytes((bench.folder / ("s%d.db" % count)).read_bytes())
    floor = workspace / "floor"
    floor.mkdir()
    subprocess.run(["sync"])
    commands = {
        "update": "%s update tasks task-000500 --set estimate=8 --root %s -o json" % (
            bench.program("notesdb"), workspace),
        "sqlite3 update": "sqlite3 %s \"update task set estimate = estimate + 1 where id = "
                          "'task-000500'\"" % base,
        "sed -i": "sed -i \"s/^estimate:.*/estimate: 8/\" %s/tasks/task-000501.md" % workspace,
        "write floor": "%s write %s 1" % (bench.program("bench_floor"), floor),
        "nothing": bench.program("bench_nothing"),
    }
    prepare = "dd if=%s of=%s conv=notrunc,fsync status=none" % (saved, row)
    return bench.times(commands, runs=20, realtime=False, prepare=prepare)


def changes(turn):
    return [{"action": "update", "database_id": "tasks", "row_id": "task-%06d" % number,
             "fields": {"estimate": 40 + turn}} for number in range(1, BATCH + 1)]


def new_rows(turn):
    return [{"action": "insert", "database_id": "tasks",
             "fields": {"id": "new-%d-%d" % (turn, number), "title": "New %d %d" % (turn, number)}}
            for number in range(BATCH)]


def batch_commands(bench, workspace):
    """By name. All but the one of new rows replace the files that their first turn found or made."""
    batch = [bench.program("notesdb"), "batch", "--operations", "-", "--root", str(workspace), "-o", "json"]
    commands = {"batch": batch, "batch of new rows": batch}
    for kind in ("plain", "write", "each"):
        floor = workspace / ("floor-" + kind)
        floor.mkdir()
        commands["%s %d" % (kind, BATCH)] = [bench.program("bench_floor"), kind, str(floor), str(BATCH)]
    return commands


def measure_batch(bench, count):
    workspace = rows.copy(bench.folder, count, "batching")
    times = {}
    for name, words in batch_commands(bench, workspace).items():
        for turn in range(RUNS):
            subprocess.run(["sync"])
            operations = json.dumps(new_rows(turn) if "new" in name else changes(turn))
            begun = time.perf_counter()
            done = subprocess.run(words, env=bench.environment, input=operations, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            times.setdefault(name, []).append(time.perf_counter() - begun)
            if done.returncode != 0:
                raise SystemExit("bench: %s: %s" % (name, done.stderr[:400]))
    return {name: statistics.median(found) * 1000 for name, found in times.items()}
