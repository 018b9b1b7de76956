#include "traces/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "traces/interrupt.hpp"

namespace taintgraph::traces {
namespace {

std::string reason(const std::string& what) { return what + ": " + std::strerror(errno); }

// Everything from one descriptor to another, or up to a NUL: no trace holds one, so that the rest (of /dev/zero, say)
// is not needed to refuse it. False with errno set if reading or writing fails; EINTR if the program is to end.
bool copy_all(int from, int to) {
  std::array<char, 1U << 16> buffer{};
  for (;;) {
    if (InterruptGuard::interrupted()) {
      errno = EINTR;
      return false;
    }
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    const bool last = std::memchr(buffer.data(), 0, static_cast<std::size_t>(got)) != nullptr;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      done += put;
    }
    if (last) return true;
  }
}

}  // namespace

tl::expected<Spool, std::string> Spool::open(const std::string& path) {
  if (path != "-") {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return tl::unexpected(reason("cannot be read"));
    struct stat status {};
    const bool directory = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    const bool regular = S_ISREG(status.st_mode);
    if (directory || regular) ::close(descriptor);
    if (directory) return tl::unexpected(std::string("is a directory, expected a trace"));
    if (regular) return Spool(path, -1);
    // A pipe or a device gives its bytes once: spooled like standard input.
    auto spooled = from_descriptor(descriptor);
    ::close(descriptor);
    return spooled;
  }
  return from_descriptor(STDIN_FILENO);
}

tl::expected<Spool, std::string> Spool::from_descriptor(int descriptor) {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/taintgraph-XXXXXX";
  const int temporary = ::mkstemp(name.data());
  if (temporary < 0) return tl::unexpected(reason("no temporary file to spool to (" + name + ")"));
  ::unlink(name.c_str());
  Spool spool("/proc/self/fd/" + std::to_string(temporary), temporary);
  if (!copy_all(descriptor, temporary)) return tl::unexpected(reason("cannot be spooled"));
  return spool;
}

std::unique_ptr<std::istream> Spool::read() const {
  auto file = std::make_unique<std::ifstream>(path_, std::ios::binary);
  if (!file->is_open()) return nullptr;
  return file;
}

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace taintgraph::traces
