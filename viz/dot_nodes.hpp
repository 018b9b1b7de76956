// The boxes of a picture in DOT: one statement for each node, with ports for the arrows.
//
// Everything drawn is an HTML-like table whose cells have fixed sizes from our own text metrics.
#pragma once

#include <string>
#include <vector>

#include "viz/picture.hpp"

namespace taintgraph::viz {

// Names of nodes, usable as DOT ids and as XML ids: "f" and the failure's id, "b" and the buffer's serial, "k" and the
// failure's id and the skip's operation.
[[nodiscard]] std::string failure_node_name(const SnapshotIndex& index, std::size_t failure);
[[nodiscard]] std::string buffer_node_name(std::uint64_t serial);
[[nodiscard]] std::string skip_node_name(const SnapshotIndex& index, const SkipNode& skip);

// Ports: a cell of a bar, a patch of a node's inputs or outputs (a failure's claims are its outputs).
[[nodiscard]] std::string cell_port(std::size_t cell);
[[nodiscard]] std::string input_port(std::size_t patch);
[[nodiscard]] std::string output_port(std::size_t patch);

struct BarMarks {
  bool names_repeat = false;  // several buffers of this name are drawn, so its serial is shown too
  bool changed = false;       // its claims are not those of the other snapshot
};
[[nodiscard]] std::string bar_statement(const SnapshotIndex& index, const Bar& bar, const BarMarks& marks);
// `is_new`: the other snapshot does not have it.
[[nodiscard]] std::string failure_statement(const SnapshotIndex& index, const FailureNode& node, bool is_new);
[[nodiscard]] std::string skip_statement(const SnapshotIndex& index, const SkipNode& node);
[[nodiscard]] std::string more_failures_statement(std::uint64_t count);
[[nodiscard]] std::string nothing_statement(const SnapshotIndex& index, const PictureOptions& options);

// What only the other snapshot has.
[[nodiscard]] std::string missing_statement(const std::vector<std::string>& missing);

// What the legend has to explain: only what the picture shows.
struct LegendOptions {
  bool skipped = false;
  bool freed = false;
  bool unallocated = false;
  bool healed = false;  // dashed arrows
};
[[nodiscard]] std::string legend_statement(const LegendOptions& options);

}  // namespace taintgraph::viz
