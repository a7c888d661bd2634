#!/usr/bin/env python3
"""Real programs save a row while two of our servers keep changing another field of it.

Each outside program sets `theirs` to a new word, in its own way of saving. As soon as it has ended the row must hold
that word, for ours only ever change `ours`; if it does not, the save must lie beside the row as a conflict copy or, if
the program wrote into the version that we had just put aside, in the store, from where it becomes a conflict copy when
its day is over: such a save is late. Else it was destroyed. And the row must be whole. A dose is that many saves by
each program, a few at a time, so that each has had its share when the time is up.
"""

import collections
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import faults

AT_ONCE = 50  # saves in one workspace
BODY = "".join(f"Line {number} of a body that takes a moment to write.\n" for number in range(60))


def by_truncating(path, word):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub("(?m)^theirs: .*$", "theirs: " + word, text))


def by_two_writes(path, word):
    with open(path, encoding="utf-8") as file:
        text = re.sub("(?m)^theirs: .*$", "theirs: " + word, file.read())
    with open(path, "w", encoding="utf-8", buffering=1) as file:
        file.write(text[:len(text) // 2])
        file.flush()
        file.write(text[len(text) // 2:])


def by_renaming(path, word):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path + ".tmp~", "w", encoding="utf-8") as file:
        file.write(re.sub("(?m)^theirs: .*$", "theirs: " + word, text))
    os.replace(path + ".tmp~", path)


def by_unlinking(path, word):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.unlink(path)
    with open(path, "x", encoding="utf-8") as file:
        file.write(re.sub("(?m)^theirs: .*$", "theirs: " + word, text))


def command(*words, done_is=0):
    def save(path, word):
        done = subprocess.run([each.replace("PATH", path).replace("WORD", word) for each in words],
                              check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if done.returncode != done_is:
            raise FileNotFoundError(path)  # it says itself that it has not saved
    return save


# vim declines to write over a file that has changed since it read it, asks, finds nobody, and ends with 0. So it says by
# an exit code of its own that it has come past the writing.
SAVED = 7
SAVE_IN_VIM = ["-c", "w!", "-c", "if &modified | cquit | endif", "-c", f"cquit {SAVED}"]


PROGRAMS = {
    "sed -i": command("sed", "-i", "s/^theirs: .*/theirs: WORD/", "PATH"),
    "perl -i": command("perl", "-pi", "-e", "s/^theirs: .*/theirs: WORD/", "PATH"),
    "vim": command("vim", "-u", "NONE", "-n", "-es", "-c", "%s/^theirs: .*/theirs: WORD/", *SAVE_IN_VIM, "PATH", done_is=SAVED),
    "vim, backupcopy=no": command("vim", "-u", "NONE", "-n", "-es", "-c", "set backup backupcopy=no backupdir=/tmp",
                                  "-c", "%s/^theirs: .*/theirs: WORD/", *SAVE_IN_VIM, "PATH", done_is=SAVED),
    "emacs": command("emacs", "-Q", "--batch", "PATH", "--eval",
                     '(progn (re-search-forward "^theirs: .*") (replace-match "theirs: WORD") (save-buffer))'),
    "sh >": command("sh", "-c", "t=$(sed 's/^theirs: .*/theirs: WORD/' PATH); printf '%s\\n' \"$t\" > PATH"),
    "python open(w)": by_truncating,
    "python, two writes": by_two_writes,
    "rename": by_renaming,
    "unlink and create": by_unlinking,
    "rsync": command("sh", "-c", "sed 's/^theirs: .*/theirs: WORD/' PATH > PATH.new~ && rsync --ignore-times PATH.new~ PATH"),
    "git apply": command("git", "-C", "ROOT"),  # replaced below, where git is
}
BUILT_IN = ("python open(w)", "python, two writes", "rename", "unlink and create")


def by_git(path, word):
    """git checkout brings a version of its own back, as a pull does."""
    folder = os.path.dirname(path)

    def git(*words):
        return subprocess.run(["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", *words],
                              check=False, capture_output=True, timeout=60)
    git("init", "-q")
    with open(path, encoding="utf-8") as file:
        text = re.sub("(?m)^theirs: .*$", "theirs: " + word, file.read())
    made = subprocess.run(["git", "-C", folder, "hash-object", "-w", "--stdin"], input=text.encode(),
                          check=False, capture_output=True, timeout=60).stdout.decode().strip()
    git("update-index", "--add", "--cacheinfo", "100644," + made + "," + os.path.basename(path))
    git("checkout-index", "-f", os.path.basename(path))


PROGRAMS["git checkout"] = by_git
del PROGRAMS["git apply"]


def is_here(name):
    if name in BUILT_IN:
        return True
    return shutil.which({"sh >": "sh", "git checkout": "git"}.get(name, name.split(" ")[0].rstrip(","))) is not None


class Updater(threading.Thread):
    """Changes `ours` in the row, over and over, with the etag it has read."""

    def __init__(self, workspace, report, name):
        super().__init__(daemon=True)
        self.client, self.report, self.name = workspace.client(), report, name
        self.ended = False
        self.stored = self.conflicts = 0

    def run(self):
        seen = {}
        while not self.ended:
            if "row" not in seen:
                seen = self.client.call("db_get_row", database_id="tasks", row_id="r")
            if "row" not in seen:
                continue  # gone or unreadable for as long as another program needs to save it
            done = self.client.call("db_update_row", database_id="tasks", row_id="r", etag=seen["row"]["etag"],
                                    fields={"ours": f"{self.name}{self.stored}"})
            self.stored += "row" in done
            self.conflicts += faults.code_of(done) == "conflict"
            if faults.code_of(done) == "internal":
                self.report.complain(str(done)[:200])
            # A refusal brings the row as it is now, so that no time is lost with reading it.
            seen = done if "row" in done else done["error"].get("data") or {}


def wait_for_ours(updaters, stored):
    """Until one of ours has come through since; at most two seconds."""
    end = time.monotonic() + 2
    while sum(each.stored for each in updaters) == stored and time.monotonic() < end:
        time.sleep(0.001)


def is_whole(text):
    return re.fullmatch(r"---\ntitle: R   # kept\nours: \w+\ntheirs: \w+\n---\n" + re.escape(BODY), text) is not None


def kept(workspace, word):
    """How often a save is found elsewhere: as (conflict copies, versions in the store)."""
    copies = glob.glob(glob.escape(workspace.path("tasks")) + "/r (conflict*")
    store = glob.glob(glob.escape(workspace.path(".notesdb/displaced")) + "/*")
    return tuple(sum(f"theirs: {word}\n" in (workspace.read(os.path.relpath(path, workspace.root)) or "")
                     for path in paths) for paths in (copies, store))


def race(given, report, name, first, figures):
    """Up to AT_ONCE saves by one program, from this number on."""
    with faults.Workspace(given, {"r": faults.row("R", BODY, ours="a", theirs="b")}) as workspace:
        path = workspace.path("tasks/r.md")
        updaters = [Updater(workspace, report, each) for each in "xy"]
        for updater in updaters:
            updater.start()
        saves = late = stored = 0
        for number in range(first, min(first + AT_ONCE, given.dose)):
            word = f"w{number}"
            # Without a pause for thought now and then none of our own saves would come between.
            if random.random() < 0.5:
                wait_for_ours(updaters, stored)
            time.sleep(random.uniform(0, 0.02))
            stored = sum(each.stored for each in updaters)
            try:
                PROGRAMS[name](path, word)
            except FileNotFoundError:
                continue  # their own window between unlink and create
            saves += 1
            text = workspace.read("tasks/r.md") or ""
            if f"theirs: {word}\n" not in text:
                copies, stored = kept(workspace, word)
                late += stored > 0 and copies == 0
                if copies + stored == 0:
                    report.complain(f"{name}: save {number} was destroyed: {text[:80]!r}")
            elif not is_whole(text):
                report.complain(f"{name}: after save {number} the row is not whole: {text[:200]!r}")
        for updater in updaters:
            updater.ended = True
        for updater in updaters:
            updater.join(300)
            updater.client.kill()
        figures[name].update(saves=saves, late=late, ours=sum(each.stored for each in updaters),
                             conflicts=sum(each.conflicts for each in updaters))


def main():
    given = faults.options(__doc__.splitlines()[0], dose=15)
    report = faults.Report(given)
    missing = [name for name in PROGRAMS if not is_here(name)]
    figures = {name: collections.Counter() for name in PROGRAMS if name not in missing}
    for first in range(0, given.dose, AT_ONCE):
        for name in figures:
            if not faults.time_is_up(given):
                race(given, report, name, first, figures)
    report.end(test="races", saves=sum(each["saves"] for each in figures.values()),
               late=sum(each["late"] for each in figures.values()),
               ours=sum(each["ours"] for each in figures.values()), programs=figures, missing=missing)


if __name__ == "__main__":
    sys.exit(main())
