#!/usr/bin/env python3
"""Questions of chance, answered by a server and by commands, held against an evaluator that shares nothing with them.

A database of rows with every kind of column, missing, empty, null and unfitting values is asked random questions: filters
with every operator that suits a column, `any` groups, sorts, pages, selected columns, counts by group. Between the questions
rows are written, made, taken away and renamed from outside. Totals, ids, their order and every value told must be those of
asked_rows.py. A dose is the number of questions; every tenth is asked by a command too, every twentieth without its cache.
"""

import json
import os
import random
import sys
from collections import Counter

import asked_rows
import faults

ROWS = 120
OF_ORDER = ["gt", "gte", "lt", "lte"]
WRITTEN = ["contains", "not_contains", "starts_with", "ends_with", "matches"]
OF_EVERY = ["eq", "neq", "in", "not_in", "is_empty", "is_not_empty"]
OPERATORS = {
    "title": OF_EVERY + OF_ORDER + WRITTEN, "state": OF_EVERY + OF_ORDER + WRITTEN, "_id": OF_EVERY + WRITTEN,
    "_body": ["contains", "not_contains", "starts_with"],
    "n": OF_EVERY + OF_ORDER, "m": OF_EVERY + OF_ORDER, "done": OF_EVERY,
    "due": OF_EVERY + OF_ORDER, "at": OF_EVERY + OF_ORDER + WRITTEN,
    "labels": OF_EVERY + ["contains", "not_contains", "matches"], "words": OF_EVERY + ["contains", "not_contains"],
}
PIECES = ["a", "Ä", "är", "STRASSE", "straße", "σ", "01", "2026-01", ":", "e", "MEHR", "😀", "row-1"]
PATTERNS = ["^Z", "[0-9]+$", "a.b", "(?i)ärger", "e$", "^2026-0[12]"]


def one_value(column):
    """A value to compare with: as it is asked for, and as the column means it."""
    if column == "_id":
        row_id = f"row-{random.randrange(1, ROWS + 20)}"
        return row_id, row_id
    if column == "_body":
        return "words", "words"
    if column in asked_rows.LISTS:
        item = random.choice(["Red", "blue", "straße"] if column == "labels" else ["a", "b, c", "012", "yes", "A", ""])
        return item, item
    known = [pair for pair in asked_rows.VALUES[column] if pair[1] not in (None, asked_rows.MISFIT, "")]
    written, meaning = random.choice(known)
    if column in ("n", "m"):
        return random.choice([meaning, str(meaning)]), meaning
    if column == "done":
        return random.choice([meaning, str(meaning).lower()]), meaning
    return (written, meaning) if column in ("due", "at") else (meaning, meaning)


def a_filter():
    """A triple as it is asked, and the same with what its value means."""
    column = random.choice(list(OPERATORS))
    operator = random.choice(OPERATORS[column])
    if operator in ("is_empty", "is_not_empty"):
        return {"field": column, "operator": operator}, (column, operator, None)
    if operator == "matches":
        asked = meant = random.choice(PATTERNS)
    elif operator in WRITTEN:
        asked = meant = one_value(column)[1] if column in asked_rows.LISTS else random.choice(PIECES)
    elif operator in ("in", "not_in"):
        asked, meant = map(list, zip(*(one_value(column) for _ in range(random.randrange(1, 4)))))
    elif column in asked_rows.LISTS:
        asked = meant = [one_value(column)[1] for _ in range(random.randrange(1, 3))]
    else:
        asked, meant = one_value(column)
    return {"field": column, "operator": operator, "value": asked}, (column, operator, meant)


