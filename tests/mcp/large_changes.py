#!/usr/bin/env python3
"""large_changes.py PROGRAM [--rows N] [--show]: what a host sees of a call about thousands of rows: how far it is, that it
can be cancelled until files are put in place and is answered from then on, and that the answers of a second server are of
before or after it, or say that they are not. --show prints what each call told, and its longest silence.
"""
import argparse
import faulthandler
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

problems = []
shown = False


def check(holds, what):
    if not holds:
        problems.append(what)


def make_workspace(root, rows):
    os.makedirs(os.path.join(root, "tasks"))
    os.makedirs(os.path.join(root, "raw"))
    with open(os.path.join(root, "tasks", "_schema.md"), "w", encoding="utf-8") as file:
        file.write("---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
                   "  - { id: status, type: select, options: [open, done] }\n---\n")
    for i in range(rows):
        with open(os.path.join(root, "tasks", f"task-{i}.md"), "w", encoding="utf-8") as file:
            file.write(f"---\ntitle: Task {i}\nstatus: open\n---\nWords of task {i}.\n")
        with open(os.path.join(root, "raw", f"note-{i}.md"), "w", encoding="utf-8") as file:
            file.write(f"---\ntitle: Note {i}\nkind: k{i % 3}\n---\nAbout [[task-{i}]] and [[nobody-{i % 50}]].\n")


