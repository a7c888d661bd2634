#!/usr/bin/env python3
"""Clones that edit and sync at random come to equal trees, and no edit is lost in silence.

Every edit writes a token that no other edit writes. At the end a token must stand in the rows, or
have been overwritten by an edit that saw it, or have been shown in a conflict and decided against.
Some syncs are killed at a random moment. Nothing here knows how the program merges.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCHEMA = """---
name: Stories
columns:
  - id: title
    type: text
  - id: owner
    type: text
  - id: tags
    type: list
  - id: epic
    type: relation
    target: stories
next_row_id: 4
---
"""
TOKEN = re.compile(r"t\d+x\d+")


class Failure(Exception):
    pass


class Clone:
    def __init__(self, world, number, path):
        self.world, self.number, self.path = world, number, path

    def run(self, *words, check=True):
        done = subprocess.run([self.world.program, "--root", self.path, *words], capture_output=True,
                              text=True, env=self.world.environment, timeout=120)
        if check and done.returncode != 0:
            raise Failure(f"clone {self.number}: {words}: {done.stderr}{done.stdout}")
        return done

    def git(self, *words):
        return subprocess.run(["git", "-C", self.path, *words], capture_output=True, text=True,
                              env=self.world.environment, check=True).stdout

    def folder(self):
        return os.path.join(self.path, "stories")

    def rows(self):
        return sorted(n for n in os.listdir(self.folder()) if n.endswith(".md") and n[0] != "_")

    def read(self, name):
        with open(os.path.join(self.folder(), name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        path = os.path.join(self.folder(), name)
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + "~", path)

    # Edits: each is acknowledged, with its token, by being done.
    def edit(self):
        random_ = self.world.random
        rows = self.rows()
        name = random_.choice(rows)
        kind = random_.choices(["owner", "title", "tag", "body", "insert", "delete", "rename",
                                "column"], [5, 3, 6, 4, 4, 1, 1, 1])[0]
        token = self.world.new_token(self.number)
        text = self.read(name)
        if "<<<<<<<" in text:
            return
        if kind in ("owner", "title"):
            found = re.search(rf"^{kind}: (.*)\n", text, re.M)
            if found:
                self.world.overwritten |= set(TOKEN.findall(found.group(1)))
                text = text.replace(found.group(0), f"{kind}: {token}\n", 1)
            else:
                text = text.replace("---\n", f"---\n{kind}: {token}\n", 1)
            self.write(name, text)
        elif kind == "tag":
            found = re.search(r"^tags: \[(.*)\]\n", text, re.M)
            if not found:
                text = text.replace("---\n", f"---\ntags: [{token}]\n", 1)
            else:
                tags = [tag for tag in found.group(1).split(", ") if tag]
                if len(tags) > 4:
                    gone = tags.pop(random_.randrange(len(tags)))
                    self.world.overwritten.add(gone)
                tags.append(token)
                text = text.replace(found.group(0), f"tags: [{', '.join(tags)}]\n", 1)
            self.write(name, text)
        elif kind == "body":
            self.write(name, text.rstrip("\n") + f"\nline {token}\n")
        elif kind == "insert":
            words = ["insert", "stories", "--set", f"title={token}"]
            if random_.random() < 0.5:
                words += ["--set", f"epic={name[:-3]}"]
            self.run(*words)
        elif kind == "delete" and len(rows) > 6:
            self.world.overwritten |= set(TOKEN.findall(text))
            os.remove(os.path.join(self.folder(), name))
            return
        elif kind == "rename" and len(rows) > 3:
            os.rename(os.path.join(self.folder(), name), os.path.join(self.folder(), f"{token}.md"))
            self.world.ids.add(token)
        elif kind == "column":
            schema = self.read("_schema.md")
            schema = schema.replace("next_row_id", f"  - id: {token}\n    type: text\nnext_row_id")
            self.write("_schema.md", schema)
        else:
            return
        self.world.tokens.add(token)

    def conflicts(self):
        import json
        return json.loads(self.run("conflicts", "--json").stdout)["conflicts"]

    def settle(self):
        for conflict in self.conflicts():
            row, field = conflict["row_id"], conflict["field"]
            side = self.world.random.choice(["ours", "theirs"])
            if field == "_row" and conflict.get(side) == "deleted":
                side = "theirs" if side == "ours" else "ours"
            self.world.conflicts += 1
            # What a listed conflict shows on one side only was not lost in silence.
            sides = [set(TOKEN.findall(str(conflict.get(side)))) for side in ("ours", "theirs")]
            self.world.listed |= sides[0] ^ sides[1]
            done = self.run("resolve", conflict.get("database_id", "stories"), row, "--field", field,
                            "--" + side, check=False)
            if done.returncode != 0:
                done = self.run("resolve", conflict.get("database_id", "stories"), row, "--" + side,
                                check=False)
            if done.returncode != 0 and "no conflict" not in done.stderr:
                raise Failure(f"clone {self.number} resolve {conflict}: {done.stderr}")

    def sync(self):
        for _ in range(40):
            done = self.run("sync", check=False)
            if done.returncode == 0:
                return
            if "undecided" in done.stderr:
                self.settle()
            elif "busy" in done.stderr:
                time.sleep(0.1)
            else:
                raise Failure(f"clone {self.number} sync: {done.stderr}")
        raise Failure(f"clone {self.number} never came through: {done.stderr}")

    def killed_sync(self):
        process = subprocess.Popen([self.world.program, "--root", self.path, "sync"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.world.environment, start_new_session=True)
        time.sleep(self.world.random.random() * 0.25)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        self.world.kills += 1
        deadline = time.time() + 20  # a step of git that had begun goes on to its end
        while os.path.exists(os.path.join(self.path, ".git", "index.lock")):
            if time.time() > deadline:
                raise Failure("an index.lock was left behind")
            time.sleep(0.01)


class World:
    def __init__(self, program, seed, clones):
        self.program, self.random = os.path.abspath(program), random.Random(seed)
        self.tokens, self.overwritten, self.listed, self.ids = set(), set(), set(), set()
        self.conflicts = self.kills = self.count = 0
        self.folder = tempfile.mkdtemp(prefix="clones-")
        config = os.path.join(self.folder, "gitconfig")
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1",
                            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "LC_ALL": "C"}
        with open(config, "w", encoding="utf-8") as file:
            file.write("[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n"
                       "[gc]\nauto = 0\n")
        remote = os.path.join(self.folder, "remote.git")
        self.git("init", "-q", "--bare", remote)
        first = self.clone(remote, 0)
        os.makedirs(first.folder())
        first.write("_schema.md", SCHEMA)
        for number in range(1, 4):
            first.write(f"row-00{number}.md", f"---\ntitle: Row {number}  # kept\nowner: nobody\n"
                                              f"tags: []\n---\n\nThe text of {number}.\n")
        first.sync()
        self.clones = [first] + [self.clone(remote, number) for number in range(1, clones)]

    def git(self, *words):
        subprocess.run(["git", *words], check=True, capture_output=True, env=self.environment)

    def clone(self, remote, number):
        path = os.path.join(self.folder, f"clone{number}")
        self.git("clone", "-q", remote, path)
        return Clone(self, number, path)

    def new_token(self, number):
        self.count += 1
        return f"t{number}x{self.count}"

    def check(self):
        trees = {clone.git("rev-parse", "HEAD^{tree}") for clone in self.clones}
        if len(trees) != 1:
            raise Failure(f"{len(trees)} different trees")
        one = self.clones[0]
        if one.git("status", "--porcelain"):
            raise Failure("the work tree is not what was committed")
        texts = "".join(name + one.read(name) for name in one.rows() + ["_schema.md"])
        if "<<<<<<<" in texts:
            raise Failure("conflict markers were left")
        kept = set(TOKEN.findall(texts))
        # A rename that met another rename or a deletion is a conflict about the row.
        lost = self.tokens - kept - self.overwritten - self.listed - self.ids
        if lost:
            raise Failure(f"lost without a word: {sorted(lost)}")
        found = one.run("query", "stories", "--json").stdout
        if '"unreadable"' in found:
            raise Failure("a row became unreadable: " + found[-500:])
        for name in one.rows():
            if one.read(name).count("---\n") < 2:
                raise Failure(f"{name} has no front matter any more")


def run(program, seed, clones, edits, kills):
    world = World(program, seed, clones)
    try:
        began = time.time()
        work = [clone for clone in world.clones for _ in range(edits)]
        world.random.shuffle(work)
        for clone in work:
            clone.edit()
            chance = world.random.random()
            if chance < 0.05 * kills:
                clone.killed_sync()
            elif chance < 0.15:
                clone.sync()
        for _ in range(2):
            for clone in world.clones:
                clone.sync()
        world.check()
        print(f"seed {seed}: {clones} clones, {len(world.tokens)} edits, {world.conflicts} "
              f"conflicts listed, {world.kills} syncs killed, 0 lost, {time.time() - began:.0f} s",
              flush=True)
        shutil.rmtree(world.folder)
    except Failure as failure:
        print(f"seed {seed}: {failure}\n(left in {world.folder})", flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--clones", type=int, default=3)
    parser.add_argument("--edits", type=int, default=12, help="of each clone")
    parser.add_argument("--kills", type=int, default=1, help="how often; 0: never")
    options = parser.parse_args()
    good = [run(options.program, seed, options.clones, options.edits, options.kills)
            for seed in range(options.first_seed, options.first_seed + options.seeds)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
