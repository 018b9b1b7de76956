// A trace that can be read more than once, wherever it comes from.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace taintgraph::traces {

class Spool {
 public:
  // A file by its path; "-" is standard input, copied into an unnamed temporary file first. Errors, in words: it cannot
  // be opened, it is a directory, no temporary file can be made, the program was interrupted.
  [[nodiscard]] static tl::expected<Spool, std::string> open(const std::string& path);

  // A fresh reader from the beginning; none if the file has gone meanwhile.
  [[nodiscard]] std::unique_ptr<std::istream> read() const;

  Spool(Spool&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  Spool& operator=(Spool&&) = delete;
  ~Spool();

 private:
  [[nodiscard]] static tl::expected<Spool, std::string> from_descriptor(int descriptor);
  Spool(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;  // of the unnamed temporary file; -1 if there is none
};

}  // namespace taintgraph::traces
