#!/usr/bin/env python3
"""Real vaults and sites made databases of by one command, which may change nothing but schema files.

    adopting.py NOTESDB FOLDER...      each a folder of notes; it is copied, never changed

`notesdb adopt --yes` runs in a copy under git: `git status` must show new `_schema.md` files and nothing
else. Every database is then toured: as many rows as the plan said, each with a body, every column asked
for, all of it checked; and that must leave no trace either. `undo` must leave the folder as it was.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def run(*words, cwd, check=True):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def status(root):
    lines = run("git", "status", "--porcelain", "--untracked-files=all", cwd=root).split("\n")
    return [line for line in lines if line]


def tour(program, root, database):
    """What is wrong with a database."""
    wrong = []
    name = database["database_id"]
    columns = [column["id"] for column in database["schema"]["columns"]]
    answer = json.loads(run(program, "query", name, "--json", "--limit", "1000000", cwd=root))
    if answer["total"] + answer.get("unreadable", 0) < database["row_count"]:
        wrong.append(f"{name}: {answer['total']} rows, {database['row_count']} in the plan")
    for row in answer["rows"][:20]:
        got = json.loads(run(program, "get", name, row["id"], "--json", cwd=root))
        if got["row"]["fields"] != row["fields"]:
            wrong.append(f"{name} {row['id']}: get and query differ")
    for column in columns[:5] + ["_backlinks.count", "_name.date", "_tags"]:
        run(program, "query", name, "--sort", column, "--limit", "3", "--json", cwd=root)
    run(program, "check", name, cwd=root, check=False)
    return wrong


def check(program, source):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "vault")
        shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git", "_schema.md", "_schema.yaml"))
        run("git", "init", "--quiet", cwd=root)
        run("git", "add", "--all", "--force", cwd=root)
        run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "as it was", cwd=root)
        plan = json.loads(run(program, "adopt", "--yes", "--json", cwd=root))
        made = {os.path.normpath(os.path.join(one["database_id"], "_schema.md")) for one in plan["databases"]}
        for when in ("adopted", "toured"):
            if status(root) != sorted(f"?? {path}" for path in made) and \
                    {line[3:].strip('"') for line in status(root)} != made:
                wrong.append(f"{when}: git status shows {status(root)}")
            if when == "adopted":
                for database in plan["databases"]:
                    wrong += tour(program, root, database)
        run(program, "undo", cwd=root)
        if status(root):
            wrong.append(f"undone: git status shows {status(root)}")
        rows = ", ".join(f"{one['database_id']} {one['row_count']}" for one in plan["databases"])
        print(f"{source}: {rows}")
    for line in wrong:
        print(f"  {line}")
    return len(wrong)


if __name__ == "__main__":
    folders = [path for path in sys.argv[2:] if os.path.isdir(path)]
    if not folders:
        print("no folder of notes here")
        sys.exit(77)
    sys.exit(1 if sum(check(sys.argv[1], path) for path in folders) else 0)
