#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "gpu/kernel_catalog.hpp"
#include "props/decrements.hpp"
#include "props/simplify.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Ref;

// Kernels from simple to rich; those not listed are richer still. `noop` fits any ranges and needs no argument.
constexpr std::array<std::string_view, 4> kSimpleKernels = {"noop", "fill", "iota", "copy"};

class Alternatives {
 public:
  explicit Alternatives(const Operation& operation) : original_(operation) {}

  // Adds the operation as `change` leaves it, unless that changes nothing.
  template <class Change>
  void add(Change change) {
    Operation changed = original_;
    change(changed);
    if (!traces::same(changed, original_)) found_.push_back(std::move(changed));
  }

  std::vector<Operation> take() { return std::move(found_); }

 private:
  const Operation& original_;
  std::vector<Operation> found_;
};

// A loss of the device, from simple to rich: at once and without any effect, later, kept quiet for a while. One that a
// reset recovers from is simpler than one that is for good.
void simplify_loss(Alternatives& found) {
  const auto at_once = [](Operation& op) {
    sim::Fault plain;
    plain.kind = op.fault->kind;
    plain.when = gpu::FaultWhen::before;
    op.fault = plain;
  };
  found.add([&](Operation& op) {
    at_once(op);
    op.fault->kind = gpu::FaultKind::assert_;
  });
  found.add(at_once);
  found.add([](Operation& op) { op.fault->kind = gpu::FaultKind::assert_; });
  found.add([](Operation& op) { op.fault->surface_after_calls.reset(); });
  found.add([](Operation& op) { op.fault->bytes_done = 0; });
  found.add([](Operation& op) {
    if (op.fault->when == gpu::FaultWhen::async) op.fault->when.reset();  // which is its default
  });
}

void simplify_fault(const Operation& operation, Alternatives& found) {
  if (!operation.fault) return;
  found.add([](Operation& op) { op.fault.reset(); });
  if (gpu::row(operation.fault->kind).sticky) return simplify_loss(found);
  found.add([](Operation& op) {
    sim::Fault plain;
    plain.kind = op.fault->kind;
    op.fault = plain;
  });
  found.add([](Operation& op) { op.fault->bytes_done = 0; });
  found.add([](Operation& op) { op.fault->when.reset(); });
  found.add([](Operation& op) { op.fault->surface_after_calls.reset(); });
  // Any call may return it; host code behaves differently and stays what it is.
  if (operation.fault->kind != gpu::FaultKind::host_exception) {
    found.add([](Operation& op) { op.fault->kind = gpu::FaultKind::invalid_value; });
  }
}

void simplify_kernel(const Operation& operation, Alternatives& found) {
  if (operation.kind != OpKind::launch) return;
  const std::string_view now = gpu::kernel_catalog()[operation.kernel].name;
  for (const std::string_view name : kSimpleKernels) {
    if (name == now) break;
    const gpu::KernelInfo* kernel = gpu::find_kernel(name);
    found.add([kernel](Operation& op) {
      op.kernel = gpu::kernel_index(*kernel);
      op.scalar = 0;
      if (kernel->name == "fill" || kernel->name == "iota") op.reads.clear();
      if (kernel->name == "copy" && !op.reads.empty() && !op.writes.empty()) {
        op.reads.resize(1);
        op.writes.resize(1);
      }
    });
  }
  if (now != "matmul") found.add([](Operation& op) { op.scalar = 0; });  // matmul's must fit its ranges
}

void simplify_ref(std::vector<Ref> Operation::*list, std::size_t index, const Ref& ref, Alternatives& found) {
  const auto replace = [&](bool whole, std::uint64_t begin, std::uint64_t end) {
    found.add([=](Operation& op) {
      Ref& changed = (op.*list)[index];
      changed = {.buffer = changed.buffer, .whole = whole, .begin = begin, .end = end};
    });
  };
  if (ref.whole) return;
  replace(true, 0, 0);
  const std::uint64_t length = ref.end - ref.begin;
  if (ref.begin > 0) replace(false, 0, length);
  for (const std::uint64_t shorter : decrements(length, 1)) {
    replace(false, ref.begin, ref.begin + shorter);
    replace(false, ref.end - shorter, ref.end);
  }
}

void simplify_refs(std::vector<Ref> Operation::*list, const Operation& operation, Alternatives& found) {
  const std::vector<Ref>& refs = operation.*list;
  if (operation.kind == OpKind::launch) {  // others need their refs to be operations at all
    found.add([list](Operation& op) { (op.*list).clear(); });
  }
  if (refs.size() > 1) {
    found.add([list](Operation& op) { (op.*list).resize(1); });
    for (std::size_t count = (refs.size() + 1) / 2; count > 0; count /= 2) {  // halves first: there may be hundreds
      for (std::size_t i = 0; i < refs.size(); i += count) {
        found.add([list, i, end = std::min(i + count, refs.size())](Operation& op) {
          const auto begin = (op.*list).begin();
          (op.*list).erase(begin + static_cast<std::ptrdiff_t>(i), begin + static_cast<std::ptrdiff_t>(end));
        });
      }
    }
  }
  for (std::size_t i = 0; i < refs.size(); ++i) simplify_ref(list, i, refs[i], found);
}

void simplify_rest(const Operation& operation, Alternatives& found) {
  found.add([](Operation& op) { op.annotations.reset(); });
  found.add([](Operation& op) { op.stream = op.on = 0; });
  found.add([](Operation& op) { op.stream = 0; });
  found.add([](Operation& op) { op.on = 0; });
  if (operation.kind == OpKind::sync) {
    found.add([](Operation& op) {
      op.has_stream = false;
      op.stream = 0;
    });
    found.add([](Operation& op) { op.deadline.reset(); });
    if (operation.deadline) {
      found.add([](Operation& op) { op.deadline = 0; });
      found.add([](Operation& op) { *op.deadline /= 2; });  // its last nanosecond tells nobody anything
    }
  }
  found.add([](Operation& op) { op.cleanup = traces::CleanupMode::explicit_; });
  if (operation.has_bytes) {
    found.add([](Operation& op) {
      op.has_bytes = false;
      op.bytes.clear();
    });
  }
  found.add([](Operation& op) { op.fill = 0; });
}

}  // namespace

std::vector<Operation> simpler_operations(const Operation& operation) {
  Alternatives found(operation);
  simplify_fault(operation, found);
  simplify_kernel(operation, found);
  simplify_refs(&Operation::reads, operation, found);
  simplify_refs(&Operation::writes, operation, found);
  simplify_rest(operation, found);
  return found.take();
}

}  // namespace taintgraph::props
