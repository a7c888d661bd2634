"""Expressions with the values that the app gave, run through `notesdb base`: oracle.py BINARY FIXTURE

The fixture (fixtures/bases, MIT, licence beside it) holds expressions, the note and the files that they were
asked about, and the answers. The files are written again with their front matter, tags, links and embeds; each
expression is a formula of one base. What we answer otherwise is named below with the reason: a case that is not
named must agree, and one that is named must not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Cases that say themselves that the app and its documents differ are not asked, nor are sizes and times of files,
# which cannot be made again.
DIVERGENCES = {
    "file backlinks rendered matrix": "backlinks stand in the order of paths; the app has them as it came to know them",
    "this file path": "without --as, `this` is the base itself; the fixture was asked from the note",
}


def wiki(target, display):
    return f"[[{target}]]" if display in (None, target) else f"[[{target}|{display}]]"


def front_matter(value):
    if isinstance(value, list):
        return [front_matter(item) for item in value]
    if isinstance(value, dict) and value.get("type") == "Link":
        display = value["value"].get("display") or {}
        return wiki(value["value"]["path"], display.get("value"))
    return value


def count_links(value):
    if isinstance(value, list):
        return sum(count_links(item) for item in value)
    if isinstance(value, dict):
        return 1
    return int(isinstance(value, str) and re.match(r"\[.*\]\(.*\)$", value) is not None)


def body_link(link, is_embed):
    target, display = link["path"], link["display"]
    mark = "!" if is_embed else ""
    if target.endswith(".md") or target.startswith("./") or "%" in target:
        return f"{mark}[{display}]({target.replace(' ', '%20')})"
    shown = re.sub(r"#(.*)$", r" > \1", target)
    return mark + (f"[[{target}]]" if display in (target, shown) else f"[[{target}|{display}]]")


def note_text(file):
    properties = file.get("properties") or {}
    lines = [f"{json.dumps(key)}: {json.dumps(front_matter(value), ensure_ascii=False)}"
             for key, value in properties.items()]
    head = "---\n" + "\n".join(lines) + "\n---\n" if lines else ""
    tags = [tag for tag in file.get("tags") or [] if tag not in (properties.get("tags") or [])]
    links = (file.get("links") or [])[sum(count_links(value) for value in properties.values()):]
    first_embed = len(links) - len(file.get("embeds") or [])
    parts = [f"#{tag}" for tag in tags]
    parts += [body_link(link, number >= first_embed) for number, link in enumerate(links)]
    return head + "\n" + "\n".join(parts) + "\n"


def write_vault(root, context, cases):
    (root / "notesdb.yaml").write_text("")
    for file in context["files"]:
        path = root / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note_text(file) if file["ext"] == "md" else "x")
    formulas = {name: text for name, text in context["formulas"].items()}
    formulas.update({f"case{number}": case["expression"] for number, case in enumerate(cases)})
    lines = [f"filters: {json.dumps('file.path == ' + json.dumps(context['file']['path']))}", "formulas:"]
    lines += [f"  {json.dumps(name)}: {json.dumps(text, ensure_ascii=False)}" for name, text in formulas.items()]
    lines += ["views:", "  - type: table", "    name: All", "    order:"]
    lines += [f"      - formula.case{number}" for number in range(len(cases))]
    base = f"{context['file']['folder']}/all.base"
    (root / base).write_text("\n".join(lines) + "\n")
    return base


def ask(binary, root, base, context):
    command = [binary, "--root", str(root), "base", base, "--now", context["now"], "--json"]
    environment = {**os.environ, "TZ": context["timezone"], "XDG_CACHE_HOME": str(root / ".cache")}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        sys.exit(f"notesdb base failed: {run.stderr.strip()}")
    return json.loads(run.stdout)["rows"][0]["fields"], run.stdout


def agree(own, expected):
    if isinstance(expected, dict) and "error" in expected:
        return isinstance(own, dict) and own.get("error") == expected["error"]
    if isinstance(own, bool) or isinstance(expected, bool):
        return own is expected
    if isinstance(expected, (int, float)) and isinstance(own, (int, float)):
        return abs(own - expected) < 1e-9
    if isinstance(expected, list):
        return isinstance(own, list) and len(own) == len(expected) and all(map(agree, own, expected))
    # A link in an answer stands in brackets.
    return own == expected or (isinstance(own, str) and own == f"[[{expected}]]")


def main():
    binary, fixture = os.path.abspath(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    context = fixture["context"]
    cases = [case for case in fixture["cases"]
             if "knownDivergence" not in case and not re.search(r"ctime|mtime|file\.size", case["expression"])]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        base = write_vault(root, context, cases)
        fields, first = ask(binary, root, base, context)
        if ask(binary, root, base, context)[1] != first:
            sys.exit("two runs with the same time differ")
    wrong = 0
    for number, case in enumerate(cases):
        own = fields.get(f"formula.case{number}")
        is_named = case["name"] in DIVERGENCES
        if agree(own, case["expected"]) != is_named:
            continue
        wrong += 1
        told = "agrees, although it is named as a divergence" if is_named else f"we: {json.dumps(own)}"
        print(f"{case['name']}: {case['expression']}: {told}; the app: {json.dumps(case['expected'])}")
    print(f"{len(cases)} expressions, {len(DIVERGENCES)} divergences with a reason, {wrong} others")
    sys.exit(1 if wrong else 0)


main()
