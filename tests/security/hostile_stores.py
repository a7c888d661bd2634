#!/usr/bin/env python3
"""Folders `.notesdb` that somebody else made: nothing in them is believed, whatever is asked of notesdb there.

A variant is a store with an unfinished change, a journal or kept versions that would plant a program or change what is no
row, in many paths, forms of names, times and words; and a way to bring it: in a repository that is cloned, pulled over
a store of our own, in a folder above the one where we work, in a folder within. In each every reading command is run and a
server is asked; then nothing at all may have changed. Then rows are written, and `undo` and `history` asked; then only
those rows may have changed, no file that could be run may have appeared, git may tell of nothing else, and none of the
planted programs may have run. A dose is that many variants, drawn by the seed; 0 is all of them.
"""

import collections
import itertools
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "faults"))

import faults  # noqa: E402

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PROGRAM = '#!/bin/sh\necho run >> "$NOTESDB_CANARY"\n'
SOMEBODY = 65534
LONGEST = 20  # seconds for a command
ROW = faults.row("A", ours="old")
OTHER_ROW = faults.row("A", ours="planted")

# What would be planted, made or overwritten, from the workspace.
PATHS = {
    "a hook": ".git/hooks/post-index-change",
    "a hook of commits": ".git/hooks/pre-commit",
    "a hook in capitals": ".GIT/hooks/post-index-change",
    "a hook in other letters": ".g\u200cit/hooks/post-index-change",
    "a hook by a short name": "git~1/hooks/post-index-change",
    "git's configuration": ".git/config",
    "git's attributes": ".gitattributes",
    "an environment": ".envrc",
    "an editor's tasks": ".vscode/tasks.json",
    "a workflow": ".github/workflows/run.yml",
    "a program": "run.sh",
    "a makefile": "Makefile",
    "a test's program": "conftest.py",
    "a module": "node_modules/a/index.js",
    "a hidden row": "tasks/.hidden.md",
    "a way out": "../outside.md",
    "a way round": "tasks/../.git/hooks/post-index-change",
    "a row": "tasks/a.md",
    "a row that can be run": "tasks/planted.md",
    "a schema": "tasks/_schema.md",
    "another name form": "tasks/caf\u0065\u0301.md",
    "a newline": "tasks/a\n.md",
}
DEEDS = ["create", "replace", "remove", "rename", "create_folder"]
TIMES = {"now": 0, "years ahead": 10 * 365 * 86400, "an hour ahead": 3600, "last week": -7 * 86400}
WORDS = ["none", "a guess", "empty", "a cut one"]
PLACES = ["a clone", "pulled over ours", "above", "within"]
SHAPES = ["plain", "writable by all", "of somebody else", "a link to a store", "a linked intent", "a hard link", "a pipe",
          "a file", "capitals"]

Variant = collections.namedtuple("Variant", "place where deed path time word shape")


def change_id(offset):
    number = int((time.time() + offset) * 1_000_000)
    letters = ""
    for _ in range(11):
        letters = ALPHABET[number % 32] + letters
        number //= 32
    return letters + "".join(random.choice(ALPHABET) for _ in range(4))


def all_variants():
    """One of each path, time, word, shape and place at least; the combinations by chance, the same ones each time."""
    chance = random.Random(7)
    variants = []
    for (where, deed), path in itertools.product([("intent", deed) for deed in DEEDS] + [("journal", deed) for deed in DEEDS], PATHS):
        variants.append(Variant(chance.choice(PLACES), where, deed, path, chance.choice(list(TIMES)), chance.choice(WORDS),
                                chance.choice(SHAPES + ["plain"] * 8)))
    for place, shape in itertools.product(PLACES, SHAPES):
        variants.append(Variant(place, "intent", "create", "a hook", "now", "none", shape))
    return variants


class Etags:
    """The etag of any bytes, as the program tells it."""

    def __init__(self, given):
        self.workspace = faults.Workspace(given)
        self.known = {}

    def of(self, text):
        if text not in self.known:
            self.workspace.write("tasks/probe.md", text)
            told = self.workspace.run("call", "db_query", '{"database_id":"tasks"}', "--json", "--no-server", "--no-cache")
            self.known[text] = json.loads(told.stdout)["rows"][0]["etag"]
        return self.known[text]


