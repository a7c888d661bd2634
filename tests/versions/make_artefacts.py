#!/usr/bin/env python3
"""Keeps in fixtures/versions what a version of the program leaves in a workspace, for versions.py to open later.

    tests/versions/make_artefacts.py --program build/release/notesdb

Called once for each release, by whoever makes it. Changes of every kind are made, one is taken back and one made again; a
last one, of three files, is killed half-way, so that an unfinished change lies there too.
"""

import json
import os
import subprocess
import sys

import kept
from kept import faults

CHANGES = [
    ["update", "tasks", "r001", "--set", "ours=changed"],
    ["update", "tasks", "r001", "--set", "count=77", "--body", "Another text.\n"],
    ["delete", "tasks", "r002"],
    ["rename", "tasks", "r003", "renamed"],
    ["batch", "--operations", json.dumps([
        {"action": "insert", "database_id": "tasks", "row_id": "inserted", "fields": {"title": "Inserted"}},
        {"action": "update", "database_id": "tasks", "row_id": "r004", "fields": {"theirs": "batch"}},
        {"action": "delete", "database_id": "tasks", "row_id": "r005"}])],
    ["undo"],
    ["redo"],
    ["create", "More", "--column", "name:text"],
    ["insert", "more", "--row-id", "first", "--set", "name=First", "--body", "A lantern3 of its own.\n"],
]
UNFINISHED = ["batch", "--operations", json.dumps([
    {"action": "insert", "database_id": "tasks", "row_id": "unfinished", "fields": {"title": "Unfinished"}},
    {"action": "update", "database_id": "tasks", "row_id": "r010", "fields": {"ours": "unfinished"}},
    {"action": "delete", "database_id": "tasks", "row_id": "r011"}])]
CALLS = "linkat,renameat2,renameat"


def run(workspace, *words):
    done = workspace.run(*words)
    if done.returncode != 0:
        sys.exit(f"make_artefacts: {words}: {done.stderr.decode()}")


def made(given):
    """The workspace after all changes, and the files that differ from the rule after each."""
    workspace = kept.lay_out(given)
    first = workspace.tree()
    states = []
    for words in CHANGES:
        run(workspace, *words)
        states.append(kept.difference(first, workspace.tree()))
    run(workspace, "query", "tasks", "--where", "count > 290")
    run(workspace, "search", "lantern3")
    return workspace, first, states


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    version = subprocess.run([given.program, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    for call in CALLS.split(","):
        for number in range(1, 40):
            workspace, first, states = made(given)
            with workspace:
                before = workspace.tree()
                workspace.run(*UNFINISHED, before=["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=" + CALLS,
                                                   "-e", f"inject={call}:signal=KILL:when={number}"])
                left = workspace.tree()
                has_begun = os.path.exists(workspace.path(".notesdb/intent/current")) and left != before
                if not has_begun or len(kept.difference(before, left)) == 3:
                    continue
                left_over = kept.difference(first, left)
                finished = kept.laid_over(first, {**states[-1], "tasks/r011.md": None, "tasks/unfinished.md":
                                                  "---\ntitle: Unfinished\n---\n"})
                finished["tasks/r010.md"] = finished["tasks/r010.md"].replace("ours: word0", "ours: unfinished")
                kept.keep(workspace, version, {"made": states, "left": left_over,
                                               "finished": kept.difference(first, finished)})
                print(f"kept what {version} leaves in {os.path.relpath(kept.FOLDER)}/{version}")
                return
    sys.exit("make_artefacts: no kill left the change half-way")


if __name__ == "__main__":
    main()
