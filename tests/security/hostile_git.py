#!/usr/bin/env python3
"""A folder names programs in every way that git knows, and none of them runs.

Each attack is a clone with a local change and a remote that has moved on, prepared by somebody else: a key of its
configuration, a hook, an attribute, a file that it includes, a folder of it that is made like a git directory, a variable of
the environment. What is named is a canary, a program that leaves a line in a file. Over each attack all commands and tools
that start git are run, those that read first and `sync` last. A canary that ran is broken, unless docs/git.md says that it
runs: what the user's own environment names by GIT_SSH_COMMAND and GIT_ASKPASS, in a sync.

Attacks that do not touch one another stand in one clone, each with a canary of its own. That counts for those commands
alone whose answers are the same as in a clone without any attack, so that none of them ended before it came to an attack;
the rest, such as a sync that one of the programs stops, is run for each attack by itself.

Two controls: the clone without any attack must sync, and a canary in a hook must run where the user trusts the repository
(`notesdb.trust`), else nothing was tried. A dose is the number of attacks; 0 is all.
"""

import concurrent.futures
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "faults"))
import faults  # noqa: E402

AT_ONCE = 2
LONGEST = 60  # seconds for one command
HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "post-checkout",
         "pre-push", "reference-transaction", "post-index-change"]
PLAN = "".join(f"{number}\n" for number in range(1, 10))
SCHEMA = "---\nname: Tasks\ncolumns:\n  - { id: status, type: text }\n  - { id: owner, type: text }\n---\n"
READERS = [["conflicts"], ["check", "--changed"], ["check", "--staged"], ["diff"], ["diff", "HEAD~1"], ["log", "tasks"],
           ["log", "tasks", "a"], ["query", "tasks", "--at", "HEAD~1"], ["get", "tasks", "a", "--at", "HEAD~1"],
           ["restore", "tasks", "a", "--at", "HEAD~1", "--dry-run"], ["git", "setup", "--dry-run"],
           ["git", "renumber", "origin/main", "--dry-run"], ["doctor"], "mcp"]
WRITERS = [["resolve", "tasks", "a", "--field", "status", "--ours"], ["git", "setup"], ["git", "renumber", "origin/main"],
           ["sync", "--dry-run"], ["sync"], ["sync"]]

FIRST_SYNC = len(READERS) + WRITERS.index(["sync"])


def row(status, owner="ann"):
    return f"---\nstatus: {status}\nowner: {owner}\n---\n\nText\n"


