#include "props/failure_groups.hpp"

#include <algorithm>
#include <tuple>

#include "props/signature.hpp"

namespace taintgraph::props {

void put(Packer& packer, const Disagreement& disagreement) {
  packer.put(disagreement.property);
  packer.put(disagreement.step);
  packer.put(disagreement.kind);
  packer.put(disagreement.operation);
  packer.put(disagreement.expected);
  packer.put(disagreement.found);
}

void get(Unpacker& unpacker, Disagreement& disagreement) {
  unpacker.get(disagreement.property);
  unpacker.get(disagreement.step);
  unpacker.get(disagreement.kind);
  unpacker.get(disagreement.operation);
  unpacker.get(disagreement.expected);
  unpacker.get(disagreement.found);
}

void FailureGroups::add(std::uint64_t case_number, const Disagreement& disagreement) {
  add(signature_of(disagreement), {1, case_number, case_number, disagreement});
}

void FailureGroups::add(const FailureGroups& other) {
  for (const auto& [signature, group] : other.groups_) add(signature, group);
}

void FailureGroups::add(const std::string& signature, const FailureGroup& group) {
  const auto [at, is_new] = groups_.try_emplace(signature, group);
  if (is_new) return;
  FailureGroup& kept = at->second;
  kept.cases += group.cases;
  kept.first_case = std::min(kept.first_case, group.first_case);
  const auto rank = [](const FailureGroup& each) { return std::tie(each.disagreement.step, each.shortest_case); };
  if (rank(group) < rank(kept)) {
    kept.shortest_case = group.shortest_case;
    kept.disagreement = group.disagreement;
  }
}

std::vector<const FailureGroup*> FailureGroups::in_order() const {
  std::vector<const FailureGroup*> result;
  for (const auto& [signature, group] : groups_) result.push_back(&group);
  std::stable_sort(result.begin(), result.end(),
                   [](const FailureGroup* a, const FailureGroup* b) { return a->first_case < b->first_case; });
  return result;
}

void FailureGroups::put(Packer& packer) const {
  packer.put(static_cast<std::uint64_t>(groups_.size()));
  for (const auto& [signature, group] : groups_) {
    packer.put(group.cases);
    packer.put(group.first_case);
    packer.put(group.shortest_case);
    props::put(packer, group.disagreement);
  }
}

void FailureGroups::get(Unpacker& unpacker) {
  std::uint64_t count = 0;
  unpacker.get(count);
  for (std::uint64_t i = 0; i < count && unpacker.ok(); ++i) {
    FailureGroup group;
    unpacker.get(group.cases);
    unpacker.get(group.first_case);
    unpacker.get(group.shortest_case);
    props::get(unpacker, group.disagreement);
    add(signature_of(group.disagreement), group);
  }
}

}  // namespace taintgraph::props
