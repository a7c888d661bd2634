#!/usr/bin/env python3
"""Every reader is linear: twice the input takes at most 2.3 times the time, in every hostile shape.

A shape is a file (or folders) of a given size: one long line, many lines, deep nesting, quotes that never close, brackets,
many keys... Each is put before the commands that read such a file, at doubled sizes up to what notesdb reads of one file,
and what a command works (its own CPU time, the least of several runs) is compared with what it works at half the size.
Where it works less than FLOOR all growth is noise. Two doublings in a row decide, and a breach is measured again before it
is one. The largest must be answered within LIMIT seconds.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "faults"))

import volumes  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
RATIO = 2.3
FLOOR = 0.03  # seconds of work below which nothing is concluded
LIMIT = 2.0
SEARCH_LIMIT = 5.0  # where no word of 15 MiB comes twice; SQLite sorts them all
HANG = 30
FIELDS = 240 * KIB  # of a note; more is refused
FILE = 15 * MIB

SCHEMA = """---
name: Tasks
columns:
  - {id: title, type: text}
  - {id: tags, type: list}
  - {id: any, type: json}
  - {id: friend, type: relation, target: tasks, multiple: true}
---
"""


def fill(text, size):
    return (text * (size // len(text) + 1))[:size // len(text) * len(text)]


def chained(size):
    lines, length = ["  - {id: c0, type: formula, expression: c + 1}\n"], 0
    for number in range(1, size):
        lines.append("  - {id: c%d, type: formula, expression: c%d}\n" % (number, number - 1))
        length += len(lines[-1])
        if length > size:
            break
    return "".join(lines)


def numbered(pattern, size):
    lines, length = [], 0
    for number in range(size):
        line = pattern % ((number,) * pattern.count("%"))
        length += len(line)
        if length > size:
            break
        lines.append(line)
    return "".join(lines)


def front(text):
    return f"---\ntitle: Large\n{text}\n---\nText.\n"


def toml(text):
    return f'+++\ntitle = "Large"\n{text}\n+++\nText.\n'


def body(text):
    return f"---\ntitle: Large\n---\n\n{text}\n"


def nested(opening, closing, levels):
    return opening * levels + closing * levels


def stairs(size, step="  ", what="a:"):
    """Maps within maps: their sizes add up to `size`."""
    lines, length, level = [], 0, 0
    while length < size:
        lines.append(step * level + what)
        length += len(lines[-1]) + 1
        level += 1
    return "\n".join(lines)


def sides(ours, theirs):
    return f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"


FIELD_SHAPES = {
    "flow list on one line": lambda n: "tags: [" + fill("a, ", n) + "z]",
    "flow list of numbers": lambda n: "any: [" + numbered("%d, ", n) + "0]",
    "flow list over lines": lambda n: "tags: [\n" + fill("  a,\n", n) + "  z]",
    "flow list of quotes": lambda n: "tags: [" + fill('"a", ', n) + "z]",
    "flow list of escapes": lambda n: "tags: [" + fill('"\\"", ', n) + "z]",
    "flow list never closed": lambda n: "tags: [" + fill("a, ", n),
    "flow list of maps": lambda n: "any: [" + fill("{a: 1}, ", n) + "z]",
    "flow map of many keys": lambda n: "any: {" + numbered("k%d: 1, ", n) + "z: 1}",
    "flow map of one key": lambda n: "any: {" + fill("k: 1, ", n) + "z: 1}",
    "block list": lambda n: "tags:\n" + fill("- a\n", n),
    "block list of maps": lambda n: "any:\n" + fill("  - a: 1\n    b: 2\n", n),
    "block list of empty items": lambda n: "tags:\n" + fill("-\n", n),
    "dashes on one line": lambda n: "any:\n  " + fill("- ", n) + "a",
    "thirty levels, many times": lambda n: "any:\n" + fill("  - " + nested("[", "]", 30) + "\n", n),
    "brackets": lambda n: "any: " + "[" * n,
    "brackets that close": lambda n: "any: " + nested("[", "]", n // 2),
    "braces": lambda n: "any: " + fill("{a: ", n),
    "stairs": lambda n: "any:\n" + stairs(n),
    "many keys": lambda n: numbered("k%d: 1", n).replace("1k", "1\nk"),
    "many keys of lists": lambda n: numbered("k%06d: [a]\n", n),
    "one key many times": lambda n: fill("k: 1\n", n),
    "map of many keys": lambda n: "any:\n" + numbered("  k%d: 1\n", n),
    "map of one key many times": lambda n: "any:\n" + fill("  k: 1\n", n),
    "map of long keys": lambda n: "any:\n" + numbered("  " + "k" * 900 + "%d: 1\n", n),
    "map of quoted keys": lambda n: "any:\n" + numbered('  "k%d": 1\n', n),
    "quoted text": lambda n: 'title: "' + "x" * n + '"',
    "quoted text of escapes": lambda n: 'any: "' + fill("\\x41", n) + '"',
    "quoted text over lines": lambda n: 'any: "' + fill("a\n  ", n) + '"',
    "quote never closed": lambda n: 'any: "' + fill("a\n  ", n),
    "single quotes": lambda n: "any: '" + "''" * (n // 2) + "'",
    "single quotes, an odd one": lambda n: "any: '" + "''" * (n // 2),
    "lines that open a quote": lambda n: numbered('k%d: "a\n', n),
    "plain text over lines": lambda n: "any: a\n" + fill("  b\n", n),
    "plain text of colons": lambda n: "any: " + fill("a: ", n),
    "plain text of hashes": lambda n: "any: a" + "#" * n,
    "block text": lambda n: "any: |\n" + fill("  a\n", n),
    "folded text": lambda n: "any: >\n" + fill("  a\n\n", n),
    "folded text of spaces": lambda n: "any: >\n  a\n" + fill("   b\n", n),
    "empty lines": lambda n: "any: 1" + "\n" * n,
    "returns": lambda n: "any: 1" + "\r\n" * (n // 2),
    "blanks": lambda n: "any: 1" + " " * n,
    "blank lines": lambda n: "any: 1\n" + fill("        \n", n),
    "tabs": lambda n: "any: a" + "\t" * n + "b",
    "comments": lambda n: "any: 1\n" + fill("# a\n", n),
    "one comment": lambda n: "any: 1 " + "#" * n,
    "aliases": lambda n: "any: [&a b, " + fill("*a, ", n) + "z]",
    "anchors": lambda n: "any: [" + numbered("&a%d b, ", n) + "z]",
    "anchors in a row": lambda n: "any: " + fill("&a ", n),
    "tags": lambda n: "any: [" + fill("!a b, ", n) + "z]",
    "question marks": lambda n: fill("? ", n),
    "question keys": lambda n: "any:\n" + numbered("  ? k%d\n  : 1\n", n),
    "fences that are none": lambda n: "any: |\n" + fill("  ---\n", n),
    "wide characters": lambda n: "any: [" + fill("\u4e2d, ", n // 3) + "z]",
    "commas": lambda n: "any: [" + "," * n + "]",
    "backslashes": lambda n: 'any: "' + "\\" * n + '"',
    "markers among fields": lambda n: fill("<<<<<<< a\n", n),
    "fields in conflict": lambda n: "".join(sides(f"k{i}: 1\n", f"k{i}: 2\n") for i in range(n // 50)),
    "list in conflict": lambda n: sides("tags: [" + fill("a, ", n // 2) + "z]\n", "tags: [" + fill("b, ", n // 2) + "z]\n"),
    "broken lines": lambda n: fill("k: a: b\n", n),
    "broken lines of many keys": lambda n: numbered("k%d: a: b\n", n),
    "broken line at the end": lambda n: "any:\n" + fill("  - a\n", n) + "bad: a: b",
    "open brackets, lines behind": lambda n: numbered("k%d: [\nfoo\n", n),
    "one conflict of many keys": lambda n: sides(numbered("k%d: 1\n", n // 2), numbered("k%d: 2\n", n // 2)),
    "ninety conflicts of keys": lambda n: "".join(
        sides(f"k{i}: [" + fill("a, ", n // 200) + "z]\n", f"k{i}: 2\n") for i in range(90)),
    "relations": lambda n: "friend: [" + fill('"[[r1]]", ', n) + "r1]",
    "relations to many": lambda n: "friend:\n" + numbered("  - '[[x%d]]'\n", n),
}

TOML_SHAPES = {
    "array": lambda n: "tags = [" + fill('"a", ', n) + '"z"]',
    "array over lines": lambda n: "tags = [\n" + fill('  "a",\n', n) + "]",
    "array never closed": lambda n: "tags = [" + fill('"a", ', n),
    "brackets": lambda n: "any = " + "[" * n,
    "brackets that close": lambda n: "any = " + nested("[", "]", n // 2),
    "braces": lambda n: "any = " + fill("{a=", n),
    "many keys": lambda n: numbered("k%d = 1\n", n),
    "one key many times": lambda n: fill("k = 1\n", n),
    "dotted keys": lambda n: numbered("a.k%d = 1\n", n),
    "deep key": lambda n: fill("a.", n) + "a = 1",
    "tables": lambda n: numbered("[t%d]\nk = 1\n", n),
    "arrays of tables": lambda n: fill("[[t]]\nk = 1\n", n),
    "inline table": lambda n: "any = {" + numbered("k%d = 1, ", n) + "z = 1}",
    "text": lambda n: 'any = "' + "x" * n + '"',
    "text of escapes": lambda n: 'any = "' + fill("\\u0041", n) + '"',
    "text over lines": lambda n: 'any = """' + fill("a\n", n) + '"""',
    "text never closed": lambda n: 'any = """' + fill("a\n", n),
    "single quotes": lambda n: "any = '''" + fill("a''", n) + "'''",
    "comments": lambda n: fill("# a\n", n),
    "empty lines": lambda n: "\n" * n,
    "digits": lambda n: "any = " + "1" * n,
    "underscores": lambda n: "any = " + fill("1_", n) + "1",
    "tables in tables": lambda n: numbered("[a.b%d]\n", n),
    "lines that open a quote": lambda n: numbered('k%d = "a\n', n),
}

