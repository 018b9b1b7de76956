// write_file_whole: the only way in which this project puts a result on a disk.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "traces/writer.hpp"

namespace taintgraph::traces {
namespace {

using Result = tl::expected<void, std::string>;

// Names tried for the temporary file before giving up: other writers of the same path may hold some.
constexpr int kMaxAttempts = 100;

Result failure(const std::string& path, std::string_view what) {
  return tl::unexpected(path + ": " + std::string(what) + ": " + std::strerror(errno));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A device, a pipe: there is nothing to be replaced, and nothing could be renamed over it.
Result write_through(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return failure(path, "cannot be opened");
  const bool written = write_all(file, text);
  const int why = errno;
  if (::close(file) != 0 && written) return failure(path, "cannot be written");
  errno = why;
  if (!written) return failure(path, "cannot be written");
  return {};
}

// Where a path leads: a symbolic link stays, and what it points to is replaced, be it there already or not.
std::string behind_links(std::string path) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = (std::filesystem::path(path).parent_path() / target).string();
  }
  return path;
}

}  // namespace

Result write_file_whole(const std::string& named, std::string_view text) {
  struct stat status {};
  // What is no file may be reached through links that say no name, as those of /proc do.
  if (::stat(named.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return write_through(named, text);
  const std::string path = behind_links(named);
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) return failure(path, "cannot be written");
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return failure(path, "cannot be written");
  }

  std::string temporary;
  int file = -1;
  for (int attempt = 0; file < 0 && attempt < kMaxAttempts; ++attempt) {
    temporary = path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) return failure(path, "cannot be created");

  const auto give_up = [&](std::string_view what) {
    const int why = errno;
    (void)::unlink(temporary.c_str());  // what failed already is what counts
    errno = why;
    return failure(path, what);
  };
  const bool written =
      write_all(file, text) && ::fsync(file) == 0 && (!exists || ::fchmod(file, status.st_mode & 07777) == 0);
  const int why = errno;
  const bool closed = ::close(file) == 0;
  if (!written) {
    errno = why;
    return give_up("cannot be written");
  }
  if (!closed) return give_up("cannot be written");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up("cannot be replaced");
  return {};
}

}  // namespace taintgraph::traces
