// One block of pinned host memory through which one stream copies in one direction.
//
// Space is handed out front to back and never taken back piece by piece: a copy that was given space may be queued even
// though its call failed. It all becomes free again at once, by rewind(), when the stream is known to be done.
#pragma once

#include <cstddef>
#include <vector>

#include "core/error.hpp"
#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

class StagingRing {
 public:
  // Requires: closed, size_bytes at least 1.
  [[nodiscard]] core::DeviceResult<void> open(const DriverApi& driver, std::size_t size_bytes);

  // Requires: no copy uses the memory any more. Errors are appended.
  void close(const DriverApi& driver, std::vector<core::Error>& errors);

  // Forgets the memory without giving it back, when nothing proves that no copy uses it. Its context takes it along.
  void abandon() { *this = {}; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t room() const { return size_ - used_; }

  // Requires: size_bytes <= room().
  [[nodiscard]] std::byte* take(std::size_t size_bytes);

  // Requires: everything submitted to the stream is done.
  void rewind() { used_ = 0; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

}  // namespace taintgraph::gpu
