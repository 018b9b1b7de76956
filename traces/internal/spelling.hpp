// How the format spells the values of small enumerations: one table each, read by reader, writer and schema alike.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "traces/program.hpp"

namespace taintgraph::traces::internal {

template <class Value>
struct Spelling {
  Value value;
  std::string_view word;
};

inline constexpr std::array<Spelling<PoolKind>, 2> kPoolWords = {
    {{PoolKind::sliced, "sliced"}, {PoolKind::exclusive, "exclusive"}}};
inline constexpr std::array<Spelling<Allocator>, 2> kAllocatorWords = {
    {{Allocator::context, "context"}, {Allocator::stream_ordered, "stream_ordered"}}};
inline constexpr std::array<Spelling<InitialState>, 2> kInitWords = {
    {{InitialState::trusted, "trusted"}, {InitialState::unwritten, "unwritten"}}};
inline constexpr std::array<Spelling<Surfacing>, 2> kSurfacingWords = {
    {{Surfacing::strict, "strict"}, {Surfacing::documented, "documented"}}};
inline constexpr std::array<Spelling<CleanupMode>, 2> kCleanupWords = {
    {{CleanupMode::explicit_, "explicit"}, {CleanupMode::periodic, "periodic"}}};
inline constexpr std::array<Spelling<gpu::FaultWhen>, 3> kWhenWords = {
    {{gpu::FaultWhen::before, "before"}, {gpu::FaultWhen::after, "after"}, {gpu::FaultWhen::async, "async"}}};
// Whether a planned fault goes on for ever.
inline constexpr std::array<Spelling<bool>, 2> kModeWords = {{{false, "transient"}, {true, "persistent"}}};
inline constexpr std::array<Spelling<Outcome>, kOutcomeCount> kOutcomeWords = {{{Outcome::ok, "ok"},
                                                                                {Outcome::failed, "failed"},
                                                                                {Outcome::skipped, "skipped"},
                                                                                {Outcome::unwritten, "unwritten"},
                                                                                {Outcome::poisoned, "poisoned"},
                                                                                {Outcome::rejected, "rejected"},
                                                                                {Outcome::timeout, "timeout"}}};

// The tables hold every value of their enumeration.
template <class Value, std::size_t count>
[[nodiscard]] constexpr std::string_view word_of(const std::array<Spelling<Value>, count>& words, Value value) {
  for (const Spelling<Value>& spelling : words) {
    if (spelling.value == value) return spelling.word;
  }
  return {};
}

template <class Value, std::size_t count>
[[nodiscard]] constexpr std::optional<Value> value_of(const std::array<Spelling<Value>, count>& words,
                                                      std::string_view word) {
  for (const Spelling<Value>& spelling : words) {
    if (spelling.word == word) return spelling.value;
  }
  return std::nullopt;
}

}  // namespace taintgraph::traces::internal
