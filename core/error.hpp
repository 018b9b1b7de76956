// What went wrong, once: the root that a failure keeps and every later read of its bytes names (R2).
//
// An Error is a value. Names and calls are views of static strings, so that making the provisional error of a write
// scope allocates nothing (W2); only `detail` owns memory, and it is empty unless there is more to say (a compile log).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace taintgraph::core {

// What makes work possible again after an error.
enum class Recovery : std::uint8_t {
  none,     // nothing to recover from: correct the call, or live without
  retry,    // free something and try again
  context,  // destroy and recreate the context; its memory is lost (D2)
  process,  // only a new process helps
};

[[nodiscard]] std::string_view to_string(Recovery recovery);

struct Error {
  std::string_view name{};  // what it is, e.g. "launch_out_of_resources"; static storage
  std::string_view call{};  // who said so, e.g. "cuLaunchKernel"; static storage, empty if no driver call did
  std::int32_t code = 0;    // the driver's own number for it; 0 if no driver call said so
  bool sticky = false;      // poisons the device (D1)
  Recovery recovery = Recovery::none;
  std::string detail{};  // more for a human; may be empty, may hold several lines
};

// Result of a device call. Nothing that an environment can cause is reported in any other way.
template <class T>
using DeviceResult = tl::expected<T, Error>;

// A wait on the host that was given up. What was waited for goes on and may still end well: nothing has failed.
inline constexpr std::string_view kTimeout = "timeout";
[[nodiscard]] inline Error timed_out(std::string_view call) {
  return Error{.name = kTimeout, .call = call, .detail = {}};
}
[[nodiscard]] inline bool is_timeout(const Error& error) { return error.name == kTimeout; }

// Of several results, the one to report: the first sticky error (D1: it is never hidden), else the first error, else a
// wait that was given up.
inline void keep_gravest(DeviceResult<void>& kept, DeviceResult<void>&& next) {
  const auto gravity = [](const Error& error) { return error.sticky ? 2 : is_timeout(error) ? 0 : 1; };
  if (next) return;
  if (kept || gravity(next.error()) > gravity(kept.error())) kept = std::move(next);
}

// Adds a line to `error`: while `doing` something about it, `also` came back (D3: no error is left unsaid).
void add_detail(Error& error, std::string_view doing, const Error& also);

// Program errors: calls that can be refused by looking at them, before any effect (R4). Each is returned with
// Outcome::rejected and Error::name as below.
namespace program_error {
inline constexpr std::string_view stale_handle = "stale_handle";        // freed, moved from, or never existed
inline constexpr std::string_view out_of_bounds = "out_of_bounds";      // range beyond its buffer, or inverted
inline constexpr std::string_view unknown_stream = "unknown_stream";    // stream index too large
inline constexpr std::string_view unknown_kernel = "unknown_kernel";    // the device has no such kernel
inline constexpr std::string_view does_not_fit = "does_not_fit";        // counts, lengths or overlaps of a launch
inline constexpr std::string_view length_mismatch = "length_mismatch";  // copy or write of unequal lengths
inline constexpr std::string_view not_poisoned = "not_poisoned";        // reset of a healthy device
inline constexpr std::string_view capture_state = "capture_state";      // barred while capturing, or not capturing
inline constexpr std::string_view unknown_graph = "unknown_graph";      // no such graph
inline constexpr std::string_view in_use = "in_use";                    // held by a graph or an open recording
inline constexpr std::string_view unallocated = "unallocated";          // needs memory that was never reserved
}  // namespace program_error
[[nodiscard]] inline Error program_error_named(std::string_view name) {
  return Error{.name = name, .call = {}, .detail = {}};
}

// The provisional error of a write scope: what a claim says if its scope was left by an exception (W2).
[[nodiscard]] inline Error torn_down() {
  return Error{.name = "host_exception", .call = {}, .detail = "torn down by an exception"};
}

// The error of a claim that is wider than the truth, because the host had no memory to cut it (B5).
[[nodiscard]] inline Error host_out_of_memory() {
  return Error{.name = "host_out_of_memory", .call = {}, .detail = {}};
}

// A reservation that fits neither now nor later (recovery none), and one that would fit if other memory were given back
// first (recovery retry). Both have the name that a driver's own answer has.
[[nodiscard]] Error never_fits(std::uint64_t size_bytes, std::uint64_t most_bytes);
[[nodiscard]] Error over_limit(std::uint64_t size_bytes, std::uint64_t limit_bytes);

// The error of a failure that claims fresh memory when the runtime is told to distrust it (B3).
[[nodiscard]] inline Error never_written() { return Error{.name = "never_written", .call = {}, .detail = {}}; }

}  // namespace taintgraph::core