class Asked:
    """One database, what lies in it, and those who are asked."""

    def __init__(self, workspace, report):
        self.workspace, self.report = workspace, report
        workspace.write("asked/_schema.md", asked_rows.SCHEMA)
        self.rows, self.number = {}, 0
        self.before = []  # (filters as asked, what they mean, sorts): a server keeps what is asked again
        for _ in range(ROWS):
            self.make()
        self.client = workspace.client()

    def put(self, row):
        self.rows[row.id] = row
        self.workspace.write(f"asked/{row.id}.md", row.text)

    def make(self):
        self.number += 1
        self.put(asked_rows.Row(f"row-{self.number}"))

    def change(self):
        kind, row_id = random.choice(["write", "write", "make", "take", "rename"]), random.choice(list(self.rows))
        if kind == "write":
            self.put(asked_rows.Row(row_id))
        elif kind == "make":
            self.make()
        elif kind == "take" and len(self.rows) > ROWS // 2:
            os.remove(self.workspace.path(f"asked/{row_id}.md"))
            del self.rows[row_id]
        elif kind == "rename":
            row = self.rows.pop(row_id)
            self.number += 1
            row.id = f"row-{self.number}"
            os.rename(self.workspace.path(f"asked/{row_id}.md"), self.workspace.path(f"asked/{row.id}.md"))
            self.rows[row.id] = row

    def filters(self):
        asked, meant = [], []
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            alternatives = [a_filter() for _ in range(random.choice([1, 1, 1, 2, 3]))]
            triples = [triple for triple, _ in alternatives]
            asked.append(triples[0] if len(triples) == 1 else {"any": triples})
            meant.append([meaning for _, meaning in alternatives])
        return asked, meant

    def question(self):
        """Filters and sorts, two of five times ones that were asked before."""
        if self.before and random.random() < 0.4:
            return random.choice(self.before[-8:])
        fields = random.sample(asked_rows.SORTED, random.choice([0, 1, 2]))
        self.before.append((*self.filters(), [(field, random.choice(["asc", "desc"])) for field in fields]))
        return self.before[-1]

    def ask(self, number):
        filters, meant, sorts = self.question()
        found = [row for row in self.rows.values() if all(any(row.holds(*each) for each in group) for group in meant)]
        if random.random() < 0.2:
            self.compare_groups(filters, found)
            return
        select = random.sample(list(asked_rows.VALUES), random.randrange(1, len(asked_rows.VALUES)))
        question = {"filters": filters, "sort": [{"field": field, "direction": way} for field, way in sorts], "select": select,
                    "limit": random.choice([0, 1, 7, 50, 100]), "offset": random.choice([0, 0, 3, 40])}
        page = asked_rows.in_order(found, sorts)[question["offset"]:question["offset"] + question["limit"]]
        wanted = {"total": len(found), "rows": [[row.id, row.told(select)] for row in page]}
        self.compare(question, wanted, self.client.call("db_query", database_id="asked", **question), "the server")
        if number % 10 == 0:
            words = ["call", "db_query", json.dumps({"database_id": "asked", **question})]
            done = self.workspace.run(*words, *(["--no-server", "--no-cache"] if number % 20 == 0 else ["--no-server"]))
            self.compare(question, wanted, json.loads(done.stdout or b"{}"), "a command")

    def compare(self, question, wanted, answer, whose):
        told = {"total": answer.get("total"), "rows": [[row["id"], row["fields"]] for row in answer.get("rows", [])]}
        if told != wanted:
            self.report.complain(f"{whose}: {json.dumps(question, ensure_ascii=False)}\n  wanted {wanted}\n  told   {told}"
                                 f"\n  {answer.get('error', '')}")

    def compare_groups(self, filters, found):
        column = random.choice(["title", "done", "state", "m"])
        answer = self.client.call("db_aggregate", database_id="asked", filters=filters, group_by=[column], limit=100,
                                  metrics=[{"function": "count"}, {"function": "sum", "field": "m"}])
        counts, sums = Counter(), Counter()
        for row in found:
            value = row.value(column)
            value = None if value is asked_rows.MISSING else value
            counts[value] += 1
            number = row.value("m")
            sums[value] += number if isinstance(number, (int, float)) else 0
        told = {(group.get(column), group["count"], group["sum_m"] or 0) for group in answer.get("groups", [])}
        if told != {(value, count, sums[value]) for value, count in counts.items()}:
            self.report.complain(f"by {column} of {json.dumps(filters, ensure_ascii=False)}\n  wanted {counts} {sums}\n  told {answer}")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=300)
    report = faults.Report(given)
    asked = 0
    while asked < given.dose and not faults.time_is_up(given):
        with faults.Workspace(given) as workspace:
            game = Asked(workspace, report)
            for _ in range(min(500, given.dose - asked)):
                for _ in range(random.choice([0, 0, 1, 3])):
                    game.change()
                asked += 1
                game.ask(asked)
            game.client.kill()
    report.end(test="questions", questions=asked)


if __name__ == "__main__":
    sys.exit(main())
