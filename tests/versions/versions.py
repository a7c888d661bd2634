#!/usr/bin/env python3
"""What earlier versions left is opened by this one: store, unfinished change and cache of fixtures/versions.

Of each version a copy is laid out, and then

  - every question is answered as without a cache, whatever the old cache files say;
  - the next write finishes the unfinished change;
  - history names the changes, `undo` goes back change by change to the first bytes, `redo` to the last;

and of this version's own cache files, that they are used, and are made again where their format's number is another.
"""

import json
import os
import shutil
import sqlite3
import sys
import time

import kept
from kept import faults

FORMAT = slice(8, 12)  # of an index file, see src/index/index_file.h
QUESTIONS = [
    ["query", "tasks", "--where", "count > 250", "--sort", "-count", "--limit", "1000", "--json"],
    ["query", "tasks", "--where", "ours = word3", "--limit", "1000", "--json"],
    ["aggregate", "tasks", "--group-by", "ours", "--json"],
    ["search", "lantern3", "--limit", "1000", "--json"],
    ["query", "more", "--json"],
]


class Opened:
    """A workspace as a version left it, and what is said of it."""

    def __init__(self, given, report, version):
        self.given, self.report, self.version = given, report, version
        self.workspace, self.states = kept.laid_out_again(given, version)
        self.first = kept.rows_tree(self.workspace)

    def complain(self, what):
        self.report.complain(f"{self.version}: {what}")

    def run(self, *words):
        done = self.workspace.run(*words)
        if done.returncode != 0:
            self.complain(f"{' '.join(words)}: {done.stderr.decode(errors='replace')[:300]}")
        return done.stdout.decode()

    def expect(self, claim, right):
        if not right:
            self.complain(claim)

    def expect_tree(self, when, changes):
        now, wanted = self.workspace.tree(), kept.laid_over(self.first, changes)
        if now != wanted:
            self.complain(f"{when}: {[(path, now.get(path)) for path in kept.difference(wanted, now)][:3]}")

    def cache_files(self):
        folder = kept.cache_folder(self.workspace)
        return {name: os.path.join(folder, name) for name in os.listdir(folder)}

    def questions_hold(self, when):
        for words in QUESTIONS:
            answer, right = self.run(*words), self.run(*words, "--no-cache")
            if answer != right or not json.loads(right):
                self.complain(f"{when}: {words} answers {answer[:200]}, without a cache {right[:200]}")

    def put_old_cache(self):
        """Under the names of this version's own, so that they are opened."""
        for words in QUESTIONS:
            self.run(*words)
        folder = kept.cache_folder(self.workspace)
        shutil.rmtree(folder)
        shutil.copytree(os.path.join(kept.FOLDER, self.version, "cache"), folder)
        os.chmod(folder, 0o700)
        return {name: os.stat(path).st_ino for name, path in self.cache_files().items()}

    def judge_cache(self):
        old = self.put_old_cache()
        self.expect("nothing of the cache is kept", any(name.startswith("search") for name in old) and len(old) > 1)
        self.questions_hold("with the old cache")

    def judge_unfinished(self):
        self.expect_tree("as it was left", self.states["left"])
        self.run("update", "tasks", "r200", "--set", "ours=next")
        after = {**self.states["finished"], "tasks/r200.md": self.first["tasks/r200.md"].replace("ours: word0", "ours: next")}
        self.expect_tree("the next write has not finished the change", after)
        self.expect("the unfinished change lies there still", not os.listdir(self.workspace.path(".notesdb/intent")))
        self.questions_hold("after the next write")
        return after

    def judge_undo(self, last):
        """Back over the write of this version and the unfinished change to the first bytes, and on again."""
        told = self.run("history", "--limit", "100", "--json")
        self.expect(f"history tells {told[:300]}", len(json.loads(told)["changes"]) >= len(self.states["made"]))
        # An undo and its redo are no steps of their own.
        steps = [{}]
        for state in self.states["made"]:
            if state not in steps:
                steps.append(state)
        steps += [self.states["finished"], last]
        for number in range(len(steps) - 2, -1, -1):
            self.run("undo")
            self.expect_tree(f"undo to state {number}", steps[number])
        for number in range(1, len(steps)):
            self.run("redo")
            self.expect_tree(f"redo to state {number}", steps[number])
        self.questions_hold("after undo and redo")


def own_cache_is_checked(given, report):
    """This version's: used as it is, made again where its number is another's."""
    with kept.lay_out(given) as workspace:
        def ask():
            answers = [workspace.run(*words).stdout for words in QUESTIONS[:4]]
            if answers != [workspace.run(*words, "--no-cache").stdout for words in QUESTIONS[:4]]:
                report.complain("an answer out of the cache is another one than without")

        def files():
            folder = kept.cache_folder(workspace)
            return {name: (os.stat(path).st_ino, path) for name in sorted(os.listdir(folder))
                    for path in [os.path.join(folder, name)] if not name.endswith(("-wal", "-shm"))}
        ask()
        time.sleep(2.5)  # stamps of less than two seconds are not trusted yet (docs/index.md)
        ask()
        first = files()
        ask()
        if files() != first:
            report.complain(f"cache files are not used but made again: {first} {files()}")
        index, search = ([path for name, (_, path) in first.items() if name.startswith("search") is is_search][0]
                         for is_search in (False, True))
        with open(index, "r+b") as file:
            whole = bytearray(file.read())
            right = bytes(whole[FORMAT])
            whole[FORMAT] = (int.from_bytes(right, "little") + 1).to_bytes(4, "little")
            file.seek(0)
            file.write(whole)
        connection = sqlite3.connect(search)
        number = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.commit()
        connection.close()
        ask()
        with open(index, "rb") as file:
            if file.read()[FORMAT] != right:
                report.complain("an index file with another format's number is not made again")
        connection = sqlite3.connect(search)
        if connection.execute("PRAGMA user_version").fetchone()[0] != number:
            report.complain("a search index with another number is not made again")
        connection.close()


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    report = faults.Report(given)
    versions = sorted(os.listdir(kept.FOLDER))
    if not versions:
        report.complain("no version is kept")
    for version in versions:
        opened = Opened(given, report, version)
        with opened.workspace:
            opened.judge_cache()
            opened.judge_undo(opened.judge_unfinished())
    own_cache_is_checked(given, report)
    report.end(test="versions", versions=versions)


if __name__ == "__main__":
    sys.exit(main())
