#include "props/libfuzzer/budget.hpp"

#include <algorithm>
#include <map>

#include "gpu/kernel_info.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;

constexpr std::uint64_t kMaxPageBytes = 64U << 10;    // of host memory, taken whole
constexpr std::uint64_t kMaxMemoryBytes = 64U << 20;  // the default and some more
constexpr std::uint64_t kMaxWork = 1U << 20;          // bytes touched by all operations, replays included
constexpr std::size_t kMaxPlannedFaults = 16;         // each is asked at every driver call

// How many bytes operations touch, at most.
class Work {
 public:
  std::uint64_t of(const Operation& operation) {
    if (operation.kind == OpKind::alloc) {
      std::uint64_t& size = sizes_[operation.buffer];
      size = std::max(size, std::min(operation.size, kMaxWork));
    }
    // Which recorded work a graph holds is not known here; it cannot be more than all that came before.
    if (operation.kind == OpKind::replay) return queued_;
    std::uint64_t bytes = operation.bytes.size();
    for (const traces::Ref& ref : operation.reads) bytes += length(ref);
    for (const traces::Ref& ref : operation.writes) bytes += length(ref);
    if (operation.kind != OpKind::launch && operation.kind != OpKind::copy) return bytes;
    if (multiplies_matrices(operation)) bytes *= std::clamp<std::uint64_t>(operation.scalar, 1, kMaxWork);
    queued_ += bytes;
    return bytes;
  }

 private:
  static bool multiplies_matrices(const Operation& operation) {
    return operation.kind == OpKind::launch && gpu::kernel_catalog()[operation.kernel].name == "matmul";
  }

  [[nodiscard]] std::uint64_t length(const traces::Ref& ref) const {
    const auto found = sizes_.find(ref.buffer);
    if (found == sizes_.end()) return 0;
    if (ref.whole) return found->second;
    return ref.begin < ref.end ? std::min(ref.end - ref.begin, found->second) : 0;
  }

  std::map<traces::NameId, std::uint64_t> sizes_;  // the largest so far
  std::uint64_t queued_ = 0;                       // that a graph may have recorded
};

}  // namespace

bool device_within_budget(const traces::Header& header) {
  const traces::DeviceConfig& device = header.device;
  return device.streams <= kMaxFuzzedStreams && device.memory_bytes <= kMaxMemoryBytes &&
         device.page_bytes.value_or(0) <= kMaxPageBytes && header.faults.size() <= kMaxPlannedFaults;
}

std::size_t operations_within_budget(const traces::Program& program) {
  Work work;
  std::uint64_t spent = 0;
  std::uint64_t reserved = 0;
  const std::size_t most = std::min(program.operations.size(), kMaxFuzzedOperations);
  for (std::size_t i = 0; i < most; ++i) {
    const Operation& operation = program.operations[i];
    if (operation.kind == OpKind::alloc && operation.size <= program.header.device.memory_bytes) {
      reserved += operation.size;
    }
    spent += work.of(operation);
    if (reserved > kMaxFuzzedBytes || spent > kMaxWork) return i;
  }
  return most;
}

void cut_to_budget(traces::Program& program) {
  const std::size_t kept = operations_within_budget(program);
  if (kept == program.operations.size()) return;
  program.operations.resize(kept);
  program.end.reset();
}

}  // namespace taintgraph::props