def escaped(path):
    return "".join(f"\\x{ord(c):02x}" if ord(c) < 32 or c == "\\" else c for c in path)


class Hostile:
    """The files of one hostile store, by name, with their modes."""

    def __init__(self, variant, etags, prefix, before):
        self.files = {}
        offset = TIMES[variant.time]
        change, second = change_id(offset), change_id(offset)
        path = prefix + PATHS[variant.path]
        planted = OTHER_ROW if variant.path in ("a row", "a schema") else PROGRAM
        old = before(path)
        lines = []
        if variant.where == "intent":
            lines = self.intent(variant.deed, change, path, planted, old, etags)
            self.put("intent/current", "".join(line + "\n" for line in lines) + "end\n")
        else:
            lines = self.journal(variant.deed, change, path, planted, old, etags)
        # A harmless change behind it, so that the journal ends as one does.
        self.put("displaced/journal", "".join(line + "\n" for line in lines) +
                 ("" if variant.where == "journal" else f"{second}\tvoid\n"))
        self.head(variant.word)

    def put(self, name, text, mode=0o644):
        self.files[name] = (text, mode)

    def line(self, change, step, deed, old, new, path, new_path=""):
        return "\t".join([change, str(step), deed, old or "-", new or "-", escaped(path), escaped(new_path)])

    def intent(self, deed, change, path, planted, old, etags):
        self.put(f"displaced/{change}.0", planted, 0o755)
        if deed == "create":
            return [self.line(change, 0, "create", None, etags.of(planted), path)]
        if deed == "replace":
            return [self.line(change, 0, "replace", etags.of(old or ROW), etags.of(planted), path)]
        if deed == "remove":
            return [self.line(change, 0, "remove", etags.of(old or ROW), None, path)]
        if deed == "rename":
            return [self.line(change, 0, "rename", etags.of(ROW), None, "tasks/a.md", path)]
        return [self.line(change, 0, "create_folder", None, None, os.path.dirname(path) or path),
                self.line(change, 1, "create", None, etags.of(planted), path)]

    def journal(self, deed, change, path, planted, old, etags):
        """What an undo would do is the opposite."""
        self.put(f"displaced/{change}.0", planted, 0o755)
        if deed == "create":
            return [self.line(change, 0, "create", None, etags.of(old or ROW), path)]
        if deed == "replace":
            return [self.line(change, 0, "replace", etags.of(planted), etags.of(old or ROW), path)]
        if deed == "rename":
            return [self.line(change, 0, "rename", etags.of(ROW), None, path, "tasks/a.md")]
        return [self.line(change, 0, "remove", etags.of(planted), None, path)]

    def head(self, word):
        if word == "none":
            return
        text = {"a guess": "0123456789abcdef" * 2, "empty": "", "a cut one": "0123"}[word]
        self.put("owner", text + "\n", 0o600)
        for name in ("intent/current", "displaced/journal"):
            if name in self.files:
                self.put(name, f"store\t{text}\n" + self.files[name][0])

    def write(self, folder):
        for name, (text, mode) in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            os.chmod(path, mode)


