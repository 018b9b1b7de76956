#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gpu/kernel_catalog.hpp"
#include "props/decrements.hpp"
#include "props/simplify.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;
using traces::Ref;

template <class Visit>
void for_each_ref(Operation& operation, Visit visit) {
  for (std::vector<Ref>* list : {&operation.reads, &operation.writes}) {
    for (Ref& ref : *list) visit(ref);
  }
}

bool same_operations(const Program& a, const Program& b) {
  return std::equal(a.operations.begin(), a.operations.end(), b.operations.begin(), b.operations.end(),
                    [](const Operation& x, const Operation& y) { return traces::same(x, y); });
}

// What a write gives byte by byte no longer fits once sizes change.
void give_fill_instead_of_bytes(Operation& operation) {
  operation.has_bytes = false;
  operation.bytes.clear();
}

// Every buffer of `size_bytes`, every range the whole buffer.
Program all_of_one_size(Program program, std::uint64_t size_bytes) {
  std::uint64_t side = 0;
  while ((side + 1) * (side + 1) <= size_bytes) ++side;
  for (Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc) operation.size = std::min(operation.size, size_bytes);
    for_each_ref(operation, [](Ref& ref) { ref = {.buffer = ref.buffer}; });
    give_fill_instead_of_bytes(operation);
    const bool matrix = operation.kind == OpKind::launch && gpu::kernel_catalog()[operation.kernel].name == "matmul";
    if (matrix) operation.scalar = std::min(operation.scalar, side);
  }
  return program;
}

// Every edge of a range and every size replaced by its rank among all of them: what was apart stays apart, what met
// still meets, and equal stretches stay equal where their edges are.
Program with_ranked_edges(Program program) {
  std::map<std::uint64_t, std::uint64_t> rank = {{0, 0}};
  for (Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc) rank.emplace(operation.size, 0);
    for_each_ref(operation, [&rank](Ref& ref) {
      if (ref.whole) return;
      rank.emplace(ref.begin, 0);
      rank.emplace(ref.end, 0);
    });
  }
  std::uint64_t next = 0;
  for (auto& [edge, value] : rank) value = next++;
  for (Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc) operation.size = rank[operation.size];
    for_each_ref(operation, [&rank](Ref& ref) {
      if (ref.whole) return;
      ref.begin = rank[ref.begin];
      ref.end = rank[ref.end];
    });
    give_fill_instead_of_bytes(operation);
  }
  return program;
}

// One buffer cut to `size_bytes`, its ranges cut with it.
Program with_smaller_buffer(Program program, NameId buffer, std::uint64_t size_bytes) {
  for (Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc && operation.buffer == buffer) {
      operation.size = std::min(operation.size, size_bytes);
    }
    for_each_ref(operation, [&](Ref& ref) {
      if (ref.buffer != buffer || ref.whole) return;
      ref.begin = std::min(ref.begin, size_bytes);
      ref.end = std::min(ref.end, size_bytes);
      give_fill_instead_of_bytes(operation);
    });
  }
  return program;
}

// Ids serve planned faults and expectations; where nothing is expected, they can go.
Program without_ids(Program program) {
  const bool expecting = std::any_of(program.operations.begin(), program.operations.end(), [](const Operation& each) {
    return each.annotations && (each.annotations->expect || each.annotations->check);
  });
  if (expecting) return program;
  for (Operation& operation : program.operations) operation.id = NameId::none;
  return program;
}

std::map<NameId, std::uint64_t> largest_sizes(const Program& program) {
  std::map<NameId, std::uint64_t> sizes;
  for (const Operation& operation : program.operations) {
    if (operation.kind != OpKind::alloc) continue;
    std::uint64_t& size = sizes[operation.buffer];
    size = std::max(size, operation.size);
  }
  return sizes;
}

}  // namespace

std::vector<traces::Header> simpler_headers(const traces::Header& header) {
  std::vector<traces::Header> found;
  const auto add = [&](auto change) {
    traces::Header changed = header;
    change(changed);
    if (!(changed == header)) found.push_back(std::move(changed));
  };
  const traces::DeviceConfig plain;
  add([](traces::Header& h) {
    h = traces::Header{};
    h.device.streams = 1;
  });
  add([](traces::Header& h) { h.device.streams = 1; });
  add([](traces::Header& h) { h.device.streams = std::min(h.device.streams, 2U); });
  add([](traces::Header& h) { h.device.page_bytes.reset(); });
  add([&plain](traces::Header& h) { h.device.alignment_bytes = plain.alignment_bytes; });
  add([&plain](traces::Header& h) { h.device.pool = plain.pool; });
  add([&plain](traces::Header& h) { h.device.allocator = plain.allocator; });
  add([&plain](traces::Header& h) { h.device.init = plain.init; });
  add([&plain](traces::Header& h) { h.device.surfacing = plain.surfacing; });
  add([&plain](traces::Header& h) { h.device.memory_bytes = plain.memory_bytes; });
  add([](traces::Header& h) { h.seed = 0; });
  for (std::size_t i = 0; i < header.faults.size(); ++i) {
    add([i](traces::Header& h) { h.faults.erase(h.faults.begin() + static_cast<std::ptrdiff_t>(i)); });
    add([i](traces::Header& h) { h.faults[i].persistent = false; });
    add([i](traces::Header& h) { h.faults[i].fault.surface_after_calls.reset(); });
    add([i](traces::Header& h) {
      sim::Fault& fault = h.faults[i].fault;
      if (fault.when == gpu::FaultWhen::after || !gpu::row(fault.kind).sticky) fault.when.reset();
    });
  }
  return found;
}

std::vector<Program> simpler_programs(const Program& program) {
  std::vector<Program> found;
  const auto add = [&](Program changed) {
    if (!same_operations(changed, program)) found.push_back(std::move(changed));
  };
  const std::map<NameId, std::uint64_t> sizes = largest_sizes(program);
  std::uint64_t largest = 0;
  for (const auto& [buffer, size] : sizes) largest = std::max(largest, size);
  for (const std::uint64_t size : {1U, 4U, 16U}) {
    if (size == 1 || size < largest) add(all_of_one_size(program, size));
  }
  add(with_ranked_edges(program));
  add(without_ids(program));
  for (const auto& [buffer, size] : sizes) {
    for (const std::uint64_t smaller : decrements(size, 1)) add(with_smaller_buffer(program, buffer, smaller));
  }
  return found;
}

Program with_plain_names(const Program& program) {
  Program result = program;
  std::map<NameId, NameId> buffers;
  std::map<NameId, NameId> graphs;
  const auto rename_as = [&result](const char* prefix, std::map<NameId, NameId>& known, NameId& id) {
    if (id == NameId::none) return;
    const auto [found, fresh] = known.emplace(id, NameId::none);
    if (fresh) found->second = result.names.intern(prefix + std::to_string(known.size() - 1));
    id = found->second;
  };
  const auto rename = [&](NameId& id) { rename_as("b", buffers, id); };
  for (Operation& operation : result.operations) {
    rename(operation.buffer);
    rename_as("g", graphs, operation.graph);
    for_each_ref(operation, [&rename](Ref& ref) { rename(ref.buffer); });
    if (!operation.annotations || !operation.annotations->check) continue;
    traces::Annotations annotations = *operation.annotations;
    for (Ref& ref : annotations.check->clean) rename(ref.buffer);
    for (auto& [ref, root] : annotations.check->claimed) rename(ref.buffer);
    operation.annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
  }
  return result;
}

}  // namespace taintgraph::props
