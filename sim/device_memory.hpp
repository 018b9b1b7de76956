// The device's memory: which addresses are allocated, and what they hold.
//
// Addresses are drawn from the seed, with unallocated gaps between them; an address that was freed may be given out
// again, as the seed decides. They are no host addresses. Capacity counts bytes and does not fragment. Fresh bytes are
// garbage, made when they are first looked at, so that a large allocation costs nothing until it is used.
//
// Memory that is freed in the order of a stream stays until the host has waited for the free, and uses capacity until
// then; but an allocation of the same size that comes after the free, by a stream or an event, may be given that very
// memory before anybody has waited, as the seed decides. None of this depends on when work runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/access_map.hpp"
#include "sim/driver_types.hpp"

namespace taintgraph::sim {

// How memory was asked for; it decides whether it outlives its context.
enum class AllocationKind : std::uint8_t { context, stream_ordered };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t serial = 0;   // n-th allocation of the device, from 1
  std::uint64_t context = 0;  // serial of the context it was made in
  AllocationKind kind = AllocationKind::context;
  bool lost = false;         // its creation was reported as failed: nobody knows of it, and it is not counted
  bool free_queued = false;  // a stream-ordered free is on its way, and nobody owns the memory any more
  Epoch free;                // that free
  AccessMap accesses;        // of earlier owners, too, where memory went from one to the next without a wait

  [[nodiscard]] std::uint64_t end() const { return address + size_bytes; }

 private:
  friend class DeviceMemory;
  std::unique_ptr<std::byte[]> bytes_;
  std::vector<bool> filled_;  // per chunk
  std::size_t chunks_left_ = 0;
};

class DeviceMemory {
 public:
  // Addresses are multiples of `alignment`.
  DeviceMemory(std::uint64_t seed, std::uint64_t capacity_bytes, std::uint64_t alignment);

  // nullptr if there is no room. Requires: size_bytes > 0.
  [[nodiscard]] Allocation* allocate(std::uint64_t size_bytes, std::uint64_t context, AllocationKind kind, bool lost);
  // Requires: a living allocation. It is gone afterwards.
  void release(Allocation& allocation);

  // The same in the order of a stream. `clock` is the past of the allocation: memory whose free lies there may be used
  // again. Requires: size_bytes > 0.
  [[nodiscard]] Allocation* allocate_after(const VectorClock& clock, std::uint64_t size_bytes, std::uint64_t context,
                                           bool lost);
  // Nobody owns `allocation` from now on. Requires: no free of it is queued.
  void queue_free(Allocation& allocation, const Epoch& free);
  // The host has waited for all of `host`: frees in it are over.
  void settle(const VectorClock& host);
  // What it holds is garbage from now on.
  void scramble(Allocation& allocation);

  // The living allocation that holds the byte at `address`; nullptr if none does.
  [[nodiscard]] Allocation* find(std::uint64_t address);
  // The living allocation that holds all of [address, address + size_bytes); nullptr if none does.
  [[nodiscard]] Allocation* find(std::uint64_t address, std::uint64_t size_bytes);

  // The bytes from `address` on, ready for use up to `size_bytes`; valid until the allocation is released.
  // Requires: all of them lie in `allocation`.
  [[nodiscard]] std::byte* bytes(Allocation& allocation, std::uint64_t address, std::uint64_t size_bytes);

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  // Living allocations that somebody owns.
  [[nodiscard]] std::size_t live() const { return live_; }
  // In order of address.
  [[nodiscard]] const std::vector<std::unique_ptr<Allocation>>& allocations() const { return allocations_; }

 private:
  struct Hole {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
  };
  [[nodiscard]] std::uint64_t choose_address(std::uint64_t size_bytes);
  [[nodiscard]] std::size_t first_above(std::uint64_t address) const;
  void erase(Allocation& allocation);

  std::uint64_t seed_;
  std::uint64_t capacity_;
  std::uint64_t alignment_;
  std::uint64_t used_ = 0;
  std::size_t live_ = 0;
  std::uint64_t serial_ = 0;
  std::uint64_t top_;  // no address beyond has ever been given out
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::vector<Allocation*> freed_;  // whose free is queued, oldest first
  std::vector<Hole> holes_;         // freed lately, oldest first
  Allocation* last_found_ = nullptr;
};

}  // namespace taintgraph::sim
