// The strong ids of the core: plain numbers that cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace taintgraph::core {

// Names one failure in one ErrorGraph. Non-zero for a real failure, minted in rising order and never used twice (C3);
// zero is "no failure". Eight bytes, so that a claim of one range fits Taint's 24.
class FailureId {
 public:
  constexpr FailureId() = default;
  constexpr explicit FailureId(std::uint64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  [[nodiscard]] constexpr explicit operator bool() const { return value_ != 0; }
  friend constexpr auto operator<=>(FailureId, FailureId) = default;

 private:
  std::uint64_t value_ = 0;
};

// Names one buffer of one runtime. A slot and the generation of that slot: an id kept after its buffer is gone is
// *stale* and is recognised as such (R4), never mistaken for the slot's next owner.
class BufferId {
 public:
  constexpr BufferId() = default;
  constexpr BufferId(std::uint32_t slot, std::uint32_t generation) : value_((std::uint64_t{generation} << 32) | slot) {}

  [[nodiscard]] constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(value_); }
  [[nodiscard]] constexpr std::uint32_t generation() const { return static_cast<std::uint32_t>(value_ >> 32); }
  // False for a default-constructed id; generations start at 1.
  [[nodiscard]] constexpr explicit operator bool() const { return value_ != 0; }
  friend constexpr auto operator<=>(BufferId, BufferId) = default;

 private:
  std::uint64_t value_ = 0;
};

// A stream of the runtime, counted from 0 up to the number of streams that the runtime was made with.
enum class StreamIndex : std::uint32_t {};

[[nodiscard]] constexpr std::uint32_t index(StreamIndex stream) { return static_cast<std::uint32_t>(stream); }

// The caller's own number for an operation, carried into failures and skip records and handed back in reports, never
// interpreted (profilers call it a correlation id). Zero means none was given.
enum class Correlation : std::uint64_t { none = 0 };

// An address in device memory, as the driver gives it out. Zero is no address.
enum class DeviceAddress : std::uint64_t { null = 0 };

[[nodiscard]] constexpr DeviceAddress operator+(DeviceAddress base, std::uint64_t offset_bytes) {
  return static_cast<DeviceAddress>(static_cast<std::uint64_t>(base) + offset_bytes);
}

}  // namespace taintgraph::core

template <>
struct std::hash<taintgraph::core::FailureId> {
  std::size_t operator()(taintgraph::core::FailureId id) const noexcept {
    return static_cast<std::size_t>(id.value() * 0x9E3779B97F4A7C15ULL);
  }
};
