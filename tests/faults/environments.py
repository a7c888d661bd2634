#!/usr/bin/env python3
"""The same folder gives the same bytes of output, wherever and under whatever circumstances it is read.

A workspace with words of several scripts, numbers, dates, links, broken rows and a second database is asked by commands
that list, query, sort, filter, count, search, check and export. The answers in a plain environment are kept; then they are
asked for again in others: locales, time zones, no variables, no home, no cache or a full one, another user, few
descriptors, one processor, another working directory, narrow terminals, clocks of 1970 and 2038 and one that runs
backwards, a server that answers for the command, and copies of the folder whose files were made in another order or lie on
other file systems. Output, complaints and exit codes must be the same byte for byte.

A dose is how often each is done, each time with rows of chance. The clocks need notesdb_dynamic and faults_shim.so beside
the program (`ninja faults_parts`).
"""

import collections
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile

import faults
import shim
import volumes

ROWS = 300  # so many that an index is kept of them
SCHEMA = """---
name: Tasks
columns:
- {id: title, type: text}
- {id: count, type: number}
- {id: due, type: date}
- {id: done, type: checkbox}
- {id: tags, type: multi-select}
- {id: friend, type: relation, target: people}
next_row_id: 1
---
"""
PEOPLE = "---\nname: People\ncolumns:\n- {id: name, type: text}\n---\n"
WORDS = ["istanbul", "I\u0307zmir", "\u0131l\u0131k", "INDIA", "\u00c4pfel", "apfel", "Zebra", "\u00f6re", "e\u0301t\u00e9", "\u00e9t\u00e9",
         "\u6771\u4eac", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u0416\u0443\u043a", "\U0001f600 smile", "stra\u00dfe", "STRASSE", "1,5", "01.02.2026", "-x", "~"]
COMMANDS = [
    ["list"], ["list", "--json"], ["schema", "tasks"],
    *(["query", "tasks", "-o", form] for form in ("table", "json", "csv", "tsv", "yaml", "md", "ids")),
    ["query", "tasks", "--sort", "title"], ["query", "tasks", "--sort", "count:desc", "--limit", "7"],
    ["query", "tasks", "--where", "title contains i"], ["query", "tasks", "--where", "due gt 2026-03-01", "--include-body"],
    ["query", "tasks", "--select", "title,friend.name"], ["aggregate", "tasks", "--by", "done"], ["get", "tasks", "r3"],
    ["get", "tasks", "no-such"], ["search", "words"], ["search", "\u00e9t\u00e9"], ["check"], ["check", "--json"],
    ["export", "tasks", "--format", "csv"], ["infer", "tasks"],
]


def texts():
    """Files of a workspace, by path."""
    files = {"tasks/_schema.md": SCHEMA, "people/_schema.md": PEOPLE, "tasks/broken.md": "---\ntitle: 'open\n---\n",
             "tasks/no-front.md": "Only text.\n", "tasks/r3 (conflict 2026-01-31 090500 k3f9).md": "---\ntitle: x\n---\n"}
    for number in range(12):
        files[f"people/p{number}.md"] = f"---\nname: {WORDS[number]}\n---\n"
    for number in range(ROWS):
        count, day, word = random.choice([number, -1.5, 1e21, 0.1]), random.randrange(1, 28), random.choice(WORDS)
        files[f"tasks/r{number}.md"] = (
            f'---\ntitle: "{word} {number % 7}"\ncount: {count}\ndue: 2026-0{number % 9 + 1}-{day:02}\ndone: {number % 3 == 0}\n'
            f"tags: [b, a, {word[:1].lower() if word[0].isalpha() else 'c'}]\nfriend: p{number % 14}\n---\nSome words of {word}.\n")
    return files


def lay_out(folder, files, order):
    """The workspace, made in this order; all that an answer tells of it is the same wherever it lies."""
    root = folder + "/workspace"
    for path in order:
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(files[path])
        os.utime(os.path.join(root, path), (0, 1_700_000_000 + 10_000 * len(files[path])))
    return root


class Asker:
    """Puts all commands to a workspace and keeps what is said."""

    def __init__(self, program, root, base):
        self.program, self.root, self.base = program, root, base
        self.variables = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": base + "/cache", "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": base}
        self.before = []
        self.folder = base

    def answers(self):
        said = []
        for words in COMMANDS:
            done = subprocess.run([*self.before, self.program, *words, "--root", self.root], env=self.variables, cwd=self.folder,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
            said.append((done.returncode, done.stdout, done.stderr))
        return said


def variables(**changed):
    def change(asker):
        asker.variables.update(changed)
        for name in [name for name, value in changed.items() if value is None]:
            del asker.variables[name]
    return change


def after(*words):
    def change(asker):
        if not shutil.which(words[0]):
            raise OSError("there is no " + words[0])
        asker.before = list(words)
    return change


def other_user(asker):
    if os.geteuid() != 0:
        raise OSError("not root")
    after("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")(asker)
    os.chmod(asker.base, 0o755)
    asker.variables["XDG_CACHE_HOME"] = asker.base + "/cache-of-another"


def no_variables(asker):
    asker.variables = {}


def elsewhere(asker):
    asker.folder = "/"


def clock(seconds):
    def change(asker):
        found = shim.find(asker.program)
        if not found:
            raise OSError(shim.NOT_BUILT)
        loaded, asker.program = found
        asker.variables.update(LD_PRELOAD=loaded, NOTESDB_SHIM_CLOCK=str(seconds))
    return change


ENVIRONMENTS = {
    "the same again, with a cache": variables(),
    "LC_ALL=C": variables(LC_ALL="C"),
    "LC_ALL=tr_TR.UTF-8": variables(LC_ALL="tr_TR.UTF-8", LANG="tr_TR.UTF-8"),
    "LC_ALL=de_DE.ISO-8859-1": variables(LC_ALL="de_DE.ISO-8859-1"),
    "LC_ALL=ja_JP.eucJP": variables(LC_ALL="ja_JP.eucJP"),
    "TZ=Pacific/Kiritimati": variables(TZ="Pacific/Kiritimati"),
    "TZ=America/St_Johns": variables(TZ="America/St_Johns"),
    "TZ=nonsense": variables(TZ="nonsense"),
    "no variables": no_variables,
    "no home": variables(HOME=None, XDG_CACHE_HOME=None),
    "a cache that cannot be": variables(XDG_CACHE_HOME="/proc/nowhere"),
    "another user": other_user,
    "umask 777": after("sh", "-c", 'umask 777; exec "$@"', "sh"),
    "32 descriptors": after("sh", "-c", 'ulimit -n 32; exec "$@"', "sh"),
    "one processor": after("taskset", "-c", "0"),
    "the root as working directory": elsewhere,
    "a narrow terminal": variables(COLUMNS="20", TERM="dumb", NO_COLOR="1"),
    "colours wanted": variables(TERM="xterm-256color", CLICOLOR_FORCE="1"),
    "a clock of 1970": clock(1),
    "a clock of 2038": clock(2147570000),
    "a clock that runs backwards": clock("backwards"),
}


@contextlib.contextmanager
def copies(asker, files):
    """(name, folder) of copies of the workspace that are as good as it."""
    made = []
    with contextlib.ExitStack() as stack:
        base = stack.enter_context(tempfile.TemporaryDirectory(dir=asker.base))
        made.append(("made in reverse order", lay_out(base + "/reverse", files, sorted(files, reverse=True))))
        made.append(("made in an order of chance", lay_out(base + "/chance", files, random.sample(sorted(files), len(files)))))
        for kind in ("xfs", "btrfs"):
            with contextlib.suppress(OSError):
                volume = volumes.Volume(kind)
                stack.callback(volume.remove)
                made.append((kind, lay_out(volume.folder, files, list(files))))
        yield made


def compare(report, name, wanted, told):
    for words, right, said in zip(COMMANDS, wanted, told):
        if said != right:
            report.complain(f"{name}: {' '.join(words)}: {str(said)[:300]} instead of {str(right)[:300]}")


def try_all(given, report, tried, missing):
    with tempfile.TemporaryDirectory(prefix="notesdb-faults-", dir=given.folder) as base:
        files = texts()
        root = lay_out(base, files, list(files))
        wanted = Asker(given.program, root, base).answers()
        for name, change in ENVIRONMENTS.items():
            asker = Asker(given.program, root, base)
            try:
                change(asker)
            except OSError as why:
                missing[name] = str(why)
                continue
            compare(report, name, wanted, asker.answers())
            tried[name] += 1
        with copies(Asker(given.program, root, base), files) as made:
            for name, folder in made:
                compare(report, name, wanted, Asker(given.program, folder, base).answers())
                tried[name] += 1
        server = subprocess.Popen([given.program, "mcp", "--root", root], env=Asker(given.program, root, base).variables,
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        compare(report, "a server that answers", wanted, Asker(given.program, root, base).answers())
        tried["a server that answers"] += 1
        server.communicate(timeout=60)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    report = faults.Report(given)
    tried, missing = collections.Counter(), {}
    for _ in range(given.dose):
        if not faults.time_is_up(given):
            try_all(given, report, tried, missing)
    report.end(test="environments", environments=len(tried), answers=sum(tried.values()) * len(COMMANDS), commands=len(COMMANDS),
               missing=sorted(missing))


if __name__ == "__main__":
    sys.exit(main())
