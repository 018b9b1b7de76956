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
  // Sets up to see whether a launch would fault: all memory is declared, and no store takes effect.
  void declare_without_effect();

  void load(std::uint64_t address, void* to, std::size_t size_bytes) {
    if (load_.holds(address, size_bytes)) {
      std::memcpy(to, load_.at(address), size_bytes);
    } else {
      load_elsewhere(address, to, size_bytes);
    }
  }

  void store(std::uint64_t address, const void* from, std::size_t size_bytes) {
    if (store_.holds(address, size_bytes)) {
      std::memcpy(store_.at(address), from, size_bytes);
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

    [[nodiscard]] bool holds(std::uint64_t address, std::size_t size_bytes) const {
      const std::uint64_t offset = address - begin;
      if (size_bytes == 1) return offset < size;  // as most accesses are; a compiler does not find this by itself
      return offset < size && size_bytes <= size - offset;
    }
    [[nodiscard]] std::byte* at(std::uint64_t address) const { return bytes + (address - begin); }
  };
  // Kernels take their operands in order, so a search goes on behind what the last one found.
  class Windows {
   public:
    void clear() {
      all_.clear();
      next_ = 0;
    }
    void add(const Window& window) { all_.push_back(window); }
    // One that holds all of the bytes; nullptr if none does. O(1) for who goes through them in order.
    [[nodiscard]] const Window* find(std::uint64_t address, std::size_t size_bytes);

   private:
    std::vector<Window> all_;
    std::size_t next_ = 0;
  };
  void start();
  void load_elsewhere(std::uint64_t address, void* to, std::size_t size_bytes);
  void store_elsewhere(std::uint64_t address, const void* from, std::size_t size_bytes);
  // These bytes and some that follow. Throws KernelStop if not all of them are in one allocation.
  Window any_memory(std::uint64_t address, std::size_t size_bytes);

  DeviceMemory& memory_;
  bool everything_ = false;  // is declared
  bool has_effect_ = true;   // of what is declared
  Window load_;              // where the last load fell
  Window load_before_;       // and where those before it did: threads go back and forth between operands and data
  Window store_;             // where the last store fell
  Windows loads_;
  Windows stores_;   // that take effect
  Windows ignored_;  // declared, beyond the write limit
  UndeclaredAccesses undeclared_;
};

}  // namespace taintgraph::sim
