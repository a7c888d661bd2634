"""Rows to measure with: the same bytes for the same number, on every machine.

A workspace `wN` with one database `tasks` of N rows, ten fields each, 1.75 KB on average, committed
to git; beside it the same rows as other programs like them: sqlite with and without an index, CSV,
JSON lines, recutils.
"""
import csv
import json
import pathlib
import random
import shutil
import sqlite3
import subprocess
import time

STATUS = ["todo", "doing", "review", "done", "blocked", "dropped"]
STATUS_WEIGHTS = [30, 18, 10, 30, 7, 5]
TAGS = ("parser index schema cli mcp docs bug perf ux git cache query yaml links import export tests "
        "release design ops").split()
OWNERS = ["Ada Nowak", "Ben Okafor", "Chen Li", "Dara O'Neil", "Eva Lindqvist", "Farid Aziz",
          "Grace Kim", "Hugo Martín", "Ines Costa", "Jonas Weiß"]
VERBS = ["Fix", "Write", "Review", "Measure", "Design", "Remove", "Rename", "Merge", "Split", "Document"]
WORDS = ("row field note query index scan write read lock file folder schema type value link list table "
         "column filter order limit page view plan cost cache block commit branch merge diff stage watch "
         "event batch flush sync rename parse emit quote escape string number date time zone owner status "
         "review draft ready ship test bench measure median ratio bound proof case edge error retry empty "
         "a of to in and for with from that when where over under between before after without every "
         "other same each must may can should is are was were has have").split()
FIELDS = ["id", "title", "status", "tags", "estimate", "owner", "created_at", "due", "url", "done"]

SCHEMA = """name: Tasks
columns:
  - { id: id, type: text, required: true }
  - { id: title, type: text, required: true }
  - { id: status, type: select, options: [%s] }
  - { id: tags, type: multi-select, options: [%s] }
  - { id: estimate, type: number, min: 0 }
  - { id: owner, type: text }
  - { id: created_at, type: datetime }
  - { id: due, type: date }
  - { id: url, type: url }
  - { id: done, type: checkbox }
row_id: { style: counter, prefix: task-, digits: 6 }
""" % (", ".join(STATUS), ", ".join(TAGS))

FIRST_DAY, LAST_MADE, LAST_DUE = 1672531200, 1767225600, 1830297600  # 2023, 2026, 2028


def day(chance, begin, end):
    return time.strftime("%Y-%m-%d", time.gmtime(chance.randrange(begin, end)))


def make_fields(chance, number):
    title = "%s %s %s %d" % (chance.choice(VERBS), chance.choice(WORDS), chance.choice(WORDS),
                             chance.randrange(1000))
    if chance.random() < 0.15:
        title += ": " + chance.choice(WORDS)  # wants quotes
    fields = {
        "id": "task-%06d" % number,
        "title": title,
        "status": chance.choices(STATUS, STATUS_WEIGHTS)[0],
        "tags": chance.sample(TAGS, chance.randrange(0, 5)),
        "estimate": chance.choice([1, 1, 2, 2, 3, 3, 5, 8, 13, 21]),
        "owner": chance.choice(OWNERS),
        "created_at": day(chance, FIRST_DAY, LAST_MADE) + "T%02d:%02d:00Z" % (
            chance.randrange(24), chance.randrange(60)),
        "due": day(chance, LAST_MADE, LAST_DUE) if chance.random() < 0.85 else None,
        "url": "https://example.org/t/%x" % chance.getrandbits(40) if chance.random() < 0.7 else None,
    }
    fields["done"] = fields["status"] == "done"
    return fields


def make_body(chance, title, count):
    size = int(512 * 6 ** chance.random())  # 0.5 to 3 KB
    paragraphs, words, length = [], [], 0
    while length < size:
        word = chance.choice(WORDS)
        if chance.random() < 0.05:
            word = "[[task-%06d]]" % chance.randrange(1, count + 1)
        words.append(word)
        length += len(word) + 1
        if len(words) >= 25 and chance.random() < 0.05:
            paragraphs.append(" ".join(words) + ".")
            words = []
    paragraphs.append(" ".join(words + ["end"]) + ".")
    return "# %s\n\n%s\n" % (title, "\n\n".join(paragraphs))


def scalar(value):
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return '"%s"' % text if ": " in text else text


