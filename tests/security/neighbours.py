#!/usr/bin/env python3
"""Another user of this machine decides nothing: not where the workspace is, not what its settings say, not what is cached.

The neighbour has another uid. He may write where everybody may, and leaves there a notesdb.yaml, a database, links, and
folders and files of a cache; then somebody else runs notesdb in a folder below, as himself and as root. What was planted
must be refused by name before anything is read or written, a `--root` must say yes all the same, and what is ours must go
on as before. Needs root, to be several users; 77 where it is not.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
US, NEIGHBOUR, OUR_GROUP = 65533, 65532, 65533
SETTINGS = "max_rows: 7\n"
SCHEMA = "---\nname: Tasks\ncolumns:\n  - {id: title, type: text}\n---\n"
ROW = "---\ntitle: Planted\n---\n"


class Trial:
    def __init__(self, program):
        self.program = program
        self.tried = self.broken = 0
        self.base = ""

    def complain(self, name, what):
        self.broken += 1
        print(f"BROKEN {name}: {what}", flush=True)

    def path(self, name):
        return os.path.join(self.base, name)

    def make(self, name, owner, mode, text=None):
        """A file, or a folder where there is no text."""
        path = self.path(name)
        if text is None:
            os.makedirs(path, exist_ok=True)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        os.chown(path, owner, owner)
        os.chmod(path, mode)
        return path

    def plant(self, owner, folder_mode, file_mode, of_folder=None):
        """A workspace above `above/ours/deep`, where somebody of us stands."""
        self.make("above", owner if of_folder is None else of_folder, 0o777)
        self.make("above/notesdb.yaml", owner, file_mode, SETTINGS)
        self.make("above/tasks", owner, 0o755)
        self.make("above/tasks/_schema.md", owner, 0o644, SCHEMA)
        self.make("above/tasks/r1.md", owner, 0o644, ROW)
        self.make("above/ours", US, 0o755)
        self.make("above/ours/deep", US, 0o755)
        os.chmod(self.path("above"), folder_mode)

    def run(self, *words, at="above/ours/deep", user=US, cache="cache", group=None):
        environment = {"PATH": os.environ["PATH"], "TZ": "UTC", "XDG_CACHE_HOME": self.path(cache),
                       "XDG_STATE_HOME": self.path("state"), "HOME": self.path("home")}
        group = OUR_GROUP if group is None else group
        before = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"] if user != 0 else []
        return subprocess.run([*before, self.program, *words], cwd=self.path(at), env=environment, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def expect(self, name, done, code, *parts):
        self.tried += 1
        said = done.stdout + done.stderr
        if (done.returncode == 0) != (code == 0):
            self.complain(name, f"ends with {done.returncode}: {said[-300:]!r}")
        for part in parts:
            if part not in said:
                self.complain(name, f"does not say {part!r}: {said[-300:]!r}")

    def fresh(self):
        if self.base:
            shutil.rmtree(self.base, ignore_errors=True)
        self.base = tempfile.mkdtemp(prefix="notesdb-neighbours-")
        os.chmod(self.base, 0o755)
        self.make("state", US, 0o700)
        self.make("home", US, 0o700)
        self.make("cache", US, 0o700)

    def refused_roots(self):
        cases = {
            "a neighbour's file and folder": (NEIGHBOUR, 0o777, 0o644, None, US),
            "a neighbour's file in a folder of ours that all may write": (NEIGHBOUR, 0o777, 0o644, US, US),
            "a neighbour's file in a sticky folder of root": (NEIGHBOUR, 0o1777, 0o644, 0, US),
            "our file in a folder that all may write": (US, 0o777, 0o644, None, US),
            "our file, which all may write": (US, 0o755, 0o666, None, US),
            "our file in a folder of a neighbour": (US, 0o755, 0o644, NEIGHBOUR, US),
            "root's file, which its group may write": (0, 0o755, 0o664, 0, US),
            "a neighbour's, and root comes by": (NEIGHBOUR, 0o755, 0o644, None, 0),
        }
        for name, (owner, folder_mode, file_mode, of_folder, user) in cases.items():
            self.fresh()
            self.plant(owner, folder_mode, file_mode, of_folder)
            before = sorted(os.listdir(self.path("above")))
            for words in (["list"], ["query", "tasks"], ["insert", "tasks", "--set", "title=x"], ["config", "show"],
                          ["doctor"], ["check"], ["mcp"]):
                self.expect(f"{name}: {words[0]}", self.run(*words, user=user), 1, "notesdb.yaml", "--root")
            if sorted(os.listdir(self.path("above"))) != before:
                self.complain(name, "something was written")
            self.expect(f"{name}: --root", self.run("config", "show", "--root", self.path("above"), user=user), 0, "7")
            if user == US and owner != US:
                self.expect(f"{name}: --root .", self.run("list", "--root", "."), 0)
            self.expect(f"{name}: from the folder itself", self.run("list", at="above", user=user), 1, "notesdb.yaml")

    def taken_roots(self):
        cases = {
            "our own": (US, 0o755, 0o644, None),
            "our own, which our group may write": (US, 0o775, 0o664, None),
            "root's": (0, 0o755, 0o644, None),
            "root's file in our folder": (0, 0o755, 0o644, US),
        }
        for name, (owner, folder_mode, file_mode, of_folder) in cases.items():
            self.fresh()
            self.plant(owner, folder_mode, file_mode, of_folder)
            self.expect(f"{name}: query", self.run("query", "tasks"), 0, "Planted")
            self.expect(f"{name}: settings", self.run("config", "show"), 0, "7")
        self.fresh()
        self.make("open", US, 0o777)
        self.expect("a folder without settings that all may write", self.run("list", at="open"), 0)

    def links(self):
        self.fresh()
        self.plant(US, 0o755, 0o644)
        self.make("elsewhere.yaml", US, 0o644, "max_rows: 9\n")
        os.unlink(self.path("above/notesdb.yaml"))
        os.symlink(self.path("elsewhere.yaml"), self.path("above/notesdb.yaml"))
        for words in (["config", "show"], ["config", "show", "--root", self.path("above")]):
            self.expect("settings behind a link: " + " ".join(words[:2]), self.run(*words), 1, "notesdb.yaml", "symbolic link")

    def caches(self):
        cases = {
            "a neighbour's cache folder": (NEIGHBOUR, 0o755, "belongs to another user"),
            "root's cache folder": (0, 0o755, "belongs to another user"),
            "a cache folder that all may write": (US, 0o777, "every user"),
            "a cache folder that a group may write": (US, 0o770, "its group"),
        }
        for name, (owner, mode, why) in cases.items():
            self.fresh()
            self.plant(US, 0o755, 0o644)
            self.make("cache/notesdb", owner, mode)
            before = os.listdir(self.path("cache/notesdb"))
            done = self.run("query", "tasks")
            self.expect(name, done, 0, "Planted", why)
            if done.stderr.count(why) != 1:
                self.complain(name, f"said {done.stderr.count(why)} times: {done.stderr!r}")
            self.expect(name + ": search", self.run("search", "planted"), 0, "Planted")
            self.expect(name + ": doctor", self.run("doctor"), 1, why)
            if os.listdir(self.path("cache/notesdb")) != before:
                self.complain(name, "was written to")
        self.fresh()
        self.plant(US, 0o755, 0o644)
        os.symlink(self.path("home"), self.path("cache/notesdb"))
        self.expect("a cache folder that is a link", self.run("search", "planted"), 0, "Planted", "is not a folder")
        if os.listdir(self.path("home")):
            self.complain("a cache folder that is a link", "was followed")
        self.fresh()
        self.plant(US, 0o755, 0o644)
        self.make("cache/notesdb", US, 0o755)
        done = self.run("search", "planted")
        self.expect("a cache folder that all may read", done, 0, "Planted")
        if done.stderr or os.stat(self.path("cache/notesdb")).st_mode & 0o077:
            self.complain("a cache folder that all may read", f"is left open, or complained of: {done.stderr!r}")

    def cached_files(self):
        """The search index as a link to a file of ours, which must stay as it is."""
        self.fresh()
        self.plant(US, 0o755, 0o644)
        self.expect("first search", self.run("search", "planted"), 0, "Planted")
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.path("cache/notesdb")) for name in names
                 if name.startswith("search-fts5-") and name.endswith(".sqlite")]
        if not found:
            self.complain("the search index", "is not where it is looked for")
            return
        precious = self.make("home/precious", US, 0o600, "precious")
        os.unlink(found[0])
        os.symlink(precious, found[0])
        self.expect("a search index that is a link", self.run("search", "planted"), 0, "Planted")
        with open(precious, encoding="utf-8") as file:
            if file.read() != "precious":
                self.complain("a search index that is a link", "was written through")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the notesdb to test")
    given = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print(json.dumps({"skipped": "several users are needed: run as root, with setpriv"}))
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="notesdb-neighbours-program-") as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(given.program, folder)  # where every user may run it
        trial = Trial(program)
        for part in (trial.refused_roots, trial.taken_roots, trial.links, trial.caches, trial.cached_files):
            part()
        shutil.rmtree(trial.base, ignore_errors=True)
    print(json.dumps({"tried": trial.tried, "broken": trial.broken}))
    sys.exit(1 if trial.broken else 0)


if __name__ == "__main__":
    main()
