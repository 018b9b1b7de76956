#include "props/isolation.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#if defined(__has_feature)
#define TAINTGRAPH_HAS_FEATURE(name) __has_feature(name)
#else
#define TAINTGRAPH_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TAINTGRAPH_HAS_FEATURE(address_sanitizer)
#define TAINTGRAPH_ASAN 1
#else
#define TAINTGRAPH_ASAN 0
#endif
#if TAINTGRAPH_ASAN || defined(__SANITIZE_THREAD__) || TAINTGRAPH_HAS_FEATURE(thread_sanitizer) || \
    TAINTGRAPH_HAS_FEATURE(memory_sanitizer)
#define TAINTGRAPH_SANITIZED 1
#else
#define TAINTGRAPH_SANITIZED 0
#endif

#if TAINTGRAPH_ASAN
// What the address sanitizer does unless ASAN_OPTIONS says otherwise. A case allocates thousands of times and frees all
// of it within milliseconds: noting the whole stack each time, and keeping more freed memory than a few cases leave,
// takes longer than the case. A failure repeats, and may be looked at with longer ones.
extern "C" const char* __asan_default_options() { return "malloc_context_size=4:quarantine_size_mb=4"; }
#endif

namespace taintgraph::props {
namespace {

constexpr std::size_t kTailBytes = 4096;
constexpr int kPollMilliseconds = 100;
constexpr int kExceptionStatus = 99;
constexpr int kMemoryStatus = 98;

// A sanitizer reserves more address space than any limit would leave it.
constexpr bool kSanitized = TAINTGRAPH_SANITIZED != 0;

void limit(decltype(RLIMIT_AS) resource, std::uint64_t bytes) {
  rlimit both{};
  if (::getrlimit(resource, &both) != 0) return;
  both.rlim_cur = std::min<rlim_t>(bytes, both.rlim_max);
  (void)::setrlimit(resource, &both);  // without the limit the work is the same, only less polite
}

bool write_all(int file, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Reads what is there; false at the end.
bool read_some(int file, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(file, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

std::string tail(std::string text) {
  if (text.size() > kTailBytes) text.erase(0, text.size() - kTailBytes);
  return text;
}

// What a child is told before it sets to work.
void settle_child(pid_t parent, const ChildLimits& limits) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExceptionStatus);  // it was gone before the signal was asked for
  limit(RLIMIT_CORE, 0);                                 // a shrinking crash would leave hundreds
  if (limits.memory_bytes > 0 && !kSanitized) limit(RLIMIT_AS, limits.memory_bytes);
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int result, int errors) {
  ::dup2(errors, STDERR_FILENO);
  int status = kExceptionStatus;
  try {
    status = write_all(result, work()) ? 0 : kExceptionStatus;
  } catch (const std::bad_alloc&) {
    status = kMemoryStatus;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "uncaught exception: %s\n", exception.what());
  }
  std::fflush(stderr);
  ::_exit(status);  // not exit: buffers and atexit functions are the parent's
}

}  // namespace

bool can_limit_memory() { return !kSanitized; }

SharedProgress::SharedProgress() : words_(nullptr) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock would not be shared");
  void* memory = ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  words_ = new (memory) Words{};
}

SharedProgress::~SharedProgress() { ::munmap(words_, sizeof(Words)); }

void SharedProgress::set_case(std::uint64_t case_number) {
  words_->step.store(0, std::memory_order_relaxed);
  words_->case_number.store(case_number, std::memory_order_relaxed);
  words_->ticks.fetch_add(1, std::memory_order_relaxed);
}

void SharedProgress::set_step(std::uint64_t ordinal) {
  words_->step.store(ordinal, std::memory_order_relaxed);
  words_->ticks.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t SharedProgress::case_number() const { return words_->case_number.load(std::memory_order_relaxed); }
std::uint64_t SharedProgress::step() const { return words_->step.load(std::memory_order_relaxed); }
std::uint64_t SharedProgress::ticks() const { return words_->ticks.load(std::memory_order_relaxed); }

std::string Death::text() const {
  switch (how) {
    case How::by_signal:
      return "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
    case How::by_exit:
      return "ended with status " + std::to_string(number);
    case How::by_memory:
      return "ran out of memory";
    case How::by_stalling:
      return "made no progress and was stopped";
    case How::interrupted:
      return "was interrupted";
    case How::never_started:
      break;
  }
  return std::string("could not be started: ") + std::strerror(number);
}

// A pipe whose ends close with it.
class Child::Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{};
};