class Attacked:
    """A clone in a folder of its own, and the canary."""

    def __init__(self, given, template):
        self.given = given
        self.base = tempfile.mkdtemp(prefix="notesdb-hostile-", dir=given.folder)
        shutil.copytree(template, self.base, symlinks=True, dirs_exist_ok=True)
        self.clone = os.path.join(self.base, "clone")
        self.root = self.clone
        self.fired = os.path.join(self.base, "fired")
        self.canary = self.program("canary")
        self.variables = {}
        self.folder = None  # that commands are run in
        self.config("remote.origin.url", os.path.join(self.base, "remote.git"))

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": self.base, "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.path.join(self.base, "gitconfig"),
                "XDG_CACHE_HOME": os.path.join(self.base, "cache"), "XDG_STATE_HOME": os.path.join(self.base, "state"),
                **self.variables}

    def program(self, name, folder=None):
        path = os.path.join(folder or self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho \"{name} $*\" >> '{self.fired}'\nexit 0\n")
        os.chmod(path, 0o755)
        return path

    def git(self, *words, folder=None, check=True):
        done = subprocess.run(["git", "-C", folder or self.clone, *words], capture_output=True, text=True, check=False,
                              env={**self.environment(), "GIT_TERMINAL_PROMPT": "0"})
        if check and done.returncode != 0:
            raise RuntimeError(f"git {words}: {done.stderr}")
        return done.stdout.strip()

    def config(self, key, value, *words):
        # By -f: a `git` of ours is not to meet what is configured already.
        self.git("config", "-f", os.path.join(self.clone, ".git/config"), *words, key, value, folder=self.base)

    def write(self, name, text):
        path = os.path.join(self.clone, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, words):
        if words == "mcp":
            return self.ask_server()
        try:
            return subprocess.run([self.given.program, "--root", self.root, *words], cwd=self.folder or self.base,
                                  env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return None

    def ask_server(self):
        calls = [("db_query", {"database_id": "tasks", "as_of": "HEAD~1"}), ("db_log", {"database_id": "tasks", "row_id": "a"}),
                 ("db_diff", {}), ("db_sync", {"dry_run": True})]
        messages = [{"method": "initialize", "id": 0, "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                                  "clientInfo": {"name": "t", "version": "1"}}},
                    {"method": "notifications/initialized"}]
        messages += [{"method": "tools/call", "id": number + 1, "params": {"name": name, "arguments": arguments}}
                     for number, (name, arguments) in enumerate(calls)]
        text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        try:
            return subprocess.run([self.given.program, "--root", self.root, "mcp"], cwd=self.base, env=self.environment(),
                                  input=text, capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return None

    def has_fired(self):
        """What the canary has left since the last time."""
        try:
            with open(self.fired, encoding="utf-8") as file:
                told = file.read().strip()
            os.remove(self.fired)
            return told.splitlines()[0] if told else "a canary"
        except FileNotFoundError:
            return None


def make_template(given, server):
    """The remote, which is ahead by a change of row b and of a file that is not a row, and the clone, which is ahead, too."""
    folder = tempfile.mkdtemp(prefix="notesdb-hostile-", dir=given.folder)
    made = Attacked.__new__(Attacked)
    made.given, made.base, made.clone, made.variables = given, folder, os.path.join(folder, "clone"), {}
    with open(os.path.join(folder, "gitconfig"), "w", encoding="utf-8") as file:
        file.write("[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
                   "[notesdb]\n\tmergeAhead = 1\n")
    made.git("init", "-q", "--bare", "remote.git", folder=folder)
    made.git("clone", "-q", os.path.join(folder, "remote.git"), "clone", folder=folder)

    def commit(message, **files):
        for name, text in files.items():
            made.write(name.replace("__", "/").replace("_md", ".md").replace("_txt", ".txt"), text)
        made.git("add", "-A")
        made.git("commit", "-q", "-m", message)

    made.write("tasks/_schema.md", SCHEMA)
    commit("first", tasks__a_md=row("open"), tasks__b_md=row("open"), plan_txt=PLAN)
    commit("second", tasks__a_md=row("begun"))
    made.git("push", "-q", "origin", "HEAD:main")
    made.git("branch", "-q", "--set-upstream-to=origin/main")
    commit("theirs", tasks__b_md=row("open", "bob"), tasks__c_md=row("open"), plan_txt=PLAN.replace("1\n", "one\n", 1))
    made.git("push", "-q", "origin", "HEAD:main")
    made.git("reset", "-q", "--hard", "HEAD~1")
    commit("ours", tasks__b_md=row("done"), plan_txt=PLAN.replace("9\n", "nine\n"))
    made.git("reset", "-q", "--soft", "HEAD~1")
    made.git("reset", "-q")
    made.git("commit", "-q", "-m", "ours", "plan.txt")
    made.git("config", "notesdb.server", server)
    return folder


ATTACKS = {}


def attack(name):
    def add(make):
        ATTACKS[name] = make
        return make
    return add


# Attacks that stand in one clone: what a sync runs without, and what stops it.
TOGETHER = {"passed over": [], "keys that stop a sync": [], "hooks": []}


def key(name, text=None, together=None, **more):
    """A key of .git/config, with others that git needs to come to it."""
    if together:
        TOGETHER[together].append(f"config {name} {' '.join(more)}".strip())

    def make(clone):
        clone.config(name, (text or "{canary}").replace("{canary}", clone.canary))
        for other, value in more.items():
            clone.config(other.replace("__", "."), value)
    ATTACKS[f"config {name} {' '.join(more)}".strip()] = make


def attributes(name, driver, where=".git/info/attributes", more=()):
    def make(clone):
        clone.write(where, f"* {driver}\n")
        if where == ".gitattributes":
            clone.git("add", where)
            clone.git("commit", "-q", "-m", "attributes")
        clone.config(name, clone.canary)
        for other, value in more:
            clone.config(other, value)
    ATTACKS[f"{where} {driver} {name}"] = make


def variable(name, value="{canary}", **keys):
    if not keys:
        TOGETHER["passed over"].append(f"environment {name}")

    def make(clone):
        clone.variables[name] = value.replace("{canary}", clone.canary)
        for other, text in keys.items():
            clone.config(other.replace("__", "."), text)
    ATTACKS[f"environment {name}"] = make


key("core.fsmonitor", together="passed over")
key("core.sshCommand", remote__origin__url="ssh://nobody@127.0.0.1:1/x.git")
key("core.gitProxy", remote__origin__url="git://127.0.0.1:1/x.git")
key("core.editor", together="passed over")
key("sequence.editor", together="passed over")
key("core.pager", together="passed over")
for command in ("log", "diff", "status"):
    key(f"pager.{command}", together="passed over")
key("diff.external", together="passed over")
key("interactive.diffFilter", together="passed over")
key("gpg.program", together="keys that stop a sync", commit__gpgSign="true")
key("gpg.ssh.program", commit__gpgSign="true", gpg__format="ssh", user__signingKey="/dev/null")
key("gpg.x509.program", commit__gpgSign="true", gpg__format="x509")
key("gpg.ssh.defaultKeyCommand", commit__gpgSign="true", gpg__format="ssh")
key("gpg.program", push__gpgSign="if-asked", commit__gpgSign="false")
key("remote.origin.uploadpack", together="keys that stop a sync")
key("remote.origin.receivepack", together="keys that stop a sync")
key("remote.origin.url", "ext::{canary} %S", protocol__ext__allow="always")
key("remote.origin.pushurl", "ext::{canary} %S", protocol__ext__allow="always")
key("uploadpack.packObjectsHook", together="passed over")
key("alias.status", "!{canary}", together="passed over")
key("alias.hook", "!{canary}", together="keys that stop a sync")
key("alias.merge-notesdb", "!{canary}", together="passed over")
key("trailer.x.command", together="passed over", trailer__x__key="X")
key("submodule.x.update", "!{canary}", together="passed over")
key("gc.recentObjectsHook", together="keys that stop a sync", gc__auto="1")
key("hook.evil.command", together="keys that stop a sync", hook__evil__event="pre-commit")
key("merge.notesdb.driver", "{canary} %A", together="passed over")
key("core.alternateRefsCommand", together="keys that stop a sync")
attributes("filter.evil.clean", "filter=evil")
attributes("filter.evil.smudge", "filter=evil")
attributes("filter.evil.process", "filter=evil", more=[("filter.evil.required", "true")])
attributes("filter.Evil One.clean", "filter=none", more=[("merge.default", "x")])
attributes("diff.evil.command", "diff=evil")
attributes("diff.evil.textconv", "diff=evil")
attributes("merge.evil.driver", "merge=evil")
attributes("filter.evil.clean", "filter=evil", ".gitattributes")
attributes("filter.evil.smudge", "filter=evil", ".gitattributes")
attributes("diff.evil.textconv", "diff=evil", ".gitattributes")
attributes("merge.evil.driver", "merge=evil", ".gitattributes")
variable("GIT_EXTERNAL_DIFF")
variable("GIT_PAGER")
variable("PAGER")
variable("GIT_EDITOR")
variable("EDITOR")
variable("GIT_SEQUENCE_EDITOR")
variable("GIT_PROXY_COMMAND", remote__origin__url="git://127.0.0.1:1/x.git")
variable("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='{canary}'")


@attack("config merge.default")
def merge_default(clone):
    clone.config("merge.default", "evil")
    clone.config("merge.evil.driver", clone.canary)


@attack("environment GIT_CONFIG_COUNT")
def config_count(clone):
    clone.variables.update({"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor",
                            "GIT_CONFIG_VALUE_0": clone.canary})


@attack("environment GIT_DIR")
def git_dir(clone):
    evil = os.path.join(clone.base, "evil.git")
    shutil.copytree(os.path.join(clone.clone, ".git"), evil)
    clone.git("config", "-f", os.path.join(evil, "config"), "core.fsmonitor", clone.canary, folder=clone.base)
    clone.variables.update({"GIT_DIR": evil, "GIT_WORK_TREE": clone.clone})


@attack("environment GIT_EXEC_PATH")
def exec_path(clone):
    folder = os.path.join(clone.base, "exec")
    for name in ("git-remote-http", "git-merge-recursive", "git-status", "git-upload-pack", "git-receive-pack"):
        clone.program(name, folder)
    clone.variables["GIT_EXEC_PATH"] = folder


@attack("environment PATH from the folder")
def relative_path(clone):
    clone.program("git", clone.clone)
    clone.folder = clone.clone
    clone.variables["PATH"] = ".:" + os.environ["PATH"]


@attack("config include.path")
def include(clone):
    clone.write("notes.txt", f"[core]\n\tfsmonitor = {clone.canary}\n[filter \"evil\"]\n\tclean = {clone.canary}\n")
    clone.write(".git/info/attributes", "* filter=evil\n")
    clone.config("include.path", "../notes.txt")


@attack("config includeIf gitdir")
def include_gitdir(clone):
    clone.write("notes.txt", f"[filter \"evil\"]\n\tclean = {clone.canary}\n")
    clone.write(".git/info/attributes", "* filter=evil\n")
    clone.config("includeIf.gitdir:**.path", "../notes.txt")


@attack("config includeIf onbranch")
def include_branch(clone):
    clone.write("notes.txt", f"[core]\n\tsshCommand = {clone.canary}\n\tfsmonitor = {clone.canary}\n")
    clone.config("remote.origin.url", "ssh://nobody@127.0.0.1:1/x.git")
    clone.config("includeIf.onbranch:main.path", "../notes.txt")


@attack("config.worktree filter")
def worktree_config(clone):
    clone.config("core.repositoryFormatVersion", "1")
    clone.config("extensions.worktreeConfig", "true")
    clone.write(".git/config.worktree", f"[filter \"evil\"]\n\tclean = {clone.canary}\n[core]\n\tfsmonitor = {clone.canary}\n")
    clone.write(".git/info/attributes", "* filter=evil\n")


@attack("config url.insteadOf ext")
def instead_of(clone):
    clone.config(f"url.ext::{clone.canary} .insteadOf", os.path.join(clone.base, "remote.git"))
    clone.config("protocol.ext.allow", "always")


@attack("config credential.helper")
def credential(clone):
    clone.config("remote.origin.url", clone.git("config", "notesdb.server") + "/x.git")
    clone.config("credential.helper", f"!{clone.canary}")


@attack("config credential.URL.helper")
def credential_of(clone):
    server = clone.git("config", "notesdb.server")
    clone.config("remote.origin.url", server + "/x.git")
    clone.config(f"credential.{server}.helper", f"!{clone.canary}")


@attack("config core.askPass")
def ask_pass(clone):
    clone.config("remote.origin.url", clone.git("config", "notesdb.server") + "/x.git")
    clone.config("core.askPass", clone.canary)


@attack("config core.hooksPath")
def hooks_path(clone):
    for name in HOOKS:
        clone.program(name, os.path.join(clone.clone, "hooks"))
    clone.config("core.hooksPath", "hooks")


@attack("a global core.hooksPath that leads into the folder")
def own_hooks_path(clone):
    for name in HOOKS:
        clone.program(name, os.path.join(clone.clone, ".hooks"))
    clone.git("config", "-f", os.path.join(clone.base, "gitconfig"), "core.hooksPath", ".hooks", folder=clone.base)


def hook_attack(name):
    TOGETHER["hooks"].append(f"hooks/{name}")
    ATTACKS[f"hooks/{name}"] = lambda clone: clone.program(name, os.path.join(clone.clone, ".git/hooks"))


for each in HOOKS:
    hook_attack(each)


@attack("a merge strategy's folder in .git")
def strategy_folder(clone):
    for name in ("git", "git-merge-recursive", "sh"):
        clone.program(name, os.path.join(clone.clone, ".git/notesdb-merge"))


@attack("a remote within the folder")
def remote_within(clone):
    within = os.path.join(clone.clone, "within.git")
    shutil.copytree(os.path.join(clone.base, "remote.git"), within)
    for name in ("pre-receive", "post-receive", "update", "reference-transaction"):
        clone.program(name, os.path.join(within, "hooks"))
    clone.config("remote.origin.url", within)


@attack("a remote beside the folder")
def remote_beside(clone):
    for name in ("pre-receive", "post-receive", "update", "reference-transaction"):
        clone.program(name, os.path.join(clone.base, "remote.git/hooks"))
    clone.config("remote.origin.url", "../remote.git")


@attack("a submodule's own configuration")
def submodule(clone):
    sub = os.path.join(clone.clone, "sub")
    os.makedirs(sub)
    clone.git("init", "-q", folder=sub)
    clone.write("sub/a.md", "a\n")
    clone.git("add", "-A", folder=sub)
    clone.git("commit", "-q", "-m", "sub", folder=sub)
    clone.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
    clone.git("commit", "-q", "-m", "sub")
    clone.write("sub/a.md", "b\n")
    clone.write("sub/.gitattributes", "* filter=evil\n")
    for name in ("core.fsmonitor", "filter.evil.clean"):
        clone.git("config", "-f", os.path.join(sub, ".git/config"), name, clone.canary, folder=clone.base)


def lazy_fetch(clone, url, **keys):
    blob = clone.git("rev-parse", "HEAD~1:tasks/a.md")
    os.remove(os.path.join(clone.clone, ".git/objects", blob[:2], blob[2:]))
    clone.config("core.repositoryFormatVersion", "1")
    clone.config("extensions.partialClone", "origin")
    clone.config("remote.origin.promisor", "true")
    clone.config("remote.origin.url", url)
    for name, value in keys.items():
        clone.config(name.replace("__", "."), value)


@attack("a lazy fetch by ext")
def lazy_ext(clone):
    lazy_fetch(clone, f"ext::{clone.canary} %S", protocol__ext__allow="always")


@attack("a lazy fetch by uploadpack")
def lazy_upload(clone):
    lazy_fetch(clone, os.path.join(clone.base, "remote.git"), remote__origin__uploadpack=clone.canary)


@attack("a lazy fetch by ssh")
def lazy_ssh(clone):
    lazy_fetch(clone, "ssh://nobody@127.0.0.1:1/x.git", core__sshCommand=clone.canary)


@attack("a signed commit and log.showSignature")
def signature(clone):
    commit = clone.git("cat-file", "commit", "HEAD")
    head, _, message = commit.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}\n"
    path = clone.write(".git/signed", signed)
    clone.git("update-ref", "HEAD", clone.git("hash-object", "-t", "commit", "-w", "--", path))
    clone.config("gpg.program", clone.canary)
    clone.config("log.showSignature", "true")


def bare_within(name, *keys):
    """A folder of the clone that is made like a git directory, and is the workspace."""
    def make(clone):
        clone.root = os.path.join(clone.clone, "notes")
        shutil.copytree(os.path.join(clone.clone, ".git"), clone.root)
        for each, value in keys:
            clone.git("config", "-f", os.path.join(clone.root, "config"), each, value.replace("{canary}", clone.canary),
                      folder=clone.base)
        clone.write("notes/tasks/_schema.md", SCHEMA)
        clone.write("notes/tasks/a.md", row("open"))
    ATTACKS[f"a bare repository as the workspace: {name}"] = make


TREE = [("core.bare", "false"), ("core.worktree", ".")]
bare_within("fsmonitor", *TREE, ("core.fsmonitor", "{canary}"))
bare_within("fsmonitor, no work tree", ("core.bare", "true"), ("core.fsmonitor", "{canary}"))
bare_within("sshCommand", *TREE, ("core.sshCommand", "{canary}"), ("remote.origin.url", "ssh://nobody@127.0.0.1:1/x"))
bare_within("gpg", *TREE, ("gpg.program", "{canary}"), ("commit.gpgSign", "true"))


class Refusing(http.server.BaseHTTPRequestHandler):
    """A remote that wants a password."""

    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Trial:
    """All attacks, and what commands answer where there is none."""

    def __init__(self, given, report, template):
        self.given, self.report, self.template = given, report, template
        self.ran = set()
        plain = Attacked(given, template)
        self.usual = [self.answer(plain.run(words), plain) for words in READERS + WRITERS]
        plain.close()

    @staticmethod
    def answer(done, clone):
        """What is the same in every clone."""
        if done is None:
            return None
        said = re.sub(r"[0-9a-f]{7,40}|[0-9]+ ms|[0-9T:-]{10,}Z?", "#", (done.stdout + done.stderr).replace(clone.base, "@"))
        return done.returncode, said

    def run(self, names, commands):
        """What was answered otherwise than usual, as places among the commands."""
        clone = Attacked(self.given, self.template)
        other = []
        try:
            for number, name in enumerate(names):
                clone.canary = clone.program(f"canary-{number}")
                ATTACKS[name](clone)
            clone.has_fired()
            for place in commands:
                words = (READERS + WRITERS)[place]
                done = clone.run(words)
                told = clone.has_fired()
                shown = "mcp" if words == "mcp" else " ".join(words[:2])
                if done is None:
                    self.report.complain(f"{', '.join(names)}: {shown} did not end")
                if told:
                    self.report.complain(f"{', '.join(names)}: {told.split()[0]} ran in {shown}")
                    self.ran.update(names)
                if self.answer(done, clone) != self.usual[place]:
                    other.append(place)
                if place == FIRST_SYNC and done and done.returncode != 0:
                    break  # the second one would be refused like it
        finally:
            clone.close()
        return other

    def run_together(self, names):
        """Which commands are still to be run for each of them."""
        if len(names) < 2:
            return list(range(len(READERS + WRITERS)))
        other = self.run(names, range(len(READERS + WRITERS)))
        writers = list(range(len(READERS), len(READERS + WRITERS)))
        readers_differ = [place for place in other if place < len(READERS)]
        # What a writer leaves is where the next one begins.
        return readers_differ + (writers if len(other) > len(readers_differ) else [])


def try_controls(given, report, template):
    clone = Attacked(given, template)
    done = clone.run(["sync"])
    if done is None or done.returncode != 0:
        report.complain(f"without an attack sync fails: {done and done.stderr}")
    clone.close()
    clone = Attacked(given, template)
    clone.program("pre-commit", os.path.join(clone.clone, ".git/hooks"))
    clone.git("config", "-f", os.path.join(clone.base, "gitconfig"), "notesdb.trust", clone.clone, folder=clone.base)
    done = clone.run(["sync"])
    if done is None or done.returncode != 0 or not clone.has_fired():
        report.complain(f"a hook of a repository that is trusted did not run: {done and done.stderr}")
    clone.close()


def add_options(parser):
    parser.add_argument("--only", default="", help="a pattern of the names of attacks")


def main():
    given = faults.options(__doc__.splitlines()[0], 0, add_options)
    report = faults.Report(given)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    template = make_template(given, f"http://127.0.0.1:{server.server_port}")
    names = [name for name in ATTACKS if re.search(given.only, name)][:given.dose or None]
    try:
        try_controls(given, report, template)
        trial = Trial(given, report, template)
        groups = [[name for name in names if name in group] for group in TOGETHER.values()]
        groups += [[name] for name in names if not any(name in group for group in groups)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            left = list(pool.map(trial.run_together, groups))
            alone = [([name], commands) for group, commands in zip(groups, left) if commands for name in group]
            list(pool.map(lambda each: trial.run(*each), alone))
    finally:
        shutil.rmtree(template, ignore_errors=True)
    report.end(attacks=len(names), commands=len(READERS) + len(WRITERS), attacks_that_ran=len(trial.ran))


if __name__ == "__main__":
    main()
