#!/bin/bash
# Times the first `make run` of a machine that has nothing of ours against the
# bare `go install`s of the parts and our own build. Both sides start at the
# same moment with empty caches of their own and share the cores, so whatever
# else the machine does slows both. Prints the seconds of both sides, by the
# clock and of the processors, then those of a second `make run` by itself.
# It needs about 12 GB of disk below its folder: bench/first-start.sh [folder]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${1:-${TMPDIR:-/var/tmp}}/first-start-XXXXXX")
export GOFLAGS=-modcacherw TIMEFORMAT='%R s by the clock, %U s + %S s of processors'

# empty_caches <name>: nothing that was ever built or fetched is found.
empty_caches() {
  mkdir -p "$work/$1"
  export HOME=$work/$1 XDG_CACHE_HOME=$work/$1/cache GOCACHE=$work/$1/build GOMODCACHE=$work/$1/modules GOBIN=
}

# parts lists what the program would install: a number, a package and its version.
parts() {
  sed -nE 's/.*Package: "([^"]+)", Version: "([^"]+)".*/\1@\2/p' "$root/cmd/redline-dev/parts/parts.go" | cat -n
}

bare() {
  empty_caches bare
  git clone -q "$root" "$work/bare/checkout"
  while read -r number package; do
    GOBIN=$work/bare/bin-$number go install "$package"
  done < <(parts)
  (cd "$work/bare/checkout" && go build -o bin/ ./cmd/redline ./cmd/redline-dev)
}

# run_until_ready starts `make run`, waits until it serves, and stops it.
run_until_ready() {
  setsid make -C "$work/ours/checkout" run >>"$work/ours.log" 2>&1 &
  local group=$!
  until [ -e "$work/ours/checkout/.local/ready" ]; do
    kill -0 $group 2>/dev/null || { cat "$work/ours.log" >&2; exit 1; }
    sleep 0.1
  done
  date +%s.%N >"$work/ready"
  kill -INT -- -$group
  wait $group || true
}

ours() {
  empty_caches ours
  git clone -q "$root" "$work/ours/checkout"
  run_until_ready
}

# The second side ends with its stop; what that takes is not part of a start.
begin=$(date +%s.%N)
{ time bare; } 2>"$work/bare.time" &
{ time ours; } 2>"$work/ours.time" &
wait
echo "bare installs and our build: $(tail -1 "$work/bare.time")"
echo "first make run:              $(tail -1 "$work/ours.time"), ready after $(echo "$(cat "$work/ready") - $begin" | bc) s"

empty_caches ours
begin=$(date +%s.%N)
run_until_ready
echo "second make run:             ready after $(echo "$(cat "$work/ready") - $begin" | bc) s"
# As root the rows lie outside the checkout, behind a link.
rm -rf "$(readlink -f "$work/ours/checkout/.local/postgres")" "$work"
