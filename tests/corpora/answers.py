#!/usr/bin/env python3
"""Answers about real folders, held against a reader that shares no code with notesdb.

    answers.py PROGRAM CORPORA [--seeds N]

Each corpus is copied, `infer --write` makes its schema, and then: only the schema file is new;
`check` says what KNOWN says, each a thing a person would call wrong; and every value, filter, sort,
aggregate and search answers what PyYAML and a few lines of Python make of the same files.
"""
import argparse
import datetime
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

try:
    import yaml
except ImportError:
    print("PyYAML is not here: nothing compared")
    sys.exit(0)

FOLDERS = {
    "adr": "decisions", "advisories": "ansible", "beans": "beans", "recipes": "content",
    "spec-notes": "notes", "tasks-vault": "vault", "topics": "topics",
}

# What is really wrong in these folders: (path, rule).
KNOWN = {
    "adr": {  # pictures that are not in the copy, and a link to a decision under its old name
        ("decisions/0008-add-status-field.md", "unresolved"),
        ("decisions/0013-use-yaml-front-matter-for-meta-data.md", "unresolved"),
    },
    "beans": {("beans/archive/beans-t0tv--refactor-tui-to-two-column-layout-with-hierarchica.md", "unresolved")},
    "recipes": {
        ("content/bloody-mary-mix.md", "yaml"),  # a key twice
        ("content/ragu-napoletano.md", "unresolved"),  # its pictures
        ("content/tomato-flavored-hamburger-macaroni.md", "unresolved"),  # pasta.html
    },
    "tasks-vault": {
        ("vault/Manual Testing/Seeing the Query as HTML/HTML from Query.md", "unresolved"),
        ("vault/Test Data/all_link_types.md", "unresolved"),
        ("vault/Test Data/corrupt_rerender_issue_3715_tasks.md", "unresolved"),
        ("vault/Test Data/link_in_task_markdown_link.md", "unresolved"),
        ("vault/Test Data/link_in_task_wikilink.md", "unresolved"),
        ("vault/Test Data/link_is_broken.md", "unresolved"),
        ("vault/Test Data/jason_properties.md", "unreadable"),  # JSON between the fences
        ("vault/Test Data/yaml_aliases_with_two_values_on_one_line.md", "type"),
        ("vault/Test Data/yaml_tags_with_one_value_on_single_line.md", "type"),
        ("vault/Test Data/yaml_tags_with_two_values_on_one_line.md", "type"),
    },
    "topics": {
        ("topics/minecraft-mod/index.md", "invisible"),  # a blank without width
        ("topics/opencomputers/index.md", "yaml"),  # quoted text goes on at column 0
        ("topics/qiskit/index.md", "yaml"),  # a key twice
    },
}

failures = []


def fail(message):
    failures.append(message)
    print("FAILED:", message)


class Program:
    def __init__(self, path, root, cache):
        self.path, self.root = path, root
        self.environment = {"XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache + "-state", "PATH": os.environ["PATH"], "TZ": "UTC"}

    def run(self, *words):
        done = subprocess.run([self.path, *words, "--root", self.root], env=self.environment,
                              capture_output=True, text=True)
        return done

    def call(self, tool, **arguments):
        done = self.run("call", tool, json.dumps(arguments))
        try:
            return json.loads(done.stdout or done.stderr)
        except ValueError:
            raise SystemExit(f"{tool} {arguments}: {done.stdout} {done.stderr}")


def tree(root):
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".notesdb"]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read()
    return found


NULL = object()  # `key:`, ~ and null, which are no text


def front_matter(text, path):
    if path.endswith((".yaml", ".yml")):
        return text, ""
    match = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", text, re.S | re.M)
    return (match.group(1), text[match.end():]) if match else ("", text)