BODY_SHAPES = {
    "one line": lambda n: "x" * n,
    "words": lambda n: fill("word ", n),
    "words that differ": lambda n: numbered("w%d ", n),
    "lines": lambda n: fill("a\n", n),
    "empty lines": lambda n: "\n" * n,
    "blanks": lambda n: " " * n,
    "blank lines": lambda n: fill("    \n", n),
    "links": lambda n: fill("[[r1]] ", n),
    "links to many": lambda n: numbered("[[x%d]]\n", n),
    "links of markdown": lambda n: fill("[a](r1.md) ", n),
    "links of markdown to many": lambda n: numbered("[a](x%d.md)\n", n),
    "embedded": lambda n: fill("![[r1]]", n),
    "brackets": lambda n: "[" * n,
    "brackets that close": lambda n: nested("[", "]", n // 2),
    "brackets never closed": lambda n: fill("[[a ", n),
    "brackets, lines": lambda n: fill("[[\n", n),
    "brackets and bars": lambda n: "[[" + fill("a|", n),
    "labels never closed": lambda n: fill("[a](", n),
    "labels": lambda n: fill("[a]", n),
    "targets that open": lambda n: fill("](", n),
    "parentheses": lambda n: "[a](" + nested("(", ")", n // 2) + ")",
    "angles": lambda n: fill("[a](<", n),
    "hashes": lambda n: "#" * n,
    "headings": lambda n: fill("# a\n", n),
    "fences": lambda n: fill("---\n", n),
    "fences of code": lambda n: fill("```\na\n", n),
    "fences of code that grow": lambda n: "".join("`" * (i % 60 + 3) + "\n" for i in range(n // 33)),
    "backticks": lambda n: "`" * n,
    "backticks in a row": lambda n: fill("` ", n),
    "backticks of all lengths": lambda n: " ".join("`" * (i + 1) for i in range(int((2 * n) ** 0.5))),
    "backticks of long lengths": lambda n: " a ".join("`" * (i + 1) for i in range(int((2 * n) ** 0.5), 0, -1)),
    "tildes": lambda n: fill("~~~\n", n),
    "backslashes": lambda n: "\\" * n,
    "quotes": lambda n: "> " * (n // 2),
    "dashes": lambda n: "- " * (n // 2),
    "comments": lambda n: fill("<!-- ", n),
    "percents": lambda n: fill("%%", n),
    "opening markers": lambda n: fill("<<<<<<< a\n", n),
    "middle markers": lambda n: fill("=======\n", n),
    "closing markers": lambda n: fill(">>>>>>> a\n", n),
    "markers of a base": lambda n: fill("||||||| a\n", n),
    "opening and middle markers": lambda n: fill("<<<<<<< a\nx\n=======\n", n),
    "conflicts": lambda n: fill(sides("a\n", "b\n"), n),
    "conflicts with a base": lambda n: fill("<<<<<<< a\nx\n||||||| b\ny\n=======\nz\n>>>>>>> c\n", n),
    "one large conflict": lambda n: sides(fill("a\n", n // 2), fill("b\n", n // 2)),
    "opening marker, then lines": lambda n: "<<<<<<< a\n" + fill("x\n", n),
    "less-than": lambda n: "<" * n,
    "lines of less-than": lambda n: fill("<<<<<<<<<\n", n),
    "returns": lambda n: "a\r\n" * (n // 3),
    "bytes that are no text": lambda n: "\udcff" * n,
    "zeros": lambda n: "\0" * n,
    "accents": lambda n: "a" + "\u0301" * (n // 2),
    "addresses": lambda n: fill("http://a.b/c ", n),
    "percent escapes": lambda n: "[a](" + fill("%41", n) + ".md)",
    "targets before an address": lambda n: fill("[a](", n) + "a://b)",
    "targets of places": lambda n: fill("[a](#", n) + ")",
    "names of dots": lambda n: "[a](r1" + fill("/.", n) + ".md)",
    "wiki brackets that close late": lambda n: fill("[[a ", n) + "]]",
    "dots": lambda n: "[a](" + fill("../", n) + "r1.md)",
    "tables": lambda n: fill("|a|b|\n", n),
}

SCHEMA_SHAPES = {
    "many columns": lambda n: "columns:\n" + numbered("  - {id: c%d, type: text}\n", n),
    "one column many times": lambda n: "columns:\n" + fill("  - {id: c, type: text}\n", n),
    "many options": lambda n: "columns:\n  - id: c\n    type: select\n    options: [" + numbered("o%d, ", n) + "z]",
    "one option many times": lambda n: "columns:\n  - id: c\n    type: select\n    options: [" + fill("o, ", n) + "z]",
    "options below": lambda n: "columns:\n  - id: c\n    type: select\n    options:\n" + numbered("      - o%d\n", n),
    "options of maps": lambda n: "columns:\n  - id: c\n    type: select\n    options:\n"
                                 + numbered("      - {id: o%d, name: O}\n", n),
    "many views": lambda n: "columns:\n  - {id: c, type: text}\nviews:\n" + numbered("  - {id: v%d, type: table}\n", n),
    "many filters": lambda n: "columns:\n  - {id: c, type: text}\nviews:\n  - id: v\n    type: table\n    filters:\n"
                              + fill("      - {field: c, operator: eq, value: a}\n", n),
    "many templates": lambda n: "columns:\n  - {id: c, type: text}\ntemplates:\n" + numbered("  t%d: {name: T}\n", n),
    "long template": lambda n: "columns:\n  - {id: c, type: text}\ntemplates:\n  t: {name: T, title: \"" + fill("{{", n) + '"}',
    "many unknown keys": lambda n: "columns:\n  - {id: c, type: text}\n" + numbered("x%d: 1\n", n),
    "many unknown keys of a column": lambda n: "columns:\n  - id: c\n    type: text\n" + numbered("    x%d: 1\n", n),
    "many targets": lambda n: "columns:\n" + numbered("  - {id: c%d, type: relation, target: t%d}\n", n),
    "many rollups": lambda n: "columns:\n  - {id: r, type: relation, target: tasks}\n"
                              + numbered("  - {id: c%d, type: rollup, relation: r, function: count}\n", n),
    "many rollups of no field": lambda n: "columns:\n  - {id: r, type: relation, target: tasks}\n"
                                         + numbered("  - {id: c%d, type: rollup, relation: r, function: sum, field: x%d}\n", n),
    "many rollups from a relation": lambda n: "columns:\n  - {id: r, type: relation, target: tasks}\n"
                                              + numbered("  - {id: c%d, type: rollup, from: tasks.r, function: count}\n", n),
    "many formulas": lambda n: "columns:\n  - {id: c, type: number}\n" + numbered("  - {id: c%d, type: formula, expression: c + 1}\n", n),
    "formulas of unknown names": lambda n: "columns:\n  - {id: c, type: number}\n"
                                           + numbered("  - {id: c%d, type: formula, expression: x%d + 1}\n", n),
    "formulas of each other": lambda n: "columns:\n  - {id: c, type: number}\n" + chained(n),
    "a circle of formulas": lambda n: "columns:\n" + chained(n).replace("expression: c + 1", "expression: last", 1)
                                      + "  - {id: last, type: formula, expression: c1}\n",
    "long formula": lambda n: "columns:\n  - {id: c, type: number}\n  - {id: f, type: formula, expression: \"["
                              + fill("c, ", min(n, 60 * KIB)) + "c]\"}\n",
    "formula of many names": lambda n: "columns:\n  - {id: c, type: number}\n  - {id: f, type: formula, expression: \"["
                                       + numbered("x%d, ", min(n, 60 * KIB)) + "c]\"}\n",
    "formula of parentheses": lambda n: "columns:\n  - {id: c, type: number}\n  - {id: f, type: formula, expression: \""
                                        + nested("(", ")", n // 2) + "\"}\n",
    "formula of operators": lambda n: "columns:\n  - {id: c, type: number}\n  - {id: f, type: formula, expression: \"c"
                                      + fill(" + c", n) + "\"}\n",
    "many includes": lambda n: "columns:\n  - {id: c, type: text}\nrows: {include: [" + numbered('"a%d*", ', n) + '"*.md"]}',
    "stars": lambda n: "columns:\n  - {id: c, type: text}\nrows: {include: [\"" + fill("*a", n) + '"]}',
    "long pattern": lambda n: "columns:\n  - {id: c, type: text, pattern: \"" + fill("a|", n) + '"}',
    "long description": lambda n: "columns:\n  - {id: c, type: text}\ndescription: " + "x" * n,
    "wrong columns": lambda n: "columns:\n" + fill("  - {id: c}\n", n),
    "columns of nothing": lambda n: "columns:\n" + fill("  -\n", n),
}

CSV_SHAPES = {
    "many lines": lambda n: "title,b\n" + fill("a,1\n", n),
    "one long cell": lambda n: "title,b\n" + "x" * n + ",1\n",
    "one long row": lambda n: "title,b\n" + fill("a,", n) + "\n",
    "many columns": lambda n: numbered("c%d,", n) + "z\n" + "1,2\n",
    "one column many times": lambda n: fill("c,", n) + "z\n",
    "many columns, many rows": lambda n: numbered("c%d,", int(n ** 0.5)) + "z\n"
                                         + fill(fill("1,", int(n ** 0.5) // 4) + "1\n", n),
    "quotes": lambda n: 'title,b\n"' + '""' * (n // 2) + '",1\n',
    "quote never closed": lambda n: 'title,b\n"' + fill("a,b\n", n),
    "quotes in a row": lambda n: "title,b\n" + '"' * n + "\n",
    "many broken quotes": lambda n: "title,b\n" + fill('"a"b,1\n', n),
    "empty lines": lambda n: "title,b\n" + "\n" * n,
    "commas": lambda n: "title,b\n" + "," * n,
    "separators": lambda n: fill(";,\t", n),
    "returns": lambda n: "title,b\r" + fill("a,1\r", n),
    "ragged rows": lambda n: "title,b\n" + fill("a,1,2\n", n),
    "one id many times": lambda n: "_id,b\n" + fill("a,1\n", n),
    "many ids": lambda n: "_id,b\n" + numbered("a%d,1\n", n),
}

JSON_SHAPES = {
    "many records": lambda n: "[" + fill('{"title":"a"},', n) + '{"title":"z"}]',
    "brackets": lambda n: "[" * n,
    "brackets that close": lambda n: nested("[", "]", n // 2),
    "braces": lambda n: fill('{"a":', n),
    "many keys": lambda n: '[{' + numbered('"k%d":1,', n) + '"z":1}]',
    "one key many times": lambda n: '[{' + fill('"k":1,', n) + '"z":1}]',
    "a new key in each": lambda n: "[" + numbered('{"k%d":1},', n) + '{"z":1}]',
    "text": lambda n: '[{"title":"' + "x" * n + '"}]',
    "escapes": lambda n: '[{"title":"' + fill("\\u0041", n) + '"}]',
    "backslashes": lambda n: '[{"title":"' + "\\" * n,
    "digits": lambda n: '[{"title":' + "1" * n + "}]",
    "list": lambda n: '[{"any":[' + fill("1,", n) + "1]}]",
    "blanks": lambda n: "[" + " " * n + "]",
    "text never closed": lambda n: '[{"title":"' + "x" * n,
}

JSONL_SHAPES = {
    "many lines": lambda n: fill('{"title":"a"}\n', n),
    "broken lines": lambda n: fill('{"title"}\n', n),
    "empty lines": lambda n: "\n" * n,
    "a new key in each": lambda n: numbered('{"k%d":1}\n', n),
}

# What a call sends: the arguments of a tool, as JSON.
CALLS = {
    "filters": ("db_query", lambda n: {"filters": [{"field": "title", "operator": "eq", "value": "a"}] * (n // 50)}),
    "filters, any of": ("db_query", lambda n: {"filters": [{"any": [{"field": "title", "operator": "eq", "value": "a"}] * (n // 50)}]}),
    "a filter of many values": ("db_query", lambda n: {"filters": [{"field": "title", "operator": "in",
                                                                  "value": [f"v{i}" for i in range(n // 10)]}]}),
    "a filter of one long value": ("db_query", lambda n: {"filters": [{"field": "title", "operator": "contains", "value": "a" * n}]}),
    "a filter of long unknown field": ("db_query", lambda n: {"filters": [{"field": "x" * n, "operator": "eq", "value": "a"}]}),
    "filters as text": ("db_query", lambda n: {"filters": "[" * n}),
    "many sorts": ("db_query", lambda n: {"sort": ["title"] * (n // 10)}),
    "many columns": ("db_query", lambda n: {"columns": ["title"] * (n // 10)}),
    "a long sort": ("db_query", lambda n: {"sort": ["x" * n]}),
    "a long row id": ("db_get_row", lambda n: {"row_id": "x" * n}),
    "a row id of segments": ("db_get_row", lambda n: {"row_id": "a/" * (n // 2) + "a"}),
    "a database of segments": ("db_get_row", lambda n: {"database_id": "a/" * (n // 2) + "a", "row_id": "r"}),
    "a database of dots": ("db_get_row", lambda n: {"database_id": "../" * (n // 3) + "a", "row_id": "r"}),
    "many unknown arguments": ("db_query", lambda n: {f"x{i}": 1 for i in range(n // 10)}),
    "a new row of many fields": ("db_insert_row", lambda n: {"fields": {f"k{i}": 1 for i in range(n // 10)}, "dry_run": True}),
    "a new row of a list": ("db_insert_row", lambda n: {"fields": {"tags": [f"t{i}" for i in range(n // 10)]}, "dry_run": True}),
    "a new row of a long text": ("db_insert_row", lambda n: {"fields": {"title": "x\n" * (n // 2)}, "dry_run": True}),
    "a new row of a long body": ("db_insert_row", lambda n: {"fields": {"title": "a"}, "body": "x\n" * (n // 2), "dry_run": True}),
    "a new row of quotes": ("db_insert_row", lambda n: {"fields": {"title": "'\"" * (n // 2)}, "dry_run": True}),
    "a schema of many columns": ("db_create", lambda n: {"name": "n", "columns": [
        {"id": f"c{i}", "type": "text"} for i in range(n // 30)], "dry_run": True}),
    "a batch": ("db_batch", lambda n: {"dry_run": True, "operations": [
        {"action": "insert", "database_id": "tasks", "fields": {"title": "x" * (n // 100)}} for i in range(90)]}),
}


class Workspace:
    """A folder with one database, and what the program works in it."""

    def __init__(self, program, folder):
        self.program = program
        self.base = tempfile.mkdtemp(prefix="notesdb-doubling-", dir=folder)
        self.root = os.path.join(self.base, "workspace")
        self.write("tasks/_schema.md", SCHEMA)
        self.write("tasks/r1.md", "---\ntitle: One\n---\n")
        self.environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(self.base, "cache"), "TZ": "UTC"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["rm", "-rf", self.base], check=False)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
        return path

    def work(self, words, given=b""):
        """Seconds of CPU time, and the last line that it said on standard error."""
        with tempfile.TemporaryFile(dir=self.base) as stdin:
            stdin.write(given)
            stdin.seek(0)
            alone = [] if words[0] == "mcp" else ["--no-cache", "--no-server"]
            process = subprocess.Popen(
                [self.program, *words, "--root", self.root, *alone], env=self.environment,
                cwd=self.root, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=bounded)
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stderr.close()
        return used.ru_utime + used.ru_stime, process.returncode, said


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


class Case:
    """A shape before one command: how it is laid out at a size, and what is run."""

    def __init__(self, name, largest, lay, words, smallest=16 * KIB, limit=LIMIT):
        self.name, self.largest, self.lay, self.words = name, largest, lay, words
        self.smallest, self.limit = smallest, limit


ROW = {
    "get": ["get", "tasks", "large"],
    "check": ["check", "tasks"],
    "query": ["query", "tasks", "--where", "title eq Large"],
    "update": ["update", "tasks", "large", "--set", "title=Other", "--dry-run"],
}


def of_row(kind, shapes, wrap, largest, file="tasks/large.md", words=None, limit=LIMIT):
    for name, make in shapes.items():
        for command, line in (words or ROW).items():
            yield Case(f"{kind}: {name}: {command}", largest,
                       lambda space, n, make=make: space.write(file, wrap(make(n))) and b"", line, limit=limit)


# What a server remembers of notes, it makes of them in ways of its own: each is asked twice.
SERVED = [("db_get_row", {"database_id": "tasks", "row_id": "r1"}),
          ("db_get_row", {"database_id": "tasks", "row_id": "large"}),
          ("db_query", {"database_id": "tasks", "filters": [{"field": "title", "operator": "eq", "value": "Large"}]}),
          ("db_query", {"database_id": "tasks", "sort": ["title"]}),
          ("db_check", {"database_id": "tasks"})]


def conversation():
    """A line for each message of a client that asks all of SERVED."""
    asked = [{"method": "initialize", "id": 0, "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                           "clientInfo": {"name": "doubling", "version": "1"}}},
             {"method": "notifications/initialized"}]
    asked += [{"method": "tools/call", "id": number + 1, "params": {"name": name, "arguments": arguments}}
              for number, (name, arguments) in enumerate(SERVED * 2)]
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in asked).encode()


def served(shapes, wrap, largest):
    for name, make in shapes.items():
        def lay(space, n, make=make):
            space.write("tasks/large.md", wrap(make(n)))
            return conversation()
        yield Case(f"served: {name}", largest, lay, ["mcp"], limit=10 * LIMIT)


def of_import(kind, shapes, ending):
    """To 4 MiB, where the smallest records are a million rows already, each of which would be a file."""
    for name, make in shapes.items():
        yield Case(f"{kind}: {name}: import", 4 * MIB,
                   lambda space, n, make=make: space.write(f"in.{ending}", make(n)) and b"",
                   ["import", "fresh", f"in.{ending}", "--create", "--dry-run"], limit=30)


def lay_sqlite(statements):
    def lay(space, n):
        path = os.path.join(space.root, "in.sqlite")
        if os.path.exists(path):
            os.unlink(path)
        connection = sqlite3.connect(path)
        statements(connection, n)
        connection.commit()
        connection.close()
        return b""
    return lay


def sqlite_rows(connection, n):
    connection.execute("create table t(title, b)")
    connection.executemany("insert into t values (?, 1)", (("a",) for _ in range(n // 8)))


def sqlite_cell(connection, n):
    connection.execute("create table t(title, b)")
    connection.execute("insert into t values (?, 1)", ("x" * n,))


def sqlite_columns(connection, n):
    connection.execute("create table t(" + ",".join(f"c{i}" for i in range(min(2000, n // 1000 + 1))) + ")")
    connection.executemany("insert into t(c0) values (?)", ((i,) for i in range(100)))


def sqlite_tables(connection, n):
    for number in range(n // 512):
        connection.execute(f"create table t{number}(title)")


def deep_folders(space, n):
    """As many folders within one another as half the path's characters; made step by step, as no path may be that long."""
    top = os.path.join(space.root, "deep")
    if os.path.exists(top):
        subprocess.run(["rm", "-rf", top], check=True)
    os.makedirs(top)
    here = os.open(top, os.O_RDONLY)
    for _ in range(n):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    return b""


def many_folders(space, n):
    for number in range(n):
        os.makedirs(os.path.join(space.root, f"many/f{number}"), exist_ok=True)
    return b""


def many_databases(space, n):
    for number in range(n):
        space.write(f"many/f{number}/_schema.md", SCHEMA)
    return b""


def many_rows(text):
    def lay(space, n):
        for number in range(n):
            space.write(f"tasks/x{number}.md", text.replace("NUMBER", str(number)))
        return b""
    return lay


def merge_sides(make):
    def lay(space, n):
        for name, text in zip(("base", "ours", "theirs"), make(n)):
            space.write(f"{name}.md", text)
        return b""
    return lay


MERGES = {
    "bodies of lines": lambda n: [body(numbered(f"{side} %d\n", n)) for side in "abc"],
    "bodies of one line": lambda n: [body(fill("x\n", n) + side) for side in "abc"],
    "bodies turned round": lambda n: [body("\n".join(list(map(str, range(n // 6)))[::step])) for step in (1, -1, 2)],
    "bodies of two lines": lambda n: [body(fill(text, n)) for text in ("a\nb\n", "b\na\n", "a\na\nb\n")],
}
MERGED_FIELDS = {
    "lists": lambda n: [front("tags: [" + numbered(f"{side}%d, ", n) + "z]") for side in "abc"],
    "many keys": lambda n: [front("any:\n" + numbered(f"  k%d: {side}\n", n)) for side in "abc"],
    "text": lambda n: [front("title: " + fill(side, n)) for side in "abc"],
    "block texts": lambda n: [front("any: |\n" + numbered(f"  {side} %d\n", n)) for side in "abc"],
}


def file_cases():
    yield from of_row("yaml", FIELD_SHAPES, front, FIELDS)
    yield from of_row("toml", TOML_SHAPES, toml, FIELDS)
    yield from of_row("body", BODY_SHAPES, body, FILE)
    yield from of_row("row of yaml", {name: FIELD_SHAPES[name] for name in ("flow list on one line", "block list", "empty lines")},
                      lambda text: "title: Large\n" + text + "\n", FIELDS, "tasks/large.yaml")
    yield from of_row("unclosed", {"keys": lambda n: numbered("k%d: 1\n", n), "text": lambda n: fill("a\n", n)},
                      lambda text: "---\n" + text, FILE)
    conflicts = {name: BODY_SHAPES[name] for name in BODY_SHAPES if "marker" in name or "conflict" in name or "less" in name}
    words = {"conflicts": ["conflicts"], "resolve": ["resolve", "tasks", "large", "--ours", "--dry-run"]}
    yield from of_row("conflict", conflicts, body, FILE, words=words)
    yield from of_row("conflict", {name: FIELD_SHAPES[name] for name in ("markers among fields", "fields in conflict",
                                                                       "list in conflict")}, front, FIELDS, words=words)
    links = {name: BODY_SHAPES[name] for name in BODY_SHAPES if any(
        word in name for word in ("link", "bracket", "label", "back", "fence", "dots", "percent", "angles", "paren"))}
    linked = lambda text: body("[[r1]] " + text)  # noqa: E731
    yield from of_row("backlinks", links, linked, FILE, words={"get": ["get", "tasks", "r1"], "check": ["check"]})
    yield from served(BODY_SHAPES, body, FILE)
    yield from served({name: FIELD_SHAPES[name] for name in ("relations", "relations to many", "many keys")}, front, FIELDS)
    yield from of_row("words", BODY_SHAPES, body, FILE, words={"search": ["search", "Large"]}, limit=SEARCH_LIMIT)
    yield from of_row("rename", links, linked, FILE, words={"rename": ["rename", "tasks", "r1", "r2", "--dry-run"]})
    yield from of_row("fix", FIELD_SHAPES, front, FIELDS, words={"check --fix": ["check", "tasks", "--fix", "--dry-run"]})
    yield from of_row("set list", {name: FIELD_SHAPES[name] for name in FIELD_SHAPES if "list" in name}, front, FIELDS,
                      words={"update tags": ["update", "tasks", "large", "--set", "tags=x,y", "--dry-run"]})
    yield from of_row("append", BODY_SHAPES, body, FILE,
                      words={"append": ["update", "tasks", "large", "--append-body", "x", "--dry-run"]})
    yield from of_row("infer", FIELD_SHAPES, front, FIELDS, "notes/large.md", words={"infer": ["infer", "notes"]})
    yield from of_row("schema", SCHEMA_SHAPES, lambda text: f"---\nname: S\n{text}\n---\n", FIELDS, "tasks/_schema.md",
                      words={"schema": ["schema", "tasks"], "check": ["check", "tasks"], "query": ["query", "tasks"],
                             "list": ["list"]})
    yield from of_row("settings", {"keys": lambda n: numbered("k%d: 1\n", n), "comments": lambda n: fill("# a\n", n),
                                   "list": lambda n: "cache: [" + fill("a, ", n) + "z]"},
                      lambda text: text + "\n", FIELDS, "notesdb.yaml", words={"list": ["list"]})


def import_cases():
    yield from of_import("csv", CSV_SHAPES, "csv")
    yield from of_import("json", JSON_SHAPES, "json")
    yield from of_import("jsonl", JSONL_SHAPES, "jsonl")
    for name, statements in (("rows", sqlite_rows), ("one cell", sqlite_cell), ("columns", sqlite_columns), ("tables", sqlite_tables)):
        words = ["import", "fresh", "in.sqlite", "--create", "--dry-run"] + (["--table", "t1"] if name == "tables" else [])
        yield Case(f"sqlite: {name}: import", 4 * MIB, lay_sqlite(statements), words, limit=30)


def other_cases():
    for name, make in {**MERGES, **MERGED_FIELDS}.items():
        yield Case(f"merge: {name}: merge-file", FIELDS if name in MERGED_FIELDS else 8 * MIB, merge_sides(make),
                   ["merge-file", "base.md", "ours.md", "theirs.md"], limit=10)
    for name, (tool, make) in CALLS.items():
        def lay(space, n, make=make):
            return json.dumps({"database_id": "tasks", **make(n)} if "columns" not in name or "schema" not in name
                              else make(n)).encode()
        yield Case(f"call: {name}", 8 * MIB, lay, ["call", tool, "-"], limit=10)
    yield Case("folders within folders: list", 8192, deep_folders, ["list"], smallest=256)
    yield Case("folders within folders: check", 8192, deep_folders, ["check"], smallest=256)
    yield Case("folders beside: list", 16384, many_folders, ["list"], smallest=512)
    yield Case("databases: list", 2048, many_databases, ["list"], smallest=128)
    yield Case("databases: check", 2048, many_databases, ["check"], smallest=128)
    for name, text in (("rows", "---\ntitle: a\n---\n"), ("rows with links to a row", body("[[r1]]")),
                       ("rows with links to nothing", body("[[gone]] [b](gone.md)")),
                       ("rows with many broken fields", front("tags: [a\nfriend: [x, y]")),
                       ("rows that are related", front("friend: [xNUMBER, r1]"))):
        for command, words in (("check", ["check"]), ("query", ["query", "tasks", "--sort", "title"]),
                               ("rename", ["rename", "tasks", "r1", "r2", "--dry-run"])):
            yield Case(f"{name}: {command}", 8192, many_rows(text), words, smallest=512, limit=5)


# One of each reader, and those that were quadratic: what a short dose tries.
SHORT = re.compile(
    r"yaml: (flow list on one line|many keys|brackets|quote never closed|broken lines|fields in conflict): (get|check|update)|"
    r"toml: (array|many keys|tables): (get|check)|"
    r"body: (brackets|links|backticks of all lengths|opening markers|opening and middle markers): check|"
    r"conflict: (conflicts|opening markers): conflicts|"
    r"served: (links|links to many)$|words: (words|one line): search|rename: (links|brackets): |schema: (many columns|many options): (schema|check)|"
    r"csv: (quote never closed|many columns|one long row): |json: (brackets|many keys): |sqlite: rows|"
    r"call: (filters|a filter of many values|a row id of segments)$|folders within folders: list")


class Trial:
    def __init__(self, given):
        self.given = given
        self.tried = self.broken = 0
        self.worst = 0.0

    def complain(self, what):
        self.broken += 1
        print("BROKEN", what, flush=True)

    def least(self, space, case, given, runs):
        """The least work of some runs; None where it did not end, or ran out of memory."""
        best = None
        for _ in range(runs):
            took, code, said = space.work(case.words, given)
            if code < 0 or b"memory" in said:
                return None, f"{code} {said[-200:]!r}"
            best = took if best is None else min(best, took)
            if best > 1 or took < FLOOR / 2:
                break
        return best, ""

    def run(self, case):
        self.tried += 1
        with Workspace(self.given.program, self.given.folder) as space:
            series = []
            size = case.smallest
            while True:
                given = case.lay(space, size)
                took, why = self.least(space, case, given, 2)
                if took is None:
                    self.complain(f"{case.name}: does not end at {size} {why} {shown(series)}")
                    return
                series.append((size, took))
                at_end = size == case.largest
                enough = took > case.limit or (took > 0.2 and len(series) > 3 and not self.given.long)
                if at_end or enough:
                    break
                size = min(size * 2, case.largest)
            self.judge(space, case, series)

    def judge(self, space, case, series):
        slope, end = max((slope_of(series[:end]), end) for end in range(1, len(series) + 1))
        for _ in range(3):  # again, with care: another program may have been at work
            if slope <= RATIO:
                break
            begin = max(0, end - 3)
            again = []
            for size, _ in series[begin:end]:
                given = case.lay(space, size)
                again.append((size, self.least(space, case, given, 5)[0] or HANG))
            series = series[:begin] + again
            slope = slope_of(series)
            end = len(series)
        self.worst = max(self.worst, slope)
        if slope > RATIO:
            self.complain(f"{case.name}: {slope:.1f}x for twice the input: {shown(series)}")
        elif series[-1][1] > case.limit:
            self.complain(f"{case.name}: {series[-1][1]:.1f} s: {shown(series)}")
        elif self.given.verbose:
            print(f"{case.name}: {slope:.2f}: {shown(series)}", flush=True)


def shown(series):
    return ", ".join(f"{size // KIB} KiB {1000 * took:.0f} ms" if size >= 16 * KIB else f"{size}: {1000 * took:.0f} ms"
                     for size, took in series[-4:])


def slope_of(series):
    """The growth for twice the size, over the last doublings that are above the noise."""
    (last, took), before = series[-1], series[-3:-1]
    above = [(size, least) for size, least in before if least >= FLOOR]
    if not above:
        above = [(size, FLOOR) for size, _ in before[-1:]]
    if not above or took < FLOOR:
        return 0.0
    size, least = above[0]
    doublings = math.log2(last / size)
    return (took / least) ** (1 / doublings) if doublings else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the notesdb to test")
    parser.add_argument("--long", action="store_true", help="every shape, to the largest size; a few of each if absent")
    parser.add_argument("--only", default="", help="a pattern of the names of cases")
    parser.add_argument("--verbose", action="store_true", help="say what was measured of each")
    parser.add_argument("--folder", help="where workspaces are made; a quick disk in memory if absent")
    given = parser.parse_args()
    given.program = os.path.abspath(given.program)
    given.folder = given.folder or volumes.quick_folder()
    trial = Trial(given)
    begun = time.monotonic()
    for case in (*file_cases(), *import_cases(), *other_cases()):
        if re.search(given.only, case.name) and (given.long or given.only or SHORT.search(case.name)):
            trial.run(case)
    print(json.dumps({"shapes": trial.tried, "worst": round(trial.worst, 2), "seconds": round(time.monotonic() - begun),
                      "broken": trial.broken}))
    sys.exit(1 if trial.broken else 0)


if __name__ == "__main__":
    main()
