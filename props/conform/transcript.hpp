// What one run of `conform` found, kept as JSON lines: a first line about the machine, then one for each row.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "props/conform/conformance.hpp"

namespace taintgraph::props {

struct Transcript {
  Machine machine;
  std::vector<ConformRow> rows;
};

[[nodiscard]] std::string transcript_text(const Transcript& transcript);

// The error names the line and what is wrong with it.
[[nodiscard]] tl::expected<Transcript, std::string> read_transcript(std::istream& text);

}  // namespace taintgraph::props
