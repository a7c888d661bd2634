"""The examples of a page of docs as they stand there: docs.py BINARY PAGE [--write]

A block whose fence says a path (```yaml reading.base) is a file of the workspace; a block of `$ notesdb ...` is run
there, and what it prints must be what stands below it. With --write the page is given what is printed."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def printed(binary, root, line):
    words = shlex.split(line[len("$ notesdb "):])
    environment = {**os.environ, "TZ": "UTC", "XDG_CACHE_HOME": str(root.parent / "cache"), "NO_COLOR": "1"}
    run = subprocess.run([binary, "--root", str(root), *words], capture_output=True, text=True, env=environment)
    return "".join(line.rstrip() + "\n" for line in (run.stdout + run.stderr).splitlines())


def main():
    binary, page = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = page.read_text()
    commands, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "workspace"
        root.mkdir()
        (root / "notesdb.yaml").write_text("")
        for _, path, body in BLOCK.findall(text):
            if path:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(body)

        def run_again(block):
            nonlocal commands, wrong
            if not block.group(3).startswith("$ notesdb "):
                return block.group(0)
            line = block.group(3).splitlines()[0]
            after = f"```{block.group(1)}\n{line}\n{printed(binary, root, line)}```"
            commands += 1
            if after != block.group(0):
                wrong += 1
                print(f"{line}\nstands as:\n{block.group(0)}\nprints:\n{after}\n")
            return after

        new = BLOCK.sub(run_again, text)
    if "--write" in sys.argv:
        page.write_text(new)
    print(f"{commands} examples, {wrong} print something else")
    sys.exit(1 if (wrong and "--write" not in sys.argv) or commands == 0 else 0)


main()
