#!/usr/bin/env python3
"""Clones that edit and sync at random come to equal trees, and no edit is lost in silence.

Every edit writes a token that no other edit writes. At the end a token must stand in the rows, or
have been overwritten by an edit that saw it, or have been shown in a conflict and decided against.
Every row is born with a line that no edit touches, so that a reference can be held to the row it
was made for, whatever both are called since. Some syncs are killed at a random moment. Every other
clone merges all rows ahead of git, the others start the driver for each. Nothing here knows how
the program merges.

A variant has a schema without next_row_id, where rows with the highest numbers come and go; rows that
are all made of one template, so that any two look alike; or many renames.
"""
import argparse
import concurrent.futures
import json
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
BORN = re.compile(r"^born (\S+)$", re.M)
EPIC = re.compile(r"^epic: (\S+)$", re.M)
KINDS = {"owner": 5, "title": 3, "tag": 6, "untag": 2, "append": 4, "line": 4, "insert": 4, "delete": 1,
         "rename": 1, "column": 1}


VARIANTS = {"plain": {}, "uncounted": {"delete": 4, "insert": 8}, "templates": {"delete": 5, "insert": 8},
            "renames": {"rename": 8}}
# What is killed here is a program, not the machine: nothing has to reach a disk.
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
TEMPLATE = "".join(f"A sentence of the template, number {number}.\n" for number in range(20))


class Failure(Exception):
    pass


