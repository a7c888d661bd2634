"""What notesdb set out to reach, as ratios of figures of one run.

A target has clauses: a label, the most that the ratio may be, and how it is made of the figures; where
the kernel's part of the work is measured by itself (floor.cpp), also the ratio of that, below which no
program gets. `figures` knows times(count), parts(count) and single numbers; what was not measured is
missing, and the clause then says so instead of passing.
"""

# A command that verifies every file has to stat it, one without an index to read it, one that asks a
# server to start, and a durable update to write.
FLOORS = {"notesdb first": "known floor", "notesdb first, no cache": "read floor", "served first": "nothing"}


class Clause:
    def __init__(self, label, most, ratio, floor=None):
        self.label, self.most, self._ratio, self._floor = label, most, ratio, floor

    def ratio(self, figures):
        return measured(self._ratio, figures)

    def floor(self, figures):
        return measured(self._floor, figures) if self._floor else None


def measured(ratio, figures):
    try:
        return ratio(figures)
    except (KeyError, ZeroDivisionError):
        return None


def of_times(label, most, count, top, bottom):
    def ratio_of(name):
        return lambda f: f.times(count)[name] / f.times(count)[bottom]
    floor = FLOORS.get(top)
    return Clause(label, most, ratio_of(top), ratio_of(floor) if floor not in (None, bottom) else None)


def of_update(label, most, bottom):
    return Clause(label, most, lambda f: f.writes["update"] / f.writes[bottom],
                  lambda f: f.writes["write floor"] / f.writes[bottom])


def per_size(top, bottom, mosts):
    return [of_times("%s of %s, %s rows" % (top, bottom, size(count)), most, count, top, bottom)
            for count, most in mosts.items()]


def of_reader(what, part, reader, most):
    return Clause("%sof %s" % (what, reader), most, lambda f:
                  f.parts(TEN)[part]["ms"] / f.parts(TEN)["parse/" + reader]["ms"])


def size(count):
    return "%dk" % (count // 1000) if count < 1000000 else "1M"


K, TEN, HUNDRED = 1000, 10000, 100000

TARGETS = [
    ("a command that verifies every file, beside `git status`",
     per_size("notesdb first", "git status", {K: 0.35, TEN: 0.30, HUNDRED: 0.35})),
    ("the same beside `rg -l`",
     per_size("notesdb first", "rg -l", {K: 0.13, TEN: 0.10, HUNDRED: 0.13})),
    ("the same beside two threads that only list and stat",
     per_size("notesdb first", "stat floor", {HUNDRED: 1.15})),
    ("the same beside the sqlite3 command, which looks at no file",
     per_size("notesdb first", "sqlite3 first, indexed", {K: 0.5}) +
     per_size("notesdb first", "sqlite3 first", {HUNDRED: 0.6})),
    ("a command through a resident server",
     [Clause("of an empty static process, %s rows" % size(count), 1.4, lambda f, n=count:
             f.times(n)["served first"] / f.times(n)["nothing"]) for count in (K, TEN, HUNDRED)] +
     [Clause("the same, answered again each time, 100k rows", 1.4, lambda f:
             f.times(HUNDRED)["served first, again"] / f.times(HUNDRED)["nothing"])] +
     per_size("served first", "sqlite3 first, indexed", {HUNDRED: 0.25}) +
     per_size("served first", "git status", {HUNDRED: 0.004})),
    ("a resident first question, beside sqlite in process",
     [Clause("with the right index, 100k rows", 0.2, lambda f:
             f.parts(HUNDRED)["resident/first"]["ms"] / f.parts(HUNDRED)["sqlite/first/indexed"]["ms"]),
      Clause("and its rows as JSON, as ours are, 100k rows", 0.2, lambda f:
             f.parts(HUNDRED)["resident/first"]["ms"] / f.parts(HUNDRED)["sqlite/first/json"]["ms"]),
      Clause("without an index, 100k rows", 0.002, lambda f:
             f.parts(HUNDRED)["resident/first"]["ms"] / f.parts(HUNDRED)["sqlite/first/plain"]["ms"])]),
    ("a resident second question, beside sqlite in process",
     [Clause("with the right index, 100k rows", 0.005, lambda f:
             f.parts(HUNDRED)["resident/second"]["ms"] / f.parts(HUNDRED)["sqlite/second/indexed"]["ms"])]),
    ("a resident question after outside edits, 100k rows",
     [Clause("after one, of the unchanged question", 1.1, lambda f:
             f.parts(HUNDRED)["resident/after_edits/1"]["ms"] / f.parts(HUNDRED)["resident/first"]["ms"], lambda f:
             1 + f.parts(HUNDRED)["floor/after_edits/1"]["ms"] / f.parts(HUNDRED)["resident/first"]["ms"]),
      Clause("after 100, in units of 5 us per edited file", 1.0, lambda f:
             (f.parts(HUNDRED)["resident/after_edits/100"]["ms"] -
              f.parts(HUNDRED)["resident/first"]["ms"]) / 100 / 0.005, lambda f:
             f.parts(HUNDRED)["floor/after_edits/100"]["ms"] / 100 / 0.005)]),
    ("a command after one outside edit",
     per_size("notesdb first, after an edit", "notesdb first, no edit", {K: 1.05, TEN: 1.05, HUNDRED: 1.05})),
    ("a command without its index, warm",
     per_size("notesdb first, no cache", "rg -l", {TEN: 0.45, HUNDRED: 0.45}) +
     per_size("notesdb first, no cache", "read floor", {HUNDRED: 1.3}) +
     per_size("notesdb first, no cache", "gray-matter", {TEN: 0.05}) +
     per_size("notesdb first, no cache", "recsel", {TEN: 0.013})),
    ("a command without its index, cold disk",
     per_size("cold notesdb first, no cache", "cold rg -l", {TEN: 0.5})),
    ("one row updated durably",
     [of_update("of the sqlite3 command", 0.25, "sqlite3 update"),
      of_update("of `sed -i`, which is not durable", 0.5, "sed -i"),
      Clause("of write, fsync, rename, fsync of the folder", 1.3, lambda f:
             f.writes["update"] / f.writes["write floor"])]),
    ("a batch of 1,000 rows, durable",
     [Clause("of the same files without fsync", 1.1, lambda f: f.writes["batch"] / f.writes["plain 1000"]),
      Clause("of an fsync per row", 0.45, lambda f: f.writes["batch"] / f.writes["each 1000"])]),
    ("memory",
     [Clause("resident, in units of 350 B per row, 100k rows", 1.0, lambda f:
             f.parts(HUNDRED)["resident/first"]["memory"] / HUNDRED / 350),
      Clause("peak of a command, of git status, 100k rows", 0.6, lambda f:
             f.peaks["notesdb first"] / f.peaks["git status"])]),
    ("reading front matter with all checks of YAML, time per row",
     [of_reader("", "parse/scanner", "yaml-cpp", 1 / 60),
      of_reader("", "parse/scanner", "rapidyaml", 1 / 3),
      of_reader("and every value judged by its column and coded: ", "parse/checked", "yaml-cpp", 1 / 60),
      of_reader("and every value judged by its column and coded: ", "parse/checked", "rapidyaml", 1 / 3)]),
    ("the links of all notes, first, beside a plain read of the files",
     per_size("notesdb links", "read floor", {TEN: 1.5})),
]
