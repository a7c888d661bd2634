#!/usr/bin/env python3
"""Real programs save a row while two of our servers keep changing another field of it.

Each outside program sets `theirs` to a new word, in its own way of saving. As soon as it has ended the row must hold
that word, for ours only ever change `ours`; if it does not, the save must lie beside the row as a conflict copy or, if
the program wrote into the version that we had just put aside, in the store, from where it becomes a conflict copy when
its day is over: such a save is late. Else it was destroyed. (For the microseconds between our exchange and the exchange
back a reader can see a row that is then refused: a glimpse, after which the save must be there.) And the row must be
whole.

A dose is that many saves, of which each program has its share, the quick ones a large one; they take turns, a few saves
each, so that each has had as much of its share as the others when the time is up.
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
IN_A_ROUND = 600  # saves, of all programs
FOREVER = 10  # times as many tries as saves are wanted; then a program that declines to save is left alone
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


BUILT_IN = None  # no program is needed


def by_git(path, word):
    """git checkout brings a version of its own back, as a pull does."""
    folder = os.path.dirname(path)

    def git(*words, **more):
        return subprocess.run(["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", *words],
                              check=False, capture_output=True, timeout=60, **more)
    if not os.path.exists(folder + "/.git"):
        git("init", "-q")
    with open(path, encoding="utf-8") as file:
        text = re.sub("(?m)^theirs: .*$", "theirs: " + word, file.read())
    made = git("hash-object", "-w", "--stdin", input=text.encode()).stdout.decode().strip()
    git("update-index", "--add", "--cacheinfo", f"100644,{made},{os.path.basename(path)}")
    done = git("checkout-index", "-f", os.path.basename(path))
    if done.returncode != 0:
        raise FileNotFoundError(done.stderr)


# How each saves, its executable, its share of the dose in thousandths, and the pause that our servers make after each of
# their own saves: a program that takes long between reading and saving, and then declines, would never save without one.
Outsider = collections.namedtuple("Outsider", "save executable share pause", defaults=(0,))
PROGRAMS = {
    "python open(w)": Outsider(by_truncating, BUILT_IN, 170),
    "python, two writes": Outsider(by_two_writes, BUILT_IN, 170),
    "rename": Outsider(by_renaming, BUILT_IN, 170),
    "unlink and create": Outsider(by_unlinking, BUILT_IN, 170),
    "sed -i": Outsider(command("sed", "-i", "s/^theirs: .*/theirs: WORD/", "PATH"), "sed", 80),
    "perl -i": Outsider(command("perl", "-pi", "-e", "s/^theirs: .*/theirs: WORD/", "PATH"), "perl", 80),
    "sh >": Outsider(command("sh", "-c", "t=$(sed 's/^theirs: .*/theirs: WORD/' PATH); printf '%s\\n' \"$t\" > PATH"), "sh", 70),
    "rsync": Outsider(command("sh", "-c", "sed 's/^theirs: .*/theirs: WORD/' PATH > PATH.new~ && "
                              "rsync --ignore-times PATH.new~ PATH"), "rsync", 25),
    "git checkout": Outsider(by_git, "git", 25),
    "vim": Outsider(command("vim", "-u", "NONE", "-n", "-es", "-c", "%s/^theirs: .*/theirs: WORD/", *SAVE_IN_VIM, "PATH",
                            done_is=SAVED), "vim", 17),
    "vim, backupcopy=no": Outsider(command("vim", "-u", "NONE", "-n", "-es", "-c", "set backup backupcopy=no backupdir=/tmp",
                                           "-c", "%s/^theirs: .*/theirs: WORD/", *SAVE_IN_VIM, "PATH", done_is=SAVED),
                                   "vim", 17),
    "emacs": Outsider(command("emacs", "-Q", "--batch", "PATH", "--eval",
                              '(progn (re-search-forward "^theirs: .*") (replace-match "theirs: WORD") (save-buffer))'),
                      "emacs", 6, pause=0.05),
}


class Updater(threading.Thread):
    """Changes `ours` in the row, over and over, with the etag it has read."""

    def __init__(self, workspace, report, name, pause):
        super().__init__(daemon=True)
        self.client, self.report, self.name, self.pause = workspace.client(), report, name, pause
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
            time.sleep(random.uniform(0, 2 * self.pause) if "row" in done else 0)


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


def is_there_after_all(workspace, word):
    """Whether the row was only seen between our exchange and the exchange back, in which a save comes to no harm."""
    for _ in range(100):
        if f"theirs: {word}\n" in (workspace.read("tasks/r.md") or ""):
            return True
        time.sleep(0.005)
    return False


def look(report, workspace, name, word):
    """What became of a save that has just ended, as figures."""
    text = workspace.read("tasks/r.md") or ""
    if f"theirs: {word}\n" in text:
        if not is_whole(text):
            report.complain(f"{name}: after save {word} the row is not whole: {text[:200]!r}")
        return {"saves": 1}
    copies, stored = kept(workspace, word)
    if copies == 0 and is_there_after_all(workspace, word):
        return {"saves": 1, "glimpses": 1}
    if copies + stored == 0:
        report.complain(f"{name}: save {word} was destroyed: {text[:80]!r}")
    return {"saves": 1, "late": stored > 0 and copies == 0}


def race(given, report, name, saves, figures):
    """That many saves by one program, in one workspace."""
    outsider = PROGRAMS[name]
    with faults.Workspace(given, {"r": faults.row("R", BODY, ours="a", theirs="b")}) as workspace:
        updaters = [Updater(workspace, report, each, outsider.pause) for each in "xy"]
        for updater in updaters:
            updater.start()
        stored = 0
        for number in range(FOREVER * saves):
            if saves == 0 or faults.time_is_up(given):
                break
            # Without a pause for thought now and then none of our own saves would come between.
            if random.random() < 0.5:
                wait_for_ours(updaters, stored)
            time.sleep(random.uniform(0, 0.02))
            stored = sum(each.stored for each in updaters)
            try:
                outsider.save(workspace.path("tasks/r.md"), f"w{number}")
            except FileNotFoundError:
                continue  # their own window between unlink and create
            saves -= 1
            figures.update(look(report, workspace, name, f"w{number}"))
        for updater in updaters:
            updater.ended = True
        for updater in updaters:
            updater.join(300)
            updater.client.kill()
        figures.update(ours=sum(each.stored for each in updaters), conflicts=sum(each.conflicts for each in updaters))


def portions(given, names):
    """(program, saves) for one race after the other."""
    whole = sum(PROGRAMS[name].share for name in names)
    left = {name: max(1, round(given.dose * PROGRAMS[name].share / whole)) for name in names}
    a_round = {name: max(1, left[name] * IN_A_ROUND // given.dose) for name in names}
    while any(left.values()):
        for name in names:
            for done in range(0, a_round[name], AT_ONCE):
                saves = min(AT_ONCE, a_round[name] - done, left[name])
                if saves > 0:
                    left[name] -= saves
                    yield name, saves


def main():
    given = faults.options(__doc__.splitlines()[0], dose=200)
    report = faults.Report(given)
    names = [name for name, each in PROGRAMS.items() if each.executable is BUILT_IN or shutil.which(each.executable)]
    figures = {name: collections.Counter(saves=0, ours=0, conflicts=0) for name in names}
    for name, saves in portions(given, names):
        if faults.time_is_up(given):
            break
        race(given, report, name, saves, figures[name])
    sums = sum(figures.values(), collections.Counter())
    report.end(test="races", saves=sums["saves"], late=sums["late"], glimpses=sums["glimpses"], ours=sums["ours"], programs=figures,
               missing=[name for name in PROGRAMS if name not in names])


if __name__ == "__main__":
    sys.exit(main())
