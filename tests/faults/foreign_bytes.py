#!/usr/bin/env python3
"""Every field of every text of real folders is edited, and nothing but the lines of that field may change.

The folders are those in NOTESDB_CORPORA, each made a database whose columns are the keys found in it. Of each text every
field is set to the value that it has, which must leave the file as it is, byte for byte; then to another one, one field
after the other. Where a field begins and ends is found here, by looking at lines, so that the program is not measured by
its own notion; PyYAML, where it is, reads what stands there then. A text that cannot be read and a field that cannot be
told apart must be refused and left alone. A dose is the number of texts; 0 is all.
"""

import json
import os
import random
import re
import shutil

import faults

try:
    import yaml
except ImportError:
    yaml = None

ANOTHER = "another: value # with 'quotes\""


def corpora():
    """Where they are, and the names of the folders in there."""
    folder = os.environ.get("NOTESDB_CORPORA", "")
    if os.path.isdir(folder):
        return folder, sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
    faults.skip("NOTESDB_CORPORA names no folder of corpora")
    return None


class Database:
    """The notes of a corpus as the rows of one folder, under names of ours; all their keys are columns."""

    def __init__(self, workspace, name, source):
        self.workspace, self.name = workspace, name
        self.declare(["none_of_the_keys"])
        self.files = {}  # row id -> (its file, where it comes from)
        for folder, _, names in sorted(os.walk(source)):
            for each in sorted(names):
                if each.endswith((".md", ".yaml", ".yml")):
                    self.take(os.path.join(folder, each))
        client = workspace.client()
        self.keys = list(client.call("db_get_schema", database_id=name)["undeclared"])
        client.close()
        self.declare(self.keys)
        self.client = workspace.client()

    def take(self, note):
        row = f"note-{len(self.files):05}"
        path = self.workspace.path(f"{self.name}/{row}") + (".md" if note.endswith(".md") else ".yaml")
        shutil.copyfile(note, path)
        self.files[row] = path, note

    def declare(self, keys):
        columns = "".join(f"- {{id: {json.dumps(key)}, type: json}}\n" for key in keys)
        self.workspace.write(self.name + "/_schema.yaml", f"name: {self.name}\ncolumns:\n{columns}")

    def path(self, row):
        return self.files[row][0]

    def get(self, row):
        return self.client.call("db_get_row", database_id=self.name, row_id=row)

    def set(self, row, etag, key, value):
        return self.client.call("db_update_row", database_id=self.name, row_id=row, etag=etag, fields={key: value})


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def front_matter(text, is_yaml):
    """The lines of the fields: number of the first, of the one behind the last; None if there are none."""
    lines = text.splitlines(keepends=True)
    if is_yaml:
        return lines, 0, len(lines)
    if not lines or lines[0].lstrip(b"\xef\xbb\xbf").rstrip() != b"---":
        return lines, None, None
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in (b"---", b"..."):
            return lines, 1, number
    return lines, None, None


def end_of_quoted(lines, number, behind):
    """Behind the line with the closing quote of a value that begins with one, which may go on at the first column."""
    value = re.match(rb"[^:]*:[ \t]+(['\"].*)", lines[number], re.S)
    if not value:
        return number + 1
    whole = rb"'(?:[^']|'')*'" if value.group(1).startswith(b"'") else rb'"(?:[^"\\]|\\.)*"'
    text = value.group(1)
    while not re.match(whole, text, re.S) and number + 1 < behind:
        number += 1
        text += lines[number]
    return number + 1 if re.match(whole, text, re.S) else 0


def span_of(text, key, is_yaml):
    """(bytes before the field, bytes behind it) by the look of its lines; None if it is not found just once."""
    lines, first, behind = front_matter(text, is_yaml)
    if first is None:
        return None
    begins = re.compile(rb"""(["']?)""" + re.escape(key.encode()) + rb"""\1\s*:(\s|$)""")
    found = [number for number in range(first, behind) if begins.match(lines[number])]
    if len(found) != 1:
        return None
    end = max(found[0] + 1, end_of_quoted(lines, found[0], behind))
    for number in range(end, behind):
        line = lines[number]
        if re.match(rb"[ \t]+\S|- |-\r?\n|[\]}]", line):
            end = number + 1  # belongs to the field, and so does what is blank in between
        elif line.strip() and not line.startswith(b"#"):
            break
    return b"".join(lines[:found[0]]), b"".join(lines[end:])


def read_by_another(lines):
    """What PyYAML sees in the lines of a field; None where it refuses them."""
    try:
        return yaml.load(lines, yaml.BaseLoader)
    except (yaml.YAMLError, ValueError):
        return None


class Trial:
    def __init__(self, report):
        self.report = report
        self.texts = self.fields = self.edits = self.unreadable = self.untouchable = 0

    def same(self, where, database, row, key, value):
        """Set to what it is: not a byte."""
        path, (etag, text) = database.path(row), self.now
        before = os.stat(path)
        done = database.set(row, etag, key, value)
        if faults.code_of(done) is None:
            self.edits += 1
        if bytes_of(path) != text or os.stat(path).st_mtime_ns != before.st_mtime_ns:
            self.report.complain(f"{where}: set to the value that it has, and the file changed")

    def other(self, where, database, row, key):
        """Set to something else: its own lines and no other."""
        path, (etag, text) = database.path(row), self.now
        span = span_of(text, key, not path.endswith(".md"))
        done = database.set(row, etag, key, ANOTHER)
        now = bytes_of(path)
        if faults.code_of(done) is not None:
            self.untouchable += 1
            if now != text or faults.code_of(done) == "internal":
                self.report.complain(f"{where}: refused, and not left alone: {str(done)[:200]}")
            return
        self.edits += 1
        self.now = done["row"]["etag"], now
        if span is None:
            self.report.complain(f"{where}: edited, though the field cannot be told apart")
            return
        before, behind = span
        if not now.startswith(before) or not now.endswith(behind) or len(now) < len(before) + len(behind):
            self.report.complain(f"{where}: bytes beside the field have changed")
        own = now[len(before):len(now) - len(behind)]
        was = text[len(before):len(text) - len(behind)]
        if yaml and read_by_another(own) != {key: ANOTHER} and read_by_another(was) is not None:
            self.report.complain(f"{where}: another reader sees {own[:100]!r}")

    def text(self, database, row):
        self.texts += 1
        answer = database.get(row)
        if faults.code_of(answer) is not None:
            self.unreadable += 1
            return
        seen = answer["row"]
        self.now = seen["etag"], bytes_of(database.path(row))
        where = database.files[row][1]
        keys = [key for key in database.keys if key in seen["fields"]]
        self.fields += len(keys)
        for key in keys:
            if seen["fields"][key] is None:
                continue  # to set a field to null is to clear it
            self.same(f"{where} {key}", database, row, key, seen["fields"][key])
        for key in keys:
            self.other(f"{where} {key}", database, row, key)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=0)
    report = faults.Report(given)
    folder, names = corpora()
    trial = Trial(report)
    with faults.Workspace(given) as workspace:
        databases = [Database(workspace, name, os.path.join(folder, name)) for name in names]
        texts = [(database, row) for database in databases for row in database.files]
        if given.dose:
            texts = random.sample(texts, min(given.dose, len(texts)))
        for database, row in texts:
            trial.text(database, row)
        for database in databases:
            database.client.close()
    report.end(test="foreign_bytes", texts=trial.texts, fields=trial.fields, edits=trial.edits, unreadable=trial.unreadable,
               untouchable=trial.untouchable, corpora=names)


if __name__ == "__main__":
    main()
