#!/usr/bin/env python3
"""Rows damaged in every way that people, editors and programs damage them: each is named, and none harms another.

A database of good rows, of which those of a few are damaged, each kind of damage in turn; and at last a database where
three in ten are, in all ways at once. Then

  - `check` names every damaged row, with the line where the damage is one of lines, and not one good row;
  - a query tells all good rows as they are, and of the damaged ones those that can be read at all;
  - no byte of any of them has changed, also after a good row was updated.

The kinds are at KINDS below. A dose is the number of rows that each kind damages.
"""

import json
import random

import faults

SCHEMA = """---
name: Tasks
columns:
  - {id: title, type: text, required: true}
  - {id: count, type: number, min: 0, max: 1000}
  - {id: status, type: select, options: [open, done]}
  - {id: tags, type: multi-select, options: [red, blue]}
  - {id: due, type: date}
  - {id: at, type: datetime}
  - {id: done, type: checkbox}
  - {id: link, type: url}
  - {id: code, type: text, unique: true, pattern: "^[A-Z]+$"}
  - {id: parent, type: relation, target: tasks}
next_row_id: 1
---
"""
FIRST = "a-0"


def letters(number):
    return "".join(chr(ord("A") + int(digit)) for digit in str(number))


def good(number):
    return (f"---\ntitle: Row {number}\ncount: {number % 1000}\nstatus: {random.choice(['open', 'done'])}\n"
            f"tags: [{random.choice(['red', 'blue'])}]\ndue: 2026-0{random.randint(1, 9)}-1{random.randint(0, 9)}\n"
            f"at: 2026-01-02T03:04:05\ndone: {random.choice(['true', 'false'])}\nlink: https://example.org/{number}\n"
            f"code: {letters(number)}\nparent: {FIRST}\n---\nText of {number}.\n").encode()


def field(name, value):
    """Its line with another value."""
    def damage(text):
        lines = text.split(b"\n")
        at = next(number for number, line in enumerate(lines) if line.startswith(name.encode() + b":"))
        value_bytes = value if isinstance(value, bytes) else value.encode()
        lines[at] = name.encode() + b": " + value_bytes
        return b"\n".join(lines), at + 1
    return damage


def line(words, before="due"):
    """A line that is put in."""
    def damage(text):
        at = text.index(before.encode() + b":")
        return text[:at] + words.encode() + b"\n" + text[at:], text[:at].count(b"\n") + 1
    return damage


def whole(change):
    return lambda text: (change(text), None)


# What a person would call it, and what becomes of a text: the damaged one, and the line of the damage if there is one.
KINDS = {
    "a quote never closed": field("title", '"Row'),
    "a single quote never closed": field("title", "'Row"),
    "a bracket never closed": field("tags", "[red"),
    "a brace never closed": field("title", "{a: b"),
    "text behind a quote": field("title", '"Row" one'),
    "text behind a list": field("tags", "[red] blue"),
    "a colon within a value": field("title", "Row: one"),
    "a value that begins with @": field("title", "@row"),
    "a value that begins with a backtick": field("title", "`row`"),
    "a value that begins with %": field("title", "%row"),
    "an item missing between commas": field("tags", "[red, , blue]"),
    "an alias": field("title", "*row"),
    "an anchor": field("title", "&row text"),
    "a tag": field("title", "!row text"),
    "an unknown escape": field("title", '"\\q"'),
    "a control character": field("title", "Row \x01"),
    "a byte that is no UTF-8": field("title", b"Row \xff"),
    "a NUL": field("title", "Row \0"),
    "a carriage return alone": field("title", "Row\rone"),
    "a duplicate key": line("count: 2"),
    "a line of words": line("words without a colon"),
    "a key without a blank": line("extra:text"),
    "a tab that indents": line("extra:\n\t- one"),
    "an item under a scalar": line("  - deeper"),
    "a merge's conflict": line("<<<<<<< ours\ncount: 1\n=======\ncount: 2\n>>>>>>> theirs"),
    "a number that is text": field("count", "many"),
    "a number above the most": field("count", "1001"),
    "a number below the least": field("count", "-1"),
    "a number in a list": field("count", "[1]"),
    "an unknown option": field("status", "opne"),
    "an unknown option among several": field("tags", "[red, green]"),
    "a date that is none": field("due", "2026-02-30"),
    "a date in words": field("due", "soon"),
    "a moment that is none": field("at", "2026-01-02T25:00:00"),
    "a checkbox that is text": field("done", "perhaps"),
    "two addresses for one": field("link", "[https://a.org, https://b.org]"),
    "a value that its pattern refuses": field("code", "abc"),
    "a value that is another's alone": field("code", "A"),
    "a row that is not there": field("parent", "nobody"),
    "a required field that is empty": field("title", ""),
    "a map in the place of a text": field("title", "\n  a: b"),
    "no closing marks": whole(lambda text: text[:text.rindex(b"---\n")]),
    "cut off in the middle": whole(lambda text: text[:text.index(b"tags")]),
    "emptied": whole(lambda text: b""),
    "the marks are gone": whole(lambda text: text.replace(b"---\n", b"")),
    "zeros in the place of the text": whole(lambda text: b"\0" * len(text)),
    "bytes of another encoding": whole(lambda text: text.decode().encode("utf-16")),
}
KIND_NAMES = list(KINDS)
FIRST_OF_SCHEMA = KIND_NAMES.index("a number that is text")  # from here on the text is YAML


