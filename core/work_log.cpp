#include "core/work_log.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::core {

Suspects WorkLog::suspects(const StreamTable& streams) const {
  std::vector<std::pair<std::uint64_t, Suspect>> found;  // by order
  Suspects result;
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    const StreamIndex stream{i};
    const Row& row = rows_[i];
    const std::uint64_t unproven = row.last - std::min(row.last, streams.proven(stream));
    const std::uint64_t kept = std::min<std::uint64_t>(unproven, kPerStream);
    result.dropped += unproven - kept;
    for (std::uint64_t sequence = row.last - kept + 1; sequence <= row.last; ++sequence) {
      const Entry& entry = row.newest[sequence % kPerStream];
      found.emplace_back(entry.order, Suspect{std::string(entry.name.data(), entry.length), entry.correlation, stream});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, suspect] : found) result.newest.push_back(std::move(suspect));
  return result;
}

void WorkLog::forget() {
  for (Row& each : rows_) each.last = 0;
}

}  // namespace taintgraph::core
