#!/usr/bin/env python3
"""Measures notesdb beside others in one run and writes docs/performance.md. See tools/bench."""
import argparse
import os
import pathlib
import platform

import commands
import conversation
import growth
import measure
import report
import rows
import writes


class Figures:
    """All that was measured, in milliseconds and bytes."""

    def __init__(self):
        self._times, self._parts = {}, {}
        self.writes, self.peaks, self.talk = {}, {}, {}
        self.machine = "%d cores, Linux %s; %.1f programs were at work when it began" % (
            os.cpu_count(), platform.release(), os.getloadavg()[0])

    def times(self, count):
        return self._times.setdefault(count, {})

    def parts(self, count):
        return self._parts.setdefault(count, {})


def say(text):
    print("== " + text, flush=True)


def measure_questions(bench, figures, count, options):
    say("%d rows: questions" % count)
    times = figures.times(count)
    bench.forget_indexes()
    asked = commands.present(commands.questions(bench, count))
    times.update(bench.times(asked))
    row = bench.folder / ("w%d" % count) / "tasks" / "task-000500.md"
    times.update(bench.times({"notesdb first, no edit": asked["notesdb first"],
                              "notesdb first, after an edit": asked["notesdb first"]},
                             prepare=["touch --no-create %s.none" % row, "touch %s" % row]))
    if count <= options.most_slow:
        slow = commands.present(commands.slow_questions(bench, count, options.node_modules))
        times.update(bench.times(slow, runs=measure.FEW))
    with conversation.Conversation(bench, bench.folder / ("w%d" % count)) as talk:
        conversation.time_calls(talk, 1)
        times.update(bench.times(commands.served(bench, bench.folder / ("w%d" % count))))


def measure_cold(bench, figures, count):
    say("%d rows: with an empty page cache" % count)
    drop = "sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'"
    asked = commands.questions(bench, count)
    for name in ("notesdb first", "notesdb first, no cache", "rg -l", "git status"):
        found = bench.times({name: asked[name]}, runs=measure.FEW, prepare=drop)
        figures.times(count)["cold " + name] = found[name]


def measure_parts(bench, figures, sizes):
    for count in sizes:
        say("%d rows: parts" % count)
        figures.parts(count).update(bench.parts(count, "resident|sqlite|index|floor"))
    say("parts that need no files")
    figures.parts(sizes[min(1, len(sizes) - 1)]).update(bench.parts(sizes[min(1, len(sizes) - 1)], "parse|codec|scan"))


def measure_writes(bench, figures, count):
    say("writes")
    figures.writes.update(writes.measure_update(bench, count))
    figures.writes.update(writes.measure_batch(bench, count))


def measure_peaks(bench, figures, count):
    workspace = bench.folder / ("w%d" % count)
    figures.peaks["notesdb first"] = bench.peak_memory(
        [bench.program("notesdb"), "query", "tasks", "--where", "status = done", "--sort", "due",
         "--limit", "50", "--root", str(workspace)])
    figures.peaks["git status"] = bench.peak_memory(["git", "-C", str(workspace), "status", "--porcelain"])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder of the release")
    parser.add_argument("--folder", required=True, help="where rows are made and kept for the next run")
    parser.add_argument("--rows", default="1000,10000,100000", help="how many, by comma")
    parser.add_argument("--runs", type=int, default=25, help="of each command")
    parser.add_argument("--only", default="questions,parts,writes,talk", help="what to measure")
    parser.add_argument("--cold", action="store_true", help="also with an empty page cache (root)")
    parser.add_argument("--most-slow", type=int, default=10000, help="rows for peers that take seconds")
    parser.add_argument("--node-modules", default="", help="a folder with node_modules/gray-matter")
    parser.add_argument("--calls", type=int, default=100000, help="to one server, for its memory")
    parser.add_argument("--growth", action="store_true", help="only what writes cost as a database grows")
    parser.add_argument("--report", default="", help="the Markdown file to write")
    return parser.parse_args()


def main():
    options = arguments()
    sizes = [int(word) for word in options.rows.split(",")]
    wanted = options.only.split(",")
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    bench = measure.Bench(folder, options.build, options.runs, measure.may_be_realtime())
    if options.node_modules:
        (pathlib.Path(options.node_modules) / "ask.mjs").write_text(
            (pathlib.Path(__file__).parent / "ask.mjs").read_text())
    if options.growth:
        print(growth.report(bench, sizes, options.runs))
        return
    figures = Figures()
    writes.forget(folder)
    for count in sizes:
        say("making %d rows" % count)
        rows.prepare(folder, count)
    for count in sizes:
        if "questions" in wanted:
            measure_questions(bench, figures, count, options)
    if options.cold:
        measure_cold(bench, figures, sizes[min(1, len(sizes) - 1)])
    if "parts" in wanted:
        measure_parts(bench, figures, sizes)
    if "writes" in wanted:
        measure_writes(bench, figures, sizes[0])
    if "talk" in wanted:
        say("a server and its agent")
        figures.talk = conversation.measure(bench, folder / ("w%d" % sizes[min(1, len(sizes) - 1)]),
                                            many=options.calls)
    if "questions" in wanted:
        measure_peaks(bench, figures, sizes[-1])
    page = pathlib.Path(options.report) if options.report else None
    text = report.write(figures, sizes, page.read_text() if page and page.exists() else "")
    if page:
        page.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
