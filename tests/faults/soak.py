#!/usr/bin/env python3
"""Everything at once, for as long as one says: many clients, an editor, git, sync with another clone, kills, a full disk.

A workspace with three databases lies in a git repository on a small disk. Clients over HTTP and on standard input and
output ask and write, nine questions to one write; an editor saves rows by rename; another clone edits rows of its own, which
come in through `notesdb sync`; plain `git commit` runs between; servers are killed (-9) and started again, and for some
seconds at a time the disk is full. Each row of the workspace knows the values that it was given and when (soak_model.py),
and every answer is held against that:

  - a row is told as it was at some moment between question and answer; so nothing acknowledged is lost by a kill, and an
    edit from outside is seen by the next question;
  - totals are the number of rows, sums and counts lie between what was possible;
  - a batch is all there or not at all, at the latest after the next write;
  - a call is refused only for a reason that the program is entitled to: a busy lock, a row that an editor changed meanwhile,
    a full disk while it is full;
  - nobody waits longer than MOST_SECONDS, and no writer is left behind by the others;
  - after the last kill a server's memory and descriptors stay flat.

At the end everything rests, and files, totals, `check` and `git fsck` must agree with the model to the last row.

A dose is seconds. Kills of the server over HTTP end at KILLS_END of the time, so that the last one can be watched.
"""

import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time

import faults
import soak_model
import volumes
from soak_clients import DATABASES, SoakClient, StdioDoor, WebDoor

WEB_CLIENTS, STDIO_CLIENTS = 64, 16
FILLERS = 1500  # rows of each database that nobody changes
DISK = 1024  # MiB
MOST_SECONDS = 20.0  # for one call: five seconds for the lock, half a second for git, and a busy machine
KILLS_END = 0.6
MEMORY_WATCH = 60  # seconds that a server must have been watched for its memory to be judged
SPARE_KIB, SPARE_SHARE = 16 << 10, 0.25  # by which its memory may differ from that after warming up
SCHEMA = """---
name: {name}
columns:
  - {{id: title, type: text}}
  - {{id: count, type: number}}
  - {{id: ours, type: text}}
  - {{id: owner, type: text}}
---
"""


def git(folder, *words):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=False)


