#!/usr/bin/env bash
# conformance.sh FIXTURE PROGRAM CACHE: runs the official conformance suite, both requirement sets,
# against notesdb_mcp_fixture and against `notesdb serve` itself, and compares with the baselines in
# conformance/, which name each reason.
#
# The suite and the Node 22 that it needs come from npm into the folder CACHE, once. Exit 77 (skipped)
# if they cannot be had, 1 if a scenario fails that should pass or a baseline is out of date.
set -uo pipefail

fixture=$(realpath "$1")
program=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$3" && cd "$3" || exit 1

skip() {
  echo "=========================================================================="
  echo "NOT RUN: the MCP conformance suite. $1"
  echo "=========================================================================="
  exit 77
}

# The scenarios that must pass: of the fixture all that the revision scores, of the product all that
# are run and that its baseline does not name.
expected_of() {
  case $1 in
    fixture) awk '/^[a-z_]+:/ { on = $1 == "server:" } on && /^  - / { print $2 }' \
      "node_modules/@modelcontextprotocol/conformance/requirements/$2.yaml" ;;
    product) sed -n 's/^[✓✗] \([^:]*\):.*/\1/p' "run-$1-$2.log" |
      grep -vxFf <(sed -n 's/^  - \([^ :]*\)\( .*\)\?$/\1/p' "$here/conformance/$1-$2.yml") ;;
  esac
}

# Scenarios that passed, or failed in nothing but checks that the baseline names.
passed_of() {
  sed -n 's/^✓ \([^:]*\):.*/\1/p' "run-$1-$2.log"
  [ "$3" = 0 ] && sed -n 's/^  - \([^ :]*\):.*/\1/p' "$here/conformance/$1-$2.yml" | uniq
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

servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf workspace' EXIT

# The port is the last number in what a server says when it listens.
port_of() {
  for _ in $(seq 100); do
    sed -n 's/^\([0-9]*\)$/\1/p; s/.*listening at .*:\([0-9]*\).*/\1/p' "$1" | grep -m 1 . && return
    sleep 0.1
  done
  echo "a server did not start:" >&2
  cat "$1" >&2
  exit 1
}

failed=0
judge() {
  local who=$1 port=$2 revision=$3 code expected passed
  rm -rf "out-$who-$revision"
  suite server --url "http://localhost:$port/mcp" --requirements "$revision" \
    --expected-failures "$here/conformance/$who-$revision.yml" -o "out-$who-$revision" \
    >"run-$who-$revision.log" 2>&1
  code=$?
  expected=$(expected_of "$who" "$revision")
  passed=$(passed_of "$who" "$revision" "$code" | sort -u | grep -cxF "$expected")
  echo "$who $revision: $passed of $(wc -w <<<"$expected") scenarios pass"
  if [ "$code" != 0 ]; then
    failed=1
    sed -n '/=== SUMMARY/,$p' "run-$who-$revision.log"
  fi
}

"$fixture" --port 0 >fixture.log 2>&1 &
servers+=($!)
rm -rf workspace && cp -r "$here/../../notes-sample" workspace
"$program" serve --root workspace --port 0 >product.log 2>&1 &
servers+=($!)
fixture_port=$(port_of fixture.log) || exit 1
product_port=$(port_of product.log) || exit 1

for revision in 2026-07-28 2025-11-25; do
  judge fixture "$fixture_port" "$revision"
  judge product "$product_port" "$revision"
done
exit "$failed"
