#!/usr/bin/env python3
"""A folder full of what is not a file: nothing of it blocks, and the rows beside it are answered as without it.

Pipes, sockets, devices, links that dangle, loop or lead out, folders named like rows, folders that nobody may enter, a file
of a tebibyte with nothing in it, names that are no text. Commands and a server are asked in this folder and, interleaved, in
one that holds the rows alone. What they say of the rows must be the same, and the median of their times at most 50 ms
more. Nothing of it is opened for writing, changed or removed. A dose is how often each is asked.
"""

import contextlib
import json
import os
import socket
import stat
import statistics
import time

import faults

ROWS = 40
ALLOWED_MS = 50
TEBIBYTE = 1 << 40


def odd_things(folder, base):
    """{name: how it is made}"""
    def at(name):
        return os.path.join(os.fsencode(folder), name)

    def bind(name):
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(at(name))

    def sparse(name):
        with open(at(name), "wb") as file:
            file.truncate(TEBIBYTE)

    def sealed(name):
        os.mkdir(at(name))
        os.chmod(at(name), 0)

    return {
        b"pipe.md": lambda name: os.mkfifo(at(name)),
        b"_template.md": lambda name: os.mkfifo(at(name)),
        b"socket.md": bind,
        b"zero.md": lambda name: os.mknod(at(name), 0o666 | stat.S_IFCHR, os.makedev(1, 5)),
        b"terminal.md": lambda name: os.mknod(at(name), 0o666 | stat.S_IFCHR, os.makedev(5, 0)),
        b"disk.md": lambda name: os.mknod(at(name), 0o600 | stat.S_IFBLK, os.makedev(7, 200)),
        b"dangling.md": lambda name: os.symlink("nowhere", at(name)),
        b"loop.md": lambda name: os.symlink("loop.md", at(name)),
        b"there.md": lambda name: os.symlink("and-back.md", at(name)),
        b"and-back.md": lambda name: os.symlink("there.md", at(name)),
        b"out.md": lambda name: os.symlink("/etc/passwd", at(name)),
        b"out": lambda name: os.symlink("/", at(name)),
        b"up": lambda name: os.symlink("..", at(name)),
        b"magic.md": lambda name: os.symlink("/proc/self/fd/0", at(name)),
        b"pipe-by-link.md": lambda name: os.symlink("pipe.md", at(name)),
        b"folder.md": lambda name: os.mkdir(at(name)),
        b".md": lambda name: os.mkdir(at(name)),
        b"sealed": sealed,
        b"sealed.md": sealed,
        b"tebibyte.md": sparse,
        b"tebibyte": sparse,
        b"no \xff text.md": lambda name: os.mkfifo(at(name)),
        b"line\nbreak.md": lambda name: os.mkfifo(at(name)),
        b"\x1b[31m.md": lambda name: os.mkdir(at(name)),
    }


def make(workspace):
    """The names of those that this machine lets us make."""
    made = []
    for name, how in odd_things(workspace.path("tasks"), workspace.base).items():
        with contextlib.suppress(PermissionError):
            how(name)
            made.append(name)
    return made


def states(workspace):
    folder = os.fsencode(workspace.path("tasks"))
    return {name: (os.lstat(os.path.join(folder, name)).st_mode, os.lstat(os.path.join(folder, name)).st_size)
            for name in os.listdir(folder)}


def of_rows(answer, names):
    """What it says of the rows."""
    return [row for row in answer.get("rows", []) if row["id"] in names]


class Asker:
    def __init__(self, report, workspaces):
        self.report, self.workspaces = report, workspaces
        self.clients = {name: workspace.client() for name, workspace in workspaces.items()}
        self.names = {f"r{number}" for number in range(ROWS)}
        self.times = {}

    def questions(self, name):
        workspace, client = self.workspaces[name], self.clients[name]

        def command(*words):
            return lambda: json.loads(workspace.run(*words, "--json", timeout=60).stdout)

        return {
            "a command's query": command("query", "tasks", "--limit", "1000", "--no-cache"),
            "a command's list": command("list"),
            "a command's check": command("check"),
            "a command's search": command("search", "below"),
            "a server's query": lambda: client.call("db_query", database_id="tasks", limit=1000),
            "a server's row": lambda: client.call("db_get_row", database_id="tasks", row_id="r1"),
            "a server's search": lambda: client.call("db_search", text="below"),
            "a server's insert and delete": lambda: [
                client.call("db_insert_row", database_id="tasks", row_id="new", fields={"title": "x"}),
                client.call("db_delete_row", database_id="tasks", row_id="new")][:0] or {},
        }

    def ask(self):
        answers = {}
        for name in self.workspaces:
            for question, how in self.questions(name).items():
                begin = time.monotonic()
                answers[name, question] = how()
                self.times.setdefault((name, question), []).append(1000 * (time.monotonic() - begin))
        for question in self.questions("clean"):
            if of_rows(answers["odd", question], self.names) != of_rows(answers["clean", question], self.names):
                self.report.complain(f"{question} tells other rows: {str(answers['odd', question])[:300]}")

    def judge(self):
        """The most that a question took longer, in ms."""
        longer = {}
        for question in self.questions("clean"):
            odd, clean = (statistics.median(self.times[name, question]) for name in ("odd", "clean"))
            longer[question] = odd - clean
            if odd > clean + ALLOWED_MS:
                self.report.complain(f"{question} takes {odd:.0f} ms and {clean:.0f} ms without")
        return max(longer.values())


def main():
    given = faults.options(__doc__.splitlines()[0], dose=3)
    report = faults.Report(given)
    rows = {f"r{number}": faults.row(f"R{number}", count=number) for number in range(ROWS)}
    with faults.Workspace(given, rows) as odd, faults.Workspace(given, rows) as clean:
        for workspace in (odd, clean):
            for name in rows:
                os.utime(workspace.path(f"tasks/{name}.md"), (1.7e9, 1.7e9))
        made = make(odd)
        before = states(odd)
        asker = Asker(report, {"odd": odd, "clean": clean})
        for _ in range(given.dose):
            asker.ask()
        longer = asker.judge()
        if any(client.close() != 0 for client in asker.clients.values()):
            report.complain("a server did not end well")
        if {name: state for name, state in states(odd).items() if name in made} != \
                {name: state for name, state in before.items() if name in made}:
            report.complain("something odd has changed")
        for name in (name for name in made if name.startswith(b"sealed")):
            os.chmod(os.path.join(os.fsencode(odd.path("tasks")), name), 0o700)
    report.end(test="odd_folders", things=len(made), questions=given.dose * len(asker.times), longer_ms=round(longer, 1))


if __name__ == "__main__":
    main()