def read_rows(base, schema):
    """id -> (fields as written, body); None where PyYAML cannot read the fields."""
    rows = {}
    kind = schema.get("rows", {})
    layout_is_folder = kind.get("layout") == "folder"
    recursive = layout_is_folder or any("**" in glob for glob in kind.get("include", []))
    for folder, folders, names in os.walk(base):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in ("assets", "node_modules")]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), base)
            stem, ending = os.path.splitext(path)
            is_index = name in ("index.md", "_index.md", "README.md")
            if ending not in (".md", ".yaml", ".yml") or name[0] in "._" and not is_index:
                continue
            if layout_is_folder != is_index or not recursive and os.sep in path:
                continue
            endings = [os.path.splitext(glob)[1] for glob in kind.get("include", [])]
            if endings and ending not in endings:
                continue
            row_id = os.path.dirname(path) if layout_is_folder else stem
            with open(os.path.join(base, path), encoding="utf-8") as file:
                text = file.read()
            fields, body = front_matter(text, path)
            try:
                node = yaml.compose(fields, Loader=yaml.BaseLoader)
                value = construct(node) if node is not None else {}
            except yaml.YAMLError:
                value = None
            rows[row_id] = (value, body)
    return rows


def construct(node):
    if isinstance(node, yaml.ScalarNode):
        plain = node.style is None
        return NULL if plain and node.value in ("", "~", "null", "Null", "NULL") else node.value
    if isinstance(node, yaml.SequenceNode):
        return [construct(item) for item in node.value]
    keys = [key.value for key, _ in node.value]
    if len(set(keys)) < len(keys):
        raise yaml.YAMLError("a key twice")
    return {key.value: construct(value) for key, value in node.value}


def expected_value(column, written):
    """What the column makes of a value; ... where only notesdb's own rules can say."""
    if written is NULL:
        return None
    kind = column["type"]
    if kind == "json":
        return ...
    if isinstance(written, list):
        flat = all(isinstance(item, str) or item is NULL for item in written)
        holds = kind in ("list", "multi-select") or column.get("multiple")
        return [None if item is NULL else item for item in written] if flat and holds else ...
    if isinstance(written, dict) or kind in ("list", "multi-select"):
        return ...
    if kind == "number":
        number = float(written)
        return int(number) if number == int(number) else number
    if kind == "checkbox":
        return {"true": True, "false": False}.get(written.lower(), ...)
    return written


def empty(value):
    return value in (None, "", []) or (isinstance(value, list) and all(v is None for v in value))


def moment(text):
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*"
                     r"(Z|[+-]\d\d:?\d\d)?$", text)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    when = datetime.datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0),
                             int(second or 0), int(((fraction or "0") + "000000")[:6]))
    if zone and zone != "Z":
        digits = zone[1:].replace(":", "")
        shift = datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        when += -shift if zone[0] == "+" else shift
    return when


def words_in(text):
    """As a full-text index sees them: letters and digits, without accents and case."""
    flat = unicodedata.normalize("NFD", text)
    flat = "".join(c for c in flat if not unicodedata.combining(c)).lower()
    return set(re.findall(r"[^\W_]+", flat))


def texts_of(value):
    if isinstance(value, dict):
        return " ".join(texts_of(item) for item in value.values())
    if isinstance(value, list):
        return " ".join(texts_of(item) for item in value)
    return value if isinstance(value, str) else ""