def memory_of(process):
    """KiB of its own, and open descriptors; None where it has ended."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            held = re.search(r"^RssAnon:\s+(\d+)", file.read(), re.MULTILINE)
        return (int(held.group(1)), len(os.listdir(f"/proc/{process.pid}/fd"))) if held else None
    except OSError:
        return None


class Soak:
    """The workspace, the model of its rows, and whoever works on it. Threads run until `ended`."""

    def __init__(self, given, report, workspace, disk):
        self.given, self.report, self.workspace, self.disk = given, report, workspace, disk
        self.model = soak_model.Model()
        self.ended = threading.Event()
        self.full = soak_model.Windows()  # when the disk was full
        self.syncing = soak_model.Windows()  # when git changed rows of the workspace
        self.counts = dict.fromkeys(["kills", "edits", "commits", "syncs", "clone_edits", "full"], 0)
        self.server = None
        self.memory = []  # (seconds since the server began, KiB, descriptors) of the last server

    def seconds_left(self):
        return self.end - time.monotonic()

    def lay_out(self):
        """Rows that nobody changes, the clients', the editor's and those of the other clone, in a repository with a remote."""
        self.workspace.write("notesdb.yaml", f"trash_bytes: {32 << 20}\n")
        self.workspace.write(".gitignore", ".notesdb/\n*~\n")
        for database in DATABASES:
            self.workspace.write(f"{database}/_schema.md", SCHEMA.format(name=database.title()))
            for number in range(FILLERS):
                self.lay_row(database, f"f{number}", "nobody", number)
            for number in range(8):
                self.lay_row(database, f"editor-{number}", "editor", 0)
                self.lay_row(database, f"clone-{number}", "clone", 0)
        self.remote = os.path.join(self.clone_base, "remote.git")
        git(self.clone_base, "init", "-q", "--bare", "-b", "main", self.remote)
        git(self.workspace.root, "init", "-q", "-b", "main")
        for key, value in ("user.name", "A"), ("user.email", "a@example.org"):
            git(self.workspace.root, "config", key, value)
        git(self.workspace.root, "remote", "add", "origin", self.remote)

    def publish(self):
        git(self.workspace.root, "add", "-A")
        git(self.workspace.root, "commit", "-q", "-m", "begin")
        pushed = git(self.workspace.root, "push", "-q", "-u", "origin", "main")
        cloned = git(self.clone_base, "clone", "-q", self.remote, "clone")
        if pushed.returncode or cloned.returncode:
            raise RuntimeError(pushed.stderr + cloned.stderr)
        self.clone = os.path.join(self.clone_base, "clone")
        for key, value in ("user.name", "B"), ("user.email", "b@example.org"):
            git(self.clone, "config", key, value)

    def lay_row(self, database, name, owner, count):
        row = self.model.add(database, name, owner)
        value = soak_model.Value(count, f"{name}.{count}")
        self.workspace.write(f"{database}/{name}.md", row.text_of(value))
        row.laid_out(value)

    def start_server(self):
        self.server = faults.WebServer(self.workspace)
        threading.Thread(target=self.server.process.stderr.read, daemon=True).start()
        self.server_began = time.monotonic()
        self.memory = []

    # Those who disturb, each a thread.

    def keep_doing(self, pause, deed):
        def loop():
            chance = random.Random(f"{self.given.seed} {deed.__name__}")
            while not self.ended.wait(chance.uniform(0.5, 1.5) * pause):
                try:
                    deed(chance)
                except (OSError, subprocess.SubprocessError) as why:
                    self.report.complain(f"{deed.__name__}: {why}")
        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        return thread

    def edit(self, chance):
        """A save by rename: of a row of the editor's own, or one that a client changes at the same time."""
        rows = self.model.editable if chance.random() < 0.3 else self.model.of_owner["editor"]
        row = chance.choice(rows)
        value = row.next_value("editor")
        path = self.workspace.path(row.path)
        try:
            with open(path + ".swp~", "w", encoding="utf-8") as file:
                file.write(row.text_of(value))
        except OSError:
            if os.path.exists(path + ".swp~"):
                os.unlink(path + ".swp~")
            return  # the disk is full
        state = row.begin(value)
        os.replace(path + ".swp~", path)
        row.succeed(state)
        self.counts["edits"] += 1

    def kill_server(self, _):
        if self.seconds_left() < (1 - KILLS_END) * self.seconds:
            return
        self.server.process.kill()
        self.server.process.wait()
        self.counts["kills"] += 1
        self.start_server()

    def kill_stdio(self, chance):
        victim = chance.choice([each for each in self.clients if isinstance(each.door, StdioDoor)])
        victim.door.kill()
        self.counts["kills"] += 1

    def fill_disk(self, chance):
        """Full to the last block, with what takes no memory: blocks that are given and not written."""
        filler = self.disk + "/filler"
        with self.syncing.none_meanwhile:
            with self.full, open(filler, "wb") as file:
                size, piece = 0, 1 << 28
                while piece >= 1024:
                    try:
                        os.posix_fallocate(file.fileno(), size, piece)
                        size += piece
                    except OSError:
                        piece //= 2
                time.sleep(min(chance.uniform(1, 5), 0.1 * self.seconds))
                os.unlink(filler)
            self.counts["full"] += 1

    def commit(self, _):
        with self.syncing.none_meanwhile:
            # git stops where somebody removes a row that it is about to add.
            done = git(self.workspace.root, "add", "-A")
            if done.returncode == 0:
                done = git(self.workspace.root, "commit", "-q", "-m", "by hand")
        if done.returncode == 0:
            self.counts["commits"] += 1
        elif not re.search("nothing to commit|nothing added|unable to (stat|index)", done.stdout + done.stderr):
            self.report.complain(f"git commit fails: {done.stderr[:200] or done.stdout[:200]}")

    def sync(self, chance):
        """The other clone edits and pushes, then the workspace syncs and has what was pushed."""
        begun = []
        for row in chance.sample(self.model.of_owner["clone"], 3):
            state = row.begin(row.next_value("clone"))
            with open(os.path.join(self.clone, row.path), "w", encoding="utf-8") as file:
                file.write(row.text_of(state.value))
            begun.append((row, state))
        if self.run_sync(self.clone) != 0:
            self.report.complain(f"sync of the clone: {self.said}")
        self.counts["clone_edits"] += len(begun)
        with self.syncing.none_meanwhile, self.syncing:
            code = self.run_sync(self.workspace.root)
        if code == 0:
            for row, state in begun:
                row.succeed(state)
            self.counts["syncs"] += 1
        elif "busy" not in self.said and "lock" not in self.said:
            self.report.complain(f"sync fails: {self.said}")

    def run_sync(self, root):
        done = subprocess.run([self.given.program, "sync", "--root", root], env=self.workspace.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        self.said = (done.stderr or done.stdout).strip()[-400:]
        return done.returncode

    def watch_memory(self, _):
        held = memory_of(self.server.process)
        if held:
            self.memory.append((time.monotonic() - self.server_began, *held))

    # The whole of it.

    def run(self):
        self.lay_out()
        self.clients = []
        for number in range(WEB_CLIENTS + STDIO_CLIENTS):
            door = WebDoor(self) if number < WEB_CLIENTS else StdioDoor(self)
            self.clients.append(SoakClient(self, door, number))
        self.publish()
        self.start_server()
        self.seconds = min(self.given.dose, max(1.0, self.given.end - time.monotonic()))
        self.begun = time.monotonic()
        self.end = self.begun + self.seconds
        scale = min(1.0, max(0.1, self.seconds / 300))  # a short soak has some of everything too
        actors = [self.keep_doing(0.05, self.edit), self.keep_doing(25 * scale, self.kill_server),
                  self.keep_doing(10 * scale, self.kill_stdio), self.keep_doing(15 * scale, self.sync),
                  self.keep_doing(20 * scale, self.commit), self.keep_doing(1, self.watch_memory)]
        if self.disk:
            actors.append(self.keep_doing(60 * scale, self.fill_disk))
        for client in self.clients:
            client.start()
        self.wait_and_tell()
        self.ended.set()
        for thread in [*actors, *self.clients]:
            thread.join(120)
            if thread.is_alive():
                self.report.complain("somebody did not come to an end")
        self.worked = time.monotonic() - self.begun

    def wait_and_tell(self):
        told = time.monotonic()
        while self.seconds_left() > 0:
            time.sleep(min(1, max(0, self.seconds_left())))
            if time.monotonic() - told >= 60:
                told = time.monotonic()
                print(f"  {told - self.begun:,.0f} s: {sum(len(each.question_times) for each in self.clients):,} questions, "
                      f"{sum(each.acknowledged for each in self.clients):,} writes, {self.counts}, broken {self.report.broken}",
                      flush=True)

    # What must hold at the end.

    def look_at_all(self):
        for client in self.clients:
            client.settle()
        if self.run_sync(self.workspace.root) != 0:
            self.report.complain(f"the last sync fails: {self.said}")
        now = time.monotonic()
        for row in self.model.rows.values():
            text = self.workspace.read(row.path)
            if soak_model.value_in(text) not in row.possible(now, now):
                self.report.complain(f"at the end {row.path} holds {text!r}, possible {row.possible(now, now)}")
        door = WebDoor(self)
        for database in DATABASES:
            files = sum(name.endswith(".md") and name[0] != "_" and "(conflict" not in name
                        for name in os.listdir(self.workspace.path(database)))
            total = door.ready().call("db_query", database_id=database, limit=1)["total"]
            counted = int(self.workspace.run("query", database, "--no-server", "--no-cache", "-o", "ids", "--limit", "100000")
                          .stdout.count(b"\n"))
            if not files == total == counted:
                self.report.complain(f"{database} has {files} files, the server says {total}, the files asked {counted}")
        self.copies = sum("(conflict" in name for name in self.workspace.tree())
        checked = self.workspace.run("check")
        if checked.returncode != 0 and self.copies == 0:
            self.report.complain(f"check: {checked.stdout.decode()[-300:]}")
        intent = self.workspace.path(".notesdb/intent")
        if os.path.isdir(intent) and os.listdir(intent):
            self.report.complain(f"something is half-done: {os.listdir(intent)}")
        if git(self.workspace.root, "fsck").returncode != 0:
            self.report.complain("git finds its store broken")

    def judge_memory(self):
        """(KiB after warming up, KiB at the end), medians, of the last server; None where it was watched too briefly."""
        if not self.memory or self.memory[-1][0] - self.memory[0][0] < MEMORY_WATCH:
            return None
        tenth = max(3, len(self.memory) // 10)
        warm, last = self.memory[2 * tenth:3 * tenth], self.memory[-tenth:]
        before, after = (round(statistics.median(each[1] for each in part)) for part in (warm, last))
        if after > before + max(SPARE_KIB, SPARE_SHARE * before):
            self.report.complain(f"the server held {before:,} KiB after warming up and {after:,} KiB at the end")
        descriptors = [max(each[2] for each in part) for part in (warm, last)]
        if descriptors[1] > descriptors[0] + 8:
            self.report.complain(f"the server held {descriptors[0]} descriptors after warming up and {descriptors[1]} at the end")
        return before, after

    def judge_fairness(self):
        """The fewest and the most writes of one client of each kind."""
        shares = {}
        for kind in WebDoor, StdioDoor:
            done = [each.acknowledged for each in self.clients if isinstance(each.door, kind)]
            if statistics.median(done) >= 20 and min(done) < statistics.median(done) / 5:
                self.report.complain(f"a {kind.name} client came to {min(done)} writes, half of them to {statistics.median(done)}")
            shares[kind.name] = f"{min(done)} to {max(done)}"
        for what, times in ("question", "question_times"), ("write", "write_times"):
            worst = max((max(getattr(each, times), default=0) for each in self.clients), default=0)
            if worst > MOST_SECONDS:
                self.report.complain(f"a {what} took {worst:.1f} s")
        return shares


def percentiles(clients, attribute):
    times = sorted(each for client in clients for each in getattr(client, attribute))
    if not times:
        return {"p50_ms": 0, "p99_ms": 0, "worst_ms": 0}
    return {"p50_ms": round(1000 * times[len(times) // 2], 1), "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1),
            "worst_ms": round(1000 * times[-1])}


def table(soak, figures):
    def line(what, *cells):
        print(f"{what:<12}" + "".join(f"{each:>12}" for each in cells))
    line("", "answered", "per second", "p50 ms", "p99 ms", "worst ms")
    for what in "questions", "writes":
        done = figures[what]
        line(what, f"{done:,}", f"{done / soak.worked:,.0f}", *(f"{each:,}" for each in figures[what + "_time"].values()))
    for name in "refused", "counts", "per_client", "memory", "copies", "disk":
        print(f"{name:<12}{figures[name]}")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=20)
    report = faults.Report(given)
    try:
        small = volumes.Volume("ext4", DISK) if given.folder and os.geteuid() == 0 else None
    except OSError:
        small = None
    sys.setswitchinterval(0.001)
    elsewhere = given.folder
    try:
        given.folder = small.folder if small else given.folder
        with faults.Workspace(given) as workspace:
            given.folder = elsewhere
            with faults.Workspace(given) as beside:
                soak = Soak(given, report, workspace, small and small.folder)
                soak.clone_base = beside.base
                soak.run()
                soak.look_at_all()
                memory, shares = soak.judge_memory(), soak.judge_fairness()
                for client in soak.clients:
                    client.door.close()
                if soak.server.close() != 0:
                    report.complain("the server did not end well")
    finally:
        if small:
            small.remove()
    refused = {}
    for client in soak.clients:
        for code, times in client.refused.items():
            refused[code] = refused.get(code, 0) + times
    figures = {
        "seconds": round(soak.worked), "clients": f"{WEB_CLIENTS} over HTTP and {STDIO_CLIENTS} on standard input and output",
        "questions": sum(len(each.question_times) for each in soak.clients),
        "writes": sum(each.acknowledged for each in soak.clients), "refused": refused, "counts": soak.counts,
        "questions_time": percentiles(soak.clients, "question_times"), "writes_time": percentiles(soak.clients, "write_times"),
        "per_client": shares, "copies": soak.copies,
        "memory": f"{memory[0]:,} and {memory[1]:,} KiB" if memory else "watched too briefly",
        "disk": "full for a while" if small else "never full: file systems cannot be mounted here"}
    table(soak, figures)
    report.end(test="soak", **figures)


if __name__ == "__main__":
    main()
