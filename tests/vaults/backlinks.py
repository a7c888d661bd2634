#!/usr/bin/env python3
"""Backlinks and a rename of a real vault, held against a count that knows nothing of notesdb.

    backlinks.py NOTESDB VAULT...      each a folder of notes; it is copied, never changed

The rules are those of docs/vaults.md for a vault of Obsidian, written down once more in Python: links are
found with regular expressions over a text whose code and comments are blanked, and resolved by looking at
every file. Twenty notes of each vault, those with the most links first, must have the same backlinks. The
note with the most is then renamed, and nothing but its links may change.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import urllib.parse

SCHEMA = "name: Notes\ncolumns: [{id: title, type: text}]\nrows: {include: ['**/*.md']}\n"
WIKI = re.compile(r"\[\[((?:(?!\[\[|\]\])[^\n])+?)\]\]")
INLINE = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|((?:\\[^\w\s]|[^\s()<\\]|\((?:[^\s()]*)\))(?:\\[^\w\s]|[^\s()\\]|\((?:[^\s()]*)\))*))"
                    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?\s*\)")
DEFINED = re.compile(r"^[ \t>]*\[(?!\^)[^\]\n]+\]:[ \t]*(?:<([^<>\n]*)>|(\S+))(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*$", re.M)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def fold(text):
    return unicodedata.normalize("NFC", text.replace("\u00a0", " ")).casefold()


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_code(body):
    lines, fence = [], None
    for line in body.split("\n"):
        bare = re.sub(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]) +)?", "", line) if fence is None else re.sub(r"^[ \t>]*", "", line)
        found = re.match(r"(`{3,}|~{3,})(.*)", bare)
        if fence is not None:
            if found and found.group(1).startswith(fence) and not found.group(2).strip():
                fence = None
            line = ""
        elif found and not (found.group(1)[0] == "`" and "`" in found.group(2)):
            fence, line = found.group(1), ""
        lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"(?<![`\\])(`+)(?!`)([^\n]*?[^`\n])\1(?!`)", blank, text)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    return re.sub(r"\\([\[\]])", "  ", text)


def split_note(text):
    """The front matter's lines and the body."""
    found = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", text, re.S | re.M)
    return (found.group(1), text[found.end():]) if found else ("", text)


def links_of(text):
    """Paths of links, each with whether it is of markdown."""
    head, body = split_note(text)
    head = re.sub(r":[ \t]*[|>][-+0-9]*[ \t]*\r?\n(?:[ \t]+[^\n]*\n|[ \t]*\r?\n)*", ":\n", head)  # texts over lines
    for value in re.findall(r"^(?:\s*-\s+|[^\s:#][^:\n]*:\s+)[\"']?\[\[([^\[\]\n]+)\]\][\"']?\s*$", head, re.M):
        yield wiki_path(value), False
    for flow in re.findall(r"^[^\s:#][^:\n]*:\s+\[(.*)\]\s*$", head, re.M):
        for value in re.findall(r"[\"']\[\[([^\[\]\n]+)\]\][\"']", flow):
            yield wiki_path(value), False
    body = without_code(body)
    for value in WIKI.findall(body):
        yield wiki_path(value), False
    rest = WIKI.sub(blank, body)
    for angled, raw in INLINE.findall(rest) + DEFINED.findall(rest):
        target = angled or re.sub(r"\\([^\w\s])", r"\1", raw)
        if not SCHEME.match(target) and not target.startswith("//"):
            yield urllib.parse.unquote(target.split("#")[0]), True


def wiki_path(inner):
    bar = inner.find("|", 1)
    target = inner if bar < 0 else inner[:bar].removesuffix("\\")
    return "" if "://" in target else target.split("#")[0].strip()


