// How often a piece of text occurs in another, for tests of this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace taintgraph::viz {

inline std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace taintgraph::viz
