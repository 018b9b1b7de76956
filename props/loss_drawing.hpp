// Draws the sticky faults of a case, at once or asynchronous, and the resets that follow them.
//
// A poisoned device refuses everything, so what comes after a loss is soon a reset; a loss that no reset recovers from
// is left to the end of a program. Only a bias: whether the device is lost, and when that shows, is seen when it runs.
#pragma once

#include <cstdint>
#include <optional>

#include "props/profile.hpp"
#include "props/random.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

class LossDrawing {
 public:
  // `operations`: about how many the program will have.
  LossDrawing(const Profile& profile, std::uint64_t operations)
      : losses_(profile.losses), first_for_good_(operations - operations / 4) {}

  // Gives the operation a sticky fault, or not. True if it did. Called once for each operation, in order.
  bool strike(Random& random, traces::Operation& operation);

  // The faulting kernel that a launch runs instead of what was drawn, or nothing.
  [[nodiscard]] std::optional<Shape> draw_faulting_kernel(Random& random);

  // A reset, or a wait for what is to be seen of the loss before it, in place of `kind` once the device has been lost
  // for a while.
  [[nodiscard]] traces::OpKind redirect(Random& random, traces::OpKind kind);
  // A reset was drawn. True if it is thought to have recovered the device.
  bool recovered();

 private:
  [[nodiscard]] bool for_good_now(Random& random) const;
  void lost(Random& random, bool for_good);

  Losses losses_;
  std::uint64_t first_for_good_;
  std::uint64_t drawn_ = 0;
  bool lost_for_good_ = false;
  std::optional<std::uint64_t> reset_in_;  // operations, while the device is thought lost
};

}  // namespace taintgraph::props