def note_of(fields, body, as_block):
    lines = ["---"]
    for key, value in fields.items():
        if value is None:
            continue
        if isinstance(value, list):
            if value and as_block:
                lines += [key + ":"] + ["  - " + scalar(item) for item in value]
            else:
                lines.append("%s: [%s]" % (key, ", ".join(map(scalar, value))))
        else:
            lines.append("%s: %s" % (key, scalar(value)))
    return "\n".join(lines) + "\n---\n\n" + body


def rows(count):
    for number in range(1, count + 1):
        chance = random.Random(1 << 32 ^ number)
        fields = make_fields(chance, number)
        yield fields, make_body(chance, fields["title"], count), chance.random() < 0.3


def flat(value):
    if isinstance(value, list):
        return json.dumps(value)
    return int(value) if isinstance(value, bool) else value


def write_sqlite(path, table):
    base = sqlite3.connect(path)
    base.execute("pragma journal_mode=wal")
    base.execute("create table task(id text primary key, title text, status text, tags text, estimate int,"
                 " owner text, created_at text, due text, url text, done int, body text)")
    base.executemany("insert into task values(?,?,?,?,?,?,?,?,?,?,?)", table)
    base.commit()
    base.close()


def write_recutils(path, made):
    with open(path, "w") as out:
        out.write("%%rec: Task\n%%key: id\n%%type: estimate int\n%%type: due date\n%%type: status enum %s\n\n"
                  % " ".join(STATUS))
        for fields, body, _ in made:
            for key, value in fields.items():
                for item in value if isinstance(value, list) else [value]:
                    if item is not None:
                        out.write("%s: %s\n" % (key, scalar(item).strip('"')))
            out.write("body: " + body.rstrip("\n").replace("\n", "\n+ ") + "\n\n")


def commit(folder):
    for words in (["init", "-q"], ["config", "gc.auto", "0"], ["config", "user.name", "bench"],
                  ["config", "user.email", "bench@example.org"], ["add", "-A"],
                  ["commit", "-qm", "rows"], ["status"]):
        subprocess.run(["git", "-C", str(folder)] + words, check=True, stdout=subprocess.DEVNULL)


def take_back(workspace):
    """What the last run edited. git reads a row that differs from its last commit at every look."""
    for words in (["checkout", "-q", "--", "."], ["status"]):
        subprocess.run(["git", "-C", str(workspace)] + words, check=True, stdout=subprocess.DEVNULL)


def prepare(folder, count):
    """Everything of `count` rows below `folder`, made once; what is there is kept, without edits."""
    done = folder / ("w%d.done" % count)
    workspace = folder / ("w%d" % count)
    if done.exists():
        take_back(workspace)
        return workspace
    shutil.rmtree(workspace, ignore_errors=True)
    tasks = workspace / "tasks"
    tasks.mkdir(parents=True)
    (workspace / "notesdb.yaml").write_text("max_rows: 100\n")
    (tasks / "_schema.yaml").write_text(SCHEMA)
    made = list(rows(count))
    for fields, body, as_block in made:
        (tasks / (fields["id"] + ".md")).write_text(note_of(fields, body, as_block))
    table = [[flat(fields[key]) for key in FIELDS] + [body] for fields, body, _ in made]
    for suffix in ("", "-wal", "-shm"):
        (folder / ("s%d.db%s" % (count, suffix))).unlink(missing_ok=True)
    write_sqlite(folder / ("s%d.db" % count), table)
    shutil.copy(folder / ("s%d.db" % count), folder / ("s%d-indexed.db" % count))
    base = sqlite3.connect(folder / ("s%d-indexed.db" % count))
    base.executescript("create index a on task(status, due, estimate); create index b on task(status); analyze;")
    base.close()
    with open(folder / ("t%d.csv" % count), "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(FIELDS + ["body"])
        writer.writerows([["" if cell is None else cell for cell in row] for row in table])
    with open(folder / ("t%d.jsonl" % count), "w") as out:
        for fields, body, _ in made:
            out.write(json.dumps({**fields, "body": body}, ensure_ascii=False) + "\n")
    write_recutils(folder / ("t%d.rec" % count), made)
    commit(workspace)
    done.touch()
    return workspace


def copy(folder, count, name):
    """A copy of the workspace, for what writes."""
    place = pathlib.Path(folder) / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / ("w%d" % count), place)
    return place