class Server:
    """A host of `notesdb mcp` that can wait for one message while others arrive."""

    def __init__(self, program, root, state, flags=(), **more):
        env = {key: value for key, value in os.environ.items() if not key.startswith("NOTESDB_")}
        env.update(XDG_CACHE_HOME=state, XDG_STATE_HOME=state, **more)
        self.process = subprocess.Popen(
            [program, "mcp", "--root", root, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
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
    last, silence = time.monotonic(), (0, "")
    while True:
        message = server.next()
        now = time.monotonic()
        silence = max(silence, (now - last, message.get("params", {}).get("message", "the answer")))
        last = now
        if shown and message.get("id") == call:
            print(f"{len(told)} notices, longest silence {silence[0]:.2f} s before {silence[1]}: "
                  + ", ".join(dict.fromkeys(f"{notice.get('message')} (of {notice['total']:g})" for notice in told)))
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


def git(folder, *words):
    done = subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check(done.returncode == 0, f"git {words[0]}: {done.stdout.decode()}")


def stages(server, tool, arguments, expected):
    """The answer of a call that must tell of these stages, with totals that are never below what is done."""
    told, answer = follow(server, server.begin(tool, arguments))
    words = " ".join(notice.get("message", "") for notice in told)
    for stage in expected:
        check(stage in words, f"{tool} does not tell of '{stage}': {sorted({str(notice.get('message')) for notice in told})}")
    done = [notice["progress"] for notice in told]
    check(all(a < b for a, b in zip(done, done[1:])), f"{tool}: progress that does not grow")
    check(all(notice["progress"] <= notice["total"] for notice in told), f"{tool}: more done than there is")
    return answer


def unanswered(server, tool, arguments, cancel_at):
    """A call that is cancelled at its first notice with these words is not answered."""
    call = server.begin(tool, arguments)
    is_cancelled = False
    while True:
        message = server.next()
        if message.get("id") == call:
            check(False, f"{tool} is answered, though it was cancelled at '{cancel_at}': {str(message)[:200]}")
            return
        if is_cancelled and message.get("id") == ping:
            break
        if not is_cancelled and cancel_at in message.get("params", {}).get("message", ""):
            is_cancelled = True
            server.send("notifications/cancelled", {"requestId": call}, with_id=False)
            # Whatever the call still had to say comes before the end of one that is begun a moment later.
            time.sleep(1)
            ping = server.send("tools/call", {"name": "db_list", "arguments": {}})


def other_calls(program, root, state, rows):
    """What hosts are offered only where --tools names it: check, infer, import, sync."""
    confined = subprocess.run([program, "mcp", "--root", root, "--tools", "default,db_sync"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(confined.returncode == 2 and b"--unconfined" in confined.stderr, f"a confined server offers db_sync: {confined.stderr}")
    server = Server(program, root, state,
                    ["--unconfined", "--tools", "default,db_check,db_infer,db_import,db_sync"],
                    GIT_SSH_COMMAND="sleep 60 #", GIT_CONFIG_GLOBAL=os.path.join(state, "gitconfig"))
    records = "title,status\n" + "".join(f"New {i},done\n" for i in range(rows))
    importing = {"database_id": "tasks", "text": records}
    unanswered(server, "db_check", {}, "checking links: looking links up")
    unanswered(server, "db_infer", {"folders": ["raw"]}, "inferring raw: reading files")
    check(not os.path.exists(os.path.join(root, "raw", "_schema.md")), "an infer that was cancelled wrote a schema")
    unanswered(server, "db_import", importing, "planning rows")
    check(count(root, "title: New") == 0, "an import that was cancelled made rows")
    answer = stages(server, "db_infer", {"folders": ["raw"]}, ["inferring raw: reading files"])
    check(answer["databases"][0]["row_count"] == rows, f"the infer: {str(answer)[:300]}")
    # A step that is over at once may go untold, as reading does where there are few rows.
    reading = ["reading files"] if rows >= 5000 else []
    answer = stages(server, "db_check", {}, ["checking links: looking links up", *reading, "looking for fixes in raw"])
    check(len(answer["issues"]) >= rows, f"the check: {str(answer)[:300]}")
    answer = stages(server, "db_import", importing, ["reading records", "planning rows", "putting files in place"])
    check(answer.get("inserted") == rows, f"the import: {str(answer)[:300]}")
    syncing(server, root, state, rows)
    server.end()


def syncing(server, root, state, rows):
    # A step that is over at once may go untold, as many do where there are few rows.
    steps = ["committing", "fetching from origin", "pushing to origin"] if rows > 5000 else []
    remote, other = os.path.join(state, "remote.git"), os.path.join(state, "other")
    with open(os.path.join(state, "gitconfig"), "w", encoding="utf-8") as file:
        file.write("[user]\nname = t\nemail = t@example.org\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(state, "init", "--quiet", "--bare", "--initial-branch=main", remote)
    git(root, "remote", "add", "origin", remote)
    answer = stages(server, "db_sync", {}, ["looking at the clone", *steps])
    check(answer.get("sent") == 1, f"the first sync: {str(answer)[:300]}")
    git(state, "clone", "--quiet", remote, other)
    with open(os.path.join(other, "tasks", "task-0.md"), "a", encoding="utf-8") as file:
        file.write("More.\n")
    git(other, "commit", "--quiet", "-a", "-m", "more")
    git(other, "push", "--quiet")
    with open(os.path.join(root, "tasks", "task-1.md"), "a", encoding="utf-8") as file:
        file.write("More here.\n")
    answer = stages(server, "db_sync", {}, ["looking at the clone", *(["merging"] if steps else [])])
    check((answer.get("received"), answer.get("sent")) == (1, 2), f"the sync of two sides: {str(answer)[:300]}")
    # A remote that never answers: cancelled while it is waited for, once with a commit made and once without.
    git(root, "remote", "set-url", "origin", "ssh://nowhere.invalid/x")
    with open(os.path.join(root, "tasks", "task-1.md"), "a", encoding="utf-8") as file:
        file.write("And more.\n")
    call = server.begin("db_sync", {})
    fetching = 0
    while True:
        message = server.next()
        if message.get("id") == call:
            break
        fetching += message.get("params", {}).get("message") == "fetching from origin"
        if fetching == 3:
            server.send("notifications/cancelled", {"requestId": call}, with_id=False)
    check(fetching >= 3, f"a fetch that takes long tells {fetching} times that it goes on")
    answer = json.loads(message["result"]["content"][0]["text"])
    check(len(answer.get("committed", [])) == 1 and "fetching" in answer.get("stopped", ""),
          f"a sync that was cancelled after its commit does not say what it did: {str(answer)[:300]}")
    unanswered(server, "db_sync", {}, "fetching from origin")
    left = subprocess.run(["git", "-C", root, "status", "--porcelain"], stdout=subprocess.PIPE).stdout
    check(left == b"", f"a sync that was cancelled left work undone: {left[:300]}")


def stopped_writer(writer, reader, rows):
    """A reader that waits for a change which does not end is answered all the same, and told."""
    old, new = "b", "c"
    for _ in range(100):
        call = writer.begin("db_alter", renaming(writer, old, new))
        while "putting files in place" not in (message := writer.next()).get("params", {}).get("message", ""):
            if message.get("id") == call:
                break
        if "id" not in message:
            os.kill(writer.process.pid, signal.SIGSTOP)
            begun = time.monotonic()
            answer = reader.call("db_aggregate", {"database_id": "tasks", "group_by": ["status"]})
            waited = time.monotonic() - begun
            os.kill(writer.process.pid, signal.SIGCONT)
            follow(writer, call)
            groups = {group["status"]: group["count"] for group in answer["groups"]}
            if groups.get(old, 0) > 0 and groups.get(new, 0) > 0:
                break
        old, new = new, old
    else:
        check(False, "no change could be stopped in its middle")
        return
    check("under way" in answer.get("notice", ""), f"an answer of half a change does not say so: {str(answer)[:300]}")
    check(0.9 <= waited < 10, f"the reader waited {waited:.1f} s for a change that does not end")
    check(groups[old] + groups[new] == rows, f"rows are missing beside a change: {groups}")
    answer = reader.call("db_aggregate", {"database_id": "tasks", "group_by": ["status"]})
    check("notice" not in answer and {g["status"]: g["count"] for g in answer["groups"]}.get(new) == rows,
          f"the answer after the change: {str(answer)[:300]}")
    print(f"a reader beside a stopped change waited {waited:.1f} s and was told, seeing {groups}")


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
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    global shown
    shown = given.show
    program = os.path.realpath(given.program)
    faulthandler.dump_traceback_later(600 + given.rows / 20, exit=True)  # where it waits for ever
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "notes")
        make_workspace(root, given.rows)
        writer = Server(program, root, os.path.join(folder, "state"))
        progress(writer, given.rows)
        search_progress(writer, given.rows)
        cancelling(writer, root, given.rows)
        reader = Server(program, root, os.path.join(folder, "state"))
        asked, told = readers(writer, reader, given.rows)
        stopped_writer(writer, reader, given.rows)
        writer.end()
        reader.end()
        if shutil.which("git"):
            other_calls(program, root, os.path.join(folder, "state"), given.rows)
    for problem in problems:
        print(problem)
    print(f"{asked} answers beside two changes of {given.rows} rows, {told} of them with a notice")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
