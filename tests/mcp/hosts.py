#!/usr/bin/env python3
"""hosts.py PROGRAM CACHE [--only HOST]: whole loops of nine calls in Claude Code, Codex, Gemini CLI and Copilot CLI, each
the real program with a scripted model on loopback in place of its own. `notesdb mcp install` makes the entry, the host's
own command reads it back; then every answer is judged as the model got it: complete JSON, never cut in the middle, a
refusal that can be read and acted upon, a column dropped after the host did or did not ask its user.

The hosts come from npm into the folder CACHE, once. Exit 77 where none can be had, 1 where one of them is not content;
one that is missing is named.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from scripted_model import Script, serve

PACKAGES = {"claude": "@anthropic-ai/claude-code@2.1.330", "codex": "@openai/codex@0.169.0",
            "gemini": "@google/gemini-cli@0.61.0", "copilot": "@github/copilot@1.0.102"}
SAMPLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "notes-sample")
BODY = "A line of a long body, \"quoted\" and ünlatin.\n" * 3000


def fetch(cache, name):
    """The program of a host; None where npm cannot bring it."""
    program = os.path.join(cache, "node_modules", ".bin", name)
    if not os.path.exists(program):
        os.makedirs(cache, exist_ok=True)
        if not os.path.exists(os.path.join(cache, "package.json")):
            subprocess.run(["npm", "init", "-y"], cwd=cache, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        try:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "node@22", PACKAGES[name]], cwd=cache, timeout=600,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
    return program if os.path.exists(program) else None


def make_workspace(root):
    """notes-sample and a log whose rows and one body are longer than any answer."""
    shutil.copytree(SAMPLE, root)
    os.mkdir(os.path.join(root, "log"))
    with open(os.path.join(root, "log", "_schema.md"), "w", encoding="utf-8") as file:
        file.write("---\nname: Log\ncolumns:\n  - { id: title, type: text }\n  - { id: words, type: text }\n"
                   "  - { id: old, type: text }\n---\n")
    for i in range(1, 301):
        with open(os.path.join(root, "log", f"row-{i}.md"), "w", encoding="utf-8") as file:
            body = BODY if i == 1 else "Short.\n"
            file.write(f"---\ntitle: Entry {i}\nwords: {'many words ' * 30}\nold: value {i}\n---\n{body}")


def texts_in(value):
    """The texts of an answer that a host wrapped in JSON of its own."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def json_in(text):
    """The JSON that the model was given, whatever the host put around it; fails where it was cut."""
    decoder, values, at = json.JSONDecoder(), [], 0
    while found := re.compile(r"[{\[]").search(text, at):
        value, at = decoder.raw_decode(text, found.start())
        values.append(value)
    if not values:
        raise ValueError("holds no JSON: " + text[:200])
    for wrapped in texts_in(values[-1]):
        if wrapped.startswith("{"):
            return json.loads(wrapped)
    return values[-1]


def script():
    def update(given):
        return ("db_update_row", {"database_id": "stories", "row_id": "story-003", "etag": json_in(given[5])["data"]["etag"],
                                  "fields": {"status": "done"}})

    def drop(count):
        def step(given):
            arguments = {"database_id": "log", "etag": json_in(given[1])["etag"],
                         "changes": [{"action": "drop_column", "column": "old"}]}
            if count:
                arguments["expect_count"] = json_in(given[7])["data"]["expect_count"]
            return ("db_alter", arguments)
        return step

    return [("db_list", {}),
            ("db_get_schema", {"database_id": "log"}),
            ("db_query", {"database_id": "stories", "filters": [{"field": "status", "op": "eq", "value": "open"}]}),
            ("db_query", {"database_id": "log", "limit": 100}),
            ("db_get_row", {"database_id": "log", "row_id": "row-1"}),
            ("db_update_row", {"database_id": "stories", "row_id": "story-003", "etag": "0123456789abcdef",
                               "fields": {"status": "done"}}),
            update,
            drop(False),
            drop(True)]


