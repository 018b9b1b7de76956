// Where the parts of the simulated driver write down what the backend did wrong, in the order seen.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/driver.hpp"

namespace taintgraph::sim {

class FindingLog {
 public:
  void add(std::string what) {
    if (findings_.size() < kMost) findings_.push_back({std::move(what)});
  }

  [[nodiscard]] bool empty() const { return findings_.empty(); }
  [[nodiscard]] std::vector<Finding> take() { return std::exchange(findings_, {}); }

 private:
  // One broken rule tends to be broken by every later call; nobody reads more than the first few.
  static constexpr std::size_t kMost = 1000;
  std::vector<Finding> findings_;
};

}  // namespace taintgraph::sim
