// Runs a piece of work in a child process, so that a crash in it is a result like any other.
//
// The child is a fork: it sees the parent's memory as it was and hands back only a string. How far it has got stands in
// a few words of shared memory, so that the parent knows what it was doing when it died or stopped moving. The calling
// process must have no other thread that holds a lock the work needs; the program has one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <tl/expected.hpp>

namespace taintgraph::props {

// Shared between parent and children. Not copyable; lives in memory mapped for the purpose.
class SharedProgress {
 public:
  SharedProgress();  // throws std::bad_alloc if the memory cannot be had
  ~SharedProgress();
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  void set_case(std::uint64_t case_number);
  void set_step(std::uint64_t ordinal);
  [[nodiscard]] std::uint64_t case_number() const;
  [[nodiscard]] std::uint64_t step() const;  // 0 before the first operation
  // Changes whenever anything above is set.
  [[nodiscard]] std::uint64_t ticks() const;

 private:
  struct Words {
    std::atomic<std::uint64_t> case_number;
    std::atomic<std::uint64_t> step;
    std::atomic<std::uint64_t> ticks;
  };
  Words* words_;
};

// How a child ended that handed nothing back.
struct Death {
  enum class How : std::uint8_t { by_signal, by_exit, by_stalling, never_started };
  How how = How::by_signal;
  int number = 0;           // the signal, the exit status, or the errno of a start that failed
  std::string stderr_tail;  // the end of what it wrote to standard error

  // One line: "killed by signal 11 (Segmentation fault)" and the like.
  [[nodiscard]] std::string text() const;
};

// The result of `work`, or how it died. A child whose progress does not tick for `stall_limit` is killed. Exceptions
// that leave `work` end the child with a status of its own and their text on its standard error.
[[nodiscard]] tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work,
                                                            const SharedProgress& progress,
                                                            std::chrono::milliseconds stall_limit);

}  // namespace taintgraph::props