def judge(given, root):
    """What is wrong with what the model was given."""
    problems = []
    answers = []
    for i, text in enumerate(given):
        try:
            answers.append(json_in(text))
        except (ValueError, KeyError) as problem:
            answers.append({})
            problems.append(f"call {i + 1}: the model got no whole JSON: {problem}; {len(text)} characters, {text[:80]!r} ... {text[-80:]!r}")
    if len(given) < 9:
        problems.append(f"the loop ended after {len(given)} calls")
        return problems

    def want(i, holds, what):
        if not holds:
            problems.append(f"call {i}: {what}: {given[i - 1][:300]}")

    want(1, len(answers[0].get("databases", [])) == 4, "not the four databases")
    want(2, len(answers[1].get("columns", [])) == 3, "not the schema")
    want(3, "did you mean 'operator'" in answers[2].get("message", ""), "the failure cannot be read")
    want(4, answers[3].get("truncated") is True and answers[3].get("next_offset") == len(answers[3].get("rows", [])),
         "does not say that it is cut, and where to go on")
    row = answers[4].get("row", {})
    body = row.get("body", "")
    want(5, len(body) > 4000 and BODY.startswith(body) and row.get("body_total") == len(BODY.encode()) and
         "body_offset" in answers[4].get("notice", ""),
         "does not say how to read the rest of the body")
    want(6, answers[5].get("message", "").startswith("CONFLICT"), "no conflict")
    want(7, answers[6].get("row", {}).get("fields", {}).get("status") == "done", "the row is not done")
    want(8, answers[7].get("data", {}).get("expect_count") == 300, "the refusal does not give expect_count")
    want(9, answers[8].get("altered", {}).get("rows") == 300, "the column was not dropped")
    with open(os.path.join(root, "log", "row-7.md"), encoding="utf-8") as file:
        if "old:" in file.read():
            problems.append("the column is still in the files")
    return problems