class Corpus:
    def __init__(self, name, program, root, seeds):
        self.name, self.program, self.root, self.seeds = name, program, root, seeds
        self.database = FOLDERS[name]
        self.compared = 0

    def run(self):
        before = tree(self.root)
        written = self.program.run("infer", self.database, "--write")
        if written.returncode:
            return fail(f"{self.name}: infer: {written.stderr}")
        after = tree(self.root)
        schema_file = os.path.join(self.database, "_schema.md")
        if set(after) - set(before) != {schema_file} or any(after[p] != before[p] for p in before):
            fail(f"{self.name}: infer --write changed more than {schema_file}")
        self.check_issues()
        self.schema = self.program.call("db_get_schema", database_id=self.database)
        self.columns = {column["id"]: column for column in self.schema["columns"]}
        schema = yaml.safe_load(front_matter(after[schema_file].decode(), schema_file)[0])
        self.rows = read_rows(os.path.join(self.root, self.database), schema)
        for path, rule in KNOWN.get(self.name, ()):
            row_id = os.path.splitext(os.path.relpath(path, self.database))[0]
            row_id = row_id.removesuffix("/index")
            if rule == "unreadable":
                self.rows.pop(row_id, None)
            elif rule == "yaml":
                self.rows[row_id] = (None, self.rows[row_id][1])
        self.compare_values()
        chance = random.Random(self.seeds)
        for _ in range(self.seeds):
            self.compare_filter(chance)
            self.compare_search(chance)
        self.compare_aggregates()
        print(f"{self.name}: {len(self.rows)} rows, {len(self.columns)} columns, "
              f"{self.compared} answers the same")

    def check_issues(self):
        issues = json.loads(self.program.run("check", "-o", "json").stdout)["issues"]
        found = {(issue["path"], issue["rule"]) for issue in issues}
        if found != KNOWN.get(self.name, set()):
            fail(f"{self.name}: check says {sorted(found ^ KNOWN.get(self.name, set()))}")

    def all_rows(self, **arguments):
        rows, offset = [], 0
        while offset is not None:
            page = self.program.call("db_query", database_id=self.database, limit=100, offset=offset,
                                     **arguments)
            if "rows" not in page:
                raise SystemExit(f"{self.name}: {arguments}: {page}")
            rows += page["rows"]
            offset = page.get("next_offset")
        if len(rows) != page["total"]:
            fail(f"{self.name}: pages hold {len(rows)} of {page['total']} rows")
        return rows

    def compare_values(self):
        found = {row["id"]: row["fields"] for row in self.all_rows()}
        if set(found) != set(self.rows):
            fail(f"{self.name}: rows {sorted(set(found) ^ set(self.rows))[:5]}")
        self.values = {}
        for row_id, fields in found.items():
            written = self.rows.get(row_id, (None, ""))[0]
            self.values[row_id] = fields
            if written is None:
                continue
            for column_id, column in self.columns.items():
                if column_id not in written:
                    if column_id in fields:
                        fail(f"{self.name}: {row_id} has no {column_id}")
                    continue
                expected = expected_value(column, written[column_id])
                if expected is not ... and fields.get(column_id, ...) != expected:
                    fail(f"{self.name}: {row_id}.{column_id} is {fields.get(column_id)!r}, "
                         f"expected {expected!r}")
                self.compared += 1

    def matching(self, column_id, operator, value):
        ids = set()
        kind = self.columns[column_id]["type"]
        for row_id, fields in self.values.items():
            held = fields.get(column_id)
            if operator in ("is_empty", "is_not_empty"):
                matches = empty(held) == (operator == "is_empty")
            elif held is None:
                matches = operator.startswith(("neq", "not_"))
            elif operator == "eq":
                matches = held == value
            elif operator == "neq":
                matches = held != value
            elif operator == "in":
                matches = held in value
            elif operator == "contains" and isinstance(held, list):
                matches = value.casefold() in (str(item).casefold() for item in held)
            elif operator == "contains":
                matches = value.casefold() in str(held).casefold()
            elif kind in ("date", "datetime"):
                matches = moment(held) >= moment(value)
            else:
                matches = held >= value
            if matches:
                ids.add(row_id)
        return ids

    def compare_filter(self, chance):
        plain = [c for c in self.columns.values() if c["type"] not in ("json", "relation", "rollup")]
        column = chance.choice(plain)
        held = [f[column["id"]] for f in self.values.values() if not empty(f.get(column["id"]))]
        kind = column["type"]
        held = [v for v in held if isinstance(v, list) == (kind in ("list", "multi-select"))]
        if not held:
            return
        value = chance.choice(held)
        if kind in ("list", "multi-select"):
            items = [item for item in value if item]
            if not items:
                return
            operator, value = chance.choice(["contains", "is_empty"]), chance.choice(items)
        elif kind == "checkbox":
            operator = chance.choice(["eq", "neq", "is_not_empty"])
        elif kind in ("date", "datetime"):
            operator = chance.choice(["gte", "is_empty"])
        elif kind == "number":
            operator = chance.choice(["eq", "gte", "neq", "in"])
        else:
            operator = chance.choice(["eq", "neq", "contains", "in", "is_not_empty"])
        condition = {"field": column["id"], "operator": operator}
        if operator == "in":
            value = [value, chance.choice(held)]
        if not operator.startswith("is_"):
            condition["value"] = value
        found = [row["id"] for row in self.all_rows(filters=[condition], select=[column["id"]])]
        expected = self.matching(column["id"], operator, value)
        if set(found) != expected:
            fail(f"{self.name}: {condition}: {sorted(set(found) ^ expected)[:5]}")
        self.compared += 1

    def compare_search(self, chance):
        row_id = chance.choice(sorted(self.rows))
        fields, body = self.rows[row_id]
        if fields is None:
            return
        candidates = sorted(w for w in words_in(body + " " + texts_of(fields))
                            if len(w) > 4 and w.isascii())
        if not candidates:
            return
        word = chance.choice(candidates)
        found = self.program.call("db_search", text=word, database_id=self.database, limit=100)
        ids = {row["id"] for row in found["rows"]}
        if row_id not in ids and found["total"] <= 100:
            fail(f"{self.name}: a search for {word} does not find {row_id}")
        expected = {other for other, (held, text) in self.rows.items()
                    if held is not None and word in words_in(text + " " + texts_of(held))}
        if len(expected - ids) > 0 and found["total"] <= 100:
            fail(f"{self.name}: a search for {word} misses {sorted(expected - ids)[:3]}")
        self.compared += 1

    def compare_aggregates(self):
        total = self.program.call("db_aggregate", database_id=self.database)["groups"][0]["count"]
        if total != len(self.values):
            fail(f"{self.name}: {total} rows counted of {len(self.values)}")
        for column_id, column in self.columns.items():
            if column["type"] == "select":
                answer = self.program.call("db_aggregate", database_id=self.database,
                                           group_by=[column_id])
                found = {group[column_id]: group["count"] for group in answer["groups"]}
                expected = {}
                for fields in self.values.values():
                    key = fields.get(column_id)
                    expected[key] = expected.get(key, 0) + 1
                if found != expected:
                    fail(f"{self.name}: groups of {column_id}: {found}, expected {expected}")
                self.compared += 1
            if column["type"] == "number":
                numbers = [f[column_id] for f in self.values.values()
                           if isinstance(f.get(column_id), (int, float))]
                metrics = [{"function": name, "field": column_id, "as": name}
                           for name in ("sum", "min", "max", "count_distinct")]
                group = self.program.call("db_aggregate", database_id=self.database,
                                          metrics=metrics)["groups"][0]
                expected = {"sum": sum(numbers), "min": min(numbers), "max": max(numbers),
                            "count_distinct": len(set(numbers))}
                if group != expected:
                    fail(f"{self.name}: {column_id}: {group}, expected {expected}")
                self.compared += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("corpora")
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    if not os.path.isdir(options.corpora):
        print("no corpora here: nothing compared; set NOTESDB_CORPORA to their folder")
        return
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(FOLDERS):
            root = os.path.join(scratch, name)
            shutil.copytree(os.path.join(options.corpora, name), root)
            program = Program(os.path.abspath(options.program), root, os.path.join(scratch, "cache"))
            Corpus(name, program, root, options.seeds).run()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
