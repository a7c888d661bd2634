"""The clients of soak.py: over HTTP or on standard input and output, each with rows of its own, asking and writing 9:1."""

import array
import http.client
import json
import random
import threading
import time

import faults
from soak_model import Value

DATABASES = ("tasks", "notes", "log")
ROWS = 6  # of each client, over all databases; the editor saves the first one too
WRITES = 0.1
# What a server that is killed or not yet there looks like.
GONE = (OSError, http.client.HTTPException, ValueError)


class WebDoor:
    """A connection to the server over HTTP, made again when that was killed."""
    name = "HTTP"

    def __init__(self, soak):
        self.soak, self.client = soak, None

    def ready(self):
        if self.client is None:
            self.client = faults.WebClient(self.soak.server)
        return self.client

    def forget(self):
        if self.client:
            self.client.close()
        self.client = None

    close = forget


class StdioDoor:
    """A server of one's own on standard input and output."""
    name = "stdio"

    def __init__(self, soak):
        self.soak, self.client = soak, None

    def ready(self):
        if self.client is None:
            self.client = faults.Client(self.soak.workspace)
        return self.client

    def kill(self):
        client = self.client
        if client:
            client.process.kill()

    def forget(self):
        if self.client:
            self.client.kill()
        self.client = None

    def close(self):
        client, self.client = self.client, None
        if client and client.close() != 0:
            self.soak.report.complain("a server on standard input and output did not end well")


