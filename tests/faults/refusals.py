#!/usr/bin/env python3
"""What a command is not allowed to do, or has no room for, it refuses in words, and nothing has changed.

Each command of sweep.py meets folders and rows that are immutable, a workspace that is mounted to be read only, one that
belongs to somebody else, files that may not grow (ulimit -f), few descriptors (-n) and little memory (-v). It must do all of
its work or refuse it and leave every row as it was, and must not crash; afterwards, without the obstacle, it works. What
this machine does not let us set up is left out, and said. A dose is how often all of it is done.
"""

import contextlib
import os
import resource
import shutil
import subprocess

import faults
import sweep

SOMEBODY = "65534"


def quiet(*words):
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


@contextlib.contextmanager
def immutable(path):
    """False where it cannot be made so."""
    made = os.path.exists(path) and quiet("chattr", "+i", path)
    try:
        yield made
    finally:
        if made:
            quiet("chattr", "-i", path)


@contextlib.contextmanager
def nothing(_):
    yield True


def limit(kind, most):
    return lambda: resource.setrlimit(kind, (most, most))


def within(**options):
    """How a command is run under it."""
    return lambda workspace, words: subprocess.run(
        words, env=workspace.environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, **options)


def as_somebody(workspace, words):
    os.chmod(workspace.base, 0o755)
    before = ["setpriv", "--reuid=" + SOMEBODY, "--regid=" + SOMEBODY, "--clear-groups"]
    return within()(workspace, [*before, *words])


def mounted_read_only(workspace, words):
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return within()(workspace, ["unshare", "-m", "sh", "-c", script, workspace.root, *words])


# (what it is, how it is set up for a path in the workspace, how the command is run)
OBSTACLES = [
    ("an immutable row", lambda workspace: immutable(workspace.path("tasks/a.md")), within()),
    ("another immutable row", lambda workspace: immutable(workspace.path("tasks/b.md")), within()),
    ("an immutable schema", lambda workspace: immutable(workspace.path("tasks/_schema.md")), within()),
    ("an immutable database", lambda workspace: immutable(workspace.path("tasks")), within()),
    ("an immutable workspace", lambda workspace: immutable(workspace.root), within()),
    ("an immutable store", lambda workspace: immutable(workspace.path(".notesdb/displaced")), within()),
    ("an immutable lock", lambda workspace: immutable(workspace.path(".notesdb/lock")), within()),
    ("an immutable journal", lambda workspace: immutable(workspace.path(".notesdb/displaced/journal")), within()),
    ("a workspace mounted to be read", nothing, mounted_read_only),
    ("a workspace of somebody else", nothing, as_somebody),
    *((f"files of at most {most} bytes", nothing, within(preexec_fn=limit(resource.RLIMIT_FSIZE, most)))
      for most in (0, 1, 100, 1000)),
    *((f"{most} descriptors", nothing, within(preexec_fn=limit(resource.RLIMIT_NOFILE, most))) for most in (4, 6, 8, 10, 12)),
    *((f"{most} MiB of memory", nothing, within(preexec_fn=limit(resource.RLIMIT_AS, most << 20))) for most in (16, 20, 24, 32)),
]


def judge(report, where, workspace, done, before, after):
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0 or done.returncode > 2:
        report.complain(f"{where}: exit {done.returncode}: {said[:200]}")
    if done.returncode != 0 and not said:
        report.complain(f"{where}: refused without a word")
    wanted = after if done.returncode == 0 else before
    if workspace.tree() != wanted:
        different = [path for path in sorted({*workspace.tree(), *wanted}) if workspace.tree().get(path) != wanted.get(path)]
        report.complain(f"{where}: exit {done.returncode}: left in neither state: {different}: {said[:200]}")


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    report = faults.Report(given)
    after = {}
    for name, words in sweep.COMMANDS.items():
        with sweep.prepare(given) as workspace:
            workspace.run(*words)
            after[name] = workspace.tree()
    tried, refused, missing = 0, 0, set()
    is_root = os.geteuid() == 0
    for what, set_up, how in OBSTACLES * given.dose:
        if how in (as_somebody, mounted_read_only) and not (is_root and shutil.which("setpriv") and shutil.which("unshare")):
            missing.add(what)
            continue
        for name, words in sweep.COMMANDS.items():
            with sweep.prepare(given) as workspace:
                before = workspace.tree()
                with set_up(workspace) as made:
                    if not made:
                        missing.add(what)
                        continue
                    done = how(workspace, workspace.words(*words))
                tried += 1
                refused += done.returncode != 0
                where = f"{name}, {what}"
                judge(report, where, workspace, done, before, after[name])
                if done.returncode != 0 and workspace.run(*words).returncode != 0:
                    report.complain(f"{where}: it does not work afterwards")
    report.end(test="refusals", tried=tried, refused=refused, obstacles=len(OBSTACLES) - len(missing), missing=sorted(missing))


if __name__ == "__main__":
    main()
