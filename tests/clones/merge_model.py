#!/usr/bin/env python3
"""Random three-way merges of rows, compared with a model of its own and with git's merge.

The model knows rows as a map of fields and a list of lines. It holds for every case: where one side
left a field alone the other side's value stands; where both set it alike, that value; lists are
sets of additions and removals; anything else is a conflict that shows both values. Where git's own
merge is clean, ours is clean with the same values.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

SCALARS = ["status", "owner", "n"]
LISTS = ["tags", "who"]
WORDS = ["red", "green", "blue", "grey", "pink"]


def new_row(rand):
    row = {key: f"{rand.choice(WORDS)}{rand.randrange(9)}" for key in SCALARS if rand.random() < 0.9}
    row |= {key: rand.sample(WORDS, rand.randrange(4)) for key in LISTS if rand.random() < 0.9}
    return row, [f"line {number}" for number in range(rand.randrange(1, 6))]


def changed(rand, row, body):
    row, body = dict(row), list(body)
    for key in SCALARS:
        if rand.random() < 0.25:
            row[key] = f"{rand.choice(WORDS)}{rand.randrange(9)}"
        elif rand.random() < 0.05:
            row.pop(key, None)
    for key in LISTS:
        if key in row and rand.random() < 0.4:
            row[key] = [item for item in row[key] if rand.random() < 0.8]
            row[key] += [word for word in rand.sample(WORDS, 2) if word not in row[key]]
    if rand.random() < 0.3:
        body.append(f"added {rand.randrange(1000)}")
    if rand.random() < 0.2 and body:
        body[rand.randrange(len(body))] = f"changed {rand.randrange(1000)}"
    return row, body


def written(rand, row, body):
    """In the order of the keys, block or flow by the key, so that sides differ in values alone."""
    lines = ["---", "# a comment"]
    for key in SCALARS + LISTS:
        if key not in row:
            continue
        if key == "who" and row[key]:
            lines += ["who:"] + [f"  - {item}" for item in row[key]]
        elif isinstance(row[key], list):
            lines.append(f"{key}: [{', '.join(row[key])}]")
        else:
            lines.append(f"{key}: {row[key]}")
    return "\n".join(lines + ["---", ""] + body) + "\n"


def read(text):
    """Fields, body lines and what stands between markers, read without any help."""
    head, _, body = text.partition("---\n")[2].partition("---\n")
    row, conflicted, inside, key = {}, [], None, None
    for line in head.splitlines():
        if line.startswith("<<<<<<<"):
            inside = []
        elif line.startswith(">>>>>>>"):
            conflicted.append("\n".join(inside))
            inside = None
        elif inside is not None:
            inside.append(line)
            if key and line.startswith("  - "):
                row.pop(key, None)
        elif line.startswith("  - "):
            row.setdefault(key, []).append(line[4:])
        elif ":" in line and not line.startswith("#"):
            key, _, value = line.partition(":")
            value = value.strip()
            if value.startswith("["):
                row[key] = [item for item in value[1:-1].split(", ") if item]
            elif value:
                row[key] = value
            else:
                row[key] = []
    return row, body.strip("\n").splitlines(), "\n".join(conflicted)


def expected(base, ours, theirs, key):
    """The value, or "conflict"."""
    was, mine, other = base.get(key), ours.get(key), theirs.get(key)
    if mine == other or was == other:
        return mine
    if was == mine:
        return other
    if isinstance(mine, list) and isinstance(other, list):
        was = set(was or [])
        return (set(mine) | set(other)) - (was - set(mine)) - (was - set(other))
    return "conflict"


def same(found, value):
    if isinstance(value, (set, list)):
        return set(found or []) == set(value)
    return found == value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rand = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="merges-")
    clean = git_clean = 0

    def fail(case, why):
        sys.exit(f"case {case} of seed {options.seed}: {why} (left in {folder})")

    def put(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    for case in range(options.cases):
        base = new_row(rand)
        ours, theirs = changed(rand, *base), changed(rand, *base)
        texts = [written(rand, *side) for side in (base, ours, theirs)]
        paths = [put(name, text) for name, text in zip(("base.md", "ours.md", "theirs.md"), texts)]
        git = subprocess.run(["git", "merge-file", "-p", paths[1], paths[0], paths[2]],
                             capture_output=True, text=True, check=False)
        done = subprocess.run([options.program, "merge-file", *paths, "--path", "row.md"],
                              capture_output=True, text=True, check=False)
        with open(paths[1], encoding="utf-8") as file:
            merged = file.read()
        put("ours.md", texts[1])
        row, body, marked = read(merged)
        if done.returncode not in (0, 1):
            fail(case, done.stderr)
        conflict_expected = False
        for key in SCALARS + LISTS:
            value = expected(base[0], ours[0], theirs[0], key)
            if value == "conflict":
                conflict_expected = True
                for side in (ours[0], theirs[0]):
                    if key in side and side[key] not in marked:
                        fail(case, f"{key}: {side[key]} is nowhere")
            elif not same(row.get(key), value):
                fail(case, f"{key} should be {value} and is {row.get(key)}")
        if conflict_expected and done.returncode == 0:
            fail(case, "a conflict ended with 0")
        for line in set(ours[1] + theirs[1]) - set(base[1]):
            if line not in merged:
                fail(case, f"the line '{line}' is nowhere")
        if done.returncode == 0:
            clean += 1
            if "<<<<<<<" in merged:
                fail(case, "markers in a clean merge")
        if git.returncode == 0:
            git_clean += 1
            git_row, git_body, _ = read(git.stdout)
            if done.returncode != 0:
                fail(case, "git merges it and we do not")
            if any(not same(row.get(key), git_row.get(key)) for key in SCALARS + LISTS):
                fail(case, "git's values are others")
            if body != git_body:
                fail(case, "git's body is another")
    shutil.rmtree(folder)
    print(f"{options.cases} merges agree with the model; {clean} clean, {git_clean} of them for git")


if __name__ == "__main__":
    main()
