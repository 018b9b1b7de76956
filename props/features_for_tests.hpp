// For tests of what features are counted.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "props/features.hpp"

namespace taintgraph::props {

inline constexpr traces::NameId kA{0};
inline constexpr traces::NameId kB{1};

// One program, operation by operation, with results made up: only the counting is looked at here.
class Observed {
 public:
  void alloc(traces::NameId buffer, std::uint64_t size, traces::Outcome outcome = traces::Outcome::ok) {
    traces::Operation operation;
    operation.kind = traces::OpKind::alloc;
    operation.buffer = buffer;
    operation.size = size;
    observe(operation, outcome);
  }
  void free(traces::NameId buffer) {
    traces::Operation operation;
    operation.kind = traces::OpKind::free;
    operation.buffer = buffer;
    observe(operation, traces::Outcome::ok);
  }
  void work(traces::OpKind kind, std::vector<traces::Ref> reads, std::vector<traces::Ref> writes, std::uint32_t stream,
            traces::Outcome outcome) {
    traces::Operation operation;
    operation.kind = kind;
    operation.reads = std::move(reads);
    operation.writes = std::move(writes);
    operation.stream = stream;
    observe(operation, outcome);
  }
  void observe(const traces::Operation& operation, traces::Outcome outcome) {
    traces::StepResult result;
    result.outcome = outcome;
    observe(operation, result);
  }
  void observe(const traces::Operation& operation, const traces::StepResult& result) {
    observer_.observe(operation, ++ordinal_, result);
  }

  [[nodiscard]] std::uint64_t of(Feature feature) const { return counts_.of(feature); }

 private:
  FeatureCounts counts_;
  FeatureObserver observer_{2, counts_};
  std::uint64_t ordinal_ = 0;
};

}  // namespace taintgraph::props
