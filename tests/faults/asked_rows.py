"""Rows of chance and what a question finds in them: the contract's chapters on reading, filters and sorting, once more.

It shares no code with notesdb and no way of working: a row is a dict of values that are known because they were made, and
a question looks at each row in turn. What a field's text means is written beside the text that stands in the file.
"""

import datetime
import random
import re

MISSING = object()
MISFIT = object()  # a value that does not fit its column: no match but for the negated operators
UTC = datetime.timezone.utc


def moment(*numbers, offset=0):
    """A date or a time, without a zone taken as written."""
    zone = datetime.timezone(datetime.timedelta(minutes=offset))
    return datetime.datetime(*numbers, tzinfo=zone).astimezone(UTC)


# By column: what may stand in the file, and what that means. A date means its moment and is told as written.
NOTHING = [("null", None), ("~", None), ("", None)]
DATES = [("2026-01-31", moment(2026, 1, 31)), ("2026-02-01", moment(2026, 2, 1)), ("2026-01-31T00:00:00Z", moment(2026, 1, 31)),
         ("2026-01-31 9:05", moment(2026, 1, 31, 9, 5)), ("2026-01-31T10:05:00+01:00", moment(2026, 1, 31, 9, 5)),
         ("2025-12-31T23:30:00-0500", moment(2026, 1, 1, 4, 30)), ("2024-02-29", moment(2024, 2, 29))]
TEXTS = ["yes", "012", "1.10", "12:30", "2026-01-01", "0671037706", "true", "Ärger", "äRGER und mehr", "straße", "STRASSE", "ΣΑΣ",
         "σας", "zebra", "Zebra", "a b", "x", "😀 smile", "\uffee wide"]
VALUES = {
    "title": [(text, text) for text in TEXTS] + [('"quoted: text"', "quoted: text"), ("'it''s'", "it's"), ('""', "")] + NOTHING,
    "n": [("1", 1), ("1.0", 1), ("012", 12), ("-3", -3), ("2.5", 2.5), ("1e3", 1000), ("0", 0), ("90071992", 90071992),
          ("seven", MISFIT)] + NOTHING,
    "m": [("1", 1), ("2", 2), ("10", 10), ("-0.5", -0.5), ("3.25", 3.25)] + NOTHING,
    "done": [("true", True), ("True", True), ("false", False), ("FALSE", False)] + NOTHING,
    "due": DATES + [("31.1.2026", MISFIT)] + NOTHING,
    "at": DATES + NOTHING,
    "state": [(text, text) for text in ("open", "In Arbeit", "Done", "done", "late")] + NOTHING,
    "labels": [("[]", []), ("[Red]", ["Red"]), ("[Red, blue]", ["Red", "blue"]), ("[blue, Red]", ["blue", "Red"]),
               ("\n  - straße\n  - Red", ["straße", "Red"]), ("\n- blue", ["blue"]), ("[~]", [None])] + NOTHING,
    "words": [("[a, 'b, c']", ["a", "b, c"]), ("[\"\"]", [""]), ("\n  - 012\n  - yes", ["012", "yes"]), ("[]", []),
              ("[A]", ["A"])] + NOTHING,
}
LISTS = {"labels", "words"}
SORTED = ("title", "m", "at", "done", "state", "_id")  # whose order the contract tells for every value
SCHEMA = """---
name: Asked
columns:
  - {id: title, type: text}
  - {id: n, type: number}
  - {id: m, type: number}
  - {id: done, type: checkbox}
  - {id: due, type: date}
  - {id: at, type: datetime}
  - {id: state, type: select, options: [open, In Arbeit, Done, done, late]}
  - {id: labels, type: multi-select, options: [Red, blue, straße]}
  - {id: words, type: list}
---
"""


def make_row():
    """The text of a file, and its fields: {column: (as written, meaning)}."""
    fields, lines = {}, []
    for column, values in VALUES.items():
        if random.random() < 0.25:
            continue
        written, meaning = random.choice(values)
        fields[column] = written, meaning
        lines.append(f"{column}: {written}".rstrip(" ") + random.choice(["", "", "   # why"] if "\n" not in written else [""]) + "\n")
    random.shuffle(lines)
    body = random.choice(["", "Some words.\n", "Ärger und MEHR\n"])
    return "---\n" + "".join(lines) + "---\n" + body, fields, body


def told(column, field):
    """A field as an answer tells it."""
    written, meaning = field
    if column in ("due", "at") or meaning is MISFIT:
        return None if meaning is None else written
    return meaning


def fold(text):
    """Unicode's simple case folding: one character for one."""
    folded = (character.casefold() for character in text)
    return "".join(f if len(f) == 1 else c.lower() if len(c.lower()) == 1 else c for c, f in zip(text, folded))


def is_empty(value):
    return value in (MISSING, None, "") or (isinstance(value, list) and all(each is None for each in value))


POSITIVE = {
    "eq": lambda value, wanted: value == wanted and isinstance(value, bool) == isinstance(wanted, bool),
    "gt": lambda value, wanted: value > wanted,
    "gte": lambda value, wanted: value >= wanted,
    "lt": lambda value, wanted: value < wanted,
    "lte": lambda value, wanted: value <= wanted,
    "in": lambda value, wanted: any(value == each for each in wanted),
}
OF_TEXT = {
    "contains": lambda text, wanted: fold(wanted) in fold(text),
    "starts_with": lambda text, wanted: fold(text).startswith(fold(wanted)),
    "ends_with": lambda text, wanted: fold(text).endswith(fold(wanted)),
    "matches": lambda text, wanted: re.search(wanted, text) is not None,
}
OF_LIST = {
    "eq": lambda items, wanted: items == wanted,
    "contains": lambda items, wanted: any(each is not None and fold(each) == fold(wanted) for each in items),
    "in": lambda items, wanted: any(each in wanted for each in items),
    "matches": lambda items, wanted: any(each is not None and re.search(wanted, each) is not None for each in items),
}
NEGATED = {"neq": "eq", "not_contains": "contains", "not_in": "in"}


class Row:
    def __init__(self, row_id):
        self.id = row_id
        self.text, self.fields, self.body = make_row()

    def written(self, column):
        return {"_id": self.id, "_body": self.body}[column] if column[0] == "_" else self.fields[column][0]

    def value(self, column):
        if column[0] == "_":
            return self.written(column)
        return self.fields.get(column, (None, MISSING))[1]

    def holds(self, column, operator, wanted):
        """`wanted` as the column means it: a moment for a date, but its text for the operators of text."""
        value = self.value(column)
        if operator in ("is_empty", "is_not_empty"):
            return is_empty(value) == (operator == "is_empty")
        if operator in NEGATED:
            return not self.holds(column, NEGATED[operator], wanted)
        if value is MISSING or value is None:
            return False
        if isinstance(value, list):
            return OF_LIST[operator](value, wanted)
        if operator in OF_TEXT:
            return OF_TEXT[operator](self.written(column) if column in ("due", "at") else value, wanted)
        return value is not MISFIT and POSITIVE[operator](value, wanted)

    def told(self, columns):
        return {column: told(column, self.fields[column]) for column in columns if column in self.fields}


def natural(row_id):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", row_id) if part]


def in_order(rows, sorts):
    """Missing before present, the whole reversed by desc; ties by natural id order."""
    rows = sorted(rows, key=lambda row: natural(row.id))
    for column, direction in reversed(sorts):
        def key(row):
            value = row.value(column)
            if value is MISSING or value is None:
                return (0, 0)
            return (1, natural(value) if column == "_id" else value)
        rows.sort(key=key, reverse=direction == "desc")
    return rows
