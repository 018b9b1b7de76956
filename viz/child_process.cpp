#include "viz/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "viz/label.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kMaxComplaint = 4096;  // bytes of the program's standard error that are kept

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  void reset(int value) {
    close();
    value_ = value;
  }
  void close() {
    if (value_ >= 0) (void)::close(value_);
    value_ = -1;
  }
  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] bool open() const { return value_ >= 0; }

 private:
  int value_ = -1;
};

// The three streams of the child: ours, and the ends it inherits.
struct Channels {
  Descriptor input, output, complaint;
  Descriptor child_input, child_output, child_complaint;
};

std::string system_error(std::string_view what, int error) { return std::string(what) + ": " + std::strerror(error); }

bool make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return true;
}

// The input goes through a socket, not a pipe: send() can be told to raise no SIGPIPE.
bool make_channels(Channels& channels) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  channels.input.reset(ends[0]);
  channels.child_input.reset(ends[1]);
  (void)::fcntl(channels.input.get(), F_SETFL, O_NONBLOCK);
  return make_pipe(channels.output, channels.child_output) && make_pipe(channels.complaint, channels.child_complaint);
}

// Starts the program with default signal handling, whatever this process ignores. Returns an errno, 0 if it runs.
int spawn(const std::vector<std::string>& command, const Channels& channels, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, channels.child_input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channels.child_output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channels.child_complaint.get(), STDERR_FILENO);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int error = ::posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void send_some(Descriptor& input, std::string_view& rest) {
  const ssize_t sent = ::send(input.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
  const bool gave_up = sent < 0 && errno != EAGAIN && errno != EINTR;  // the child wants no more
  if (rest.empty() || gave_up) input.close();
}

void receive_some(Descriptor& output, std::string& text, std::size_t max_bytes) {
  std::array<char, 65536> buffer;
  const ssize_t received = ::read(output.get(), buffer.data(), buffer.size());
  if (received > 0) {
    const std::size_t room = max_bytes - std::min(max_bytes, text.size());
    text.append(buffer.data(), std::min(room, static_cast<std::size_t>(received)));
  } else if (received == 0 || errno != EINTR) {
    output.close();
  }
}

struct Transcript {
  std::string output;
  std::string complaint;
  bool in_time = true;
};

// Feeds and drains the child until it has closed both its outputs, has written too much, or the deadline has passed.
Transcript converse(Channels& channels, std::string_view input, std::chrono::steady_clock::time_point deadline,
                    std::size_t max_output_bytes) {
  Transcript transcript;
  if (input.empty()) channels.input.close();
  while (channels.output.open() || channels.complaint.open()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      transcript.in_time = false;
      break;
    }
    std::array<pollfd, 3> waiting = {{{channels.output.get(), POLLIN, 0},
                                      {channels.complaint.get(), POLLIN, 0},
                                      {channels.input.get(), POLLOUT, 0}}};  // closed ones are -1, which poll skips
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0) continue;
    if (waiting[0].revents != 0) receive_some(channels.output, transcript.output, max_output_bytes + 1);
    if (transcript.output.size() > max_output_bytes) break;
    if (waiting[1].revents != 0) receive_some(channels.complaint, transcript.complaint, kMaxComplaint);
    if (waiting[2].revents != 0) send_some(channels.input, input);
  }
  return transcript;
}

// Waits for a child that has closed its outputs, which is not to say that it ends.
bool reap(pid_t child, std::chrono::steady_clock::time_point deadline, int& status) {
  pid_t reaped = 0;
  while ((reaped = ::waitpid(child, &status, WNOHANG)) == 0 || (reaped < 0 && errno == EINTR)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    (void)::poll(nullptr, 0, 1);
  }
  return reaped == child;
}

void end(pid_t child) {
  (void)::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string with_complaint(const std::string& sentence, const std::string& complaint) {
  const std::string first_line = complaint.substr(0, complaint.find('\n'));
  return first_line.empty() ? sentence : sentence + ": " + label(first_line, 200);
}

}  // namespace

tl::expected<std::string, std::string> run_filter(const std::vector<std::string>& command, std::string_view input,
                                                  std::chrono::milliseconds allowed, std::size_t max_output_bytes) {
  const std::string& program = command.front();
  Channels channels;
  if (!make_channels(channels)) return tl::unexpected(system_error("cannot make a pipe for `" + program + "`", errno));
  pid_t child = -1;
  if (const int error = spawn(command, channels, child); error != 0) {
    if (error == ENOENT) return tl::unexpected("`" + program + "` was not found on PATH");
    return tl::unexpected(system_error("cannot start `" + program + "`", error));
  }
  channels.child_input.close();
  channels.child_output.close();
  channels.child_complaint.close();

  const auto deadline = std::chrono::steady_clock::now() + allowed;
  Transcript transcript = converse(channels, input, deadline, max_output_bytes);
  int status = 0;
  if (transcript.output.size() > max_output_bytes) {
    end(child);
    return tl::unexpected("`" + program + "` wrote more than " + std::to_string(max_output_bytes) + " bytes");
  }
  if (!transcript.in_time || !reap(child, deadline, status)) {
    end(child);
    return tl::unexpected("`" + program + "` did not finish within " + std::to_string(allowed.count()) + " ms");
  }
  if (WIFSIGNALED(status)) {
    return tl::unexpected("`" + program + "` was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  if (const int code = WEXITSTATUS(status); code != 0) {
    return tl::unexpected(
        with_complaint("`" + program + "` failed with exit code " + std::to_string(code), transcript.complaint));
  }
  return std::move(transcript.output);
}

}  // namespace taintgraph::viz