class SoakClient(threading.Thread):
    def __init__(self, soak, door, number):
        super().__init__(daemon=True)
        self.soak, self.door, self.model = soak, door, soak.model
        self.name = f"c{number}"
        self.chance = random.Random(f"{soak.given.seed} {self.name}")
        self.question_times, self.write_times = array.array("f"), array.array("f")
        self.acknowledged = 0
        self.refused = {}
        self.unsure = []  # groups of (row, state) whose write got no answer; a group is one change
        self.rows = [self.lay(index) for index in range(ROWS)]
        self.model.editable.append(self.rows[0])
        # Of these the value as of the last answer, for nobody else writes them.
        self.own = {row: row.states[-1].value for row in self.rows[1:]}

    def lay(self, index):
        self.soak.lay_row(DATABASES[index % len(DATABASES)], f"{self.name}-{index}", self.name, 0)
        return self.model.of_owner[self.name][-1]

    def complain(self, what):
        self.soak.report.complain(f"{self.name} ({self.door.name}): {what}")

    def run(self):
        while not self.soak.ended.is_set():
            try:
                if self.unsure:
                    self.settle_unsure()
                if self.chance.random() < WRITES:
                    self.write()
                else:
                    self.ask()
            except GONE:
                self.door.forget()
                self.soak.ended.wait(0.1)

    # Questions.

    def ask(self):
        self.chance.choices([self.get, self.query, self.sum, self.search, self.list_filtered], [5, 2, 1, 0.5, 1])[0]()

    def asked(self, tool, **arguments):
        """(answer, when it was asked for, when it came); None for one that was refused, with which it is to be explained."""
        client = self.door.ready()
        begun = time.monotonic()
        answer = client.call(tool, **arguments)
        ended = time.monotonic()
        self.question_times.append(ended - begun)
        if faults.code_of(answer) not in (None, "unknown_row"):
            self.complain(f"{tool} {arguments} is refused: {str(answer)[:200]}")
            return None, begun, ended
        return answer, begun, ended

    def judge(self, row, value, begun, ended, missing_is_right=False):
        """Whether what was told of a row was so at some moment between question and answer."""
        possible = row.possible(begun, ended)
        if value in possible or (value is None and missing_is_right):
            return
        self.complain(f"{row.path} is told as {value}, possible {possible[-4:]}")

    def told(self, row, told):
        fields = told["fields"]
        if fields.get("title") != row.name or fields.get("owner") != row.owner:
            self.complain(f"{row.path} is told as {fields}")
        return Value(fields.get("count"), fields.get("ours"))

    def some_owner(self):
        return self.chance.choice([self.name, self.name, "editor", "clone", f"c{self.chance.randrange(len(self.soak.clients))}"])

    def get(self):
        row = self.chance.choice(self.model.of_owner[self.chance.choice([self.some_owner(), "nobody"])])
        answer, begun, ended = self.asked("db_get_row", database_id=row.database, row_id=row.name)
        if answer is not None:
            self.judge(row, self.told(row, answer["row"]) if "row" in answer else None, begun, ended)

    def query(self):
        """All rows of an owner in a database: none missing, none twice, none of another."""
        owner, database = self.some_owner(), self.chance.choice(DATABASES)
        rows = {row.name: row for row in self.model.of_owner[owner] if row.database == database}
        answer, begun, ended = self.asked("db_query", database_id=database, limit=50, sort=self.chance.choice(["-count", "title"]),
                                          filters=[{"field": "owner", "operator": "eq", "value": owner}])
        if answer is None:
            return
        seen = {each["id"]: each for each in answer["rows"]}
        if len(seen) != len(answer["rows"]) or answer["total"] != len(seen) or not seen.keys() <= rows.keys():
            self.complain(f"query of {owner} in {database}: total {answer['total']}, rows {sorted(seen)}")
            return
        # While git rewrites a row by removing it, a query may be without it (docs/reliability.md, promise 10).
        by_git = owner == "clone" and self.soak.syncing.touched(begun, ended)
        for name, row in rows.items():
            self.judge(row, self.told(row, seen[name]) if name in seen else None, begun, ended, by_git)

    def sum(self):
        """A count and a sum lie between the least and the most that was possible."""
        owner, database = self.some_owner(), self.chance.choice(DATABASES)
        answer, begun, ended = self.asked(
            "db_aggregate", database_id=database, filters=[{"field": "owner", "operator": "eq", "value": owner}],
            metrics=[{"function": "count", "as": "n"}, {"function": "sum", "field": "count", "as": "s"}])
        if answer is None:
            return
        possible = [row.possible(begun, ended) for row in self.model.of_owner[owner] if row.database == database]
        if owner == "clone" and self.soak.syncing.touched(begun, ended):
            return
        group = (answer.get("groups") or answer.get("rows") or [{}])[0]
        told = {key: (group.get(key) or group.get("metrics", {}).get(key) or 0) for key in ("n", "s")}
        for key, worth in ("n", lambda value: value is not None), ("s", lambda value: value.count if value else 0):
            least = sum(min(map(worth, each)) for each in possible)
            most = sum(max(map(worth, each)) for each in possible)
            if not least <= told[key] <= most:
                self.complain(f"aggregate of {owner} in {database} says {told}, possible {key} {least} to {most}")

    def search(self):
        """A row of the answer is one that was there."""
        owner = self.some_owner()
        answer, begun, ended = self.asked("db_search", text=f'"Text of {owner}"', limit=5)
        for each in (answer or {}).get("results", (answer or {}).get("rows", [])):
            row = self.model.rows.get((each.get("database_id"), each.get("id") or each.get("row_id")))
            if row is None or all(value is None for value in row.possible(begun, ended)):
                self.complain(f"search for {owner} finds {str(each)[:150]}")

    def list_filtered(self):
        """A page of many rows: those that nobody changes have an exact total, known in advance."""
        database, bound = self.chance.choice(DATABASES), self.chance.randrange(1500)
        answer, _, _ = self.asked("db_query", database_id=database, limit=3, sort="count", filters=[
            {"field": "owner", "operator": "eq", "value": "nobody"}, {"field": "count", "operator": "gte", "value": bound}])
        if answer and (answer["total"] != 1500 - bound or answer["rows"][0]["id"] != f"f{bound}"):
            self.complain(f"rows from {bound} on in {database}: total {answer['total']}, first {answer['rows'][0]['id']}")

    # Writes.

    def write(self):
        self.chance.choices([self.update, self.insert_or_delete, self.batch, self.undo, self.update_shared], [5, 2, 1, 1, 2])[0]()

    def change(self, values, tool, forgiven=(), **arguments):
        """A write that gives these rows these values, or is refused for a reason that it may have."""
        client = self.door.ready()
        group = [(row, row.begin(value)) for row, value in values.items()]
        self.unsure.append(group)
        begun = time.monotonic()
        answer = client.call(tool, **arguments)
        ended = time.monotonic()
        self.unsure.pop()
        self.write_times.append(ended - begun)
        code = faults.code_of(answer)
        for row, state in group:
            if code is None:
                row.succeed(state)
            else:
                row.drop(state)
            if code is None and row in self.own:
                self.own[row] = state.value
        self.acknowledged += code is None
        if code is not None:
            self.explain(tool, code, answer, begun, ended, forgiven)
        return answer

    def explain(self, tool, code, answer, begun, ended, forgiven):
        said = json.dumps(answer)
        no_space = "space" in said and self.soak.full.touched(begun, ended)
        reason = "no space" if no_space else code
        self.refused[reason] = self.refused.get(reason, 0) + 1
        if not no_space and code != "busy" and code not in forgiven:
            self.complain(f"{tool} is refused as {code}: {said[:300]}")

    def present(self):
        return [row for row, value in self.own.items() if value is not None]

    def fields(self, value):
        return {"count": value.count, "ours": value.ours}

    def etag_of(self, row):
        """As the tools want it: of the row as it is read now; None where it cannot be read."""
        answer, begun, ended = self.asked("db_get_row", database_id=row.database, row_id=row.name)
        if answer is None:
            return None
        self.judge(row, self.told(row, answer["row"]) if "row" in answer else None, begun, ended)
        return answer["row"]["etag"] if "row" in answer else None

    def set(self, row, forgiven=()):
        value, etag = row.next_value(self.name), self.etag_of(row)
        if etag is None:
            return {}
        return self.change({row: value}, "db_update_row", forgiven=forgiven, database_id=row.database, row_id=row.name,
                           etag=etag, fields=self.fields(value))

    def make(self, row):
        value = row.next_value(self.name)
        return self.change({row: value}, "db_insert_row", database_id=row.database, row_id=row.name, body=f"Text of {self.name}.\n",
                           fields={"title": row.name, "owner": self.name, **self.fields(value)})

    def update(self):
        return self.set(self.chance.choice(self.present())) if self.present() else self.insert_or_delete()

    def update_shared(self):
        """A row that the editor saves too."""
        return self.set(self.rows[0], forgiven=("conflict",))

    def insert_or_delete(self):
        row = self.chance.choice(list(self.own))
        if self.own[row] is not None:
            return self.change({row: None}, "db_delete_row", database_id=row.database, row_id=row.name)
        return self.make(row)

    def batch(self):
        rows = self.present()[:3]
        values = {row: row.next_value(self.name) for row in rows}
        if values:
            self.change(values, "db_batch", operations=[
                {"action": "update", "database_id": row.database, "row_id": row.name, "fields": self.fields(value)}
                for row, value in values.items()])

    def undo(self):
        """A change, and back again: the row is as it was before."""
        row = self.chance.choice(self.present() or [None])
        if row is None:
            return
        before = self.own[row]
        done = self.set(row)
        if "change" in done:
            undone = self.change({row: before}, "db_undo", forgiven=("invalid_argument",), change=done["change"])
            # On a full disk the journal may have had no room for the change; its answer has said so then.
            if faults.code_of(undone) == "invalid_argument" and not done.get("warnings"):
                self.complain(f"{str(undone)[:200]} after {done}")

    def settle_unsure(self):
        """After a kill: the next write ends what was begun, then each row tells whether it was done."""
        before = self.acknowledged
        probe = self.chance.choice([row for row in self.own if all(row is not each for group in self.unsure for each, _ in group)])
        if self.own[probe] is None:
            self.make(probe)
        else:
            self.set(probe)
        if self.acknowledged == before:
            return  # the disk is full, or the lock busy: at the next turn
        while self.unsure:
            group = self.unsure[-1]
            found = []
            for row, state in group:
                answer, _, _ = self.asked("db_get_row", database_id=row.database, row_id=row.name)
                value = self.told(row, answer["row"]) if "row" in answer else None
                found.append(value == state.value)
                if row in self.own:
                    self.own[row] = value
            for (row, state), there in zip(group, found):
                (row.succeed if there else row.drop)(state)
            if len(set(found)) > 1:
                self.complain(f"half of a batch is there: {[(row.path, there) for (row, _), there in zip(group, found)]}")
            self.unsure.pop()

    def settle(self):
        """At the end, when nobody else works: what is still unsure."""
        for _ in range(50):
            if not self.unsure:
                return
            try:
                self.settle_unsure()
            except GONE:
                self.door.forget()
        self.complain("it was not found out what became of a write")
