// Runs a piece of work in a child process, so that a crash in it is a result like any other.
//
// The child is a fork: it sees the parent's memory as it was and hands back only a string. How far it has got stands in
// a few words of shared memory, so that the parent knows what it was doing when it died or stopped moving. A child ends
// with its parent. The calling process must have no other thread that holds a lock the work needs; the program has one
// thread.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
  enum class How : std::uint8_t { by_signal, by_exit, by_memory, by_stalling, interrupted, never_started };
  How how = How::by_signal;
  int number = 0;           // the signal, the exit status, or the errno of a start that failed
  std::string stderr_tail;  // the end of what it wrote to standard error

  // One line: "killed by signal 11 (Segmentation fault)" and the like.
  [[nodiscard]] std::string text() const;
};

struct ChildLimits {
  std::chrono::milliseconds stall{30'000};      // without a tick of progress
  std::chrono::milliseconds one_case{300'000};  // over one case, however it ticks
  std::uint64_t memory_bytes = 0;               // of address space; 0: no limit, as always under a sanitizer
};

// Whether `memory_bytes` has any effect in this build.
[[nodiscard]] bool can_limit_memory();

// One child at work. Destroying it kills the child.
class Child {
 public:
  using Outcome = tl::expected<std::string, Death>;

  // `progress` is what the work ticks, and must outlive the child. A child that could not be started is over at once.
  // Exceptions that leave `work` end the child with a status of its own and their text on its standard error.
  Child(const std::function<std::string()>& work, const SharedProgress& progress, const ChildLimits& limits);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // What to poll for to hear of it: none, one or two files.
  void add_files(std::vector<pollfd>& files) const;

  // Takes in what the child has said so far, and stops it if it is over a limit. True once it is over.
  [[nodiscard]] bool attend();

  // What became of it. Requires: it is over. Once.
  [[nodiscard]] Outcome outcome();

 private:
  class Pipe;
  using Clock = std::chrono::steady_clock;  // only to notice a child that hangs; decides nothing that is tested

  [[nodiscard]] bool over_a_limit(bool said_something);
  int reap();

  const SharedProgress& progress_;
  ChildLimits limits_;
  std::unique_ptr<Pipe> result_;
  std::unique_ptr<Pipe> errors_;
  pid_t process_ = -1;
  int start_error_ = 0;
  std::string output_;
  std::string error_text_;
  bool stalled_ = false;
  std::uint64_t ticks_ = 0;
  std::uint64_t case_number_ = 0;
  Clock::time_point ticked_;
  Clock::time_point case_began_;
};

// Waits until one of the children can be attended to, or a moment has passed.
void wait_for_any(const std::vector<const Child*>& children);

// The result of `work`, or how it died. `interrupted` is asked now and then, may be empty, and ends the work once true.
[[nodiscard]] tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work,
                                                            const SharedProgress& progress, const ChildLimits& limits,
                                                            const std::function<bool()>& interrupted = {});
// The same with no other limit than on the time between two ticks.
[[nodiscard]] tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work,
                                                            const SharedProgress& progress,
                                                            std::chrono::milliseconds stall,
                                                            const std::function<bool()>& interrupted = {});

// Throws std::runtime_error if that is how it ended: no child, no finding.
void require_started(const Death& death);

}  // namespace taintgraph::props
