// What a forced schedule means for work that it does not name.
#pragma once

#include <cstdint>

namespace taintgraph::sim {

enum class Unscheduled : std::uint8_t {
  runs_if_needed,  // once something waits and the schedule is at its end
  stays,           // whatever waits: that nothing else ran is part of what was recorded
};

}  // namespace taintgraph::sim
