"""Taking times: whole commands by hyperfine, parts by notesdb_bench, servers by talking to them.

Every figure is a median in milliseconds. Commands that are compared run in rounds: in each of them some
runs of one and then some of the next, since a command that is asked again finds the processor as it
left it. One that follows another finds it emptied, and most of its time is then the other's. A machine
that is slow for a while is so for all commands of a round.
"""
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

FEW = 5  # runs of what takes long, and of each command in a round


def may_be_realtime():
    """Whether commands may run ahead of what else the machine does."""
    return (shutil.which("chrt") is not None and
            subprocess.run(["chrt", "-f", "20", "true"], stderr=subprocess.DEVNULL).returncode == 0)


class Bench:
    """Where things are, and how careful to be."""

    def __init__(self, folder, build, runs, realtime):
        self.folder = pathlib.Path(folder).resolve()
        self.build = pathlib.Path(build)
        self.runs = runs
        self.front = ["chrt", "-f", "20"] if realtime else []
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"),
                                XDG_STATE_HOME=str(self.folder / "state"),
                                XDG_RUNTIME_DIR=str(self.folder / "run"), LC_ALL="C.UTF-8")
        self.environment.pop("NOTESDB_ROOT", None)
        (self.folder / "run").mkdir(exist_ok=True)
        (self.folder / "run").chmod(0o700)

    def program(self, name):
        """The program, copied as an install does it. What a linker wrote lies in the page cache page by
        page, and takes a tenth of a millisecond longer to start than what was written in one go."""
        for place in (self.build / name, self.build / "tests" / "bench" / name):
            if place.exists():
                return str(self.installed(place))
        raise SystemExit("bench: %s is not built" % name)

    def installed(self, program):
        copy = self.folder / "programs" / program.name
        if not copy.exists() or copy.stat().st_mtime != program.stat().st_mtime:
            copy.parent.mkdir(exist_ok=True)
            shutil.copy2(program, copy)
        return copy

    def run(self, words, **more):
        return subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, text=True, **more)

    def times(self, commands, runs=None, realtime=True, prepare=None):
        """The median of each command of {name: command line}, in milliseconds. `prepare`: a command
        that runs before each run, outside of its time, or one for each of the commands."""
        taken = collections.defaultdict(list)
        for _ in range(max(1, (runs or self.runs) // FEW)):
            for name, times in self.round(commands, realtime, prepare).items():
                taken[name] += times
        return {name: statistics.median(times) * 1000 for name, times in taken.items()}

    def round(self, commands, realtime, prepare):
        """{name: seconds of each of a few runs}"""
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            words = ["hyperfine", "-N", "-i", "-w", "2", "-r", str(FEW), "--export-json", out.name]
            for before in [prepare] if isinstance(prepare, str) else prepare or []:
                words += ["--prepare", before]
            for name, command in commands.items():
                words += ["-n", name, command]
            done = subprocess.run((self.front if realtime else []) + words, env=self.environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                results = json.load(open(out.name))["results"]
            except ValueError:
                raise SystemExit("hyperfine: " + done.stderr)
        taken = {}
        for result in results:
            if set(result["exit_codes"]) == {0}:
                taken[result["command"]] = result["times"]
            else:
                print("   %s fails: exit %s" % (result["command"], set(result["exit_codes"])))
        return taken

    def forget_indexes(self):
        """What earlier runs left: they edited rows, and an index of then is behind."""
        shutil.rmtree(self.folder / "cache" / "notesdb", ignore_errors=True)

    def peak_memory(self, command):
        """The most that a command held, in bytes."""
        done = subprocess.run([self.program("bench_floor"), "peak"] + command, env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return int(done.stderr.split()[-1]) * 1024

    def parts(self, count, pattern):
        """{benchmark: {time in ms, items_per_second, counters}} of notesdb_bench."""
        words = self.front + [self.program("notesdb_bench"),
                              "--workspace=%s" % (self.folder / ("w%d" % count)),
                              "--sqlite=%s" % (self.folder / ("s%d-indexed.db" % count)),
                              "--benchmark_filter=" + pattern, "--benchmark_format=json",
                              "--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true"]
        scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
        found = {}
        done = self.run(words, stderr=subprocess.DEVNULL, check=True)
        for result in json.loads(done.stdout)["benchmarks"]:
            if result.get("aggregate_name") != "median" or result.get("error_occurred"):
                continue
            name = result["run_name"].split("/iterations")[0]
            found[name] = dict(result, ms=result["real_time"] * scale[result["time_unit"]])
        return found
