#!/usr/bin/env python3
"""Where we take a text for a row, the other readers of YAML 1.2 take it too, and see the same in it.

The texts are the front matter of real folders (NOTESDB_CORPORA), each as it is and mutated: a piece of YAML put in, a
character dropped, a line doubled or moved in. Each becomes a row whose keys are undeclared, so that the text alone says
what a value is. A row that comes with an issue is not taken. Every other one is put to libfyaml, a reader that gets the
whole yaml-test-suite right, in a child with a timeout, and to npm's `yaml`: where libfyaml refuses it, or sees another
tree in it, something is broken; where npm's differs from both, it is counted. A dose is the number of texts.
"""

import math
import os
import random
import re
import sys

import faults
import foreign_bytes
import yaml_readers
from yaml_readers import REFUSED, UNSURE, Scalar

PIECES = [":", ": ", " #", "#", "- ", "-", "? ", "[", "]", "{", "}", ",", "'", "\"", "|", ">", "|-\n  ", "&a ", "*a", "!t ", "%", "@", "`",
          "\n", "\n\n", " ", "  ", "\t", "\\", "---\n", "...\n", "\r", "~", "a", "0", "key: v\n", "<<: ", "\u0085", "\ufeff", "''", "\"\"",
          "- - ", "{a: b}", "[a, b]", "\n- x", "\n  - x", ": |\n", "'\n"]


# An item that is nothing but a comment, and another behind it: two items by the standard, to PyYAML and to npm's yaml,
# and refused now and then by libfyaml 0.7.12.
LIBFYAML_STUMBLES = re.compile(r"^\s*-\s+#", re.MULTILINE)


def mutated(text):
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        at = random.randrange(len(text) + 1)
        manner = random.randrange(5)
        if manner == 0:
            text = text[:at] + text[at + random.randrange(1, 4):]
        elif manner == 1:
            lines = text.splitlines(keepends=True) or [""]
            text = text[:at] + random.choice(lines) + text[at:]
        else:
            text = text[:at] + random.choice(PIECES) + text[at:]
    return text


def front_matters():
    folder, names = foreign_bytes.corpora()
    for name in names:
        for base, _, files in sorted(os.walk(os.path.join(folder, name))):
            for each in sorted(files):
                text = foreign_bytes.bytes_of(os.path.join(base, each))
                lines, first, behind = foreign_bytes.front_matter(text, each.endswith((".yaml", ".yml")))
                if first is not None and each.endswith((".md", ".yaml", ".yml")):
                    yield b"".join(lines[first:behind]).decode("utf-8", "replace")


def texts_of(dose):
    real = list(front_matters())
    short = [text for text in real if len(text) < 3000]
    return random.sample(real, min(len(real), dose)) + [mutated(random.choice(short)) for _ in range(dose - len(real))]


def agrees(ours, theirs):
    """Whether a value of ours is what their tree says."""
    if isinstance(theirs, dict):
        return (isinstance(ours, dict) and len(ours) == len(theirs["map"]) and
                all(isinstance(key, Scalar) and key.text in ours and agrees(ours[key.text], each) for key, each in theirs["map"]))
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(agrees, ours, theirs))
    meant = yaml_readers.meaning(theirs)
    if isinstance(meant, bool) or meant is None or isinstance(ours, bool) or ours is None:
        return ours is meant
    if isinstance(ours, (int, float)):
        return isinstance(meant, (int, float)) and math.isclose(ours, meant, rel_tol=1e-15)
    # What the core set has for a number may be text to us: 012, +1, .5 and what is too long.
    return ours == theirs.text


def read_by_us(workspace, texts):
    """{number of the text: what we see in it}, of those that we take."""
    for number, text in enumerate(texts):
        with open(workspace.path(f"texts/t{number:06}.yaml"), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    client = workspace.client()
    taken = {}
    for number in range(len(texts)):
        answer = client.call("db_get_row", database_id="texts", row_id=f"t{number:06}")
        if faults.code_of(answer) is None and not answer["row"].get("issues"):
            taken[number] = answer["row"]["extra"]
    client.close()
    return taken


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1000)
    report = faults.Report(given)
    readers, missing = yaml_readers.found(given.program)
    readers = [reader for reader in readers if hasattr(reader, "tree")]
    if "libfyaml" in missing:
        faults.skip("there is no fy-tool")
    texts = texts_of(given.dose)
    with faults.Workspace(given) as workspace:
        workspace.write("texts/_schema.yaml", "name: T\ncolumns:\n- {id: none_of_the_keys, type: text}\n")
        taken = read_by_us(workspace, texts)
    overtaken = differences = unsure = 0
    for reader in readers:
        for (number, ours), theirs in zip(taken.items(), reader.tree([texts[number] for number in taken])):
            if not texts[number].strip():  # a tab alone: nothing to us and to the standard, refused by libfyaml
                theirs = UNSURE
            if theirs == REFUSED and LIBFYAML_STUMBLES.search(texts[number]):
                theirs = UNSURE
            unsure += theirs == UNSURE
            is_other = not isinstance(theirs, str) and not agrees(ours, theirs)
            if reader.name != "libfyaml":
                differences += is_other
            elif theirs == REFUSED or is_other:
                overtaken += theirs == REFUSED
                differences += is_other
                report.complain(f"text {number}: {reader.name} {'refuses' if theirs == REFUSED else 'sees another tree in'} "
                                f"{texts[number]!r:.700}; we see {ours!r:.300}")
    report.end(test="readers", texts=len(texts), taken=len(taken), overtaken=overtaken, differences=differences, unsure=unsure,
               readers=[reader.name for reader in readers], missing=missing)


if __name__ == "__main__":
    sys.exit(main())