class Trial:
    """One variant, laid out and tried."""

    def __init__(self, given, report, variant, etags):
        self.report, self.variant = report, variant
        self.program = given.program
        self.base = tempfile.mkdtemp(prefix="notesdb-hostile-", dir=given.folder)
        self.canary = os.path.join(self.base, "canary")
        self.folder = os.path.join(self.base, "ours")  # where the user is
        self.flags = []
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.join(self.base, "home"), "NOTESDB_CANARY": self.canary, "TZ": "UTC",
            "XDG_RUNTIME_DIR": os.path.join(self.base, "run"), "LC_ALL": "C.UTF-8",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        os.makedirs(self.environment["HOME"])
        os.makedirs(self.environment["XDG_RUNTIME_DIR"], 0o700)
        self.etags = etags
        self.complaints = 0
        self.hangs = False
        self.lay_out()

    def complain(self, what):
        self.complaints += 1
        self.report.complain(f"{' / '.join(self.variant)}: {what}")

    def git(self, *words, folder=None):
        return subprocess.run(["git", *words], cwd=folder or self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        try:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return None

    def lay_out(self):
        variant = self.variant
        self.root = self.base if variant.place == "above" else self.folder
        prefix = "ours/" if variant.place == "above" else ""
        origin = os.path.join(self.base, "origin")
        self.write(origin + "/notesdb.yaml", "")
        self.write(origin + "/tasks/_schema.md", faults.SCHEMA)
        self.write(origin + "/tasks/a.md", ROW)
        if variant.place == "above":
            os.unlink(origin + "/notesdb.yaml")
        self.git("init", "-q", "-b", "main", folder=origin)
        cloned = variant.place == "a clone" and variant.shape in ("plain", "a link to a store", "a file", "capitals")
        if cloned:
            self.plant(origin, Hostile(variant, self.etags, prefix, self.before_clone))
        self.git("add", "-f", ".", folder=origin)
        self.git("commit", "-q", "-m", "notes", folder=origin)
        self.git("clone", "-q", origin, self.folder, folder=self.base)
        if variant.place == "above":
            self.write(self.base + "/notesdb.yaml", "")
            self.write(self.base + "/tasks/_schema.md", faults.SCHEMA)
            self.write(self.base + "/tasks/a.md", ROW)
        if not cloned:
            if variant.place == "pulled over ours":
                self.run("insert", "tasks", "--row-id", "mine", "--set", "title=Mine")
            self.plant(self.root, Hostile(variant, self.etags, prefix, self.read))

    def before_clone(self, path):
        return {"tasks/a.md": ROW, "tasks/_schema.md": faults.SCHEMA}.get(path)

    def plant(self, root, hostile):
        variant = self.variant
        name = ".NotesDB" if variant.shape == "capitals" else ".notesdb"
        store = os.path.join(root, "tasks" if variant.place == "within" else "", name)
        if variant.place == "pulled over ours":
            hostile.files.pop("owner", None)  # what is ours stays; the word in the lines is a guess
        if variant.shape == "a link to a store":
            shutil.rmtree(store, ignore_errors=True)
            hostile.write(os.path.join(root, "kept"))
            os.symlink("kept" if variant.place != "within" else "../kept", store)
            return
        if variant.shape == "a file":
            shutil.rmtree(store, ignore_errors=True)
            self.write(store, "not a folder\n")
            return
        hostile.write(store)
        self.deform(store)

    def deform(self, store):
        shape = self.variant.shape
        current = store + "/intent/current"
        if shape == "writable by all":
            for folder, folders, names in os.walk(store):
                for name in [".", *folders, *names]:
                    os.chmod(os.path.join(folder, name), 0o777)
        elif shape == "of somebody else" and os.getuid() == 0:
            for folder, folders, names in os.walk(store):
                for name in [".", *folders, *names]:
                    os.chown(os.path.join(folder, name), SOMEBODY, SOMEBODY)
        elif shape == "a linked intent" and os.path.exists(current):
            os.rename(current, os.path.join(self.base, "elsewhere"))
            os.symlink(os.path.join(self.base, "elsewhere"), current)
        elif shape == "a hard link":
            for name in os.listdir(store + "/displaced"):
                os.link(os.path.join(store, "displaced", name), os.path.join(store, "displaced", name + ".linked"))
        elif shape == "a pipe":
            if os.path.exists(current):
                os.unlink(current)
            os.makedirs(os.path.dirname(current), exist_ok=True)
            os.mkfifo(current)

    def run(self, *words, text=None):
        if self.hangs:
            return None
        try:
            return subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, capture_output=True,
                                  input=text, stdin=None if text is not None else subprocess.DEVNULL, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            self.hangs = True
            return self.complain(f"{words[0]} hangs")

    def ask_server(self):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": faults.introduction()},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "db_list", "arguments": {}}}]
        self.run("mcp", text="".join(json.dumps(each) + "\n" for each in messages).encode())

    def picture(self, with_store):
        """Every path below the base with what it is; of `.notesdb` only where it is asked for."""
        found = {}
        for folder, folders, names in os.walk(self.base):
            if folder == self.base:
                folders[:] = [name for name in folders if name not in ("home", "run", "origin")]
            if os.path.basename(folder) == ".git":  # the rest is git's own work
                folders[:] = [name for name in folders if name in ("hooks", "info")]
                names = [name for name in names if name == "config"]
            if not with_store:
                folders[:] = [name for name in folders if name != ".notesdb"]
            for name in folders + names:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                kind = stat.S_IFMT(status.st_mode)
                content = b""
                if kind == stat.S_IFREG:
                    with open(path, "rb") as file:
                        content = file.read()
                elif kind == stat.S_IFLNK:
                    content = os.readlink(path).encode()
                if not with_store and name == ".notesdb":
                    continue
                found[os.path.relpath(path, self.base)] = (kind, status.st_mode & 0o111, content)
        return found

    def compare(self, when, before, after, allowed=()):
        for path in sorted(set(before) | set(after)):
            if before.get(path) != after.get(path) and path not in allowed:
                self.complain(f"{when}: {path!r} was {before.get(path, 'absent')} and is {after.get(path, 'absent')}")

    def status(self):
        told = self.git("status", "--porcelain", "-uall").stdout.decode()
        return {line for line in told.splitlines() if ".notesdb" not in line and ".NotesDB" not in line}

    def judge(self):
        status = self.status()
        before = self.picture(with_store=True)
        self.run("list", "--no-server")
        self.run("query", "tasks", "--no-server")
        self.run("check", "--no-server")
        self.run("history", "tasks", "--no-server")
        self.run("sync", "--dry-run", "--no-server")
        self.run("insert", "tasks", "--row-id", "tried", "--set", "title=T", "--dry-run", "--no-server")
        self.ask_server()
        self.compare("after reading", before, self.picture(with_store=True))
        self.write_rows(status)
        if os.path.exists(self.canary):
            self.complain("a planted program ran")

    def write_rows(self, status):
        before = self.picture(with_store=False)
        where = "" if self.variant.place == "above" else "ours/"
        inserted = self.run("insert", "tasks", "--row-id", "new", "--set", "title=New", "--no-server")
        updated = self.run("update", "tasks", "new", "--set", "ours=changed", "--no-server")
        for done in (inserted, updated):
            if done and done.returncode != 0:
                self.complain(f"a write was refused: {done.stderr.decode(errors='replace')[:200]}")
        undone = self.run("undo", "--no-server")
        if undone and undone.returncode != 0:
            self.complain(f"our own change cannot be taken back: {undone.stderr.decode(errors='replace')[:200]}")
        for _ in range(3):  # ours are gone then; what was planted would come next
            self.run("undo", "--no-server")
        self.run("history", "tasks", "new", "--no-server")
        self.run("doctor", "--no-server")
        mine = {where + "tasks/new.md", where + "tasks/mine.md"}
        self.compare("after writing", before, self.picture(with_store=False), mine)
        told = self.status() - status - {"?? tasks/new.md", "?? tasks/mine.md"}
        if told:
            self.complain(f"git tells of {sorted(told)}")
        self.git("commit", "-q", "--allow-empty", "-m", "by hand")

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)


def add_options(parser):
    parser.add_argument("--only", default="", help="a pattern of variants: PLACE / WHERE / DEED / PATH / TIME / WORD / SHAPE")


def main():
    given = faults.options(__doc__.splitlines()[0], 0, add_options)
    if not shutil.which("git"):
        faults.skip("there is no git")
    report = faults.Report(given)
    variants = [variant for variant in all_variants() if re.search(given.only, " / ".join(variant))]
    if given.dose:
        variants = random.sample(variants, min(given.dose, len(variants)))
    etags = Etags(given)
    broken = tried = 0
    for variant in variants:
        if faults.time_is_up(given):
            break
        trial = Trial(given, report, variant, etags)
        trial.judge()
        broken += trial.complaints > 0
        tried += 1
        trial.close()
    shutil.rmtree(etags.workspace.base, ignore_errors=True)
    report.end(test="hostile_stores", variants=tried, of=len(all_variants()), variants_broken=broken)


if __name__ == "__main__":
    main()
