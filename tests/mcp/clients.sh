#!/usr/bin/env bash
# clients.sh PROGRAM CACHE [--hosts]: lets the programs that people use talk to `notesdb mcp` and to
# `notesdb serve` on notes-sample: the Inspector with its strict reading of schemas in every era, both
# official SDKs, mcp-remote; with --hosts also Claude Code and Gemini CLI, which look whether their
# servers are there without anybody being logged in.
#
# They come from npm into the folder CACHE, once. Exit 77 (skipped) if they cannot be had, 1 if one of
# them is not content.
set -uo pipefail

program=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hosts=${3:-}
mkdir -p "$2" && cd "$2" || exit 1

skip() {
  echo "=========================================================================="
  echo "NOT RUN: the MCP clients. $1"
  echo "=========================================================================="
  exit 77
}

# Fetches packages unless the last word, a program of theirs, is there.
fetch() {
  local last=${*: -1}
  [ -e "node_modules/.bin/$last" ] && return
  [ -f package.json ] || npm init -y >/dev/null 2>&1
  npm install --no-audit --no-fund node@22 "${@:1:$#-1}" >npm.log 2>&1 ||
    skip "npm could not fetch them: $(tail -1 npm.log)"
}

command -v npm >/dev/null || skip "npm is not installed."
fetch @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2 \
  @modelcontextprotocol/client@2.4.0 mcp-remote@0.15.1 mcp-inspector
[ "$hosts" = --hosts ] && fetch @anthropic-ai/claude-code@2.1.330 @google/gemini-cli@0.61.0 gemini
export PATH="$PWD/node_modules/.bin:$PATH"
node -e 'process.exit(Number(parseInt(process.versions.node, 10) < 22))' || skip "npm gave no Node 22."

rm -rf workspace home && mkdir -p home/project home/.gemini && cp -r "$here/../../notes-sample" workspace
cp "$here"/clients/*.mjs .
export HOME="$PWD/home" XDG_CACHE_HOME="$PWD/home/.cache"
stdio=("$program" mcp --root "$PWD/workspace")

"$program" serve --root workspace --port 0 2>serve.log &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf workspace home' EXIT
for _ in $(seq 100); do
  url=$(sed -n 's/.*listening at //p' serve.log)
  [ -n "$url" ] && break
  sleep 0.1
done

failed=0
# A name, and a command that must succeed.
judge() {
  if timeout 60 "${@:2}" >client.log 2>&1; then
    echo "content: $1"
  else
    failed=1
    echo "NOT CONTENT: $1"
    tail -5 client.log
  fi
}
says() { timeout 60 "${@:2}" 2>&1 | grep -q "$1"; }
export -f says

inspect=(mcp-inspector --cli -q --format json)
for era in legacy auto modern; do
  judge "Inspector, $era, stdio" mcp-inspector --cli "${stdio[@]}" -q --format json \
    --protocol-era "$era" --method tools/list --strict
  judge "Inspector, $era, HTTP" "${inspect[@]}" --protocol-era "$era" --server-url "$url" \
    --method tools/list --strict
done
judge "SDK v1, stdio" node v1.mjs stdio "${stdio[@]}"
judge "SDK v1, HTTP" node v1.mjs http "$url"
for mode in default auto pinned; do
  judge "SDK v2, $mode, stdio" node v2.mjs "$mode" stdio "${stdio[@]}"
  judge "SDK v2, $mode, HTTP" node v2.mjs "$mode" http "$url"
done
judge "mcp-remote" bash -c 'says "Connected successfully" mcp-remote-client "$1" --allow-http' - "$url"
if [ "$hosts" = --hosts ]; then
  cd home/project || exit 1
  export DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1
  claude mcp add notes -- "${stdio[@]}" >/dev/null 2>&1
  claude mcp add --transport http remote "$url" >/dev/null 2>&1
  printf '{"mcpServers":{"notes":{"command":"%s","args":["mcp","--root","%s"]},"remote":{"httpUrl":"%s"}}}' \
    "$program" "${stdio[3]}" "$url" >"$HOME/.gemini/settings.json"
  printf '{"%s":"TRUST_FOLDER"}' "$PWD" >"$HOME/.gemini/trustedFolders.json"
  for name in notes remote; do
    judge "Claude Code, $name" bash -c 'says "^$1:.*Connected" claude mcp list' - "$name"
    judge "Gemini CLI, $name" bash -c 'says "$1:.*Connected" gemini mcp list' - "$name"
  done
fi
exit "$failed"