class Trial:
    def __init__(self, given, report, kinds, rows):
        """Rows of which the first len(kinds) are damaged, each in its way."""
        self.report, self.kinds = report, kinds
        self.workspace = faults.Workspace(given)
        self.workspace.write("tasks/_schema.md", SCHEMA)
        self.texts, self.lines = {}, {}
        for number in range(rows):
            text, name = good(number), f"a-{number}"
            if 0 < number <= len(kinds):
                name = f"damaged-{number}"
                text, self.lines[f"tasks/{name}.md"] = KINDS[kinds[number - 1]](text)
            self.texts[f"tasks/{name}.md"] = text
            with open(self.workspace.path(f"tasks/{name}.md"), "wb") as file:
                file.write(text)

    def kind_of(self, path):
        return self.kinds[int(path.split("-")[1][:-3]) - 1]

    def check(self):
        done = self.workspace.run("check", "--json")
        named = {}
        for issue in json.loads(done.stdout)["issues"]:
            named.setdefault(issue["path"], []).append(issue.get("line"))
        for path, line_of_damage in self.lines.items():
            if path not in named:
                self.report.complain(f"{self.kind_of(path)}: not named")
            elif line_of_damage and not any(line and abs(line - line_of_damage) <= 1 for line in named[path]):
                self.report.complain(f"{self.kind_of(path)}: in line {line_of_damage}, named in {named[path]}")
        for path in set(named) - set(self.lines):
            self.report.complain(f"a good row is named beside {set(self.kinds)}: {path}")

    def query(self):
        done = self.workspace.run("query", "tasks", "--json", "--limit", "10000")
        answer = json.loads(done.stdout)
        told = {f"tasks/{row['id']}.md": row for row in answer["rows"]}
        for path, text in self.texts.items():
            if path in self.lines:
                continue
            title = text.split(b"\n")[1][len("title: "):].decode()
            if told.get(path, {}).get("fields", {}).get("title") != title or told[path].get("issues"):
                self.report.complain(f"a good row is told otherwise beside {set(self.kinds)}: {told.get(path)}")
        for path in set(self.lines) & set(told):
            if KIND_NAMES.index(self.kind_of(path)) < FIRST_OF_SCHEMA and not told[path].get("issues"):
                self.report.complain(f"{self.kind_of(path)}: told as if nothing were wrong: {str(told[path])[:200]}")

    def update(self):
        done = self.workspace.run("update", "tasks", FIRST, "--set", "count=7")
        if done.returncode != 0:
            self.report.complain(f"a good row is not updated beside {set(self.kinds)}: {done.stderr.decode()[:200]}")

    def look(self):
        for path, text in self.texts.items():
            with open(self.workspace.path(path), "rb") as file:
                if path != f"tasks/{FIRST}.md" and file.read() != text:
                    self.report.complain(f"{path} has changed")

    def run(self):
        with self.workspace:
            self.check()
            self.query()
            self.update()
            self.look()
            return len(self.lines)



def main():
    given = faults.options(__doc__.splitlines()[0], dose=5)
    report = faults.Report(given)
    damaged = 0
    for kind in KINDS:
        damaged += Trial(given, report, [kind] * given.dose, 2 * given.dose + 2).run()
    every = [kind for kind in KINDS for _ in range(given.dose)]
    random.shuffle(every)
    damaged += Trial(given, report, every, round(len(every) / 0.3)).run()
    report.end(test="damage", kinds=len(KINDS), damaged=damaged)


if __name__ == "__main__":
    main()
