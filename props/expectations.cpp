#include "props/expectations.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/fault_table.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Program;

// How a trace refers to an operation: by its id, or by its number.
NameId name_of(Program& program, std::uint64_t ordinal) {
  const traces::Operation& operation = program.operations[static_cast<std::size_t>(ordinal - 1)];
  if (operation.id != NameId::none) return operation.id;
  return program.names.intern("#" + std::to_string(ordinal));
}

std::vector<NameId> names_of(Program& program, const std::vector<std::uint64_t>& ordinals) {
  std::vector<NameId> names;
  names.reserve(ordinals.size());
  for (const std::uint64_t ordinal : ordinals) names.push_back(name_of(program, ordinal));
  return names;
}

std::optional<std::vector<std::uint8_t>> known_bytes(const Prediction& prediction) {
  std::vector<std::uint8_t> bytes;
  for (const reference::Value byte : prediction.bytes) {
    if (byte == reference::kUnknown) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  return bytes;
}

traces::Expectation expectation_of(Program& program, const traces::Operation& operation, const Prediction& prediction) {
  traces::Expectation expectation;
  expectation.outcome = prediction.outcome;
  if (!prediction.roots.empty()) expectation.roots = names_of(program, prediction.roots);
  if (prediction.outcome == traces::Outcome::unwritten && operation.kind == traces::OpKind::read) {
    expectation.via = names_of(program, prediction.via);
  }
  expectation.error = gpu::fault_from_string(prediction.error);
  const bool one_ref_read = operation.kind == traces::OpKind::read && operation.reads.size() == 1;
  if (one_ref_read && prediction.outcome == traces::Outcome::ok) expectation.bytes = known_bytes(prediction);
  return expectation;
}

}  // namespace

Program with_expectations(Program program, std::span<const Prediction> predictions) {
  const std::size_t count = std::min(predictions.size(), program.operations.size());
  for (std::size_t i = 0; i < count; ++i) {
    traces::Operation& operation = program.operations[i];
    traces::Annotations annotations = operation.annotations ? *operation.annotations : traces::Annotations{};
    annotations.expect.reset();
    if (!predictions[i].outcome_open) annotations.expect = expectation_of(program, operation, predictions[i]);
    operation.annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
  }
  return program;
}

}  // namespace taintgraph::props
