// Changes traces as text by changing the programs that they are: for libFuzzer, whose own mutations of bytes hardly
// ever leave a line of JSON that can be read.
//
// Every result is a good trace and follows from the arguments alone. It is within the budget of one run, but for empty
// reservations at its end that buffers are named by. What a trace expects, notes and remembers of an earlier run is
// dropped, since it speaks of another program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taintgraph::props {

// True where bytes rather than operations are to be changed, which is what tries the reader: seldom.
[[nodiscard]] bool wants_bytes_mutated(std::string_view text, std::uint64_t seed);

// `text` with one to a few operations changed, or its device; a freshly drawn program if it is no good trace. Nothing
// if no program of at most `max_bytes` comes of it.
[[nodiscard]] std::optional<std::string> mutated(std::string_view text, std::size_t max_bytes, std::uint64_t seed);

// The first trace with a run of the second's operations in it. Nothing if either is no good trace, or if no program of
// at most `max_bytes` comes of it.
[[nodiscard]] std::optional<std::string> crossed(std::string_view text, std::string_view other, std::size_t max_bytes,
                                                 std::uint64_t seed);

}  // namespace taintgraph::props