class Clone:
    def __init__(self, world, number, path):
        self.world, self.number, self.path = world, number, path
        self.events = []  # to explain a loss by

    def run(self, *words, check=True):
        done = subprocess.run([self.world.program, "--root", self.path, *words], capture_output=True,
                              text=True, env=self.world.environment, timeout=900)
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

    def note(self, *event):
        self.events.append((f"{time.time():.3f}", *event))

    # Edits: each is acknowledged, with its token, by being done. What it saw and replaced is named.
    def edit(self):
        rows = self.rows()
        name = self.world.random.choice(rows)
        kinds = {**KINDS, **VARIANTS[self.world.variant]}
        kind = self.world.random.choices(list(kinds), list(kinds.values()))[0]
        text = self.read(name)
        if "<<<<<<<" in text:
            return
        token = self.world.new_token(self.number)
        self.note(kind, name, token)
        if getattr(self, "edit_" + kind)(name, text, token):
            self.world.tokens.add(token)
        self.world.edits += 1

    def replace(self, name, text, old, new):
        self.world.overwritten |= set(TOKEN.findall(old)) - set(TOKEN.findall(new))
        self.write(name, text.replace(old, new, 1))
        return True

    def set_field(self, name, text, key, value):
        found = re.search(rf"^{key}: .*\n", text, re.M)
        return self.replace(name, text, found.group(0) if found else "---\n",
                            f"{key}: {value}\n" if found else f"---\n{key}: {value}\n")

    def edit_owner(self, name, text, token):
        return self.set_field(name, text, "owner", token)

    def edit_title(self, name, text, token):
        return self.set_field(name, text, "title", token)

    def tags(self, text):
        found = re.search(r"^tags: \[(.*)\]\n", text, re.M)
        return [tag for tag in found.group(1).split(", ") if tag] if found else []

    def edit_tag(self, name, text, token):
        return self.set_field(name, text, "tags", f"[{', '.join(self.tags(text) + [token])}]")

    def edit_untag(self, name, text, _token):
        tags = self.tags(text)
        if tags:
            tags.pop(self.world.random.randrange(len(tags)))
            self.set_field(name, text, "tags", f"[{', '.join(tags)}]")

    def edit_append(self, name, text, token):
        self.write(name, text.rstrip("\n") + f"\nline {token}\n")
        return True

    def edit_line(self, name, text, token):
        lines = re.findall(r"^line .*\n", text, re.M)
        if not lines:
            return self.edit_append(name, text, token)
        return self.replace(name, text, self.world.random.choice(lines), f"line {token}\n")

    def edit_insert(self, name, text, token):
        words = ["insert", "stories", "--set", f"title={token}", "--body", self.world.text_of(token)]
        if self.world.random.random() < 0.5:
            words += ["--set", f"epic={name[:-3]}"]
            self.world.references[token] = BORN.search(text).group(1)
        self.run(*words)
        return True

    def edit_delete(self, name, text, _token):
        if len(self.rows()) > 6:
            self.world.overwritten |= set(TOKEN.findall(name + text))
            if self.world.variant == "uncounted":  # a person's rm does not keep the number
                self.run("delete", "stories", name[:-3])
            else:
                os.remove(os.path.join(self.folder(), name))

    def edit_rename(self, name, _text, token):
        self.world.overwritten |= set(TOKEN.findall(name))
        self.run("rename", "stories", name[:-3], token)
        return True

    def edit_column(self, _name, _text, token):
        schema = self.read("_schema.md")
        before = "next_row_id" if "next_row_id" in schema else "---\n"
        at = schema.rindex(before)
        self.write("_schema.md", f"{schema[:at]}  - id: {token}\n    type: text\n{schema[at:]}")
        return True

    def conflicts(self):
        return json.loads(self.run("conflicts", "--json").stdout)["conflicts"]

    def settle(self):
        for conflict in self.conflicts():
            row, field = conflict["row_id"], conflict["field"]
            side = self.world.random.choice(["ours", "theirs"])
            if field == "_row" and conflict.get(side) == "deleted":
                side = "theirs" if side == "ours" else "ours"
            self.world.conflicts += 1
            self.note("settle", row, field, side)
            # What a listed conflict shows on one side only was not lost in silence.
            sides = [set(TOKEN.findall(str(conflict.get(side)))) for side in ("ours", "theirs")]
            self.world.listed |= sides[0] ^ sides[1] | set(TOKEN.findall(row))
            done = self.run("resolve", conflict.get("database_id", "stories"), row, "--field", field,
                            "--" + side, check=False)
            if done.returncode != 0:
                done = self.run("resolve", conflict.get("database_id", "stories"), row, "--" + side,
                                check=False)
            if done.returncode != 0 and "no conflict" not in done.stderr:
                raise Failure(f"clone {self.number} resolve {conflict}: {done.stderr}")

    # A row that two clones gave different names keeps one; the answer says which it lost.
    def hear(self, answer):
        for row in json.loads(answer)["renumbered"]:
            self.world.listed |= set(TOKEN.findall(row["row_id"]))

    def sync(self):
        for _ in range(40):
            done = self.run("sync", "--json", check=False)
            self.note("sync", done.stdout, done.stderr)
            if done.returncode == 0:
                return self.hear(done.stdout)
            if "resolve" in done.stderr:
                self.settle()
            elif "busy" in done.stderr:
                time.sleep(0.1)
            else:
                raise Failure(f"clone {self.number} sync: {done.stderr}")
        raise Failure(f"clone {self.number} never came through: {done.stderr}")

    # Of two kills one is of the program alone, as a person's is; the other takes git with it, as a
    # power cut does, and git's locks are then removed as git says to. What it had in hand is put back
    # by a sync before anybody edits: until then rows may be missing, or empty.
    def killed_sync(self):
        with tempfile.TemporaryFile(dir=self.world.folder) as answer:
            process = subprocess.Popen([self.world.program, "--root", self.path, "sync", "--json"],
                                       stdout=answer, stderr=subprocess.DEVNULL,
                                       env=self.world.environment, start_new_session=True)
            time.sleep(self.world.random.random() * 0.25 * self.world.slowness)
            all_of_it = self.world.random.random() < 0.5
            process.kill()
            process.wait()
            answer.seek(0)
            told = answer.read().decode()
        if told.endswith("}\n"):  # it had come to its end
            self.hear(told)
        self.world.kills += 1
        if all_of_it:
            end_session(process.pid)
            self.remove_locks()
        while processes_of(process.pid):  # a step of git that had begun goes on to its end
            time.sleep(0.01)
        if os.path.exists(os.path.join(self.path, ".git", "index.lock")):
            raise Failure("an index.lock was left behind")
        was_merging = os.path.exists(os.path.join(self.path, ".git", "notesdb-merging"))
        self.note("killed", "with git" if all_of_it else "alone",
                  "merging" if was_merging else "", self.git("status", "--short"))
        if all_of_it and was_merging:
            self.sync()

    # Those of the remote, too, since what took a push there has been killed with the rest.
    def remove_locks(self):
        for top in (os.path.join(self.path, ".git"), self.world.remote):
            for folder, _, files in os.walk(top):
                for name in files:
                    if name.endswith(".lock") and name != "notesdb-sync.lock":
                        os.remove(os.path.join(folder, name))


def processes_of(session):
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                state, _, _, its_session = file.read().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state != "Z":
            found.append(int(entry))
    return found


