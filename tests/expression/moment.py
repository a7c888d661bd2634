"""Dates as text, held against Moment of npm: moment.py BINARY [--count N] [--seed N]

Every random date and pattern is a note, and one base asks for date(when).format(pattern), .relative() and
the words of a difference. Moment answers the same questions in node. Without node, npm or Moment nothing
is compared: that is said, and the test counts as skipped (77)."""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NOW = "2026-06-10T07:17:08.000Z"
TOKENS = (
    "M Mo MM MMM MMMM Q Qo D Do DD DDD DDDo DDDD d do dd ddd dddd e E w wo ww W Wo WW YY YYYY Y y gg gggg GG "
    "GGGG A a H HH h hh k kk m mm s ss S SS SSS Z ZZ X x L LL LLL LLLL l ll lll llll LT LTS Hmm hmm hmmss N".split()
)
LITERALS = [" ", "-", "/", ":", ", ", "[W]", "[of]", "[at 5]", ".", "T"]
ZONES = ["UTC", "Australia/Melbourne", "America/New_York", "Asia/Kolkata"]

ANSWERS = """
const moment = require(process.argv[1]);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
const now = moment(process.argv[2]);
console.log(JSON.stringify(asked.map(({when, pattern, other}) => [
  moment(when).format(pattern), moment(when).from(now), moment.duration(moment(when) - moment(other)).humanize()])));
"""


def skip(reason):
    print(f"SKIPPED: dates are not compared with Moment: {reason}")
    sys.exit(SKIPPED)


def moment_folder(cache):
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("node and npm are not installed")
    installed = cache / "node_modules" / "moment"
    if not installed.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(cache), "moment@2"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except (subprocess.SubprocessError, OSError):
            skip("npm could not install moment")
    return installed


def random_date(rng):
    year = rng.choice([rng.randint(1000, 9990), rng.randint(1990, 2040), 2026])
    day = f"{year:04}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return f"{day}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"


def random_question(rng):
    parts = [rng.choice(TOKENS if i % 2 == 0 else LITERALS) for i in range(rng.randint(1, 9))]
    return {"when": random_date(rng), "pattern": "".join(parts).strip() or "YYYY", "other": random_date(rng)}


def write_vault(root, questions):
    (root / "notesdb.yaml").write_text("")
    for number, question in enumerate(questions):
        lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in question.items())
        (root / f"{number}.md").write_text(f"---\n{lines}---\n")
    (root / "all.base").write_text(
        "filters: file.ext == \"md\"\nformulas:\n  format: date(when).format(note[\"pattern\"])\n"
        "  relative: date(when).relative()\n  words: (date(when) - date(other)).toString()\n"
        "views:\n  - {type: table, name: All, order: [formula.format, formula.relative, formula.words]}\n")


def ours(binary, root, zone):
    environment = {**os.environ, "TZ": zone, "XDG_CACHE_HOME": str(root / ".cache")}
    command = [binary, "--root", str(root), "base", "all.base", "--now", NOW, "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    fields = {row["path"]: row["fields"] for row in json.loads(run.stdout)["rows"]}
    names = ("formula.format", "formula.relative", "formula.words")
    return [[fields[f"{number}.md"].get(name, "") for name in names] for number in range(len(fields))]


def theirs(moment, questions, zone):
    run = subprocess.run(["node", "-e", ANSWERS, str(moment), NOW], input=json.dumps(questions),
                         capture_output=True, text=True, check=True, env={**os.environ, "TZ": zone})
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--cache", default="moment-of-npm")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    moment = moment_folder(pathlib.Path(given.cache).resolve())
    rng = random.Random(given.seed)
    differing = 0
    for zone in ZONES:
        questions = [random_question(rng) for _ in range(given.count // len(ZONES))]
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            write_vault(root, questions)
            pairs = zip(questions, ours(os.path.abspath(given.binary), root, zone), theirs(moment, questions, zone))
            for question, own, other in pairs:
                if own == other:
                    continue
                differing += 1
                if differing <= 20:
                    print(zone, json.dumps(question), "ours", own, "Moment", other)
    print(f"{given.count} dates and patterns, {differing} unlike Moment")
    sys.exit(1 if differing else 0)


main()
