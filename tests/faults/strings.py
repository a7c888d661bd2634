#!/usr/bin/env python3
"""Strings that other readers of YAML take for something else are written by the program, and read back by them.

Each string is written as a value, as an item of a list and as a key, by an insert or over a row that was written by
hand in one of several styles. Then the program, and every other reader of yaml_readers.py that this machine has, must
see that very string, and a string. The first ones are those of fixtures/awkward_strings.json, the rest are put together
by chance from the same stuff. A dose is the number of strings.
"""

import json
import os
import random
import sys

import faults
import yaml_readers

HERE = os.path.dirname(os.path.abspath(__file__))
AT_ONCE = 50  # strings in a row
PIECES = ["", " ", "  ", "\t", "\n", "\n\n", "\r\n", ":", ": ", " :", "#", " #", "-", "- ", "---", "...", "?", "? ", "[", "]", "{",
          "}", ",", "&a", "*a", "!t", "|", ">", "%", "@", "`", "'", "\"", "''", "\\", "\\n", "~", "null", "true", "yes", "No", "on",
          "1", "0", "012", "0x1F", "0o7", "1e3", ".5", "1_000", "12:30", "2024-01-01", ".inf", ".nan", "=", "<<", "a", "word", "é",
          "\u00a0", "\u0085", "\u2028", "\ufeff", "\u200b", "\u202e", "\U0001f600", "\x00", "\x07", "\x1b[31m", "\x7f", "\u0080",
          "[[Link]]", "key: value", "](x)", "$(id)", "\u0301"]
BY_HAND = ["---\n{keys}items: [old] # c\nkeyed:\n  old: 1\n---\nBody.\n",
           "---\nkeyed: {{old: 1}}\nitems:\n- 'old'\n{keys}# end\n---\nBody.\n"]
STYLES = ["old", "'old'", "\"old\"", "|\n  old\n  text", "old # comment"]


def by_chance():
    if random.random() < 0.1:
        return "".join(chr(random.choice([random.randrange(1, 128), random.randrange(128, 0x2100)])) for _ in range(random.randrange(1, 12)))
    return "".join(random.choice(PIECES) for _ in range(random.randrange(1, 6)))


def strings_of(dose):
    with open(os.path.join(HERE, "../../fixtures/awkward_strings.json"), encoding="utf-8") as file:
        hostile = json.load(file)
    return hostile, hostile[:dose] + [by_chance() for _ in range(dose - len(hostile))]


def fields_of(strings):
    return {**{f"v{number}": text for number, text in enumerate(strings)}, "items": strings,
            "keyed": {text: number for number, text in enumerate(strings) if text}}  # an empty key is refused


def written(client, workspace, row, fields):
    """The answer to writing them as a row: a new one, or over one written by hand."""
    if random.random() < 0.5:
        return client.call("db_insert_row", database_id="strings", row_id=row, fields=fields, body="Body.\n")
    keys = "".join(f"v{number}: {random.choice(STYLES)}\n" for number in range(AT_ONCE))
    workspace.write(f"strings/{row}.md", random.choice(BY_HAND).format(keys=keys))
    etag = client.call("db_get_row", database_id="strings", row_id=row)["row"]["etag"]
    return client.call("db_update_row", database_id="strings", row_id=row, etag=etag, fields=fields)


def front_matter(workspace, row):
    with open(workspace.path(f"strings/{row}.md"), encoding="utf-8", newline="") as file:
        text = file.read()
    return text[4:text.index("\n---\n") + 1]


def compare(report, reader, row, wanted, seen):
    """How many strings were compared."""
    if not isinstance(seen, dict):
        report.complain(f"{reader} does not read {row}: {seen}")
        return 0
    for key, value in wanted.items():
        if seen.get(key) != value:
            report.complain(f"{reader}: {row}, {key}: {str(value)[:300]!r} was read as {str(seen.get(key))[:300]!r}")
    return 3 * len(wanted["items"])


def main():
    given = faults.options(__doc__.splitlines()[0], dose=2000)
    report = faults.Report(given)
    readers, missing = yaml_readers.found(given.program)
    hostile, strings = strings_of(given.dose)
    rows = {f"r{start:06}": fields_of(strings[start:start + AT_ONCE]) for start in range(0, len(strings), AT_ONCE)}
    readings, stored = 0, []
    with faults.Workspace(given) as workspace:
        columns = "".join(f"- {{id: v{number}, type: text}}\n" for number in range(AT_ONCE))
        workspace.write("strings/_schema.yaml", "name: Strings\ncolumns:\n" + columns +
                        "- {id: items, type: list}\n- {id: keyed, type: json}\n")
        client = workspace.client()
        for row, fields in rows.items():
            answer = written(client, workspace, row, fields)
            if "row" not in answer:
                report.complain(f"{row} is refused: {str(answer)[:500]}")
            else:
                stored.append(row)
        for row in stored:
            seen = client.call("db_get_row", database_id="strings", row_id=row).get("row", {})
            readings += compare(report, "notesdb", row, rows[row], seen.get("fields"))
        client.close()
        texts = [front_matter(workspace, row) for row in stored]
        for reader in readers:
            for row, read in zip(stored, reader.typed(texts)):
                seen = read["value"] if isinstance(read, dict) else read
                readings += compare(report, reader.name, row, rows[row], seen)
    report.end(test="strings", strings=len(strings), hostile=min(len(hostile), len(strings)), readings=readings,
               readers=["notesdb", *(reader.name for reader in readers)], missing=missing)


if __name__ == "__main__":
    sys.exit(main())
