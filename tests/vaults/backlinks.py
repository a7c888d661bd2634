#!/usr/bin/env python3
"""Backlinks and a rename of a real vault or site, held against a count that knows nothing of notesdb.

    backlinks.py NOTESDB FOLDER...      each a folder of notes; it is copied, never changed

The rules are those of docs/vaults.md for a vault of Obsidian, and for a site of Zola or Jekyll where the
folder has their marker, written down once more in Python: links are found with regular expressions over a
text whose code and comments are blanked, and resolved by looking at every file. Twenty notes of each, those
with the most links first, must have the same backlinks, note by note. The note with the most is then
renamed, and nothing but its links may change. Beside the folders it tries two sites that it makes itself,
with every kind of link.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import urllib.parse

SCHEMA = "name: Notes\ncolumns: [{id: title, type: text}]\nrows: {include: ['**/*.md', '**/*.markdown']}\n"
WIKI = re.compile(r"\[\[((?:(?!\[\[|\]\])[^\n])+?)\]\]")
INLINE = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|((?:\\[^\w\s]|[^\s()<\\]|\((?:[^\s()]*)\))(?:\\[^\w\s]|[^\s()\\]|\((?:[^\s()]*)\))*))"
                    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?\s*\)")
DEFINED = re.compile(r"^[ \t>]*\[(?!\^)[^\]\n]+\]:[ \t]*(?:<([^<>\n]*)>|(\S+))(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*$", re.M)
TAG = re.compile(r"\{%-?\s*(link|post_url)\s+([^%]+?)\s*-?%\}")
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
    if found:
        return found.group(1), text[found.end():]
    toml = re.match(r"\s*\+\+\+[ \t]*\r?\n.*?^\+\+\+[ \t]*(?:\r?\n|\Z)", text, re.S | re.M)
    return "", text[toml.end():] if toml else text


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
        self.notes = [path for path in self.files if path.endswith((".md", ".markdown"))
                      and not any(part in ("assets",) for part in path.split("/")[:-1])]

    links_of = staticmethod(links_of)

    def resolve(self, link, source, _):
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
            for link, kind in self.links_of(self.read(source)):
                key = (link, kind, os.path.dirname(source))
                if key not in known:
                    known[key] = self.resolve(link, source, kind)
                if known[key] and known[key] != source:
                    found[known[key]].add(source)
        return found


class Site(Vault):
    """Markdown links are paths: from the note's folder, else from where the site's paths begin."""

    content = ""

    def at(self, path):
        """The file that a path from the root means: as it stands, without its ending, or the page of a folder."""
        wanted = fold(os.path.normpath(path))
        pages = ("/index.md", "/_index.md", "/README.md")
        for end in pages if path.endswith("/") else ("", ".md", ".markdown", *pages):
            for path in self.files:
                if self.folded[path] == wanted + end:
                    return path
        return None

    def resolve(self, link, source, kind):
        if kind is False:
            return super().resolve(link, source, kind)
        if not link:
            return None
        if link.startswith("/"):
            return self.at(self.content + link[1:]) or self.at(link[1:])
        beside = self.at(os.path.join(os.path.dirname(source), link))
        if beside or link.startswith(("./", "../")):
            return beside
        return self.at(self.content + link) or self.at(link)


class Zola(Site):
    content = "content/"

    def resolve(self, link, source, kind):
        if link.startswith("@/"):
            return self.at("content/" + link[2:])
        return super().resolve(link, source, kind)


class Jekyll(Site):
    @staticmethod
    def links_of(text):
        for name, target in TAG.findall(without_code(split_note(text)[1])):
            yield target.strip("\"'"), name
        yield from links_of(TAG.sub(blank, text))

    def resolve(self, link, source, kind):
        if kind == "link":
            return next((path for path in self.files if path == link.lstrip("/")), None)
        if kind == "post_url":
            folder, name = os.path.split(link.lstrip("/"))
            posts = [path for path in self.files if "_posts" in path.split("/")[:-1]
                     and os.path.splitext(os.path.basename(path))[0] == name
                     and os.path.dirname(path).endswith(folder)]
            return min(posts, key=lambda path: (len(path), path), default=None)
        return super().resolve(link, source, kind)


def kind_of(root):
    if os.path.exists(os.path.join(root, "_config.yml")):
        return Jekyll
    for name in ("zola.toml", "config.toml"):
        if os.path.exists(os.path.join(root, name)):
            return Zola
    return Vault


def make_site(root, kind):
    """A site whose pages name each other in every way, some of them wrongly."""
    dice = random.Random(kind.__name__)
    if kind is Zola:
        pages = [f"content/{folder}{name}" for folder in ("", "blog/", "docs/deep/") for name in
                 ("first.md", "second page.md", "_index.md", "bundle/index.md", "bundle/extra.md", "Über.md", "n.1.md")]
    else:
        pages = [f"{folder}{name}" for folder in ("", "_docs/", "news/_posts/", "_posts/") for name in
                 ("about.md", "index.md", "sub/page one.md", "Über.md")]
        posts = [f"2024-05-0{day}-{name}" for day, name in enumerate(("first.md", "second.markdown", "Über.md"), 1)]
        pages += [f"_posts/{name}" for name in posts] + ["news/_posts/2024-06-01-last.md"]
        posts.append("2024-06-01-last.md")
    for page in pages:
        lines = ["---", "title: x", "---"]
        for _ in range(12):
            to = dice.choice(pages)
            near = urllib.parse.quote(os.path.relpath(to, os.path.dirname(page) or "."))
            stem = os.path.splitext(to)[0]
            ways = [f"[t]({near})", f"[t]({near}#part \"title\")", f"[t](<{urllib.parse.unquote(near)}>)", f"[t]({near.rsplit('.', 1)[0]})",
                    f"[t](/{urllib.parse.quote(to.removeprefix('content/'))})", f"`[t]({near})`", f"<!-- [t]({near}) -->",
                    f"[t](nowhere/{os.path.basename(near)})", f"[t][r{len(lines)}]\n\n[r{len(lines)}]: {near}", f"![i]({near})"]
            if kind is Zola:
                ways += [f"[t](@/{urllib.parse.quote(to[8:])}#a)", f"[t](@/{urllib.parse.quote(stem[8:])})", "[t](@/none.md)"] * 2
            else:
                ways += [f"[t]({{% link {to} %}})", f"[t]({{{{ site.baseurl }}}}{{% link {to} %}})", f"see {{% link\n{to} %}} there",
                         f"`{{% link {to} %}}`", "{% include x.md %}"] * 2
                post = os.path.splitext(dice.choice(posts))[0]
                ways += [f"{{% post_url {post} %}}", f"[t]({{%- post_url {post} -%}})"] * 2
            lines.append(dice.choice(ways))
        os.makedirs(os.path.join(root, os.path.dirname(page)), exist_ok=True)
        with open(os.path.join(root, page), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    with open(os.path.join(root, "zola.toml" if kind is Zola else "_config.yml"), "w", encoding="utf-8") as file:
        file.write('base_url = "https://example.org"\n' if kind is Zola else "title: x\n")


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
        kind = kind_of(root)
        if kind is Vault:
            os.makedirs(os.path.join(root, ".obsidian"), exist_ok=True)
        with open(os.path.join(root, "_schema.yaml"), "w") as file:
            file.write(SCHEMA)
        vault = kind(root)
        counted = vault.backlinks()
        answer = json.loads(run(program, root, "query", ".", "--select", "_path", "--json"))
        ids = {row["fields"]["_path"]: row["id"] for row in answer["rows"]}
        paths = {row: path for path, row in ids.items()}
        notes = sorted((path for path in vault.notes if path in ids), key=lambda path: (-len(counted[path]), path))
        links = 0
        for path in notes[:20]:
            answer = json.loads(run(program, root, "get", ".", ids[path], "--json"))
            told = {link.get("path") or paths[link["row_id"]] for link in answer["row"].get("backlinks", [])}
            links += len(told)
            if told != counted[path]:
                failures += 1
                print(f"{path}: only here {sorted(counted[path] - told)}, only there {sorted(told - counted[path])}")
        print(f"{source}: {len(vault.notes)} notes, {len(notes[:20])} compared, {links} backlinks")
        named = next(path for path in notes if path.endswith(".md") and os.path.basename(path) not in ("index.md", "_index.md")
                     and not os.path.basename(path).startswith("_"))
        failures += check_rename(program, vault, named, counted[named])
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
            if without_name(a, old) != without_name(without_name(b, new), old) or not re.search(r"\[|%\}", a):
                same = False
        if not same:
            failures += 1
            print(f"{note}: changed beyond its links")
    missing = {note for note in sources if old.casefold() in fold(before[note])} - set(changed)
    after = type(vault)(vault.root).backlinks()[os.path.join(os.path.dirname(path), new + ".md")]
    renamed = {os.path.join(os.path.dirname(path), new + ".md") if note == path else note for note in sources}
    if after != renamed:
        failures += 1
        print(f"rename of {path}: lost {sorted(renamed - after)}, gained {sorted(after - renamed)}")
    print(f"  {path} renamed: {len(changed)} files changed, {len(missing)} left as they were")
    return failures


if __name__ == "__main__":
    failed = 0
    for kind in (Zola, Jekyll):
        with tempfile.TemporaryDirectory() as made:
            make_site(made, kind)
            failed += check(sys.argv[1], made)
    for path in sys.argv[2:]:
        if os.path.isdir(path):
            failed += check(sys.argv[1], path)
        else:
            print(f"{path}: no such folder here")
    sys.exit(1 if failed else 0)
