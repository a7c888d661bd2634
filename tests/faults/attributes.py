#!/usr/bin/env python3
"""Whatever a row's file is like, an edit keeps it so: mode, owner, attributes, access list, line ends, mark, last line.

A row for every combination of them: a server changes one field, adds another, and takes both back. After each change the
bytes must be those before it but for the lines of that field, which end as their neighbours do, and mode, owner, extended
attributes and access list as they were; after the second undo, the very same. Owners need root, and access lists a file
system that has them; without, those combinations are left out. A dose is how often all of it is done.
"""

import itertools
import os
import struct

import faults

BOM = b"\xef\xbb\xbf"
USER, GROUP = 12345, 54321
# An access list as the kernel keeps it: the owner, a user, the group, a mask, others.
ENTRIES = [(0x01, 6, 0xFFFFFFFF), (0x02, 4, USER), (0x04, 4, 0xFFFFFFFF), (0x10, 6, 0xFFFFFFFF), (0x20, 0, 0xFFFFFFFF)]
ACCESS_LIST = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in ENTRIES)
ENDS = {"LF": [b"\n"], "CRLF": [b"\r\n"], "mixed": [b"\n", b"\r\n"]}
LINES = [b"---", b"title: One   # kept", b"ours: old", b"count: 1", b"---", b"Text.", b"The last line"]


def text_of(ends, has_mark, is_ended):
    text = b"".join(line + end for line, end in zip(LINES, itertools.cycle(ENDS[ends])))
    text = text if is_ended else text[:text.rindex(LINES[-1]) + len(LINES[-1])]
    return BOM + text if has_mark else text


def edited(text):
    return text.replace(b"ours: old", b"ours: new")


def with_another(text):
    """A field more, behind the last one, with the line end of that."""
    end = text.index(b"count: 1") + len(b"count: 1")
    line_end = b"\r\n" if text[end:].startswith(b"\r\n") else b"\n"
    at = end + len(line_end)
    return text[:at] + b"theirs: also" + line_end + text[at:]


def look_at(path):
    status = os.stat(path)
    with open(path, "rb") as file:
        content = file.read()
    attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return content, (status.st_mode, status.st_uid, status.st_gid, attributes)


def make(path, mode, is_owned, is_marked, is_listed, text):
    """Whether it can be made here."""
    with open(path, "wb") as file:
        file.write(text)
    try:
        if is_owned:
            os.chown(path, USER, GROUP)
        os.chmod(path, mode)
        if is_marked:
            os.setxattr(path, "user.notes", b"of mine")
        if is_listed:
            os.setxattr(path, "system.posix_acl_access", ACCESS_LIST)
    except OSError:
        os.unlink(path)
        return False
    return True


class Trial:
    def __init__(self, report, workspace, client):
        self.report, self.workspace, self.client = report, workspace, client
        self.edits = 0

    def change(self, row, what, tool, wanted, **arguments):
        path = self.workspace.path(f"tasks/{row}.md")
        _, before = look_at(path)
        answer = self.client.call(tool, **arguments)
        self.edits += 1
        if faults.code_of(answer) is not None:
            return self.report.complain(f"{what}: {tool}: {str(answer)[:200]}")
        content, after = look_at(path)
        if content != wanted:
            self.report.complain(f"{what}: {tool}: {content!r} and not {wanted!r}")
        if after != before:
            self.report.complain(f"{what}: {tool}: {before} has become {after}")
        return answer.get("change")

    def etag(self, of_row):
        return self.client.call("db_get_row", **of_row)["row"]["etag"]

    def edit(self, row, what):
        original, _ = look_at(self.workspace.path(f"tasks/{row}.md"))
        first, second = edited(original), with_another(edited(original))
        of_row = {"database_id": "tasks", "row_id": row}
        one = self.change(row, what, "db_update_row", first, **of_row, etag=self.etag(of_row), fields={"ours": "new"})
        two = self.change(row, what, "db_update_row", second, **of_row, etag=self.etag(of_row), fields={"theirs": "also"})
        if one and two:
            self.change(row, what, "db_undo", first, change=two)
            self.change(row, what, "db_undo", original, change=one)


def main():
    given = faults.options(__doc__.splitlines()[0], dose=1)
    report = faults.Report(given)
    combinations = edits = 0
    for _ in range(given.dose):
        with faults.Workspace(given) as workspace:
            rows = {}
            for number, each in enumerate(itertools.product((0o640, 0o604), (False, True), (False, True), (False, True), ENDS,
                                                            (False, True), (True, False))):
                mode, is_owned, is_marked, is_listed, ends, has_mark, is_ended = each
                text = text_of(ends, has_mark, is_ended)
                if make(workspace.path(f"tasks/r{number}.md"), mode, is_owned, is_marked, is_listed, text):
                    rows[f"r{number}"] = str(each)
            client = workspace.client()
            trial = Trial(report, workspace, client)
            for row, what in rows.items():
                trial.edit(row, what)
            client.close()
            combinations, edits = len(rows), edits + trial.edits
    report.end(test="attributes", combinations=combinations, edits=edits)


if __name__ == "__main__":
    main()
