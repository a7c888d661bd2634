#!/usr/bin/env python3
"""Real file systems, really cut off: what was acknowledged is there when they are mounted again.

Each cut: a fresh ext4, xfs or btrfs in a file, a server that counts in one row and inserts others, and after a moment of
chance the file system is shut down without flushing its log (btrfs: its image is cloned as it lies on the disk), mounted
again and looked at. A dose is that many cuts of each file system that this machine can make. Needs root.
"""

import contextlib
import os
import random
import re
import subprocess
import threading
import time

import faults
import volumes


class Writer(threading.Thread):
    def __init__(self, workspace):
        super().__init__(daemon=True)
        self.client = workspace.client()
        self.counted = 0
        self.inserted = []

    def run(self):
        with contextlib.suppress(BrokenPipeError, OSError, ValueError, KeyError):
            while True:
                seen = self.client.call("db_get_row", database_id="tasks", row_id="a")["row"]
                done = self.client.call("db_update_row", database_id="tasks", row_id="a", etag=seen["etag"],
                                        fields={"count": seen["fields"]["count"] + 1})
                if "row" not in done or done.get("durable") is False:
                    return
                self.counted += 1
                name = f"n{self.counted}"
                done = self.client.call("db_insert_row", database_id="tasks", row_id=name, fields={"title": name})
                if "row" not in done or done.get("durable") is False:
                    return
                self.inserted.append(name)


def cut_once(given, report, kind):
    volume = volumes.to_be_cut(kind)
    try:
        given.folder = volume.folder
        workspace = faults.Workspace(given, {"a": faults.row("A", count=0)})
        subprocess.run(["sync", "-f", volume.folder], check=True)
        writer = Writer(workspace)
        writer.start()
        time.sleep(random.uniform(0.2, 1.2))
        counted, inserted = writer.counted, list(writer.inserted)
        after_unmount = volume.cut()
        writer.client.kill()
        writer.join(30)
        volume.unmount()
        after_unmount()
        if not volume.mount():
            report.complain(f"{kind}: does not mount again")
            return 0
        text = workspace.read("tasks/a.md") or ""
        found = re.fullmatch(r"---\ntitle: A   # kept\ncount: (\d+)\n---\nText below.\n", text)
        if found is None or int(found.group(1)) < counted:
            report.complain(f"{kind}: counted {counted}, the row holds {text!r}")
        for name in inserted:
            if workspace.read(f"tasks/{name}.md") != f"---\ntitle: {name}\n---\n":
                report.complain(f"{kind}: row {name} was acknowledged and holds {workspace.read(f'tasks/{name}.md')!r}")
        if workspace.run("query", "tasks").returncode != 0:
            report.complain(f"{kind}: cannot be queried")
        return counted + len(inserted)
    finally:
        volume.remove()


def main():
    given = faults.options(__doc__.splitlines()[0], dose=2)
    report = faults.Report(given)
    if os.geteuid() != 0:
        faults.skip("cutting a file system off needs root")
    cuts, acknowledged, missing = {}, 0, []
    for kind in volumes.SIZES:
        try:
            for number in range(given.dose):
                acknowledged += cut_once(given, report, kind)
                cuts[kind] = number + 1
        except OSError:
            missing.append(kind)
    if not cuts:
        faults.skip("no file system can be made and mounted here")
    report.end(test="power_cuts", cuts=sum(cuts.values()), by_file_system=cuts, acknowledged=acknowledged, missing=missing)


if __name__ == "__main__":
    main()
