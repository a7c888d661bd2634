#!/usr/bin/env python3
"""Hostile ids in every place where a tool takes one: nothing outside the workspace is read, made or changed.

Beside the workspace lies a canary, whose text must be in no answer and whose folder must stay as it is; links to it lie
inside. The server is not confined by the kernel, so that what is tried are our own checks. While the last of the ids are
tried, at most a thousand, a folder of rows is swapped for a link to the canary and back, over and over. A dose is the
number of ids.
"""

import contextlib
import json
import multiprocessing
import os
import random
import shutil

import faults

CANARY = "the-canary-sings-71893"
PARTS = ["..", ".", "", "/", "//", "../canary", "canary", "tasks", "a", "link", "link/row-001", "_schema", "_schema.md",
         "/etc/passwd", "%2e%2e", "..%2f", "\\", "..\\", "C:\\", "a\x00b", "\n", "\u202e", "\u2025", "\uff0e\uff0e",
         "\uff0f", "~", "$HOME", "`id`", "$(id)", "-rf", "con", "aux.md", " ", "a ", "a.", "x" * 300, ".notesdb",
         ".notesdb/displaced", ".git/config", "row-001", "swap", "swap/row-001", "row-001.md", "\ud7ff", "a\tb", "*", "?",
         "proc/self/root", "/proc/self/root", "fifo"]


def outside(base):
    found = {}
    for folder, folders, names in os.walk(base):
        folders[:] = [name for name in folders if name not in ("workspace", "cache", "state")]
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            found[path] = os.lstat(path).st_mtime_ns if os.path.isfile(path) else "folder"
    return found


def hostile():
    count = random.choice([1, 1, 2, 2, 3, 4, 6])
    return random.choice(["/", "/", "", "\\"]).join(random.choice(PARTS) for _ in range(count))


def calls(word):
    """One call of each kind with a hostile word in it."""
    return [
        ("db_get_row", {"database_id": "tasks", "row_id": word}),
        ("db_get_row", {"database_id": word, "row_id": "row-001"}),
        ("db_query", {"database_id": word}),
        ("db_get_schema", {"database_id": word}),
        ("db_insert_row", {"database_id": "tasks", "row_id": word, "fields": {"title": "x"}}),
        ("db_update_row", {"database_id": "tasks", "row_id": word, "etag": "0" * 16, "fields": {"title": "x"}}),
        ("db_update_row", {"database_id": "tasks", "row_id": "a", "etag": "0" * 16, "new_row_id": word}),
        ("db_delete_row", {"database_id": "tasks", "row_id": word}),
        ("db_create", {"name": "n", "database_id": word, "columns": [{"id": "a", "type": "text"}]}),
        ("db_undo", {"change": word}),
        ("db_batch", {"operations": [{"action": "delete", "database_id": word, "row_id": word}]}),
    ]


class Swapper(multiprocessing.Process):
    """A folder that is a link to the canary every other moment."""

    def __init__(self, workspace):
        super().__init__(daemon=True)
        self.folder = workspace.path("tasks/swap")
        self.target = os.path.join(workspace.base, "canary")
        self.ended = multiprocessing.Event()
        self.swaps = multiprocessing.Value("l", 0)

    def run(self):
        while not self.ended.is_set():
            os.rename(self.folder, self.folder + ".away")
            with contextlib.suppress(FileExistsError):
                os.symlink(self.target, self.folder)
                os.unlink(self.folder)
            self.put_back()
            self.swaps.value += 1

    def put_back(self):
        while True:
            try:
                return os.rename(self.folder + ".away", self.folder)
            except OSError:  # a row was inserted there, with its folder
                shutil.rmtree(self.folder, ignore_errors=True)


def lay_out(workspace):
    for name in ("row-001.md", "_schema.md", "secret.md"):
        path = os.path.join(workspace.base, "canary", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"---\nname: {CANARY}\ntitle: {CANARY}\ncolumns:\n- {{id: title, type: text}}\n---\n{CANARY}\n")
    workspace.write("tasks/_schema.md", faults.SCHEMA.replace("next_row_id", "rows: {include: ['**/*.md']}\nnext_row_id"))
    workspace.write("tasks/swap/row-001.md", faults.row("Inside"))
    os.symlink(os.path.join(workspace.base, "canary"), workspace.path("link"))
    os.symlink(os.path.join(workspace.base, "canary"), workspace.path("tasks/link"))
    os.symlink(os.path.join(workspace.base, "canary", "secret.md"), workspace.path("tasks/linked.md"))
    os.mkfifo(workspace.path("tasks/fifo.md"))


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1500)
    report = faults.Report(given)
    with faults.Workspace(given, {"a": faults.row("A")}) as workspace:
        lay_out(workspace)
        before = outside(workspace.base)
        client = workspace.client("--unconfined")
        swapper = Swapper(workspace)
        unswapped = given.dose - min(given.dose // 2, 1000)
        tried = answered = 0
        while tried < given.dose:
            if tried >= unswapped and swapper.pid is None:
                swapper.start()
            words = [hostile(), random.choice(["swap/row-001", "linked", "link/row-001", "fifo"])]
            for tool, arguments in (call for word in words for call in calls(word)):
                answer = client.call(tool, **arguments)
                tried += 1
                answered += faults.code_of(answer) is None
                said = json.dumps(answer)
                if CANARY in said:
                    report.complain(f"{tool} {arguments!r} told what lies outside")
                if workspace.base in said:
                    report.complain(f"{tool} {arguments!r} told where the workspace lies")
                if faults.code_of(answer) == "internal":
                    report.complain(f"{tool} {arguments!r}: {said[:200]}")
        swapper.ended.set()
        swapper.join(60)
        if client.close() != 0:
            report.complain("the server did not end well")
        if outside(workspace.base) != before:
            report.complain("what lies outside has changed")
    report.end(test="escapes", ids=tried, swaps=swapper.swaps.value, answered=answered)


if __name__ == "__main__":
    main()