class Vault:
    def __init__(self, root):
        self.root = root
        self.files = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
            for name in names:
                if not name.startswith("."):
                    self.files.append(os.path.relpath(os.path.join(folder, name), root))
        self.folded = {path: fold(path) for path in self.files}
        self.notes = [path for path in self.files if path.endswith(".md")
                      and not any(part in ("assets",) for part in path.split("/")[:-1])]

    def resolve(self, link, source):
        link = link.replace("\u00a0", " ")
        if not link:
            return None
        here = os.path.dirname(source)
        endings = ("", ".md", ".markdown", ".mdx")
        if link.startswith(("./", "../", "/")):
            joined = os.path.normpath(link.lstrip("/") if link.startswith("/") else os.path.join(here, link))
            return next((path for end in endings for path in self.files if self.folded[path] == fold(joined + end)), None)
        for end in endings:
            whole = [path for path in self.files if self.folded[path] == fold(link + end)]
            if whole:
                return sorted(whole, key=lambda path: path != link + end)[0]
        for end in endings:
            several = [path for path in self.files if self.folded[path].endswith("/" + fold(link + end))]
            if several:
                near = [path for path in several if os.path.dirname(path) == here]
                return sorted(near or several, key=lambda path: (len(path), not path.endswith(link + end), path))[0]
        return None

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as file:
            return file.read()

    def backlinks(self):
        found = {path: set() for path in self.files}
        known = {}
        for source in self.notes:
            for link, _ in links_of(self.read(source)):
                key = (link, os.path.dirname(source))
                if key not in known:
                    known[key] = self.resolve(link, source)
                if known[key] and known[key] != source:
                    found[known[key]].add(source)
        return found


def run(program, root, *words):
    done = subprocess.run([program, "--root", root, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def without_name(text, name):
    return re.sub(re.escape(name), "\0", re.sub(re.escape(urllib.parse.quote(name)), "\0", text, flags=re.I), flags=re.I)


def check(program, source):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "vault")
        shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        os.makedirs(os.path.join(root, ".obsidian"), exist_ok=True)
        with open(os.path.join(root, "_schema.yaml"), "w") as file:
            file.write(SCHEMA)
        vault = Vault(root)
        counted = vault.backlinks()
        rows = {line for line in run(program, root, "query", ".", "-o", "ids").split("\n") if line}
        notes = sorted((path for path in vault.notes if path[:-3] in rows), key=lambda path: (-len(counted[path]), path))
        links = 0
        for path in notes[:20]:
            answer = json.loads(run(program, root, "get", ".", path[:-3], "--json"))
            told = {link.get("path") or link["row_id"] + ".md" for link in answer["row"]["backlinks"]}
            links += len(told)
            if told != counted[path]:
                failures += 1
                print(f"{path}: only here {sorted(counted[path] - told)}, only there {sorted(told - counted[path])}")
        print(f"{source}: {len(vault.notes)} notes, {len(notes[:20])} compared, {links} backlinks")
        failures += check_rename(program, vault, notes[0], counted[notes[0]])
    return failures


def check_rename(program, vault, path, sources):
    old = os.path.basename(path)[:-3]
    new = old + " Anew"
    before = {note: vault.read(note) for note in vault.files if not note.endswith((".png", ".gif", ".jpg"))}
    run(program, vault.root, "rename", ".", path[:-3], os.path.join(os.path.dirname(path), new))
    changed, failures = [], 0
    for note, text in before.items():
        now = vault.read(os.path.join(os.path.dirname(path), new + ".md") if note == path else note)
        if now == text:
            continue
        changed.append(note)
        pairs = [(a, b) for a, b in zip(text.split("\n"), now.split("\n")) if a != b]
        same = len(text.split("\n")) == len(now.split("\n"))
        for a, b in pairs:
            if without_name(a, old) != without_name(without_name(b, new), old) or "[" not in a:
                same = False
        if not same:
            failures += 1
            print(f"{note}: changed beyond its links")
    missing = {note for note in sources if old.casefold() in fold(before[note])} - set(changed)
    after = Vault(vault.root).backlinks()[os.path.join(os.path.dirname(path), new + ".md")]
    renamed = {os.path.join(os.path.dirname(path), new + ".md") if note == path else note for note in sources}
    if after != renamed:
        failures += 1
        print(f"rename of {path}: lost {sorted(renamed - after)}, gained {sorted(after - renamed)}")
    print(f"  {path} renamed: {len(changed)} files changed, {len(missing)} left as they were")
    return failures


if __name__ == "__main__":
    if not any(os.path.isdir(path) for path in sys.argv[2:]):
        print("no such vault here")
        sys.exit(77)
    sys.exit(1 if sum(check(sys.argv[1], path) for path in sys.argv[2:]) else 0)
