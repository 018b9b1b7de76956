#include "props/exit_status.hpp"

#include <algorithm>
#include <array>

#include "props/failure_groups.hpp"

namespace taintgraph::props {

int worse(int a, int b) {
  constexpr std::array kByWeight = {kAllHeld, kInconclusive, kNotDeterministic, kFailed, kUsage, kInternalError};
  const auto weight = [&](int status) { return std::find(kByWeight.begin(), kByWeight.end(), status); };
  return weight(a) < weight(b) ? b : a;
}

int status_of(const Disagreement& disagreement) {
  if (disagreement.property == kHangProperty) return kInconclusive;
  return disagreement.property == kDeterminismProperty ? kNotDeterministic : kFailed;
}

}  // namespace taintgraph::props