def end_session(session):
    """Kills all that the program has started, until nothing of it lives that could start more."""
    while processes := processes_of(session):
        for pid in processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class World:
    def __init__(self, program, seed, clones, variant):
        self.variant = variant
        self.program, self.random = os.path.abspath(program), random.Random(seed)
        self.slowness = 1  # how much longer a sync takes here than on a machine with nothing to do
        self.tokens, self.overwritten, self.listed = set(), set(), set()
        self.references = {}  # by the birth of the row that refers: the birth of the other
        self.conflicts = self.kills = self.count = self.edits = 0
        self.folder = tempfile.mkdtemp(prefix="clones-", dir=FOLDER)
        config = os.path.join(self.folder, "gitconfig")
        self.environment = {**os.environ, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1",
                            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"),
                            "XDG_STATE_HOME": os.path.join(self.folder, "state"), "LC_ALL": "C"}
        with open(config, "w", encoding="utf-8") as file:
            file.write("[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n"
                       "[gc]\nauto = 0\n")
        self.remote = os.path.join(self.folder, "remote.git")
        self.git("init", "-q", "--bare", self.remote)
        first = self.clone(self.remote, 0)
        os.makedirs(first.folder())
        first.write("_schema.md", SCHEMA if variant != "uncounted" else SCHEMA.replace("next_row_id: 4\n", ""))
        for number in range(1, 4):
            first.write(f"row-00{number}.md", f"---\ntitle: Row {number}  # kept\nowner: nobody\n"
                                              f"tags: []\n---\n\n{self.text_of(number)}")
        began = time.time()
        first.sync()
        self.slowness = max(1, (time.time() - began) / 0.25)
        self.clones = [first] + [self.clone(self.remote, number) for number in range(1, clones)]

    def git(self, *words):
        subprocess.run(["git", *words], check=True, capture_output=True, env=self.environment)

    def clone(self, remote, number):
        path = os.path.join(self.folder, f"clone{number}")
        self.git("clone", "-q", remote, path)
        self.git("-C", path, "config", "notesdb.mergeAhead", "1" if number % 2 else "1000")
        return Clone(self, number, path)

    def text_of(self, birth):
        return f"born {birth}\n" + (TEMPLATE if self.variant == "templates" else "")

    def new_token(self, number):
        self.count += 1
        return f"t{number}x{self.count}"

    def check(self):
        trees = {clone.git("rev-parse", "HEAD^{tree}") for clone in self.clones}
        if len(trees) != 1:
            raise Failure(f"{len(trees)} different trees")
        one = self.clones[0]
        status = one.git("status", "--porcelain").splitlines()
        if [line for line in status if not line.startswith("?? .merge_file_")]:  # of a killed git
            raise Failure("the work tree is not what was committed")
        texts = "".join(name + one.read(name) for name in one.rows() + ["_schema.md"])
        if "<<<<<<<" in texts:
            raise Failure("conflict markers were left")
        kept = set(TOKEN.findall(texts))
        lost = self.tokens - kept - self.overwritten - self.listed
        if lost:
            raise Failure(f"lost without a word: {sorted(lost)}\n" + "".join(map(self.story_of, lost)))
        found = one.run("query", "stories", "--json").stdout
        if '"unreadable"' in found:
            raise Failure("a row became unreadable: " + found[-500:])
        rows = {name[:-3]: one.read(name) for name in one.rows()}
        for name, text in rows.items():
            if text.count("---\n") < 2:
                raise Failure(f"{name} has no front matter any more")
            born, epic = BORN.findall(text), EPIC.search(text)
            if len(born) != 1:
                raise Failure(f"{name} was born as {born}")
            meant = self.references.get(born[0])
            if epic and meant and BORN.findall(rows.get(epic.group(1), "")) not in ([], [meant]):
                raise Failure(f"{name} refers to {epic.group(1)}, which is not {meant}")

    # All that the clones did, in the order of time, for whoever looks for what was lost.
    def write_events(self):
        lines = [[event[0], clone.number, *event[1:]] for clone in self.clones for event in clone.events]
        with open(os.path.join(self.folder, "events.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in sorted(lines))

    # What befell the clone that made an edit, from shortly before to a while after.
    def story_of(self, token):
        events = self.clones[int(token[1:token.index("x")])].events
        at = next(i for i, event in enumerate(events) if token in event)
        return "".join(f"    {event}\n" for event in events[max(0, at - 5):at + 15]) + "\n"


def run(program, seed, clones, edits, kills, variant):
    world = World(program, seed, clones, variant)
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
        print(f"{variant}, seed {seed}: {clones} clones, {world.edits} edits, {world.conflicts} conflicts "
              f"listed, {world.kills} syncs killed, "
              f"0 lost, 0 unreadable, {time.time() - began:.0f} s", flush=True)
        shutil.rmtree(world.folder)
    except (Failure, subprocess.TimeoutExpired) as failure:
        world.write_events()
        print(f"{variant}, seed {seed}: {failure}\n(left in {world.folder})", flush=True)
        return None
    return world


def tell(worlds):
    good = [world for world in worlds if world]
    edits, conflicts, kills = (sum(getattr(world, name) for world in good)
                               for name in ("edits", "conflicts", "kills"))
    print(f"{len(good)} of {len(worlds)} seeds converged: {edits} edits, {conflicts} conflicts listed, "
          f"{kills} syncs killed, 0 edits lost, 0 rows unreadable, 0 references astray")
    return len(good) == len(worlds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--clones", type=int, default=3)
    parser.add_argument("--edits", type=int, default=12, help="of each clone")
    parser.add_argument("--kills", type=int, default=1, help="how often; 0: never")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--jobs", type=int, default=2, help="runs at once")
    options = parser.parse_args()

    def run_one(variant, seed):
        return run(options.program, seed, options.clones, options.edits, options.kills, variant)

    seeds = range(options.first_seed, options.first_seed + options.seeds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_one, variant, seed) for variant in options.variants for seed in seeds]
        worlds = [one.result() for one in runs]
    sys.exit(0 if tell(worlds) else 1)


if __name__ == "__main__":
    main()
