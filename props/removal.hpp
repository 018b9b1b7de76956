// Programs with some of their operations left out. Every one is a legal program: operations on what is no longer there
// are rejected when it runs. Handles need no repair, since they are names.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/program.hpp"

namespace taintgraph::props {

// Without operations [begin, end).
[[nodiscard]] traces::Program without_range(const traces::Program& program, std::size_t begin, std::size_t end);

// Without operations `first` and `second`. Requires: first < second.
[[nodiscard]] traces::Program without_two(const traces::Program& program, std::size_t first, std::size_t second);

[[nodiscard]] traces::Program without_kind(const traces::Program& program, traces::OpKind kind);

// Without any operation that mentions the buffer.
[[nodiscard]] traces::Program without_buffer(const traces::Program& program, traces::NameId buffer);

// Only what the last operation may depend on through buffers: those it mentions, those their writers read, and so on
// backwards. Operations that mention no buffer stay.
[[nodiscard]] traces::Program without_unrelated(const traces::Program& program);

// With an `alloc` at the end for every buffer that is mentioned but that no operation allocates: a trace file must
// allocate each name somewhere. What comes before runs as it did.
[[nodiscard]] traces::Program with_all_buffers_allocated(traces::Program program);

// Without planned faults that are about an operation which is not there: a trace file may not name it, and they strike
// nothing. The places of those behind in the plan change, and with them what a `one_in` draws.
[[nodiscard]] traces::Program without_idle_faults(traces::Program program);

// The buffers mentioned, in order of first mention.
[[nodiscard]] std::vector<traces::NameId> buffers_of(const traces::Program& program);

// Without anything that mentions the graph, and without the windows that end in it: what they record, too.
[[nodiscard]] traces::Program without_graph(const traces::Program& program, traces::NameId graph);

// The graphs mentioned, in order of first mention.
[[nodiscard]] std::vector<traces::NameId> graphs_of(const traces::Program& program);

// True if the two only make sense together: `first` frees a buffer that `second` allocates, begins a window that
// `second` ends, or loses a device that `second` resets.
[[nodiscard]] bool belong_together(const traces::Program& program, std::size_t first, std::size_t second);

}  // namespace taintgraph::props
