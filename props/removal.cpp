#include "props/removal.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;
using traces::Ref;

// Calls `visit(name)` for each mention of a buffer.
template <class Visit>
void each_buffer_of(const Operation& operation, Visit visit) {
  if (operation.buffer != NameId::none) visit(operation.buffer);
  for (const Ref& ref : operation.reads) visit(ref.buffer);
  for (const Ref& ref : operation.writes) visit(ref.buffer);
}

std::vector<NameId> buffers_named_by(const Operation& operation) {
  std::vector<NameId> buffers;
  each_buffer_of(operation, [&buffers](NameId buffer) { buffers.push_back(buffer); });
  return buffers;
}

bool contains(const std::vector<NameId>& names, NameId one) {
  return std::find(names.begin(), names.end(), one) != names.end();
}

// The operations for which `keep(index)` holds.
template <class Keep>
Program only(const Program& program, Keep keep) {
  Program result;
  result.header = program.header;
  result.names = program.names;
  result.operations.reserve(program.operations.size());
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    if (keep(i)) result.operations.push_back(program.operations[i]);
  }
  return result;  // its end, if there was one, speaks of another program
}

}  // namespace

Program without_range(const Program& program, std::size_t begin, std::size_t end) {
  return only(program, [=](std::size_t i) { return i < begin || i >= end; });
}

Program without_two(const Program& program, std::size_t first, std::size_t second) {
  return only(program, [=](std::size_t i) { return i != first && i != second; });
}

Program without_kind(const Program& program, OpKind kind) {
  return only(program, [&](std::size_t i) { return program.operations[i].kind != kind; });
}

Program without_buffer(const Program& program, NameId buffer) {
  return only(program, [&](std::size_t i) { return !contains(buffers_named_by(program.operations[i]), buffer); });
}

Program without_unrelated(const Program& program) {
  std::vector<bool> kept(program.operations.size(), false);
  std::set<NameId> related;
  for (std::size_t i = program.operations.size(); i-- > 0;) {
    const std::vector<NameId> mentioned = buffers_named_by(program.operations[i]);
    const bool touches = std::any_of(mentioned.begin(), mentioned.end(),
                                     [&related](NameId buffer) { return related.count(buffer) > 0; });
    if (i + 1 < program.operations.size() && !touches && !mentioned.empty()) continue;
    kept[i] = true;
    // A reader of related buffers hands nothing back to them; its other buffers do not matter.
    if (i + 1 == program.operations.size() || !program.operations[i].writes.empty()) {
      related.insert(mentioned.begin(), mentioned.end());
    }
  }
  return only(program, [&kept](std::size_t i) { return static_cast<bool>(kept[i]); });
}

Program with_all_buffers_allocated(Program program) {
  std::vector<bool> allocated(program.names.size(), false);
  for (const Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc) allocated[static_cast<std::size_t>(operation.buffer)] = true;
  }
  for (const NameId buffer : buffers_of(program)) {
    if (allocated[static_cast<std::size_t>(buffer)]) continue;
    Operation& operation = program.operations.emplace_back();
    operation.kind = OpKind::alloc;
    operation.buffer = buffer;
  }
  return program;
}

Program without_idle_faults(Program program) {
  std::set<std::string> known;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    known.insert("#" + std::to_string(i + 1));
    const NameId id = program.operations[i].id;
    if (id != NameId::none) known.insert(program.names.text(id));
  }
  std::erase_if(program.header.faults, [&known](const sim::PlannedFault& planned) {
    return !planned.operation.empty() && known.count(planned.operation) == 0;
  });
  return program;
}

std::vector<NameId> buffers_of(const Program& program) {
  std::vector<NameId> result;
  result.reserve(program.names.size());
  std::vector<bool> listed(program.names.size(), false);
  for (const Operation& operation : program.operations) {
    each_buffer_of(operation, [&](NameId buffer) {
      const auto index = static_cast<std::size_t>(buffer);
      if (!listed[index]) result.push_back(buffer);
      listed[index] = true;
    });
  }
  return result;
}

Program without_graph(const Program& program, NameId graph) {
  std::vector<bool> kept(program.operations.size(), true);
  for (std::size_t end = 0; end < program.operations.size(); ++end) {
    const Operation& operation = program.operations[end];
    if (operation.graph != graph) continue;
    kept[end] = false;
    if (operation.kind != OpKind::capture_end) continue;
    for (std::size_t i = end; i-- > 0;) {
      const Operation& recorded = program.operations[i];
      if (recorded.stream != operation.stream) continue;
      const bool begins = recorded.kind == OpKind::capture_begin;
      if (begins || recorded.kind == OpKind::launch || recorded.kind == OpKind::copy) kept[i] = false;
      if (begins || recorded.kind == OpKind::capture_end) break;
    }
  }
  return only(program, [&kept](std::size_t i) { return static_cast<bool>(kept[i]); });
}

std::vector<NameId> graphs_of(const Program& program) {
  std::vector<NameId> result;
  for (const Operation& operation : program.operations) {
    if (operation.graph == NameId::none) continue;
    if (!contains(result, operation.graph)) result.push_back(operation.graph);
  }
  return result;
}

bool belong_together(const Program& program, std::size_t first, std::size_t second) {
  const Operation& a = program.operations[first];
  const Operation& b = program.operations[second];
  switch (b.kind) {
    case OpKind::alloc:
      return a.kind == OpKind::free && a.buffer == b.buffer;
    case OpKind::capture_end:
      return a.kind == OpKind::capture_begin && a.stream == b.stream;
    case OpKind::reset:
      return a.fault && gpu::row(a.fault->kind).sticky;
    default:
      return false;
  }
}

}  // namespace taintgraph::props
