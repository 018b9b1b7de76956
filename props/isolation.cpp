#include "props/isolation.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;  // only to notice a child that hangs; decides nothing that is tested

constexpr std::size_t kTailBytes = 4096;
constexpr int kPollMilliseconds = 100;
constexpr int kExceptionStatus = 99;

// A pipe whose ends close with it.
class Pipe {
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

  [[nodiscard]] bool ok() const { return ends_[0] >= 0; }
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

[[noreturn]] void run_child(const std::function<std::string()>& work, Pipe& result, Pipe& errors) {
  result.close_read();
  errors.close_read();
  ::dup2(errors.write_end(), STDERR_FILENO);
  int status = kExceptionStatus;
  try {
    status = write_all(result.write_end(), work()) ? 0 : kExceptionStatus;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "uncaught exception: %s\n", exception.what());
  }
  std::fflush(stderr);
  ::_exit(status);  // not exit: buffers and atexit functions are the parent's
}

// Reads what is there; false at the end.
bool read_some(int file, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(file, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

struct Heard {
  std::string output;
  std::string errors;
  bool stalled = false;
};

// Listens until both pipes have ended or nothing moves any more.
Heard listen(Pipe& result, Pipe& errors, const SharedProgress& progress, std::chrono::milliseconds stall_limit) {
  Heard heard;
  std::array<pollfd, 2> files = {{{result.read_end(), POLLIN, 0}, {errors.read_end(), POLLIN, 0}}};
  std::uint64_t ticks = progress.ticks();
  Clock::time_point moved = Clock::now();
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const int ready = ::poll(files.data(), files.size(), kPollMilliseconds);
    if (ready > 0) {
      if (files[0].revents != 0 && !read_some(files[0].fd, heard.output)) files[0].fd = -1;
      if (files[1].revents != 0 && !read_some(files[1].fd, heard.errors)) files[1].fd = -1;
      if (heard.errors.size() > 4 * kTailBytes) heard.errors.erase(0, heard.errors.size() - kTailBytes);
    }
    if (progress.ticks() != ticks || ready > 0) {
      ticks = progress.ticks();
      moved = Clock::now();
    } else if (Clock::now() - moved > stall_limit) {
      heard.stalled = true;
      return heard;
    }
  }
  return heard;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string tail(std::string text) {
  if (text.size() > kTailBytes) text.erase(0, text.size() - kTailBytes);
  return text;
}

}  // namespace

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
    case How::by_stalling:
      return "made no progress and was stopped";
    case How::never_started:
      break;
  }
  return std::string("could not be started: ") + std::strerror(number);
}

tl::expected<std::string, Death> run_isolated(const std::function<std::string()>& work, const SharedProgress& progress,
                                              std::chrono::milliseconds stall_limit) {
  Pipe result;
  Pipe errors;
  if (!result.ok() || !errors.ok()) return tl::make_unexpected(Death{Death::How::never_started, errno, {}});
  std::fflush(nullptr);  // or the child would own a copy of what is still buffered
  const pid_t child = ::fork();
  if (child < 0) return tl::make_unexpected(Death{Death::How::never_started, errno, {}});
  if (child == 0) run_child(work, result, errors);
  result.close_write();
  errors.close_write();
  Heard heard = listen(result, errors, progress, stall_limit);
  if (heard.stalled) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  if (heard.stalled) return tl::make_unexpected(Death{Death::How::by_stalling, 0, tail(std::move(heard.errors))});
  if (WIFSIGNALED(status)) {
    return tl::make_unexpected(Death{Death::How::by_signal, WTERMSIG(status), tail(std::move(heard.errors))});
  }
  if (WEXITSTATUS(status) != 0) {
    return tl::make_unexpected(Death{Death::How::by_exit, WEXITSTATUS(status), tail(std::move(heard.errors))});
  }
  return std::move(heard.output);
}

}  // namespace taintgraph::props
