// Which operation an id of the core comes from, told from the id alone.
//
// The core hands the operation's number back with each failure (its correlation). This is a second opinion that does
// not ask it: ids of failures are minted in rising order and never used twice (C3), so those minted during one
// operation are those between what was minted last before it and after it. It also knows operations whose failures and
// buffers are gone, which records may still speak of.
//
// Grows with the run: eight bytes an operation, and an entry a buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"

namespace taintgraph::traces::internal {

class Lineage {
 public:
  Lineage() { minted_.reserve(kUsualOperations); }

  // The n-th call ends operation n; `last_minted` is the id that the graph minted last.
  void end_operation(core::FailureId last_minted) { minted_.push_back(last_minted.value()); }
  void made(core::BufferId buffer, std::uint64_t operation) { buffers_[number(buffer)] = operation; }

  // The operation that minted a failure; the one that now runs if none before it did.
  [[nodiscard]] std::uint64_t operation_of(core::FailureId failure) const {
    const auto found = std::lower_bound(minted_.begin(), minted_.end(), failure.value());
    return static_cast<std::uint64_t>(found - minted_.begin()) + 1;
  }
  // The operation that allocated a buffer, or tried to; zero for none.
  [[nodiscard]] std::uint64_t operation_of(core::BufferId buffer) const {
    const auto found = buffers_.find(number(buffer));
    return found == buffers_.end() ? 0 : found->second;
  }

 private:
  static constexpr std::size_t kUsualOperations = 64;

  [[nodiscard]] static std::uint64_t number(core::BufferId buffer) {
    return (std::uint64_t{buffer.generation()} << 32) | buffer.slot();
  }

  std::vector<std::uint64_t> minted_;                         // by operation
  std::unordered_map<std::uint64_t, std::uint64_t> buffers_;  // to operation
};

}  // namespace taintgraph::traces::internal
