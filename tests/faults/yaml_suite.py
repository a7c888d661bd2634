#!/usr/bin/env python3
"""The documents of the yaml-test-suite as rows: what the standard refuses must not pass for a good row.

The suite is the branch `data` of github.com/yaml/yaml-test-suite, checked out in the folder that NOTESDB_YAML_SUITE names;
without it the test is skipped. Each document becomes a row of fields only. An invalid one must be refused or named as an
issue. A valid one is read as the suite's JSON says, or has an issue that says what was not read; nothing else.
"""

import json
import os
import shutil

import faults


def documents(folder):
    """(name, text, is invalid, JSON or None)"""
    for base, folders, names in sorted(os.walk(folder)):
        folders[:] = [name for name in folders if name not in ("name", "tags", ".git")]
        if "in.yaml" not in names:
            continue
        wanted = None
        if "in.json" in names:
            with open(base + "/in.json", encoding="utf-8") as file:
                try:
                    wanted = json.load(file)
                except ValueError:
                    wanted = None  # several documents
        with open(base + "/in.yaml", "rb") as file:
            yield os.path.relpath(base, folder).replace("/", "-"), file.read(), "error" in names, wanted


def main():
    given = faults.options(__doc__.splitlines()[0], dose=0)
    folder = os.environ.get("NOTESDB_YAML_SUITE", "")
    if not os.path.isdir(folder):
        faults.skip("NOTESDB_YAML_SUITE names no folder with the suite")
    report = faults.Report(given)
    counts = {"invalid": 0, "invalid_refused": 0, "valid": 0, "valid_read": 0, "valid_not_read": 0}
    taken, wrong = [], []
    def is_named(name):
        """Whether the check says something of it: what most readers take, and the standard does not, is a warning."""
        issues = workspace.json("check", "yaml")["issues"]
        return any(issue["path"] == f"yaml/{name}.yaml" for issue in issues)

    with faults.Workspace(given) as workspace:
        workspace.write("yaml/_schema.yaml", "name: Y\ncolumns:\n- {id: none_of_the_keys, type: text}\n")
        client = None
        for name, text, is_invalid, wanted in documents(folder):
            path = workspace.path(f"yaml/{name}.yaml")
            with open(path, "wb") as file:
                file.write(text)
            client = client or workspace.client()
            answer = client.call("db_get_row", database_id="yaml", row_id=name)
            has_doubts = faults.code_of(answer) is not None or bool(answer["row"].get("issues"))
            if faults.code_of(answer) == "internal":
                report.complain(f"{name}: {answer}")
            if is_invalid:
                counts["invalid"] += 1
                has_doubts = has_doubts or is_named(name)
                counts["invalid_refused"] += has_doubts
                if not has_doubts:
                    taken.append(name)
            else:
                counts["valid"] += 1
                is_read = not has_doubts and isinstance(wanted, dict) and answer["row"]["extra"] == wanted
                counts["valid_read"] += is_read
                counts["valid_not_read"] += has_doubts
                if not has_doubts and not is_read and isinstance(wanted, dict):
                    wrong.append(name)
        client.close()
        shutil.rmtree(workspace.path("yaml"))
    for name in taken:
        report.complain(f"{name}: invalid, and taken without a word")
    report.end(test="yaml_suite", **counts, read_otherwise=wrong)


if __name__ == "__main__":
    main()
