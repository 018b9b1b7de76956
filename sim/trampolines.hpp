// Gives a DriverEntries object tables with CUDA's C ABI, whose functions carry no pointer to the driver they mean.
//
// There are 16 places, each with functions of its own; a place knows its driver through the one global table that this
// ABI forces on us. Places may be taken and left in any thread; calls through different places do not meet.
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
