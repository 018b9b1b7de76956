// A Snapshot as DOT, the language of Graphviz: the failure graph, to be laid out by `dot`.
//
// Arrows run from a root failure to the bytes that it left unwritten, on to the launches that were skipped because they
// needed those bytes, and on to the bytes that those did not write. Every box states the byte range at its end of an
// arrow. Each connected part is laid out on its own, and the parts stand in a grid, oldest failure first.
//
// Equal snapshots give identical text. All text from the trace is escaped; sizes are fixed, from text metrics of our
// own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "traces/snapshot.hpp"
#include "viz/difference.hpp"
#include "viz/picture.hpp"

namespace taintgraph::viz {

struct DotOptions {
  PictureOptions picture;
  bool title = true;   // name of the trace and counts, above
  bool legend = true;  // the words of the picture explained, beside or below

  // Marks what another snapshot does not have, and lists what only that one has.
  std::optional<Difference> difference;
  std::string compared_with;  // what to call the other one
};

[[nodiscard]] std::string dot_text(const traces::Snapshot& snapshot, const DotOptions& options = {});

// "two-paths, after operation 13", and "1 failure, carried by 3 of 3 live buffers": also the title of pages and
// reports.
[[nodiscard]] std::string snapshot_name(const traces::Snapshot& snapshot);
// "Compared with before.jsonl: no difference."; empty if nothing is compared.
[[nodiscard]] std::string comparison_words(const DotOptions& options);
[[nodiscard]] std::string snapshot_counts(const SnapshotIndex& index, const std::optional<std::string>& focus);

}  // namespace taintgraph::viz
