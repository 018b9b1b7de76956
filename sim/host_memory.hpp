// Page-locked host memory given out by cuMemAllocHost, the only host memory that asynchronous copies may use.
//
// These are real addresses in the host, for the backend to read and write at any time; they are looked up, never
// compared or ordered, so no decision depends on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/access_map.hpp"

namespace taintgraph::sim {

struct HostAllocation {
  std::unique_ptr<std::byte[]> bytes;
  std::uint64_t size_bytes = 0;
  std::uint64_t serial = 0;   // n-th of the device, from 1
  std::uint64_t context = 0;  // serial of the context it was made in
  bool lost = false;          // its creation was reported as failed: nobody knows of it
  AccessMap accesses;         // by copies; what the host does with it is not seen

  [[nodiscard]] std::uint64_t offset_of(const void* memory) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(memory) - bytes.get());
  }
};

class HostMemory {
 public:
  explicit HostMemory(std::uint64_t seed);

  [[nodiscard]] HostAllocation& allocate(std::uint64_t size_bytes, std::uint64_t context, bool lost);
  // Requires: a living allocation.
  void release(HostAllocation& allocation);
  void release_all_of(std::uint64_t context);

  // The living allocation that holds all of the bytes; nullptr if none does.
  [[nodiscard]] HostAllocation* find(const void* memory, std::uint64_t size_bytes);

  // Living allocations that somebody knows of.
  [[nodiscard]] std::size_t live() const { return live_; }

  // In order of serial.
  [[nodiscard]] const std::vector<std::unique_ptr<HostAllocation>>& allocations() const { return allocations_; }

 private:
  void fill_with_garbage(HostAllocation& allocation) const;

  // Of a length that no offset into a staging area is likely to be a multiple of.
  std::array<std::byte, 509> pattern_;
  std::uint64_t serial_ = 0;
  std::size_t live_ = 0;
  std::vector<std::unique_ptr<HostAllocation>> allocations_;
};

}  // namespace taintgraph::sim
