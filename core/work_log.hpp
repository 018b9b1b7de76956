// The newest work of each stream, to answer for an error that surfaces later: which of it may be to blame?
//
// An asynchronous error names the call at which it shows, not the work that caused it. What is known is what cannot
// have caused it: work that a good wait of the program has proved, its own stream's and what that stream had waited
// for. Everything handed to the device since is a suspect, work that the device refused too, since a driver may queue
// work and report an error all the same.
//
// Bounded: the newest kPerStream of each stream are kept, older ones are counted. It holds no buffer and no long text.
// Cost: noting copies a few bytes and allocates nothing; asking is O(streams).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/failure.hpp"
#include "core/stream_table.hpp"
#include "core/usage.hpp"

namespace taintgraph::core {

class WorkLog {
 public:
  static constexpr std::size_t kPerStream = 16;
  static constexpr std::size_t kLongestName = 23;  // of a kernel; longer ones are cut off

  explicit WorkLog(std::uint32_t streams) : rows_(streams) {}

  // Work was handed to the device. Requires: called once for each mark of a stream, in order.
  void note(Mark mark, std::string_view what, Correlation correlation) {
    TAINTGRAPH_DCHECK(mark.sequence == rows_[index(mark.stream)].last + 1, "a stream's work is noted in turn");
    Entry& entry = rows_[index(mark.stream)].newest[mark.sequence % kPerStream];
    entry.order = ++noted_;
    entry.correlation = correlation;
    entry.length = static_cast<std::uint8_t>(what.copy(entry.name.data(), kLongestName));
    rows_[index(mark.stream)].last = mark.sequence;
  }

  // Notes work once what it came to is reported, and at the latest when this goes out of scope: an exception, too,
  // leaves work behind that may have been queued.
  class Noting {
   public:
    Noting(WorkLog& log, Mark mark, std::string_view what, Correlation correlation)
        : log_(log), mark_(mark), what_(what), correlation_(correlation) {}
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;
    ~Noting() { now(); }

    void now() {
      if (!std::exchange(noted_, true)) log_.note(mark_, what_, correlation_);
    }
    // Of work that took the device along: nothing is noted before the log is forgotten.
    void never() { noted_ = true; }

   private:
    WorkLog& log_;
    Mark mark_;
    std::string_view what_;
    Correlation correlation_;
    bool noted_ = false;
  };

  // What no wait of the program has proved, newest last.
  [[nodiscard]] Suspects suspects(const StreamTable& streams) const;

  // The streams are new ones (D2).
  void forget();

 private:
  struct Entry {
    std::uint64_t order = 0;  // n-th of all streams
    Correlation correlation{};
    std::uint8_t length = 0;
    std::array<char, kLongestName> name{};
  };
  struct Row {
    std::uint64_t last = 0;  // sequence of the newest
    std::array<Entry, kPerStream> newest;
  };

  std::vector<Row> rows_;
  std::uint64_t noted_ = 0;
};

}  // namespace taintgraph::core
