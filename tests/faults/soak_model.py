"""What soak.py knows of each row: the values it was given, when each began and when it was acknowledged.

A value is possible for an answer that was asked for at t0 and came at t1 when its writing began before t1, and no other
value was both begun after this one was acknowledged and itself acknowledged before t0. A write whose answer never came (its
server was killed) stays possible until its owner has looked whether it is there.
"""

import re
import threading
import time
from dataclasses import dataclass

KEPT = 60  # values of a row that are remembered; more than are written while one question is asked


@dataclass(frozen=True)
class Value:
    count: int
    ours: str


def value_in(text):
    """What a whole file of a row holds; None of no file, and the text itself of one that is not as it should be."""
    found = re.fullmatch(r"---\ntitle: ([\w-]+)(?:   # kept)?\ncount: (\d+)\nours: ([\w.-]+)\nowner: (\w+)\n---\n\n?Text of (\w+)\.\n",
                         text or "")
    return Value(int(found.group(2)), found.group(3)) if found and found.group(4) == found.group(5) else text


@dataclass(eq=False)
class State:
    value: Value  # None: no such row
    begun: float
    ended: float = None  # acknowledged, or seen afterwards
    dropped: float = None  # refused, or seen not to be there


class Row:
    def __init__(self, database, name, owner):
        self.database, self.name, self.owner = database, name, owner
        self.path = f"{database}/{name}.md"
        self.states = [State(None, 0.0, 0.0)]
        self.lock = threading.Lock()
        self.newest = 0

    def text_of(self, value):
        return (f"---\ntitle: {self.name}   # kept\ncount: {value.count}\nours: {value.ours}\nowner: {self.owner}\n---\n"
                f"Text of {self.owner}.\n")

    def next_value(self, word):
        with self.lock:
            self.newest += 1
            return Value(self.newest, f"{word}.{self.newest}")

    def laid_out(self, value):
        self.states = [State(value, 0.0, 0.0)]
        self.newest = value.count

    def begin(self, value):
        state = State(value, time.monotonic())
        with self.lock:
            self.states.append(state)
            if len(self.states) > 2 * KEPT:
                del self.states[:KEPT]
        return state

    def succeed(self, state):
        state.ended = time.monotonic()

    def drop(self, state):
        state.dropped = time.monotonic()

    def possible(self, asked, answered):
        with self.lock:
            states = list(self.states)
        # Of what was acknowledged before the question: what began last tells which others are gone.
        latest = max((each.begun for each in states if each.ended is not None and each.ended < asked and each.dropped is None),
                     default=0.0)
        return [each.value for each in states
                if each.begun <= answered and (each.dropped is None or each.dropped >= asked)
                and (each.ended is None or each.ended >= latest)]


class Model:
    def __init__(self):
        self.rows = {}
        self.of_owner = {}
        self.editable = []  # rows of clients that the editor saves too

    def add(self, database, name, owner):
        row = self.rows[database, name] = Row(database, name, owner)
        self.of_owner.setdefault(owner, []).append(row)
        return row


class Windows:
    """Times at which something was going on; `with` makes one. `none_meanwhile` keeps two of a kind from each other."""

    def __init__(self):
        self.times = []
        self.none_meanwhile = threading.Lock()

    def __enter__(self):
        self.times.append([time.monotonic(), float("inf")])

    def __exit__(self, *_):
        self.times[-1][1] = time.monotonic()

    def touched(self, begun, ended):
        return any(first <= ended and begun <= last for first, last in self.times[-20:])
