// Every program of a few operations over two buffers of three bytes and two streams: a scope small enough to be run
// through as a whole.
//
// The operations of the alphabet, each for either buffer and either stream where it has one: a write of the whole
// buffer, a launch that copies all of it into the other, a copy of one byte of it into the middle of the other, a read,
// a relocation; free, and alloc of the name again; sync of a stream and of all, wait; the beginning and the end of a
// capture, and a replay.
//
// In front of them stand operations that make both buffers and write them, behind them those that end captures, wait,
// read what is left, and reset. They are not counted, and only the counted operations have an id.
//
// Programs that differ only in which buffer is called X, or which stream 0, count once: the first of them stands for
// all, which is right as far as nothing treats names and indices other than alike. An operation that is rejected
// whatever went before (a buffer freed already, a name that is alive, no capture to end, no graph to replay) stands
// only at the end of a program: if it changes nothing (R4, which is checked there), what comes behind it is a program
// without it.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/program.hpp"

namespace taintgraph::props {

class SmallPrograms {
 public:
  // Of at most so many operations, at most kMostOperations. O(programs) time and memory.
  explicit SmallPrograms(std::uint32_t operations);

  [[nodiscard]] std::uint64_t size() const { return sequences_.size(); }

  // Requires: number < size(). Shorter programs come first.
  [[nodiscard]] traces::Program program(std::uint64_t number) const;

  static constexpr std::uint32_t kMostOperations = 5;

 private:
  void extend(std::uint64_t sequence, std::uint32_t length);

  std::vector<std::uint64_t> sequences_;  // places in the alphabet from 1 on, the first operation in the lowest bits
};

}  // namespace taintgraph::props
