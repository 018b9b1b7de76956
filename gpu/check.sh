#!/usr/bin/env bash
# Everything that wants a GPU, in under five minutes, on a machine that has nothing else.
#
#   gpu/check.sh pack [--with-nvrtc]     in a checkout: build what is needed and put it into build/gpu-check/bundle and
#                                        build/gpu-check/taintgraph-gpu-check.tar.gz
#   ./check.sh [--device N] [--time 60s] [-o FOLDER]
#                                        in an unpacked bundle: run it; FOLDER (default: .) gets the transcripts
#
# A bundle needs Linux on x86-64 with a C library as new as pack says, the CUDA driver, and NVRTC unless that was packed
# too. Exit codes: 0 all held; 1 something did not; 64 usage; 70 the build failed; 77 no GPU.
set -u

here=$(cd "$(dirname "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
readonly here

say() { printf 'check: %s\n' "$*" >&2; }
fail() {
  local status=$1
  shift
  say "$*"
  exit "$status"
}

# ---- packing

pack() {
  local with_nvrtc=no
  if [ "${1-}" = --with-nvrtc ]; then
    with_nvrtc=yes
    shift
  fi
  [ $# -eq 0 ] || fail 64 "pack: unexpected argument '$1'"
  local top=${here%/*}
  [ -f "$top/CMakeLists.txt" ] || fail 64 "pack works in a checkout"
  local build=$top/build/gpu-check
  local bundle=$build/bundle
  cmake -S "$top" -B "$build" --preset release -D TAINTGRAPH_TESTS=OFF \
    -D CMAKE_EXE_LINKER_FLAGS="-static-libstdc++ -static-libgcc -Wl,--gc-sections" >&2 || fail 70 "configuring failed"
  cmake --build "$build" --target taintgraph launch_cost >&2 || fail 70 "building failed"
  rm -rf "$bundle"
  mkdir -p "$bundle/scenarios" || fail 70 "cannot write $bundle"
  cp "$build/taintgraph" "$build/gpu/launch_cost" "$here/check.sh" "$bundle/" || fail 70 "cannot write $bundle"
  cp "$top"/traces/scenarios/*.jsonl "$bundle/scenarios/" || fail 70 "cannot write $bundle"
  if [ $with_nvrtc = yes ]; then
    local library found=no
    for library in "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc.so.* "${CUDA_HOME:-/usr/local/cuda}"/lib64/libnvrtc-builtins.so.*; do
      [ -e "$library" ] || continue
      found=yes
      mkdir -p "$bundle/lib" && cp -L "$library" "$bundle/lib/"
    done
    [ $found = yes ] || fail 64 "there is no NVRTC below ${CUDA_HOME:-/usr/local/cuda}"
  fi
  tar -C "$build" -czf "$build/taintgraph-gpu-check.tar.gz" --transform 's/^bundle/taintgraph-gpu-check/' bundle ||
    fail 70 "cannot write the archive"
  if command -v objdump >/dev/null; then
    say "needs, of the C library, $(objdump -T "$bundle/taintgraph" "$bundle/launch_cost" |
      grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)"
  fi
  printf '%s\n' "$build/taintgraph-gpu-check.tar.gz"
}

# ---- running

rows=()
wrong=0

# row NAME STATUS WHAT: one line of the table. Statuses but 0 count as wrong.
row() {
  local result=held
  if [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
    result="out of time"
  elif [ "$2" -ne 0 ]; then
    result="FAILED ($2)"
  fi
  [ "$2" -eq 0 ] || wrong=1
  rows+=("$(printf '%-12s %-12s %s' "$1" "$result" "$3")")
}

last_line() { tail -n 1 "$1" 2>/dev/null; }

check_conform() {
  say "the real driver against the simulated one"
  timeout 100 "$program" conform --device "$device" -o "$results/conform.jsonl" "$scenarios"/*.jsonl >"$results/conform.txt"
  local status=$?
  if [ $status -eq 77 ]; then
    rm -f "$results/conform.txt"
    exit 77
  fi
  row conform $status "$(last_line "$results/conform.txt")"
}

# One process each: some errors last as long as a process does.
check_scenarios() {
  say "scenarios"
  local scenario status held=0 left_out=0 failed=0 worst=0
  : >"$results/scenarios.txt"
  for scenario in "$scenarios"/*.jsonl; do
    timeout 20 "$program" replay --backend cuda --device "$device" "$scenario" >>"$results/scenarios.txt" 2>&1
    status=$?
    if [ $status -eq 0 ]; then
      held=$((held + 1))
    elif [ $status -eq 64 ] && grep -q '"bytes_done"' "$scenario"; then
      left_out=$((left_out + 1)) # no hardware does half of a call's work
    else
      failed=$((failed + 1))
      worst=$status
      # What hangs once tends to hang again.
      [ $status -ne 124 ] || break
    fi
  done
  row scenarios $worst "$held held, $failed failed, $left_out left out"
}

check_fuzz() {
  say "fuzzing for $time"
  timeout $((${time%s} + 30)) "$program" fuzz --backend cuda --device "$device" --seed 1 --time "$time" -q \
    --out "$results/failures" >"$results/fuzz.txt"
  row fuzz $? "$(last_line "$results/fuzz.txt")"
}

check_cost() {
  say "the cost of tracking"
  timeout 30 "$launch_cost" "$device" >"$results/cost.txt"
  row "launch cost" $? "$(last_line "$results/cost.txt")"
}

run() {
  device=0
  time=60s
  results=.
  while [ $# -gt 0 ]; do
    case $1 in
      --device | --time | -o)
        [ $# -ge 2 ] || fail 64 "$1 needs a value"
        case $1 in
          --device) device=$2 ;;
          --time) time=$2 ;;
          -o) results=$2 ;;
        esac
        shift 2
        ;;
      --help | -h)
        sed -n '2,/^set -u/s/^# \{0,1\}//p' "$here/check.sh"
        exit 0
        ;;
      *) fail 64 "unexpected argument '$1'; --help tells more" ;;
    esac
  done
  [[ $device =~ ^[0-9]+$ ]] || fail 64 "--device: not a number: $device"
  [[ $time =~ ^[0-9]+s$ ]] || fail 64 "--time: not a time such as 60s: $time"

  local from=$here
  [ -x "$from/taintgraph" ] || from=${here%/*}/build/gpu-check/bundle
  program=$from/taintgraph
  launch_cost=$from/launch_cost
  scenarios=$from/scenarios
  [ -x "$program" ] || fail 64 "there is no program here; 'gpu/check.sh pack' in a checkout makes a bundle that has one"
  mkdir -p "$results" || fail 64 "cannot write to $results"
  [ ! -d "$from/lib" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$from/lib"

  check_conform
  check_scenarios
  check_fuzz
  check_cost
  head -n 1 "$results/conform.txt"
  printf '%s\n' "${rows[@]}"
  exit $wrong
}

if [ "${1-}" = pack ]; then
  shift
  pack "$@"
else
  run "$@"
fi
