#!/usr/bin/env bash
# Builds the libFuzzer target into $OUT, with its seeds and its options beside it. Compiler, flags, sanitizer and fuzzing
# engine come from the environment, as ClusterFuzzLite and OSS-Fuzz set it: $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE; $SRC holds
# the checkout, $WORK is for what need not be kept.
set -eu

source=$SRC/taintgraph
build=$WORK/taintgraph
target=trace_fuzz_target

# No build type: it would bring optimisation of its own and leave out the checks that only debug builds make.
cmake -S "$source" -B "$build" -G Ninja \
  -D CMAKE_BUILD_TYPE= \
  -D TAINTGRAPH_ROOMS="core;gpu;sim;traces;props" \
  -D TAINTGRAPH_TESTS=OFF \
  -D TAINTGRAPH_WARNINGS_AS_ERRORS=OFF \
  -D TAINTGRAPH_FUZZ_TARGETS=ON \
  -D TAINTGRAPH_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$build" --target "$target"

cp "$build/props/$target" "$source/.clusterfuzzlite/$target.options" "$OUT/"
rm -f "$OUT/${target}_seed_corpus.zip"
zip --quiet --junk-paths "$OUT/${target}_seed_corpus.zip" \
  "$source"/traces/scenarios/*.jsonl "$source"/traces/behaviours/*.jsonl "$source"/traces/regressions/*.jsonl
