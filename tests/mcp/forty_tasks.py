#!/usr/bin/env python3
"""forty_tasks.py PROGRAM SAMPLE: forty tasks on a copy of notes-sample over `notesdb mcp`, by an agent that makes the
mistakes that models make: ids that do not exist, display names, "due desc", "done", `op`, text for lists, stale etags.

Each task is done within one call of the ideal, no answer is wrong without a word, and all that the agent receives,
the list of tools included, takes at most 80 KB. What the agent does after a refusal follows from the refusal's words:
it puts what they call nearest in the place of what they call wrong, or it is told here what a reader of the message
would do, if the message says `needs`.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST_BYTES = 80_000


class Agent:
    def __init__(self, program, root, state):
        env = {key: value for key, value in os.environ.items() if not key.startswith("NOTESDB_")}
        env.update(XDG_CACHE_HOME=state, XDG_STATE_HOME=state, TZ="UTC")
        self.process = subprocess.Popen(
            [program, "mcp", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.ids = 0
        self.calls = 0
        self.bytes = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "agent", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = self.request("tools/list", {})["tools"]
        self.bytes += len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.ids += 1
        self.send({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.ids, answer
        return answer["result"]

    def call(self, tool, arguments):
        self.calls += 1
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        self.bytes += len(text.encode())
        return result.get("isError", False), json.loads(text), text

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


def replaced(value, wrong, right):
    """The arguments with every key and every text `wrong` as `right`."""
    if isinstance(value, dict):
        return {(right if key == wrong else key): replaced(item, wrong, right) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, wrong, right) for item in value]
    return right if value == wrong else value


def repaired(arguments, error):
    """What a reader of the refusal sends next; None where it says nothing to go by."""
    message, data = error["message"], error.get("data", {})
    if error["code"] == "conflict" and "etag" in data:
        return {**arguments, "etag": data["etag"]}
    fixed = arguments
    for wrong, right in re.findall(r"'([^']*)'(?: is not an option of [^;]*; options: [^;]*)?; did you mean '([^']*)'", message):
        fixed = replaced(fixed, wrong, right)
    for wrong, right in re.findall(r"'([^']*)'; it is the display name of '([^']*)'", message):
        fixed = replaced(fixed, wrong, right)
    for wrong, right in re.findall(r"unknown row '([^']*)'; the nearest are: '([^']*)'", message):
        fixed = replaced(fixed, wrong, right)
    for wrong, right in re.findall(r"'([^']*)' is not a row of [^;]*; did you mean '([^']*)'", message):
        fixed = replaced(fixed, wrong, right)
    return None if fixed == arguments else fixed


def front_matter(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


class Task:
    """What is to be done, the first call, and what shows that it is done. `needs`: what the refusal, or the notice of
    an answer, must say where its reader then makes the call `then`. `before`: calls of the ideal that come first; they
    give what the arguments name as functions of their answers."""

    def __init__(self, goal, tool, arguments, shows, needs=None, then=None, before=()):
        self.goal, self.tool, self.arguments, self.shows = goal, tool, arguments, shows
        self.needs, self.then, self.before = needs, then, before

    def run(self, agent, root):
        begun = agent.calls
        known = [agent.call(*call)[1] for call in self.before]
        arguments = self.arguments(*known) if callable(self.arguments) else self.arguments
        failed, answer, text = agent.call(self.tool, arguments)
        if failed or not self.shows(answer, root):
            said = answer["message"] if failed else answer.get("notice", "")
            if not failed and not said:
                return "wrong without a word: " + text[:300]
            if self.then is not None:
                if not re.search(self.needs, text):
                    return f"does not say {self.needs!r}: {text[:300]}"
                then = self.then(*known) if callable(self.then) else self.then
                tool, arguments = then if isinstance(then, tuple) else (self.tool, then)
            else:
                tool = self.tool
                arguments = repaired(arguments, answer if failed else {"code": "", "message": said})
            if arguments is None:
                return "says nothing to go by: " + text[:300]
            failed, answer, text = agent.call(tool, arguments)
            if failed or not self.shows(answer, root):
                return "not done by the second call: " + text[:300]
        elif self.needs and not re.search(self.needs, text):
            return f"does not say {self.needs!r}: {text[:300]}"
        if agent.calls - begun > len(self.before) + 2:
            return f"took {agent.calls - begun} calls, {len(self.before) + 1} would do"
        return None


def where(field, operator, value):
    return [{"field": field, "operator": operator, "value": value}]


def stories(**more):
    return {"database_id": "stories", "select": ["title"], **more}


def total(count):
    return lambda answer, root: answer["total"] == count


def first(row):
    return lambda answer, root: answer["rows"][0]["id"] == row


def of(path, *texts):
    """The file holds these texts now."""
    return lambda answer, root: all(text in front_matter(root, path) for text in texts)


def etag_of(row):
    return ("db_get_row", {"database_id": "stories", "row_id": row})


SCHEMA = ("db_get_schema", {"database_id": "stories"})
STALE = "00000000deadbeef"
# No status of the sample counts as closed but these two.
FRIDAY = str(datetime.date(2026, 6, 12))

TASKS = [
    # asking
    Task("how many databases are there", "db_list", {}, lambda a, root: len(a["databases"]) == 3),
    Task("stories, by the name that people see", "db_query", {**stories(), "database_id": "Stories"}, total(12)),
    Task("a database in the singular", "db_query", {**stories(), "database_id": "story"}, total(12)),
    Task("what is done, by the column's display name", "db_query", stories(filters=where("Status", "eq", "done")), total(2)),
    Task("what is done, capitalised", "db_query", stories(filters=where("status", "eq", "Done")), total(2)),
    Task("what is not done, capitalised", "db_query", stories(filters=where("status", "neq", "Done")),
         total(10), needs="not an option|did you mean", then=stories(filters=where("status", "neq", "done"))),
    Task("`op` for operator", "db_query", stories(filters=[{"field": "status", "op": "eq", "value": "open"}]), total(5)),
    Task("`column` for field", "db_query", stories(filters=[{"column": "status", "operator": "eq", "value": "open"}]), total(5)),
    Task("== for eq", "db_query", stories(filters=where("status", "==", "open")), total(5)),
    Task("a filter as a map of column and value", "db_query", stories(filters={"status": "open"}), total(5),
         needs="operator", then=stories(filters=where("status", "eq", "open"))),
    Task("filters as JSON text", "db_query", stories(filters=json.dumps(where("status", "eq", "open"))), total(5)),
    Task("filters as a condition in words", "db_query", stories(filters="status = open"), total(5)),
    Task("a list in one text", "db_query", stories(filters=where("status", "in", "open,doing")), total(7),
         needs="not an option", then=stories(filters=where("status", "in", ["open", "doing"]))),
    Task("negate, of another language", "db_query", stories(filters=[{**where("status", "eq", "open")[0], "negate": True}]),
         total(7), needs="negate", then=stories(filters=where("status", "neq", "open"))),
    Task("between, of another language", "db_query", stories(filters=where("due", "between", ["2026-06-01", "2026-06-30"])),
         total(4), needs="gte.*lte", then=stories(filters=where("due", "gte", "2026-06-01") + where("due", "lte", "2026-06-30"))),
    Task("a tag with eq", "db_query", stories(filters=where("tags", "eq", "building")), total(3),
         needs="contains", then=stories(filters=where("tags", "contains", "building"))),
    Task("whose, by a person's name", "db_query", stories(filters=where("assignee", "eq", "Ada Okafor")), total(2)),
    Task("the latest first, in words", "db_query", stories(sort="due desc", limit=1), first("story-012")),
    Task("`order` for direction", "db_query", stories(sort=[{"field": "due", "order": "desc"}], limit=1), first("story-012")),
    Task("sort as a map of column and direction", "db_query", stories(sort={"due": "desc"}, limit=1), first("story-012"),
         needs="field.*direction", then=stories(sort=[{"field": "due", "direction": "desc"}], limit=1)),
    Task("DESCENDING", "db_query", stories(sort="due descending", limit=1), first("story-012"),
         needs="desc", then=stories(sort="due desc", limit=1)),
    Task("columns as text, limit as text", "db_query", stories(select="title, status", limit="3"),
         lambda a, root: a["returned"] == 3 and a["columns"] == ["title", "status"]),
    Task("a page by number", "db_query", stories(limit=5, page=2), first("story-006"),
         needs="offset", then=stories(limit=5, offset=5)),
    Task("a row by a number without zeros", "db_get_row", {"database_id": "stories", "row_id": "story-2"},
         lambda a, root: a["row"]["id"] == "story-002"),
    Task("words, under the name of another tool", "db_search", {"query": "inventory"}, lambda a, root: a["total"] >= 1),
    Task("how many of each status, by display name", "db_aggregate", {"database_id": "stories", "group_by": "Status"},
         lambda a, root: {g["status"]: g["count"] for g in a["groups"]}["open"] == 5),
    Task("a sum as a map of column and function", "db_aggregate", {"database_id": "stories", "metrics": {"estimate": "sum"}},
         lambda a, root: a["groups"][0]["sum_estimate"] > 0,
         needs="function.*field", then={"database_id": "stories", "metrics": [{"function": "sum", "field": "estimate"}]}),
    Task("average", "db_aggregate", {"database_id": "stories", "metrics": [{"function": "average", "field": "estimate"}]},
         lambda a, root: a["groups"][0]["avg_estimate"] > 0),
    # writing
    Task("a new story, its columns beside fields", "db_insert_row", {"database_id": "stories", "title": "Mow the lawn"},
         of("stories/story-013.md", "title: Mow the lawn", "status: idea"), needs="fields",
         then={"database_id": "stories", "fields": {"title": "Mow the lawn"}}),
    Task("a new story with tags in one text", "db_insert_row",
         {"database_id": "stories", "fields": {"title": "Oil the door", "tags": "building, money"}},
         of("stories/story-014.md", "building", "money"), needs="list|options",
         then={"database_id": "stories", "fields": {"title": "Oil the door", "tags": ["building", "money"]}}),
    Task("a new story by display names, due next friday", "db_insert_row",
         {"database_id": "stories", "fields": {"title": "Ask the baker", "Due": "next friday", "Evenings": 2}},
         of("stories/story-015.md", "due: " + FRIDAY, "estimate: 2"), needs="'Due'.*'due'.*'Evenings'.*'estimate'",
         then={"database_id": "stories", "fields": {"title": "Ask the baker", "due": FRIDAY, "estimate": 2}}),
    Task("done, with a stale etag", "db_update_row",
         {"database_id": "stories", "row_id": "story-003", "etag": STALE, "fields": {"status": "done"}},
         of("stories/story-003.md", "status: done")),
    Task("done, capitalised", "db_update_row",
         lambda row: {"database_id": "stories", "row_id": "story-004", "etag": row["row"]["etag"], "fields": {"status": "Done"}},
         of("stories/story-004.md", "status: done"), before=[etag_of("story-004")]),
    Task("a field beside fields", "db_update_row",
         lambda row: {"database_id": "stories", "row_id": "story-005", "etag": row["row"]["etag"], "status": "doing"},
         of("stories/story-005.md", "status: doing"), needs="fields", before=[etag_of("story-005")],
         then=lambda row: {"database_id": "stories", "row_id": "story-005", "etag": row["row"]["etag"],
                           "fields": {"status": "doing"}}),
    Task("an assignee by name", "db_update_row",
         lambda row: {"database_id": "stories", "row_id": "story-006", "etag": row["row"]["etag"],
                      "fields": {"assignee": "Mateo Ruiz"}},
         of("stories/story-006.md", "mateo-ruiz"), before=[etag_of("story-006")], needs="mateo-ruiz",
         then=lambda row: {"database_id": "stories", "row_id": "story-006", "etag": row["row"]["etag"],
                           "fields": {"assignee": "mateo-ruiz"}}),
    Task("several at once, with `op`", "db_batch",
         {"operations": [{"op": "update", "database_id": "stories", "row_id": "story-007", "fields": {"urgent": True}}]},
         of("stories/story-007.md", "urgent: true")),
    Task("delete a row, its id with a capital", "db_delete_row", {"database_id": "stories", "row_id": "Story-015"},
         lambda a, root: not os.path.exists(os.path.join(root, "stories/story-015.md"))),
    Task("take the last change back", "db_undo", {"change": "last"},
         of("stories/story-015.md", "title: Ask the baker"), needs="db_history",
         before=[("db_history", {"limit": 1})], then=lambda past: {"change": past["changes"][0]["change"]}),
    Task("remove a column", "db_alter",
         lambda schema: {"database_id": "stories", "etag": schema["etag"], "expect_count": 2,
                         "changes": [{"action": "remove_column", "column": "link"}]},
         lambda a, root: "id: link" not in front_matter(root, "stories/_schema.md"), before=[SCHEMA],
         needs="drop_column",
         then=lambda schema: {"database_id": "stories", "etag": schema["etag"], "expect_count": LINKS,
                              "changes": [{"action": "drop_column", "column": "link"}]}),
    Task("a new database, its columns by name only", "db_create",
         {"name": "Trips", "columns": [{"name": "Title", "type": "string"}, {"id": "when", "type": "date"}]},
         of("trips/_schema.md", "id: title", "id: when"), needs="'id'.*'text'",
         then={"name": "Trips", "columns": [{"id": "title", "type": "text"}, {"id": "when", "type": "date"}]}),
]
LINKS = 0


def main():
    global LINKS
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("sample")
    given = parser.parse_args()
    assert len(TASKS) == 40, len(TASKS)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "notes")
        shutil.copytree(given.sample, root)
        rows = os.listdir(os.path.join(root, "stories"))
        LINKS = sum("\nlink:" in front_matter(root, "stories/" + name) for name in rows if name != "_schema.md")
        agent = Agent(os.path.realpath(given.program), root, os.path.join(folder, "state"))
        for task in TASKS:
            problem = task.run(agent, root)
            if problem:
                problems.append(f"{task.goal}: {problem}")
        agent.end()
    if agent.bytes > MOST_BYTES:
        problems.append(f"the agent received {agent.bytes} bytes")
    for problem in problems:
        print(problem)
    ideal = sum(1 + len(task.before) for task in TASKS)
    print(f"{len(TASKS)} tasks, {agent.calls} calls where {ideal} would do, {agent.bytes} bytes received")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
