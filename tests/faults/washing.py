#!/usr/bin/env python3
"""Nobody can push a deleted row out of the trash by writing a lot.

Rows are deleted, one at a time and some over what another program saved, and then a scratch database is written to by
batches, with a trash that is small against what is written, until it has been full many times over or refuses. All the
while, and in the end, every deletion can be taken back, row for row as it was. Where writes are refused, the answer
names the setting, and nothing has changed. A dose is the number of batches.
"""

import random
import sys

import faults

PRECIOUS = 20
SCRATCH = 100
BLOCK = 4096


class SmallTrash(faults.Workspace):
    size = 0

    def environment(self):
        return {**super().environment(), "NOTESDB_TRASH_BYTES": str(self.size)}


def delete_all(workspace, client, report):
    """The changes that deleted rows, with what each row held."""
    deleted = {}
    for number in range(PRECIOUS):
        name = f"p{number}"
        if number % 3 == 0:  # another program's save is what is deleted
            workspace.write(f"tasks/{name}.md", faults.row("saved by an editor", theirs=str(random.random())))
        text = workspace.read(f"tasks/{name}.md")
        answer = client.call("db_delete_row", database_id="tasks", row_id=name)
        if "change" not in answer:
            report.complain(f"deleting {name}: {str(answer)[:200]}")
            continue
        deleted[answer["change"]] = name, text
    return deleted


def wash(client):
    """One batch over all scratch rows; the code of a refusal."""
    answer = client.call("db_batch", operations=[
        {"action": "update", "database_id": "scratch", "row_id": f"s{number}", "fields": {"title": str(random.random())}}
        for number in range(SCRATCH)])
    return answer.get("error")


def try_round(given, report, batches, size):
    rows = {f"p{number}": faults.row(f"precious {number}", ours=str(number)) for number in range(PRECIOUS)}
    with SmallTrash(given, rows) as workspace:
        workspace.size = size
        workspace.write("scratch/_schema.md", faults.SCHEMA)
        for number in range(SCRATCH):
            workspace.write(f"scratch/s{number}.md", faults.row("scratch"))
        client = workspace.client()
        deleted = delete_all(workspace, client, report)
        refused = 0
        for _ in range(batches):
            before = workspace.tree()
            error = wash(client)
            if error is None:
                continue
            refused += 1
            if error["code"] != "limit_exceeded" or "trash_bytes" not in error["message"]:
                report.complain(f"a full trash is told as {str(error)[:200]}")
            if workspace.tree() != before:
                report.complain("a refused batch changed files")
            break
        client.kill()
        for change, (name, text) in deleted.items():
            done = workspace.run("undo", change)
            if done.returncode != 0 or workspace.read(f"tasks/{name}.md") != text:
                report.complain(f"the deletion of {name} is gone: {done.stderr.decode(errors='replace')[:150]}")
        return len(deleted), refused


def main():
    given = faults.options(__doc__.splitlines()[0], dose=60)
    report = faults.Report(given)
    deletions = refusals = 0
    # Large enough to go on for ever by forgetting what was only scratch, and so small that it fills up.
    for size in (BLOCK * SCRATCH * 16, BLOCK * SCRATCH):
        done, refused = try_round(given, report, given.dose, size)
        deletions += done
        refusals += refused
    if refusals != 1:
        report.complain(f"{refusals} of two trashes refused; the smaller one should, and the larger one not")
    report.end(test="washing", deletions=deletions, batches=2 * given.dose, refusals=refusals)


if __name__ == "__main__":
    sys.exit(main())
