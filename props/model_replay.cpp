#include "props/model_replay.hpp"

#include <algorithm>
#include <map>

#include "props/model.hpp"
#include "traces/fault_target.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::Program;

class Replay {
 public:
  explicit Replay(const Program& program) : program_(program), model_(program.header, program.names) {
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const NameId id = program.operations[i].id;
      const std::string name = id == NameId::none ? "#" + std::to_string(i + 1) : program.names.text(id);
      names_.emplace(i + 1, name);
    }
  }

  std::vector<std::string> run() {
    for (ordinal_ = 1; ordinal_ <= program_.operations.size(); ++ordinal_) {
      const Operation& operation = program_.operations[ordinal_ - 1];
      const Prediction found = model_.predict(operation, ordinal_, fired_by(operation));
      if (const traces::Expectation* expected = operation.expect()) compare(*expected, found);
      if (operation.annotations && operation.annotations->check) compare(*operation.annotations->check);
    }
    return std::move(mismatches_);
  }

 private:
  [[nodiscard]] std::vector<sim::FiredFault> fired_by(const Operation& operation) const {
    if (!operation.fault) return {};
    const gpu::FaultRow& row = gpu::row(operation.fault->kind);
    sim::FiredFault fired;
    fired.operation = ordinal_;
    fired.call = traces::calls_struck(operation.kind, row.kind).front();
    fired.kind = row.kind;
    fired.when = operation.fault->when.value_or(row.when);
    fired.code = row.code;
    fired.bytes_done = operation.fault->bytes_done;
    fired.surface_after_calls = operation.fault->surface_after_calls;
    return {fired};
  }

  void compare(const traces::Expectation& expected, const Prediction& found) {
    if (expected.outcome) expect("outcome", *expected.outcome == found.outcome, traces::to_string(found.outcome));
    if (expected.roots) expect("roots", texts(*expected.roots) == texts(found.roots), joined(texts(found.roots)));
    if (expected.via) expect("via", texts(*expected.via) == texts(found.via), joined(texts(found.via)));
    if (expected.error) expect("error", gpu::row(*expected.error).name == found.error, found.error);
    if (expected.bytes) {
      const reference::Values bytes(expected.bytes->begin(), expected.bytes->end());
      expect("bytes", bytes == found.bytes, "other bytes");
    }
    if (expected.fill) {
      const auto same = [&](reference::Value byte) { return byte == *expected.fill; };
      expect("fill", std::all_of(found.bytes.begin(), found.bytes.end(), same), "other bytes");
    }
  }

  void compare(const traces::Check& asserted) {
    if (asserted.failures) {
      expect("failures", *asserted.failures == model_.failures(), std::to_string(model_.failures()));
    }
    if (asserted.tags) expect("tags", *asserted.tags == model_.tags(), std::to_string(model_.tags()));
    for (const traces::Ref& ref : asserted.clean) expect_claims("clean", ref, "");
    for (const auto& [ref, root] : asserted.claimed) expect_claims("claimed", ref, program_.names.text(root));
  }

  // Every byte of `ref` claimed by the failure of `root`; trusted if that is empty.
  void expect_claims(std::string_view what, const traces::Ref& ref, std::string_view root) {
    const auto claims = model_.claims(ref);
    if (!claims) return expect(what, false, "no such bytes");
    for (const std::uint64_t claim : *claims) {
      const std::string name = claim == 0 ? "" : names_.at(claim);
      if (name != root) return expect(what, false, "claimed by '" + name + "'");
    }
  }

  void expect(std::string_view what, bool holds, std::string_view found) {
    if (holds) return;
    mismatches_.push_back(names_.at(ordinal_) + " (operation " + std::to_string(ordinal_) + "): " + std::string(what) +
                          ", found " + std::string(found));
  }

  [[nodiscard]] std::vector<std::string> texts(const std::vector<NameId>& ids) const {
    std::vector<std::string> result;
    for (const NameId id : ids) result.push_back(program_.names.text(id));
    return result;
  }

  [[nodiscard]] std::vector<std::string> texts(const std::vector<std::uint64_t>& ordinals) const {
    std::vector<std::string> result;
    for (const std::uint64_t ordinal : ordinals) result.push_back(names_.at(ordinal));
    return result;
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const std::string& name : names) text += (text.size() == 1 ? "" : " ") + name;
    return text + "]";
  }

  const Program& program_;
  Model model_;
  std::map<std::uint64_t, std::string> names_;  // of operations, by ordinal
  std::uint64_t ordinal_ = 0;
  std::vector<std::string> mismatches_;
};

}  // namespace

std::vector<std::string> mismatches_of_model(const Program& program) { return Replay(program).run(); }

std::string mismatches_of_model(std::string_view operations, std::string_view device) {
  const std::string header = R"({"format":"taintgraph-trace","version":1,"device":)" + std::string(device) + "}\n";
  const auto program = traces::parse_program(header + std::string(operations));
  if (!program) return "not a trace: " + traces::to_string(program.error().front(), "text");
  if (expectations_in(*program) == 0) return "it expects nothing";
  std::string all;
  for (const std::string& each : mismatches_of_model(*program)) all += each + "\n";
  return all;
}

std::size_t expectations_in(const Program& program) {
  std::size_t count = 0;
  const auto add = [&count](bool stated) { count += stated ? 1 : 0; };
  for (const Operation& operation : program.operations) {
    if (const traces::Expectation* expected = operation.expect()) {
      add(expected->outcome.has_value());
      add(expected->roots.has_value());
      add(expected->via.has_value());
      add(expected->error.has_value());
      add(expected->bytes.has_value());
      add(expected->fill.has_value());
    }
    if (!operation.annotations || !operation.annotations->check) continue;
    add(operation.annotations->check->failures.has_value());
    add(operation.annotations->check->tags.has_value());
    count += operation.annotations->check->clean.size() + operation.annotations->check->claimed.size();
  }
  return count;
}

}  // namespace taintgraph::props
