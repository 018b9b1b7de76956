// Whether the backend holds more of the driver than the program can account for ("no leaked handle, page or event").
//
// Teardown destroys the context and with it whatever was forgotten, so a leak is looked for while the program runs:
// what the simulated driver counts as alive is held against what the runtime says it keeps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/runtime.hpp"
#include "sim/driver.hpp"
#include "sim/fault_plan.hpp"
#include "traces/program.hpp"

namespace taintgraph::traces::internal {

class ResourceAudit {
 public:
  explicit ResourceAudit(const DeviceConfig& device)
      : streams_(device.streams), ordering_streams_(device.allocator == Allocator::stream_ordered ? 1 : 0) {}

  // What an operation came to.
  struct Happened {
    std::span<const sim::FiredFault> fired;  // the faults that struck in it
    bool made_calls = true;                  // of the driver, any
    bool hangs = false;                      // work is queued that never ends
  };
  // Called after each operation. Appends one finding a kind of object of which there are too many.
  void check(const sim::LiveObjects& live, const core::Runtime& runtime, const Happened& happened,
             std::vector<std::string>& findings);

  // Called after `cleanup` was ok: with nothing queued before it, every deferred free is over, and an explicit one
  // keeps no empty page.
  static void check_cleaned(const core::Runtime& runtime, bool everything, std::vector<std::string>& findings);

  // Called after each operation, `periodic` if it was such a cleanup and ok: a page that was empty after the one
  // before, and that no operation in between could have used, is gone.
  void check_idle(const core::Runtime& runtime, bool reserves, bool periodic, std::vector<std::string>& findings);

  // Called once the device is closed, and only if that went without an error: whatever nobody gave back went with the
  // context.
  void check_closed(const sim::LiveObjects& left_to_context, std::vector<std::string>& findings) const;

  // Whether memory that is free already would do for `size_bytes`, so that a reservation need not make a page.
  [[nodiscard]] static bool has_room(const core::Pool& pool, PoolKind kind, std::uint64_t size_bytes);

 private:
  // What cannot be ended without a current context, the backend owes until a call finds one.
  [[nodiscard]] bool owing(std::span<const sim::FiredFault> fired, bool made_calls);

  std::uint32_t streams_;           // of the program
  std::uint32_t ordering_streams_;  // on which memory is reserved and given back
  bool owing_ = false;
  std::vector<core::PageId> empty_pages_;  // since a periodic cleanup
  bool recorded_before_ = false;
  bool abandoned_ = false;  // memory may have been left to its context, because nobody could say whether it is in use
};

}  // namespace taintgraph::traces::internal
