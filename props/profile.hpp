// The character of one generated case: its device, how many buffers of what sizes, which operations come how often, how
// faults come. Cases differ far more from each other than one even mixture would, so that each corner is pressed hard
// by some of them.
#pragma once

#include <array>
#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

inline constexpr std::uint32_t kMaxSlots = 8;

// What the generator can do with a launch. One shape a kernel, so that weights can favour some.
// Those that fault or hang are drawn apart from the others, by the profile's losses and hangs.
enum class Shape : std::uint8_t {
  fill,
  iota,
  copy,
  add,
  scale,
  gather,
  reduce,
  matmul,
  noop,
  trap,
  out_of_bounds,
  device_assert,
  spin,
};
inline constexpr std::size_t kShapeCount = 13;

enum class SizeRegime : std::uint8_t {
  uniform,  // all buffers of one small size: whole-buffer chains fit
  tiny,     // 0 to 16 bytes
  small,    // 0 to 64 bytes
  large,    // up to 4 KiB
  mixed,    // any of these
};

// How faults come, as alternating storms and calms. A rate is "one in n" of the operations that may carry a fault;
// 0 is never.
struct FaultWeather {
  std::uint32_t calm_one_in = 0;
  std::uint32_t storm_one_in = 0;
  std::uint32_t phase_operations = 0;  // length of each phase; 0: always calm
};

// How the device is lost: sticky faults, apart from the weather. A rate is "one in n", 0 is never.
struct Losses {
  std::uint32_t one_in = 0;           // of the operations that may carry a fault
  std::uint32_t kernel_one_in = 0;    // of launches: the kernel itself faults
  std::uint32_t for_good_one_in = 0;  // of both, at the end of a program: no reset recovers
  std::uint32_t async_percent = 60;   // of faults on work
  std::uint32_t late_percent = 0;     // of asynchronous ones: told of only some calls later
};

// How work hangs and how long it is waited for. Hanging work holds up whatever comes after it until the context ends,
// so it is rare but where losses end it.
struct Hangs {
  std::uint32_t spin_one_in = 0;        // of launches; 0: never
  std::uint32_t deadline_percent = 12;  // of syncs
};

struct Profile {
  traces::DeviceConfig device;
  std::uint32_t slots = 4;
  SizeRegime sizes = SizeRegime::small;
  std::uint64_t uniform_size = 8;
  std::array<std::uint16_t, traces::kOpKindCount> operations{};  // weights by OpKind; 0: not generated
  std::array<std::uint16_t, kShapeCount> shapes{};               // weights by Shape
  std::uint32_t wide_one_in = 64;                                // of launches: very many ranges
  FaultWeather faults;
  Losses losses;
  Hangs hangs;
  std::uint32_t planned_faults = 0;        // in the header, each aimed at one call of one operation
  std::uint32_t stream_switch_one_in = 2;  // otherwise the operation stays on the last one's stream
  std::uint32_t whole_percent = 50;        // of refs: the whole buffer
  std::uint32_t chain_percent = 30;        // of sources: the buffer that was written last
};

[[nodiscard]] Profile draw_profile(Random& random);

}  // namespace taintgraph::props
