// Gives a DriverEntries object tables with CUDA's C ABI, by a place of its own (places.hpp).
#pragma once

#include <cstdint>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"

namespace taintgraph::sim {

class DriverEntries;

class Place {
 public:
  // Takes a free place. Throws std::runtime_error if there is none.
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // From now on calls through this place's tables go to `entries`.
  void open(DriverEntries& entries) const;

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] const gpu::DriverApi& driver() const;
  [[nodiscard]] const gpu::CompilerApi& compiler() const;

 private:
  std::uint32_t number_;
};

}  // namespace taintgraph::sim
