#!/usr/bin/env python3
"""How long git's part takes: merges of many rows, answers from the past, logs, many clones.

Prints a line for each measurement; nothing here fails for being slow. A folder of --rows generated
rows lies in a bare repository of its own, on this machine.
"""
import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time

SCHEMA = """---
name: Tasks
columns:
  - id: title
    type: text
  - id: status
    type: select
    options: [open, doing, done]
  - id: owner
    type: text
  - id: tags
    type: list
  - id: estimate
    type: number
---
"""


class World:
    def __init__(self, program, rows):
        self.program, self.rows = os.path.abspath(program), rows
        self.folder = tempfile.mkdtemp(prefix="scale-")
        config = os.path.join(self.folder, "gitconfig")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n"
                       "[gc]\nauto = 0\n")
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1",
                            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"),
                            "XDG_STATE_HOME": os.path.join(self.folder, "state"), "LC_ALL": "C"}
        self.remote = os.path.join(self.folder, "remote.git")
        self.git("init", "-q", "--bare", self.remote)
        first = self.clone("first")
        os.makedirs(os.path.join(first, "tasks"))
        self.write(first, "_schema.md", SCHEMA)
        for number in range(rows):
            self.write(first, f"task-{number:05}.md",
                       f"---\ntitle: Task {number}  # as it was\nstatus: open\nowner: ann\n"
                       f"tags: [a, b]\nestimate: {number % 9}\n---\n\n# Task {number}\n\n"
                       + f"A line of the text of {number}.\n" * 5)
        self.run(first, "sync")
        self.first = first

    def git(self, *words, **more):
        return subprocess.run(["git", *words], check=True, capture_output=True, text=True,
                              env=self.environment, **more).stdout

    def clone(self, name):
        path = os.path.join(self.folder, name)
        self.git("clone", "-q", self.remote, path)
        return path

    def write(self, clone, name, text):
        with open(os.path.join(clone, "tasks", name), "w", encoding="utf-8") as file:
            file.write(text)

    def change(self, clone, number, before, after):
        path = os.path.join(clone, "tasks", f"task-{number:05}.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.write(clone, os.path.basename(path), text.replace(before, after, 1))

    def run(self, clone, *words):
        done = subprocess.run([self.program, "--root", clone, *words], capture_output=True,
                              text=True, env=self.environment, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{words}: {done.stderr}{done.stdout} (left in {self.folder})")
        return done.stdout

    def time(self, what, clone, *words, times=1):
        took = []
        for _ in range(times):
            began = time.monotonic()
            self.run(clone, *words)
            took.append(time.monotonic() - began)
        print(f"{what:60} {min(took):8.3f} s", flush=True)

    def merge_both(self, count, kind):
        other = self.clone(f"other{count}{kind}")
        for number in range(count):
            self.change(self.first, number, "status: open", f"status: {kind}")
            self.change(other, number, "owner: ann", f"owner: {kind}")
            self.change(other, number, "tags: [a, b", f"tags: [a, b, {kind}")
        self.time(f"sync of {count} changed rows of {self.rows}", other, "sync")
        self.time(f"sync that merges {count} rows changed on both sides", self.first, "sync")
        for number in range(count):
            self.change(self.first, number, f"status: {kind}", "status: open")
            self.change(self.first, number, f"owner: {kind}", "owner: ann")
        self.run(self.first, "sync")
        shutil.rmtree(other)

    def past(self):
        query = ("query", "tasks", "--at", "HEAD~1", "--where", "status = doing", "--count")
        self.time("query --at, the first time", self.first, *query)
        self.time("query --at, from the cache", self.first, *query, times=5)
        whole = ("query", "tasks", "--at", "HEAD~1", "--limit", "50")
        self.time("50 rows --at, from the cache", self.first, *whole, times=5)
        self.time("get --at", self.first, "get", "tasks", "task-00007", "--at", "HEAD~1", times=5)
        self.time("conflicts", self.first, "conflicts", times=3)

    def history(self, commits):
        for number in range(commits):
            self.change(self.first, number % self.rows, "A line", f"A line, {number}")
            self.git("-C", self.first, "commit", "-qam", str(number))
        self.run(self.first, "sync")
        self.time(f"log of one row in {commits} commits", self.first, "log", "tasks",
                  "task-00007", times=3)
        self.time(f"log of a database, 50 of {commits} commits", self.first, "log", "tasks",
                  "--limit", "50", times=3)

    def many(self, clones, syncs):
        paths = [self.clone(f"many{number}") for number in range(clones)]
        for path in paths:
            self.run(path, "sync")

        def work(index):
            for turn in range(syncs):
                self.change(paths[index], index * syncs + turn, "owner: ann", f"owner: o{index}")
                self.run(paths[index], "sync")

        threads = [threading.Thread(target=work, args=(index,)) for index in range(clones)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        total = clones * syncs
        print(f"{clones} clones at once, {total} syncs of one row: {total / took * 60:.0f} pushes a "
              f"minute, {used / total:.2f} s of processor each", flush=True)
        for path in paths:
            shutil.rmtree(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--both", type=int, default=1000, help="rows changed on both sides")
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--clones", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--syncs", type=int, default=10, help="of each clone")
    options = parser.parse_args()
    world = World(options.program, options.rows)
    if options.both:
        world.merge_both(options.both, "doing")
    world.past()
    for clones in options.clones:
        world.many(clones, options.syncs)
    if options.commits:
        world.history(options.commits)
    shutil.rmtree(world.folder)


if __name__ == "__main__":
    main()
