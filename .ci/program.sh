#!/usr/bin/env bash
# The program among closed files, signals and limits: what no test inside of a process can see.
#
#   program.sh PROGRAM TRACE
set -u
program=$(readlink -f -- "$1")
trace=$(readlink -f -- "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

expect() {  # what, expected, found
  [ "$2" = "$3" ] && return
  echo "$1: expected '$2', found '$3'"
  failed=1
}

# ---- standard files that somebody closed
usual=$("$program" exhaust "$trace")
expect 'exhaust finds something to do' 0 "$(case $usual in *' 0 runs'*) echo 1 ;; *) echo 0 ;; esac)"
expect 'exhaust, input and error closed' "$usual" "$("$program" exhaust "$trace" <&- 2>&-)"
"$program" version >&- 2>/dev/null
expect 'output closed' 70 $?
"$program" fuzz --seed 1 --cases 40 --ops 10 --quiet --out failures <&- 2>&- >fuzz.txt
last=$(tail -n 1 fuzz.txt)
expect 'fuzz, input and error closed' seed=1 "$(set -- $last && echo "${2-}")"

"$program" exhaust "$trace" --out '' 2>/dev/null
expect 'a folder without a name' 64 $?

# ---- a pipe that a link without a name leads to
expect 'rendering into a pipeline' yes "$("$program" render "$trace" --format text -o /dev/stdout | grep -q failure && echo yes)"

# ---- a file that must not grow
if (ulimit -f 0 && exec "$program" version) >/dev/null 2>limit.txt; then
  (ulimit -f 0 && exec "$program" replay "$trace" --record recorded) >/dev/null 2>limit.txt
  expect 'a file that must not grow' 70 $?
  expect 'what is left of it' '' "$(ls | grep recorded)"
else  # a sanitizer's runtime writes a file before the program begins
  echo 'skipped: this build does not even start where files must not grow'
fi

# ---- Ctrl-C, answered within a few seconds whatever goes on. Background work ignores it unless told not to.
interrupted() {  # seconds until the signal, then a command; its status
  local after=$1
  shift
  timeout --foreground --preserve-status -k 20 -s INT "$after" "$@"
}
mkfifo never
exec 9<>never
interrupted 1 "$program" exhaust never >/dev/null 2>&1
expect 'exhaust, while a trace is awaited' 130 $?
{
  echo '{"format":"taintgraph-trace","version":1,"device":{"memory":67108864}}'
  for ((i = 0; i < 12000; ++i)); do
    echo "{\"op\":\"alloc\",\"buffer\":\"b$i\",\"size\":64}"
    echo "{\"op\":\"launch\",\"kernel\":\"fill\",\"writes\":[\"b$i\"],\"args\":{\"value\":1},\"fault\":\"launch_out_of_resources\"}"
  done
  echo '{"op":"check","failures":1}'
} >long.jsonl
begin=$SECONDS
interrupted 2 "$program" exhaust long.jsonl --out failures >/dev/null 2>&1
expect 'exhaust, in a long run' 2 $?
interrupted 2 "$program" shrink long.jsonl >/dev/null 2>&1
expect 'shrink, in a long run' 2 $?
expect 'they end in good time' yes "$([ $((SECONDS - begin)) -lt 30 ] && echo yes)"
exit $failed
