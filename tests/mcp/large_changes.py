#!/usr/bin/env python3
"""large_changes.py PROGRAM [--rows N]: what a host sees of a change of thousands of rows: how far it is, that it can be
cancelled until files are put in place and is answered from then on, and that the answers of a second server are of before
or after it, or say that they are not.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def make_workspace(root, rows):
    os.makedirs(os.path.join(root, "tasks"))
    with open(os.path.join(root, "tasks", "_schema.md"), "w", encoding="utf-8") as file:
        file.write("---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
                   "  - { id: status, type: select, options: [open, done] }\n---\n")
    for i in range(rows):
        with open(os.path.join(root, "tasks", f"task-{i}.md"), "w", encoding="utf-8") as file:
            file.write(f"---\ntitle: Task {i}\nstatus: open\n---\nWords of task {i}.\n")


class Server:
    """A host of `notesdb mcp` that can wait for one message while others arrive."""

    def __init__(self, program, root, state):
        env = {key: value for key, value in os.environ.items() if not key.startswith("NOTESDB_")}
        env.update(XDG_CACHE_HOME=state, XDG_STATE_HOME=state)
        self.process = subprocess.Popen(
            [program, "mcp", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.ids = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})

    def send(self, method, params, with_id=True):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if with_id:
            self.ids += 1
            message["id"] = self.ids
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.ids

    def next(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params):
        wanted = self.send(method, params)
        while True:
            message = self.next()
            if message.get("id") == wanted:
                return message["result"]

    def call(self, tool, arguments):
        return json.loads(self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"])

    def begin(self, tool, arguments):
        return self.send("tools/call", {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}})

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def renaming(server, old, new):
    etag = server.call("db_get_schema", {"database_id": "tasks"})["etag"]
    return {"database_id": "tasks", "etag": etag,
            "changes": [{"action": "rename_option", "column": "status", "option": old, "to": new}]}


def follow(server, call, cancel_at=None, is_answered=True):
    """The notices of a call and its answer; None where a call that comes after the cancelling one is answered alone."""
    told, ping, is_cancelled = [], None, False
    while True:
        message = server.next()
        if message.get("method") == "notifications/progress":
            told.append(message["params"])
            if not is_cancelled and cancel_at is not None and cancel_at in message["params"].get("message", ""):
                is_cancelled = True
                server.send("notifications/cancelled", {"requestId": call}, with_id=False)
                if is_answered:
                    continue
                # It waits for the lock of the workspace, and so for the end of the call before it.
                ping = server.send("tools/call", {"name": "db_insert_row", "arguments": {
                    "database_id": "tasks", "fields": {"title": "After", "status": "done"}}})
        elif message.get("id") == call:
            return told, json.loads(message["result"]["content"][0]["text"])
        elif message.get("id") == ping:
            return told, None


def count(root, text):
    found = 0
    for name in os.listdir(os.path.join(root, "tasks")):
        with open(os.path.join(root, "tasks", name), encoding="utf-8") as file:
            found += text in file.read()
    return found


def progress(server, rows):
    told, answer = follow(server, server.begin("db_alter", renaming(server, "open", "ready")))
    check(answer.get("altered", {}).get("rows") == rows, f"the alter: {str(answer)[:300]}")
    check(len(told) >= 3, f"{len(told)} notices of progress")
    done = [notice["progress"] for notice in told]
    check(all(a < b for a, b in zip(done, done[1:])), "progress that does not grow")
    check(all(notice["progress"] <= notice["total"] for notice in told), "more done than there is")
    check(told and told[-1]["progress"] == told[-1]["total"] and told[-1]["total"] >= rows, "no total in the end")
    words = {notice.get("message", "") for notice in told}
    check({"changing rows", "putting files in place"} <= words, f"the parts that were told: {words}")


def search_progress(server, rows):
    told, answer = follow(server, server.begin("db_search", {"text": "words", "limit": 1}))
    check(answer.get("total") == rows, f"the search: {str(answer)[:300]}")
    check(any("indexing words" in notice.get("message", "") and notice["total"] >= rows for notice in told),
          f"the building of the search index tells nothing: {told[-1:]}")


def cancelling(server, root, rows):
    _, answer = follow(server, server.begin("db_alter", renaming(server, "ready", "never")), cancel_at="changing rows", is_answered=False)
    time.sleep(0.2)
    check(answer is None, f"a call that was cancelled before it changed anything is answered: {str(answer)[:200]}")
    check(count(root, "\nstatus: ready") == rows, "a cancelled change changed rows")
    check("never" not in json.dumps(server.call("db_get_schema", {"database_id": "tasks"})), "a cancelled change changed the schema")
    told, answer = follow(server, server.begin("db_alter", renaming(server, "ready", "late")), cancel_at="putting files in place")
    check(answer is not None and answer.get("change"), "a change that was made is not answered, since it was cancelled too late")
    check(count(root, "\nstatus: late") == rows, "a change that was cancelled too late is half done")
    waiting = [name for _, _, names in os.walk(os.path.join(root, ".notesdb")) for name in names if name.endswith(".waiting")]
    check(not waiting, f"files of the cancelled change are left: {waiting[:3]}")


def readers(writer, reader, rows):
    over = threading.Event()
    seen, told = set(), 0
    answers = []

    def look():
        while not over.is_set():
            answers.append(reader.call("db_aggregate", {"database_id": "tasks", "group_by": ["status"]}))

    look_beside = threading.Thread(target=look)
    look_beside.start()
    for old, new in (("late", "a"), ("a", "b")):
        answer = writer.call("db_alter", renaming(writer, old, new))
        check(answer.get("altered", {}).get("rows") == rows, f"the alter beside readers: {str(answer)[:300]}")
    over.set()
    look_beside.join()
    for answer in answers:
        groups = {group["status"]: group["count"] for group in answer.get("groups", [])}
        if "under way" in answer.get("notice", ""):
            told += 1
        else:
            seen.add(json.dumps(groups, sort_keys=True))
    whole = {json.dumps({status: rows, "done": 1}, sort_keys=True) for status in ("late", "a", "b")}
    check(seen <= whole, f"answers that are neither of before nor of after, and do not say so: {sorted(seen - whole)[:3]}")
    return len(answers), told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=600)
    given = parser.parse_args()
    program = os.path.realpath(given.program)
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "notes")
        make_workspace(root, given.rows)
        writer = Server(program, root, os.path.join(folder, "state"))
        progress(writer, given.rows)
        search_progress(writer, given.rows)
        cancelling(writer, root, given.rows)
        reader = Server(program, root, os.path.join(folder, "state"))
        asked, told = readers(writer, reader, given.rows)
        writer.end()
        reader.end()
    for problem in problems:
        print(problem)
    print(f"{asked} answers beside two changes of {given.rows} rows, {told} of them with a notice")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
