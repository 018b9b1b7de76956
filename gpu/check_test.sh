#!/usr/bin/env bash
# check.sh in a bundle made by hand: what it says without a GPU, and what it makes of what the programs say.
#
#   check_test.sh PROGRAM LAUNCH_COST SCENARIOS [LIBCUDA]
#
# LIBCUDA is a folder with the simulated driver under the names of a real one; with it all is run from end to end.
set -eu

program=$1
launch_cost=$2
scenarios=$3
libcuda=${4-}
here=$(cd "$(dirname "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

broken() {
  printf 'check_test: %s\n' "$*" >&2
  cat "$folder"/*.log >&2 2>/dev/null || true
  exit 1
}

# ends_with STATUS ARGUMENTS...: runs the bundle's check.sh; what it said is in said.log and table.log.
ends_with() {
  local expected=$1 status=0
  shift
  "$folder/check.sh" "$@" -o "$folder/results" >"$folder/table.log" 2>"$folder/said.log" || status=$?
  [ $status -eq "$expected" ] || broken "check.sh $* ended with $status, not $expected"
}

said() { grep -q -- "$1" "$folder/said.log" "$folder/table.log" || broken "nothing was said of '$1'"; }

if command -v shellcheck >/dev/null; then
  shellcheck "$here/check.sh" "$here/check_test.sh" || broken "shellcheck objects"
fi

mkdir "$folder/scenarios"
cp "$here/check.sh" "$folder/"
cp "$scenarios"/*.jsonl "$folder/scenarios/"

ends_with 64 --frobnicate
ends_with 64 --device two
ends_with 64 --time soon
ends_with 64
said "there is no program here"

cp "$program" "$folder/taintgraph"
cp "$launch_cost" "$folder/launch_cost"
if "$launch_cost" >/dev/null 2>&1; then
  echo "there is a GPU here"
else
  ends_with 77
  said "no GPU"
  [ ! -s "$folder/table.log" ] || broken "a table without a GPU"
  [ ! -e "$folder/results/conform.jsonl" ] || broken "a transcript without a GPU"
fi

count=$(find "$folder/scenarios" -name '*.jsonl' | wc -l)
left_out=$(grep -l bytes_done "$folder"/scenarios/*.jsonl | wc -l)

# The simulated compiler cannot compile the kernels that only hardware runs, so conform finds those rows to differ.
if [ -n "$libcuda" ]; then
  LD_LIBRARY_PATH=$libcuda ends_with 1 --time 2s
  said "taintgraph simulated device, driver 13.0"
  said "scenarios    held         $((count - left_out)) held, 0 failed, $left_out left out"
  said "fuzz         held         PASSED seed=1"
  said "launch cost  held         tracking: "
  said "conform      FAILED (1) "
  differ=$(grep -c ' hardware differs ' "$folder/results/conform.txt")
  [ "$differ" -eq "$(grep -c 'not_compile' "$folder/results/conform.txt")" ] || broken "rows differ that compiled"
fi

# Programs that say what they are told to.
cat >"$folder/taintgraph" <<'SCRIPT'
#!/usr/bin/env bash
case $1 in
  conform)
    echo "a card, driver 13.0, NVRTC 13.0"
    echo "49 agree"
    ;;
  replay)
    ! grep -q bytes_done "${@: -1}" || exit 64
    [[ ${@: -1} != *diamond* ]] || exit "${DIAMOND:-0}"
    ;;
  fuzz) echo "PASSED seed=1" ;;
esac
SCRIPT
printf '#!/bin/sh\necho "tracking: 80 ns more"\n' >"$folder/launch_cost"
ends_with 0
said "a card, driver 13.0"
said "conform      held         49 agree"
said "scenarios    held         $((count - left_out)) held, 0 failed, $left_out left out"
said "fuzz         held         PASSED seed=1"
said "launch cost  held         tracking: 80 ns more"
DIAMOND=1 ends_with 1
said "scenarios    FAILED (1)   $((count - left_out - 1)) held, 1 failed, $left_out left out"
DIAMOND=124 ends_with 1
said "scenarios    out of time"
