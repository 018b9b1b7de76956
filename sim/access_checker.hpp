// The memory as one running kernel sees it: every load and store goes through here.
//
// A byte that no allocation holds stops the kernel there, as an illegal address. A byte that lies in memory but not in
// what the launch declared is a finding: the load gets the byte, the store is not made. What a launch declared is
// resolved once, when it starts; an access that falls where the last one fell costs two comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/device_memory.hpp"

namespace taintgraph::sim {

// Thrown through a kernel to end it. Never leaves the simulator.
struct KernelStop {
  FaultKind kind = FaultKind::launch_failed;
};

// Accesses to memory that the launch did not declare; of each kind the first address and the number of accesses.
struct UndeclaredAccesses {
  std::uint64_t loads = 0;
  std::uint64_t first_load = 0;
  std::uint64_t stores = 0;
  std::uint64_t first_store = 0;
};

class AccessChecker {
 public:
  explicit AccessChecker(DeviceMemory& memory) : memory_(memory) {}

  // Sets up for a launch that declares `accesses`, of whose writes, laid end to end, only the first `write_limit` bytes
  // take effect.
  void declare(std::span<const gpu::DeclaredAccess> accesses, std::uint64_t write_limit);
  // Sets up for a launch of which nothing is known: all memory is declared.
  void declare_everything();
  // Sets up like declare(), but no store takes effect.
  void declare_without_effect(std::span<const gpu::DeclaredAccess> accesses) { declare(accesses, 0); }

  void load(std::uint64_t address, void* to, std::size_t size_bytes) {
    const std::uint64_t offset = address - load_.begin;
    if (offset < load_.size && size_bytes <= load_.size - offset) {
      std::memcpy(to, load_.bytes + offset, size_bytes);
    } else {
      load_elsewhere(address, to, size_bytes);
    }
  }

  void store(std::uint64_t address, const void* from, std::size_t size_bytes) {
    const std::uint64_t offset = address - store_.begin;
    if (offset < store_.size && size_bytes <= store_.size - offset) {
      std::memcpy(store_.bytes + offset, from, size_bytes);
    } else {
      store_elsewhere(address, from, size_bytes);
    }
  }

  [[nodiscard]] const UndeclaredAccesses& undeclared() const { return undeclared_; }

 private:
  struct Window {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::byte* bytes = nullptr;
  };
  void start();
  void load_elsewhere(std::uint64_t address, void* to, std::size_t size_bytes);
  void store_elsewhere(std::uint64_t address, const void* from, std::size_t size_bytes);
  // Throws KernelStop if not all of the bytes are in one allocation.
  std::byte* any_memory(std::uint64_t address, std::size_t size_bytes);

  DeviceMemory& memory_;
  bool everything_ = false;
  Window load_;         // where the last load fell
  Window load_before_;  // and where those before it did: threads go back and forth between operands and data
  Window store_;        // where the last store fell
  std::vector<Window> loads_;
  std::vector<Window> stores_;   // that take effect
  std::vector<Window> ignored_;  // declared, beyond the write limit
  UndeclaredAccesses undeclared_;
};

}  // namespace taintgraph::sim