Child::Child(const std::function<std::string()>& work, const SharedProgress& progress, const ChildLimits& limits)
    : progress_(progress),
      limits_(limits),
      result_(std::make_unique<Pipe>()),
      errors_(std::make_unique<Pipe>()),
      ticks_(progress.ticks()),
      case_number_(progress.case_number()),
      ticked_(Clock::now()),
      case_began_(ticked_) {
  if (result_->read_end() < 0 || errors_->read_end() < 0) {
    start_error_ = errno;
    return;
  }
  std::fflush(nullptr);  // or the child would own a copy of what is still buffered
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    result_->close_read();
    errors_->close_read();
    settle_child(parent, limits);
    run_child(work, result_->write_end(), errors_->write_end());
  }
  if (process_ < 0) start_error_ = errno;
  result_->close_write();
  errors_->close_write();
}

Child::~Child() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  reap();
}

void Child::add_files(std::vector<pollfd>& files) const {
  for (const Pipe* pipe : {result_.get(), errors_.get()}) {
    if (process_ > 0 && pipe->read_end() >= 0) files.push_back({pipe->read_end(), POLLIN, 0});
  }
}

bool Child::attend() {
  if (process_ <= 0 || stalled_) return true;
  std::array<pollfd, 2> files = {{{result_->read_end(), POLLIN, 0}, {errors_->read_end(), POLLIN, 0}}};
  const bool said_something = ::poll(files.data(), files.size(), 0) > 0;
  if (said_something) {
    if (files[0].revents != 0 && !read_some(files[0].fd, output_)) result_->close_read();
    if (files[1].revents != 0 && !read_some(files[1].fd, error_text_)) errors_->close_read();
    if (error_text_.size() > 4 * kTailBytes) error_text_.erase(0, error_text_.size() - kTailBytes);
  }
  if (result_->read_end() < 0 && errors_->read_end() < 0) return true;
  if (!over_a_limit(said_something)) return false;
  stalled_ = true;
  ::kill(process_, SIGKILL);
  return true;
}

bool Child::over_a_limit(bool said_something) {
  const Clock::time_point now = Clock::now();
  if (const std::uint64_t number = progress_.case_number(); number != case_number_) {
    case_number_ = number;
    case_began_ = now;
  }
  if (const std::uint64_t ticks = progress_.ticks(); ticks != ticks_ || said_something) {
    ticks_ = ticks;
    ticked_ = now;
  }
  return now - ticked_ > limits_.stall || now - case_began_ > limits_.one_case;
}

int Child::reap() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

Child::Outcome Child::outcome() {
  if (process_ <= 0) return tl::make_unexpected(Death{Death::How::never_started, start_error_, {}});
  const int status = reap();
  const auto died = [&](Death::How how, int number) {
    return tl::make_unexpected(Death{how, number, tail(std::move(error_text_))});
  };
  if (stalled_) return died(Death::How::by_stalling, 0);
  if (WIFSIGNALED(status)) return died(Death::How::by_signal, WTERMSIG(status));
  if (WEXITSTATUS(status) == kMemoryStatus) return died(Death::How::by_memory, 0);
  if (WEXITSTATUS(status) != 0) return died(Death::How::by_exit, WEXITSTATUS(status));
  return std::move(output_);
}

void wait_for_any(const std::vector<const Child*>& children) {
  std::vector<pollfd> files;
  for (const Child* child : children) child->add_files(files);
  if (!files.empty()) (void)::poll(files.data(), files.size(), kPollMilliseconds);
}

tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work, const SharedProgress& progress,
                                              const ChildLimits& limits, const std::function<bool()>& interrupted) {
  Child child(work, progress, limits);
  while (!child.attend()) {
    if (interrupted && interrupted()) return tl::make_unexpected(Death{Death::How::interrupted, 0, {}});
    wait_for_any({&child});
  }
  return child.outcome();
}

tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work, const SharedProgress& progress,
                                              std::chrono::milliseconds stall,
                                              const std::function<bool()>& interrupted) {
  ChildLimits limits;
  limits.stall = stall;
  limits.one_case = std::chrono::hours(24 * 365);
  return run_isolated(work, progress, limits, interrupted);
}

void require_started(const Death& death) {
  if (death.how == Death::How::never_started) throw std::runtime_error("a child process " + death.text());
}

}  // namespace taintgraph::props
