#!/usr/bin/env python3
"""converter.py PROGRAM SAMPLE: a host that rewrites the schemas of tools loses nothing of our arguments.

Two versions of its converter are in use, and written down here after what they were seen to do (no code of theirs):

  closed or lost   a map within an argument that declares keys passes on those and drops the others in silence, unless
                   it says `additionalProperties`: false refuses them by name, true lets them through
  lost at all      the same, and a map that declares none drops every key unless it says `additionalProperties: true`

Both drop a description that stands beside anyOf, at an array or at an open map. So every key that the server takes
arrives, and every other one is refused by name: by the host or by the server.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile

from forty_tasks import Agent


class Refused(Exception):
    pass


def fits(schema, value):
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
    return isinstance(value, kinds[schema["type"]]) if "type" in schema else any(fits(s, value) for s in schema["anyOf"])


def converted(schema, value, version, place=""):
    """What the host sends on of a value. Raises Refused, naming the key, where it sends nothing."""
    if "anyOf" in schema:
        for choice in schema["anyOf"]:
            if fits(choice, value):
                return converted(choice, value, version, place)
        raise Refused(place)
    if not fits(schema, value):
        raise Refused(place)
    if schema["type"] == "array":
        return [converted(schema["items"], item, version, place) for item in value] if "items" in schema else value
    if schema["type"] != "object":
        return value
    declared = schema.get("properties", {})
    others = schema.get("additionalProperties")
    passes_others = others is True or (not declared and others is None and version == "closed or lost")
    kept = {}
    for key, item in value.items():
        if key in declared:
            kept[key] = converted(declared[key], item, version, key)
        elif others is False:
            raise Refused(key)
        elif passes_others:
            kept[key] = item
    return kept


def lost_descriptions(schema, place):
    is_open = schema.get("type") == "object" and "properties" not in schema
    if "description" in schema and ("anyOf" in schema or schema.get("type") == "array" or is_open):
        yield place
    for key, inner in schema.get("properties", {}).items():
        yield from lost_descriptions(inner, place + "." + key)
    for inner in schema.get("anyOf", []) + ([schema["items"]] if "items" in schema else []):
        yield from lost_descriptions(inner, place + "[]")


FILTERS = [{"field": "status", "operator": "eq", "value": "open"}, {"field": "status", "operator": "in", "value": ["open", "done"]},
           {"field": "estimate", "operator": "gte", "value": 1.5}, {"field": "urgent", "operator": "eq", "value": True},
           {"any": [{"field": "due", "operator": "is_empty"}, {"field": "due", "operator": "lt", "value": "today"}]}]
SORT = [{"field": "due", "direction": "desc"}, {"field": "status"}]
COLUMN = {"id": "size", "type": "select", "name": "Size", "description": "How large", "options": ["s", "m"], "required": False,
          "default": "s"}
NUMBER = {"id": "weight", "type": "number", "unique": False, "min": 0, "max": 9, "name": "Weight"}
TEXT = {"id": "code", "type": "text", "pattern": "^[a-z]+$", "unique": True}
OTHERS = {"id": "others", "type": "relation", "target": "stories", "multiple": True}
VIEW = {"id": "all", "name": "All", "type": "table", "columns": ["size"], "filters": [{"field": "size", "operator": "eq", "value": "s"}],
        "sorts": [{"field": "size", "direction": "desc"}]}

# Calls with every key that an argument takes; those of writers are dry runs.
CALLS = [
    ("db_query", {"database_id": "stories", "filters": FILTERS, "sort": SORT, "select": ["title", "assignee.name"], "limit": 3,
                  "offset": 1, "view": "open-work", "include_body": False, "format": "table"}),
    ("db_query", {"database_id": "stories", "filters": "status = open", "sort": "due desc"}),
    ("db_get_row", {"database_id": "stories", "row_id": "story-001", "body_offset": 3}),
    ("db_aggregate", {"database_id": "stories", "filters": FILTERS, "group_by": ["status"], "limit": 2,
                      "metrics": [{"function": "sum", "field": "estimate", "as": "evenings"}], "sort": SORT[1:]}),
    ("db_search", {"text": "books", "database_id": "stories", "filters": FILTERS, "limit": 2, "offset": 0}),
    ("db_insert_row", {"database_id": "stories", "fields": {"title": "A", "tags": ["building"], "estimate": 2}, "body": "B",
                       "template": "repair", "variables": {"what": "door"}, "dry_run": True}),
    ("db_create", {"name": "Things", "columns": [COLUMN, NUMBER, TEXT, OTHERS], "database_id": "things", "description": "D",
                   "views": [VIEW], "templates": {"new": {"name": "New", "fields": {"size": "s"}, "body": "x"}},
                   "row_id": {"style": "counter", "prefix": "thing-", "digits": 3}, "dry_run": True}),
    ("db_alter", {"database_id": "stories", "etag": "ETAG", "on_invalid": "refuse", "dry_run": True, "changes": [
        {"action": "add_column", "column": "size", "type": "select", "options": ["s"], "name": "Size", "after": "title", "fill": "s"},
        {"action": "set_column", "column": "estimate", "min": 0, "max": 9, "description": "D"},
        {"action": "rename_option", "column": "status", "option": "idea", "to": "thought"},
        {"action": "add_view", "view": "v", "type": "table", "columns": ["title"], "filters": FILTERS[:1], "sorts": SORT[:1]}]}),
    ("db_batch", {"dry_run": True, "operations": [
        {"action": "insert", "database_id": "stories", "row_id": "story-100", "fields": {"title": "A"}, "body": "B", "template": "repair"},
        {"action": "update", "database_id": "stories", "filters": FILTERS[:1], "fields": {"urgent": True}, "append_body": "x"},
        {"action": "update", "database_id": "stories", "row_id": "story-012", "new_row_id": "story-112", "body": "x"},
        {"action": "delete", "database_id": "people", "filters": "name = nobody"}]}),
    ("db_sql", {"query": "select :since", "params": {"since": "2026-01-01"}, "limit": 1}),
]


def maps_in(value, path=()):
    if isinstance(value, dict):
        yield path
        for key, item in value.items():
            yield from maps_in(item, path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from maps_in(item, path + (i,))


def with_key(value, path, key):
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in path:
        inner = inner[step]
    inner[key] = "x"
    return copy


# Free maps, in which every key is somebody's.
FREE = {("fields",), ("variables",), ("params",), ("templates",)}


def is_free(tool, path):
    return path in FREE or path[-1:] == ("fields",) or (tool == "db_sql" and path == ("params",))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("sample")
    given = parser.parse_args()
    problems = []
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "notes")
        shutil.copytree(given.sample, root)
        agent = Agent(os.path.realpath(given.program), root, os.path.join(folder, "state"))
        tools = {tool["name"]: tool for tool in agent.request("tools/list", {})["tools"]}
        etag = agent.call("db_get_schema", {"database_id": "stories"})[1]["etag"]
        for name, tool in tools.items():
            problems += [f"{place}: a description that converters drop" for place in lost_descriptions(tool["inputSchema"], name)]
        for name, arguments in json.loads(json.dumps(CALLS).replace("ETAG", etag)):
            failed, _, text = agent.call(name, arguments)
            if failed:
                problems.append(f"{name}: the server does not take its own keys: {text[:300]}")
            schema = tools[name]["inputSchema"]
            for version in ("closed or lost", "lost at all"):
                tried += 1
                try:
                    kept = converted(schema, arguments, version)
                except Refused as refusal:
                    problems.append(f"{name}, {version}: refuses {refusal}")
                    continue
                if kept != arguments:
                    problems.append(f"{name}, {version}: loses keys: {json.dumps(kept)}")
                for path in maps_in(arguments):
                    if is_free(name, path):
                        continue
                    tried += 1
                    try:
                        sent = converted(schema, with_key(arguments, path, "negate"), version)
                    except Refused as refusal:
                        if str(refusal) != "negate":
                            problems.append(f"{name} {path}, {version}: refuses {refusal}, not negate")
                        continue
                    failed, _, text = agent.call(name, sent)
                    if not failed or "'negate'" not in text:
                        problems.append(f"{name} {path}, {version}: negate is lost: {text[:200]}")
        agent.end()
    for problem in problems:
        print(problem)
    print(f"{tried} conversions of {len(CALLS)} calls, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
