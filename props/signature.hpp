// What two failures have in common that are taken for one: the property, the kind of operation at which it showed, and
// the error, if there is one. No numbers, names or places, which differ from program to program.
#pragma once

#include <set>
#include <string>

#include <tl/expected.hpp>

#include "props/disagreement.hpp"

namespace taintgraph::props {

// One line, its parts separated by " / "; the error is left out where there is none. Equal text, equal signature.
[[nodiscard]] std::string signature_of(const Disagreement& disagreement);

// The error in it: a fault's name and outcome, the words of a crash or of misuse with numbers as N and quotes emptied.
// Empty if the property says it all.
[[nodiscard]] std::string error_of(const Disagreement& disagreement);

// Signatures that are known to fail, from a file: one a line, as printed; blank lines and lines that begin with # do
// not count. The error says why the file cannot be read.
[[nodiscard]] tl::expected<std::set<std::string>, std::string> load_known_signatures(const std::string& path);

}  // namespace taintgraph::props