class Host:
    name = ""
    install_name = ""

    def __init__(self, program, cache, folder, notesdb, root):
        self.program, self.folder, self.notesdb, self.root = program, folder, notesdb, root
        self.project = os.path.join(folder, "project")
        os.makedirs(self.project)
        keep = ("LANG", "TERM", "TMPDIR")
        self.env = {key: os.environ[key] for key in keep if key in os.environ}
        self.env.update(HOME=folder, PATH=os.path.join(cache, "node_modules", ".bin") + ":" + os.environ["PATH"],
                        XDG_CACHE_HOME=os.path.join(folder, "cache"), XDG_STATE_HOME=os.path.join(folder, "state"),
                        XDG_CONFIG_HOME=os.path.join(folder, ".config"), NO_COLOR="1", CI="1")

    def run(self, words, timeout=240):
        try:
            done = subprocess.run(words, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired as late:
            return "ran into the time limit: " + (late.stdout or b"").decode(errors="replace")[-500:]
        return done.stdout.decode(errors="replace")

    def prepare(self, url):
        pass

    def read_back(self):
        return self.run([self.program, "mcp", "list"])

    def loop(self):
        raise NotImplementedError


class Claude(Host):
    name = "claude"
    install_name = "claude-code"

    def prepare(self, url):
        self.env.update(ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="scripted", DISABLE_AUTOUPDATER="1", DISABLE_TELEMETRY="1",
                        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", IS_SANDBOX="1")

    def loop(self):
        return self.run([self.program, "-p", "go", "--allowedTools", "mcp__notes__*", "--max-turns", "40"])


class Codex(Host):
    name = "codex"
    install_name = "codex"

    def prepare(self, url):
        os.makedirs(os.path.join(self.folder, ".codex"), exist_ok=True)
        with open(os.path.join(self.folder, ".codex", "config.toml"), "w", encoding="utf-8") as file:
            file.write('model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
                       f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n')
        self.env["SCRIPTED_KEY"] = "scripted"

    def loop(self):
        return self.run([self.program, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"])


class Gemini(Host):
    name = "gemini"
    install_name = "gemini"

    def prepare(self, url):
        os.makedirs(os.path.join(self.folder, ".gemini"), exist_ok=True)
        with open(os.path.join(self.folder, ".gemini", "trustedFolders.json"), "w", encoding="utf-8") as file:
            json.dump({self.project: "TRUST_FOLDER"}, file)
        with open(os.path.join(self.folder, ".gemini", "settings.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}, file)
        self.env.update(GOOGLE_GEMINI_BASE_URL=url, GEMINI_API_KEY="scripted", GEMINI_CLI_TRUST_WORKSPACE="true")

    def loop(self):
        return self.run([self.program, "--yolo", "--model", "gemini-2.5-pro", "-p", "go"])


class Copilot(Host):
    name = "copilot"
    install_name = "copilot"

    def prepare(self, url):
        self.env.update(COPILOT_PROVIDER_BASE_URL=url + "/v1", COPILOT_PROVIDER_TYPE="openai", COPILOT_PROVIDER_API_KEY="scripted",
                        COPILOT_MODEL="gpt-5", COPILOT_OFFLINE="true", COPILOT_AUTO_UPDATE="false")

    def loop(self):
        return self.run([self.program, "-p", "go", "--allow-all-tools", "--no-auto-update"])


def try_host(kind, program, cache, notesdb):
    """Problems, and the sizes of what the model was given."""
    with tempfile.TemporaryDirectory(prefix="notesdb-host-", dir=cache) as folder:
        root = os.path.join(folder, "notes")
        make_workspace(root)
        steps = Script(script())
        log = []
        server, url = serve(steps, log)
        host = kind(program, cache, folder, notesdb, root)
        host.prepare(url)
        problems = []
        install = [notesdb, "--root", root, "mcp", "install", host.install_name, "--name", "notes"]
        said = host.run(install, 30)
        if "notes" not in said:
            problems.append("install: " + said)
        if "no change" not in host.run(install, 30):
            problems.append("install changes something when it is run again")
        said = host.read_back()
        if not re.search(r"\bnotes\b", said):
            problems.append("the host does not see the entry that install made: " + said[-300:])
        said = host.loop()
        server.shutdown()
        problems += judge(steps.given, root)
        if problems:
            problems.append("the host said: " + said[-600:])
            if os.environ.get("NOTESDB_HOST_LOG"):
                with open(os.environ["NOTESDB_HOST_LOG"], "w", encoding="utf-8") as file:
                    json.dump(log, file, indent=1)
        host.run([notesdb, "mcp", "uninstall", host.install_name, "--name", "notes"], 30)
        if re.search(r"\bnotes\b.*notesdb|notesdb.*\bmcp\b", host.read_back()):
            problems.append("the host still sees the entry after uninstall")
        return problems, [len(text) for text in steps.given], steps.first_tools or []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cache")
    parser.add_argument("--only")
    given = parser.parse_args()
    notesdb, cache = os.path.realpath(given.program), os.path.realpath(given.cache)
    failed, tried = 0, 0
    for kind in (Claude, Codex, Gemini, Copilot):
        if given.only not in (None, kind.name):
            continue
        program = fetch(cache, kind.name) if shutil.which("npm") or os.path.isdir(cache) else None
        if program is None:
            print(f"NOT RUN: {kind.name}: npm could not fetch {PACKAGES[kind.name]}")
            continue
        tried += 1
        problems, sizes, tools = try_host(kind, program, cache, notesdb)
        ours = sum("db_" in name for name in tools)
        print(f"{'NOT CONTENT' if problems else 'content'}: {kind.name}: {len(sizes)} calls, {ours} of our tools in the first prompt, "
              f"characters the model got: {sizes}")
        for problem in problems:
            print("  " + problem)
        failed += bool(problems)
    if tried == 0:
        print("=" * 74 + "\nNOT RUN: the loops in real hosts; none could be fetched.\n" + "=" * 74)
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
