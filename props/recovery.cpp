#include "props/recovery.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;

constexpr std::uint64_t kHalfBytes = 16;  // of the buffer that new work runs on

Operation operation(OpKind kind, std::uint32_t stream = 0) {
  Operation made;
  made.kind = kind;
  made.stream = stream;
  return made;
}

NameId fresh_name(Program& program, std::string name) {
  while (program.names.find(name)) name += "'";
  return program.names.intern(name);
}

std::uint16_t kernel_named(std::string_view name) {
  const auto catalog = gpu::kernel_catalog();
  const auto found = std::find_if(catalog.begin(), catalog.end(), [&](const auto& each) { return each.name == name; });
  return static_cast<std::uint16_t>(found - catalog.begin());
}

void end_everything(Program& program) {
  std::set<NameId> buffers;
  std::set<NameId> graphs;
  for (const Operation& each : program.operations) {
    if (each.kind == OpKind::alloc) buffers.insert(each.buffer);
    if (each.kind == OpKind::capture_end) graphs.insert(each.graph);
  }
  const NameId last_graph = fresh_name(program, "last graph");
  graphs.insert(last_graph);
  std::vector<Operation>& operations = program.operations;
  for (std::uint32_t stream = 0; stream < program.header.device.streams; ++stream) {
    operations.push_back(operation(OpKind::capture_end, stream));
    operations.back().graph = last_graph;
    operations.push_back(operation(OpKind::destroy));
    operations.back().graph = last_graph;
  }
  // One to meet what is pending, one that starts again.
  operations.push_back(operation(OpKind::sync));
  operations.push_back(operation(OpKind::reset));
  for (const NameId graph : graphs) {
    operations.push_back(operation(OpKind::destroy));
    operations.back().graph = graph;
  }
  for (const NameId buffer : buffers) {
    operations.push_back(operation(OpKind::free));
    operations.back().buffer = buffer;
  }
  operations.push_back(operation(OpKind::sync));
  operations.push_back(operation(OpKind::cleanup));
}

void run_new_work(Program& program) {
  const NameId buffer = fresh_name(program, "new work");
  std::vector<Operation>& operations = program.operations;
  const traces::Ref front{buffer, false, 0, kHalfBytes};
  const traces::Ref back{buffer, false, kHalfBytes, 2 * kHalfBytes};
  operations.push_back(operation(OpKind::alloc));
  operations.back().buffer = buffer;
  operations.back().size = 2 * kHalfBytes;
  for (std::uint32_t stream = 0; stream < program.header.device.streams; ++stream) {
    operations.push_back(operation(OpKind::write, stream));
    operations.back().writes = {front};
    operations.back().fill = static_cast<std::uint8_t>(stream + 1);
    operations.push_back(operation(OpKind::launch, stream));
    operations.back().kernel = kernel_named("scale");
    operations.back().reads = {front};
    operations.back().writes = {front};
    operations.back().scalar = 3;
    operations.push_back(operation(OpKind::copy, stream));
    operations.back().reads = {front};
    operations.back().writes = {back};
  }
  operations.push_back(operation(OpKind::read));
  operations.back().reads = {{buffer, true, 0, 0}};
}

}  // namespace

Recovery with_recovery(Program program) {
  for (Operation& each : program.operations) {
    if (!each.annotations) continue;
    traces::Annotations kept;
    kept.fired = each.annotations->fired;
    each.annotations = std::make_shared<const traces::Annotations>(std::move(kept));
  }
  program.end.reset();
  Recovery recovery{std::move(program), 0, 0, 0};
  recovery.first = recovery.program.operations.size() + 1;
  end_everything(recovery.program);
  const auto& operations = recovery.program.operations;
  const auto reset = std::find_if(operations.rbegin(), operations.rend(),
                                  [](const Operation& each) { return each.kind == OpKind::reset; });
  recovery.reset = static_cast<std::uint64_t>(operations.rend() - reset);
  run_new_work(recovery.program);
  recovery.read = recovery.program.operations.size();
  return recovery;
}

}  // namespace taintgraph::props
