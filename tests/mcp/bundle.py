#!/usr/bin/env python3
"""bundle.py PROGRAM [SCHEMA]: tools/bundle makes what a host can install and a registry can list: a zip whose program
starts and offers the tools that its manifest names, and a server.json with that zip's address and hash. SCHEMA is the
registry's own, server.schema.json, against which it is judged where Python has `jsonschema`.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile

from large_changes import Server

REPOSITORY = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")


def main():
    problems = []

    def check(holds, what):
        if not holds:
            problems.append(what)

    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, NOTESDB_DOWNLOADS="https://example.org/v1/", NOTESDB_SERVER_NAME="io.github.someone/notesdb")
        subprocess.run([os.path.join(REPOSITORY, "tools", "bundle"), os.path.realpath(sys.argv[1]), folder], env=env, check=True)
        with open(os.path.join(folder, "server.json"), encoding="utf-8") as file:
            server = json.load(file)
        package = server["packages"][0]
        bundle = os.path.join(folder, os.path.basename(package["identifier"]))
        check(package["identifier"].startswith("https://example.org/v1/notesdb-"), f"address {package['identifier']}")
        check(server["name"] == "io.github.someone/notesdb", f"name {server['name']}")
        with open(bundle, "rb") as file:
            check(hashlib.sha256(file.read()).hexdigest() == package["fileSha256"], "the hash is of another file")
        if len(sys.argv) > 2:
            import jsonschema
            with open(sys.argv[2], encoding="utf-8") as file:
                jsonschema.validate(server, json.load(file))
            print("server.json is as the registry's schema wants it")
        unpacked = os.path.join(folder, "unpacked")
        with zipfile.ZipFile(bundle) as archive:
            archive.extractall(unpacked)
            check("LICENSE" in archive.namelist(), "the bundle has no license")
        with open(os.path.join(unpacked, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        check(manifest["version"] == server["version"], "two versions")
        program = os.path.join(unpacked, manifest["server"]["entry_point"])
        os.chmod(program, 0o755)
        notes = os.path.join(folder, "notes")
        os.makedirs(notes)
        started = Server(program, notes, os.path.join(folder, "state"))
        offered = {tool["name"] for tool in started.ask("tools/list", {})["tools"]}
        started.end()
        check(offered == {tool["name"] for tool in manifest["tools"]}, "the manifest names other tools than are offered")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
