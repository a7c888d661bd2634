#!/usr/bin/env python3
"""The fuzzers of tests/fuzz, each for its share of the time, under AddressSanitizer and UBSan.

They are built with the preset `fuzz`, which wants clang. What they find worth keeping lies in build/fuzz/corpora, where
the next run goes on from it; they begin with the notes of fixtures and a few words of each language. An input that ends
one is kept there too and named; it becomes a test of its room. NOTESDB_FUZZERS names some of them, with commas between,
where there is no time for all. Two run at a time. A dose is the number of seconds for all of them.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess

import faults

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TREE, "build/fuzz")
LONGEST = 16384  # bytes of an input
AT_ONCE = 2

SEEDS = {
    "note": [],
    "schema": [],
    "query": ['{"filters":[{"field":"title","operator":"contains","value":"1"},{"any":[{"field":"due","operator":"lt",'
              '"value":"today+7d"},{"field":"tags","operator":"is_empty"}]}],"sort":[{"field":"count","direction":"desc"}]}',
              '{"filters":{"field":"done","operator":"eq","value":true},"sort":"title"}'],
    "json": ['{"a":[1,-2.5e3,"\\u00e9\\n",null,true,{"b":{}}]}', "18446744073709551616", '"\\ud83d\\ude00"'],
    "message": ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
                '"clientInfo":{"name":"a","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
                '{"jsonrpc":"2.0","id":"x","method":"tools/list"}\n[{"jsonrpc":"2.0","id":2,"method":"ping"}]\n'
                '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{}}}'],
    "request": ["POST /mcp HTTP/1.1\r\nHost: localhost:80\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
                "Authorization: Bearer a-token\r\nConnection: keep-alive",
                "GET /health?a=b HTTP/1.1\r\nHost: [::1]\r\nOrigin: http://localhost"],
    "name": ["tasks/row-001.md", "a (conflict 2026-01-31 090500 k3f9).md", "con.md", "../x", "\u202ea", "e\u0301.md"],
    "text": ["See [[row-001|One]] and [two](../people/ann%20b.md#top), not `[[code]]`.\n", 'a,"b ""c""\r\n",\r\n"",x\n'],
}
FIXTURES = {"note": "fixtures/notes/*", "schema": "fixtures/**/_schema.md"}


def built(names):
    """Why the fuzzers of the tree as it is are not there; None if they are."""
    if not shutil.which("clang++"):
        faults.skip("there is no clang++")
    targets = [name + "_fuzz" for name in names]
    for words in (["cmake", "--preset", "fuzz"],
                  ["cmake", "--build", "--preset", "fuzz", "--parallel", "2", "--target", *targets]):
        done = subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stdout[-500:] + done.stderr[-500:]
    return None


def corpus_of(name):
    folder = os.path.join(BUILT, "corpora", name)
    os.makedirs(folder, exist_ok=True)
    seeds = [seed.encode() for seed in SEEDS[name]]
    for path in sorted(glob.glob(FIXTURES.get(name, ""), root_dir=TREE, recursive=True)):
        with open(os.path.join(TREE, path), "rb") as file:
            seeds.append(b"\0" + file.read())  # the first byte chooses the format and what is edited
    for number, seed in enumerate(seeds):
        with open(f"{folder}/seed-{number}", "wb") as file:
            file.write(seed)
    return folder


def run(name, seconds, seed):
    """(runs, edges, what is to be complained of)"""
    found = os.path.join(BUILT, "corpora", name + "-found-")
    done = subprocess.run(
        [os.path.join(BUILT, "tests", name + "_fuzz"), f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=10",
         f"-seed={seed}", "-rss_limit_mb=2048", "-print_final_stats=1", "-artifact_prefix=" + found, corpus_of(name)],
        capture_output=True, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    edges = re.findall(r"cov: (\d+)", done.stderr)
    kept = re.search(r"Test unit written to \S*/(\S+)", done.stderr)
    what = re.search(r"(ERROR: .*|runtime error: .*|SUMMARY: .*)", done.stderr)
    complaint = None
    if done.returncode != 0:
        complaint = f"{name}: {what.group(1) if what else done.stderr[-300:]}: {kept.group(1) if kept else 'nothing kept'}"
    return int(runs.group(1)) if runs else 0, int(edges[-1]) if edges else 0, complaint


def main():
    given = faults.options(__doc__.splitlines()[0], dose=70)
    names = [each for each in os.environ.get("NOTESDB_FUZZERS", "").split(",") if each] or list(SEEDS)
    problem = built(names)
    report = faults.Report(given)
    if problem:
        report.complain("the fuzzers do not build: " + problem)
        names = []
    seconds = max(1, given.dose // -(-max(1, len(names)) // AT_ONCE))
    runs, edges = {}, {}

    def run_one(name):
        runs[name], edges[name], complaint = run(name, seconds, given.seed)
        if complaint:
            report.complain(complaint)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(run_one, names))
    report.end(test="fuzzing", targets=names, seconds_each=seconds, runs=sum(runs.values()), edges=sum(edges.values()),
               runs_of=runs, edges_of=edges)


if __name__ == "__main__":
    main()
