"""The report: docs/performance.md, as Markdown."""
from targets import TARGETS, size

HEAD = """# Speed

Written by `tools/bench`, which measures notesdb beside others in one run. Only ratios are worth
comparing between machines: the same machine can be 1.7 times slower an hour later, and the ratios
then move by less than a sixth.

The rows: one flat folder, ten fields, 1.75 KB each (`tests/bench/rows.py`). The first question:
status is done, estimate at least 3, due set, by due, 50 rows of four columns. The second: how many
rows of each status. Whole commands are timed by hyperfine in rounds, five runs of one and then five of
the next, so that each finds the processor's caches as it left them itself and a slow minute of the
machine is one for all of them; parts by Google Benchmark. Every figure is a median, everything in the
page cache unless it says cold. A command verifies every file of the database unless a server of the
workspace answers it. A server gives the same bytes to the same words within a second, which is what
"served first" measures; "again" is a question that it must answer each time, since it names a time.
"After an edit" one row was touched before each run, and stands beside "no edit", before which a program
ran that touched nothing. Programs are copied first, as an install does: what a linker has just written
takes 0.1 ms longer to start. Rows begin as they were made, since git reads a row that was edited at
every look.

The floor is what the kernel's part of the work takes by itself, in a program that does nothing else
(`tests/bench/floor.cpp`): for a command that verifies, a stat of every file by name on two threads; for
one without an index, open, read and close; for an update, write, fsync, rename and fsync of the folder;
for one through a server, a process that does nothing.
A target below the floor's own ratio is out of reach on this machine, whatever the program.

    tools/bench                  # 1,000, 10,000 and 100,000 rows; twenty minutes
    tools/bench --rows 1000,10000 --only questions

"""

WHERE = "## Where the time goes\n"


def told_by_hand(page):
    """The chapter that is nobody's to measure, as it stands on the page."""
    at = page.find(WHERE)
    return "\n" + page[at:] if at >= 0 else ""


def cell(ratio):
    if ratio is None:
        return "not measured"
    return "%.3g" % ratio


def verdict(ratio, floor, most):
    if ratio is None:
        return "not measured"
    if ratio <= most:
        return "pass"
    return "out of reach" if floor is not None and floor > most else "short"


def targets_table(figures):
    lines = ["| # | what | ratio | the floor's | at most | |", "|---|---|---|---|---|---|"]
    for number, (text, clauses) in enumerate(TARGETS, 1):
        for at, clause in enumerate(clauses):
            ratio, floor = clause.ratio(figures), clause.floor(figures)
            what = "%s: %s" % (text, clause.label) if at == 0 else clause.label
            lines.append("| %s | %s | %s | %s | %.3g | %s |" % (
                number if at == 0 else "", what, cell(ratio), "" if floor is None else cell(floor),
                clause.most, verdict(ratio, floor, clause.most)))
    return "\n".join(lines) + "\n"


def times_table(figures, sizes):
    names = []
    for count in sizes:
        names += [name for name in figures.times(count) if name not in names]
    lines = ["| command | " + " | ".join(size(count) for count in sizes) + " |",
             "|---" * (len(sizes) + 1) + "|"]
    for name in names:
        cells = ["%.2f" % figures.times(count)[name] if name in figures.times(count) else "" for count in sizes]
        lines.append("| %s | %s |" % (name, " | ".join(cells)))
    return "\n".join(lines) + "\n"


def parts_table(figures, sizes):
    names = []
    for count in sizes:
        names += [name for name in figures.parts(count) if name not in names]
    lines = ["| part | " + " | ".join(size(count) for count in sizes) + " | rows a second |",
             "|---" * (len(sizes) + 2) + "|"]
    for name in names:
        cells, speed = [], ""
        for count in sizes:
            part = figures.parts(count).get(name)
            cells.append("%.4f" % part["ms"] if part else "")
            if part and "items_per_second" in part:
                speed = "%.3g" % part["items_per_second"]
        lines.append("| %s | %s | %s |" % (name, " | ".join(cells), speed))
    return "\n".join(lines) + "\n"


def writes_table(figures):
    lines = ["| write | ms |", "|---|---|"]
    lines += ["| %s | %.2f |" % item for item in figures.writes.items()]
    return "\n".join(lines) + "\n"


def talk_table(talk):
    return "\n".join([
        "| as an agent's server, 10,000 rows | |", "|---|---|",
        "| start to first answer | %.1f ms |" % talk["first answer"],
        "| a one-row query | %.3f ms |" % talk["one-row query"],
        "| memory after 50 calls | %.1f MiB |" % (talk["idle memory"] / 2**20),
        "| memory before and after %d more calls | %.1f, %.1f MiB |" % (
            talk["calls"], talk["memory before"] / 2**20, talk["memory after"] / 2**20)]) + "\n"


def write(figures, sizes, before=""):
    """The page, with what the one before it tells by hand."""
    parts = [HEAD, "Machine of this run: %s.\n\n" % figures.machine,
             "## Targets\n\n", targets_table(figures)]
    if any(figures.times(count) for count in sizes):
        parts += ["\n## Whole commands (ms, by number of rows)\n\n", times_table(figures, sizes)]
    if any(figures.parts(count) for count in sizes):
        parts += ["\n## Parts (ms, by number of rows in the files)\n\n", parts_table(figures, sizes)]
    if figures.writes:
        parts += ["\n## Writes\n\n", writes_table(figures)]
    if figures.talk:
        parts += ["\n## Serving\n\n", talk_table(figures.talk)]
    return "".join(parts) + told_by_hand(before)
