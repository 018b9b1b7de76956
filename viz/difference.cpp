#include "viz/difference.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "viz/carrier.hpp"
#include "viz/label.hpp"
#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {
namespace {

using FailureKey = std::tuple<std::string, std::string, std::string, std::string>;
// What a buffer carries: bytes and the failure; an unallocated one, all of its bytes.
using Load = std::set<std::tuple<std::uint64_t, std::uint64_t, FailureKey>>;

FailureKey key_of(const traces::SnapshotFailure& failure) {
  return {failure.operation_name, failure.what, failure.error, failure.call};
}

std::map<std::string, Load> loads_of(const traces::Snapshot& snapshot) {
  const SnapshotIndex index(snapshot);
  const auto key = [&](std::uint64_t id) {
    const std::size_t at = index.failure(id);
    return at == kNone ? FailureKey() : key_of(snapshot.failures[at]);
  };
  std::map<std::string, Load> loads;
  for (const traces::SnapshotBuffer& buffer : snapshot.buffers) {
    Load& load = loads[buffer.name];
    if (buffer.unallocated) load.emplace(0, buffer.size, key(buffer.reason));
    for (const traces::SnapshotClaim& claim : buffer.claims) load.emplace(claim.begin, claim.end, key(claim.failure));
  }
  return loads;
}

}  // namespace

Difference difference(const traces::Snapshot& first, const traces::Snapshot& second) {
  Difference result;
  std::set<FailureKey> here;
  std::set<FailureKey> there;
  for (const traces::SnapshotFailure& failure : first.failures) here.insert(key_of(failure));
  for (const traces::SnapshotFailure& failure : second.failures) {
    there.insert(key_of(failure));
    if (here.count(key_of(failure)) == 0) result.missing.push_back(failure_heading(failure));
  }
  for (std::size_t at = 0; at < first.failures.size(); ++at) {
    if (there.count(key_of(first.failures[at])) == 0) result.new_failures.insert(at);
  }
  const std::map<std::string, Load> loads_here = loads_of(first);
  const std::map<std::string, Load> loads_there = loads_of(second);
  const auto load = [](const std::map<std::string, Load>& loads, const std::string& name) {
    const auto found = loads.find(name);
    return found == loads.end() ? Load() : found->second;
  };
  for (std::size_t at = 0; at < first.buffers.size(); ++at) {
    const std::string& name = first.buffers[at].name;
    if (load(loads_here, name) != load(loads_there, name)) result.changed_buffers.insert(at);
  }
  for (const auto& [name, there_loads] : loads_there) {
    const Load here_loads = load(loads_here, name);
    for (const auto& claim : there_loads) {
      if (here_loads.count(claim) != 0) continue;
      result.missing.push_back(label(name, kPictureNameLength) + " " +
                               range_text(std::get<0>(claim), std::get<1>(claim)) + ", claimed by " +
                               label(std::get<0>(std::get<2>(claim)), kPictureNameLength));
    }
  }
  return result;
}

}  // namespace taintgraph::viz
