"""A workspace whose rows follow a rule, with a store and a cache that some version left there: kept, and laid out again.

In fixtures/versions/VERSION lie `store`, what `.notesdb` held; `cache`, the files of the workspace's own cache folder; and
`states.json`: `made`, the files that differ from the rule after each change that was made, oldest first; `left`, those
after the one that was killed half-way; and `finished`, those once it is finished. A file that is not there is null.
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(PROJECT, "tests/faults"))

import faults  # noqa: E402

FOLDER = os.path.join(PROJECT, "fixtures/versions")
ROWS = 300  # more than those from which on a database has an index file


def rows():
    """By the rule, which stays as it is: the artefacts of all versions build on it."""
    return {f"r{number:03}": faults.row(f"Row {number}", f"Text of row {number}, a lantern{number % 7}.\n", count=number,
                                        ours=f"word{number % 10}") for number in range(ROWS)}


def rows_tree(workspace):
    """The files by the rule alone."""
    own = {path: workspace.read(path) for path in ("notesdb.yaml", "tasks/_schema.md")}
    return {**own, **{f"tasks/{name}.md": text for name, text in rows().items()}}


def lay_out(given):
    workspace = faults.Workspace(given, rows())
    workspace.write("notesdb.yaml", "trash_days: 36500\n")
    return workspace


def difference(first, now):
    """What is to be laid over one tree to have the other."""
    return {path: now.get(path) for path in sorted({*first, *now}) if first.get(path) != now.get(path)}


def laid_over(first, changes):
    return {path: text for path, text in {**first, **changes}.items() if text is not None}


def cache_folder(workspace):
    """The one of this workspace; it has been asked before."""
    base = os.path.join(workspace.base, "cache/notesdb")
    return os.path.join(base, os.listdir(base)[0])


def keep(workspace, version, states):
    folder = os.path.join(FOLDER, version)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(workspace.path(".notesdb"), folder + "/store")
    shutil.copytree(cache_folder(workspace), folder + "/cache")
    # git keeps no empty folder, and passes over all that a .gitignore of `*` lies beside.
    os.unlink(folder + "/store/.gitignore")
    with open(folder + "/states.json", "w", encoding="utf-8") as file:
        json.dump(states, file, indent=1)
        file.write("\n")


def laid_out_again(given, version):
    """(workspace, states): as the version left it, in another place, with a store that counts as made here."""
    folder = os.path.join(FOLDER, version)
    with open(folder + "/states.json", encoding="utf-8") as file:
        states = json.load(file)
    workspace = lay_out(given)
    for path, text in states["left"].items():
        if text is None:
            os.unlink(workspace.path(path))
        else:
            workspace.write(path, text)
    shutil.copytree(folder + "/store", workspace.path(".notesdb"))
    workspace.write(".notesdb/.gitignore", "*\n")
    for base, folders, names in os.walk(workspace.path(".notesdb")):
        for name in folders:
            os.chmod(os.path.join(base, name), 0o700)
        for name in names:
            os.chmod(os.path.join(base, name), 0o600)
    os.chmod(workspace.path(".notesdb"), 0o700)
    workspace.adopt_store()
    return workspace, states
