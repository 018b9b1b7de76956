// What the subcommands of this room end with, and which of two says more.
#pragma once

#include "props/disagreement.hpp"

namespace taintgraph::props {

inline constexpr int kAllHeld = 0;
inline constexpr int kFailed = 1;
inline constexpr int kInconclusive = 2;
inline constexpr int kNotDeterministic = 3;
inline constexpr int kUsage = 64;
inline constexpr int kInternalError = 70;
inline constexpr int kNoGpu = 77;

// Of two statuses the one to end with: what could not be done before what failed, what failed for sure before what may
// have, and that before what nobody knows.
[[nodiscard]] int worse(int a, int b);

// The status that a failure of this kind gives a run.
[[nodiscard]] int status_of(const Disagreement& disagreement);

}  // namespace taintgraph::props
