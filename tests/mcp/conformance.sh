#!/usr/bin/env bash
# conformance.sh FIXTURE CACHE: runs the official conformance suite against notesdb_mcp_fixture, both
# requirement sets, and compares with the baselines beside this script, which name each reason.
#
# The suite and the Node 22 that it needs come from npm into the folder CACHE, once. Exit 77 (skipped)
# if they cannot be had, 1 if a scored scenario fails or a baseline is out of date.
set -uo pipefail

fixture=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$2" && cd "$2" || exit 1

skip() {
  echo "=========================================================================="
  echo "NOT RUN: the MCP conformance suite. $1"
  echo "=========================================================================="
  exit 77
}

# How many of the scenarios that the revision scores have passed, by name.
count() {
  local scored passed
  scored=$(awk '/^[a-z_]+:/ { on = $1 == "server:" } on && /^  - / { print $2 }' \
    "node_modules/@modelcontextprotocol/conformance/requirements/$1.yaml")
  passed=$(sed -n 's/^✓ \([^:]*\):.*/\1/p' "run-$1.log" | grep -cxF "$scored")
  echo "$1: $passed of $(wc -w <<<"$scored") scored scenarios pass"
}

suite() { npx --no-install conformance "$@"; }

command -v npm >/dev/null || skip "npm is not installed."
if ! [ -x node_modules/.bin/conformance ]; then
  [ -f package.json ] || npm init -y >/dev/null 2>&1
  npm install --no-audit --no-fund node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
    >npm.log 2>&1 || skip "npm could not fetch it: $(tail -1 npm.log)"
fi
npx --no-install node -e 'process.exit(Number(parseInt(process.versions.node, 10) < 22))' 2>/dev/null ||
  skip "npm gave no Node 22."

"$fixture" --port 0 >port.txt 2>fixture.log &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
for _ in $(seq 50); do [ -s port.txt ] && break; sleep 0.1; done
[ -s port.txt ] || { echo "the fixture did not start"; cat fixture.log; exit 1; }

failed=0
for revision in 2026-07-28 2025-11-25; do
  rm -rf "out-$revision"
  suite server --url "http://localhost:$(cat port.txt)/mcp" --requirements "$revision" \
    --expected-failures "$here/conformance-$revision.yml" -o "out-$revision" \
    >"run-$revision.log" 2>&1
  code=$?
  count "$revision"
  if [ "$code" != 0 ]; then
    failed=1
    sed -n '/=== SUMMARY/,$p' "run-$revision.log"
  fi
done
exit "$failed"
