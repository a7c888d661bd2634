"""What the fault tests share: a small workspace, the program, and the figure that each test ends with.

A test is a program of its own: `sweep.py --program build/notesdb --dose 200 --seed 1`. It prints what is broken, a
line each, and at the end one line of JSON, its figures, from which tools/reliability makes docs/reliability.md. It
exits 0 if nothing is broken, 1 if something is, and 77 where this machine cannot run it, saying why.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import volumes

SKIPPED = 77

SCHEMA = """---
name: Tasks
columns:
  - {id: title, type: text}
  - {id: count, type: number}
  - {id: ours, type: text}
  - {id: theirs, type: text}
next_row_id: 1
---
"""


def row(title, body="Text below.\n", **fields):
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\ntitle: {title}   # kept\n{lines}---\n{body}"


def options(description, dose, add_more=None):
    """The arguments that every test takes, and those that `add_more` adds to the parser."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True, help="the notesdb to test")
    parser.add_argument("--dose", type=int, default=dose, help=f"how much; {dose} if absent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="break off then; the figures say how far it came")
    parser.add_argument("--folder", help="where workspaces are made; a quick disk in memory if absent, see volumes.py")
    if add_more:
        add_more(parser)
    given = parser.parse_args()
    given.program = os.path.abspath(given.program)
    given.folder = given.folder or volumes.quick_folder()
    given.end = time.monotonic() + 60 * given.minutes
    random.seed(given.seed)
    return given


def use_for_tests_too(given):
    """The test programs that are run make their folders where workspaces are made."""
    if given.folder:
        os.environ["TMPDIR"] = given.folder


def time_is_up(given):
    return time.monotonic() >= given.end


def skip(why):
    print(json.dumps({"skipped": why}))
    sys.exit(SKIPPED)


def need_strace(given):
    """Skips where strace is missing, or may not trace."""
    if not shutil.which("strace"):
        skip("there is no strace")
    with Workspace(given) as workspace:
        if workspace.run("list", before=["strace", "-f", "-qq", "-o", os.devnull]).returncode != 0:
            skip("strace may not trace here")


class Report:
    """Counts what was tried and what was broken."""

    def __init__(self, given):
        self.given = given
        self.broken = 0
        self.lock = threading.Lock()

    def complain(self, what):
        with self.lock:
            self.broken += 1
            if self.broken <= 20:
                print("BROKEN", what, flush=True)

    def end(self, **figures):
        print(json.dumps({**figures, "seed": self.given.seed, "broken": self.broken}))
        sys.exit(1 if self.broken else 0)


class Workspace:
    """A folder with one database, removed at the end of a `with`."""

    def __init__(self, given, rows=None):
        self.base = tempfile.mkdtemp(prefix="notesdb-faults-", dir=given.folder)
        self.program = given.program
        self.root = os.path.join(self.base, "workspace")
        self.write("tasks/_schema.md", SCHEMA)
        for name, text in (rows or {}).items():
            self.write(f"tasks/{name}.md", text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def tree(self):
        """Every file but those of .notesdb and git, with its text."""
        files = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".notesdb", ".git")]
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.root)
                files[path] = self.read(path)
        return files

    def adopt_store(self):
        """As if the store that was laid out here had been made here: its word becomes that of this root."""
        word = self.read(".notesdb/owner")
        status = os.stat(self.root)
        words = os.path.join(self.base, "state/notesdb/stores")
        os.makedirs(words, 0o700, exist_ok=True)
        with open(os.path.join(words, str(status.st_ino)), "w", encoding="utf-8") as file:
            file.write(f"{(word or '').strip()}\t{status.st_dev}\t{self.root}\n")

    def environment(self):
        of_sanitizers = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        return {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(self.base, "cache"),
                "XDG_STATE_HOME": os.path.join(self.base, "state"), "TZ": "UTC", **of_sanitizers}

    def words(self, *words):
        return [self.program, *words, "--root", self.root]

    def run(self, *words, before=(), timeout=300):
        return subprocess.run(
            [*before, *self.words(*words)],
            env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)

    def client(self, *words, before=()):
        return Client(self, *words, before=before)


def introduction():
    return {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}


def result_of(answer):
    """What a tool says in a message; of a refusal {"error": {code, message, data}}."""
    if "error" in answer:
        return {"error": answer["error"]}
    told = json.loads(answer["result"]["content"][0]["text"])
    return {"error": told} if answer["result"].get("isError") else told


class Client:
    """A server on standard input and output, asked one question at a time."""

    def __init__(self, workspace, *words, before=()):
        self.number = 0
        self.process = subprocess.Popen(
            [*before, *workspace.words("mcp", *words)], env=workspace.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask("initialize", introduction())
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise BrokenPipeError("the server has ended")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, **arguments):
        return result_of(self.ask("tools/call", {"name": tool, "arguments": arguments}))

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=300)
        self.process.stdout.close()
        return code


class WebServer:
    """A server over HTTP, on a port of its own choice."""

    def __init__(self, workspace, *words, before=()):
        self.process = subprocess.Popen(
            [*before, *workspace.words("serve", "--port", "0", *words)], env=workspace.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = self.process.stderr.readline().decode()
        port = re.search(r":(\d+)", said)
        if not port:
            raise OSError("the server did not begin: " + said)
        self.port = int(port.group(1))

    def close(self):
        self.process.terminate()
        self.process.stderr.close()
        return self.process.wait(timeout=300)


class WebClient:
    """One who calls a web server, over a connection that is kept."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.number = 0
        self.ask("initialize", introduction())

    def ask(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.connection.request("POST", "/mcp", json.dumps(message), self.headers)
        answer = self.connection.getresponse()
        session = answer.getheader("Mcp-Session-Id")
        if session:
            self.headers["Mcp-Session-Id"] = session
        text = answer.read().decode()
        if answer.getheader("Content-Type", "").startswith("text/event-stream"):
            text = [line[len("data:"):] for line in text.splitlines() if line.startswith("data:")][-1]
        return json.loads(text)

    def call(self, tool, **arguments):
        return result_of(self.ask("tools/call", {"name": tool, "arguments": arguments}))

    def close(self):
        self.connection.close()


def code_of(answer):
    """The code of a refusal; None where there is none."""
    error = answer.get("error")
    if error is None:
        return None
    return error.get("code") if isinstance(error.get("code"), str) else "protocol"
