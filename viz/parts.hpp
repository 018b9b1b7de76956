// The connected parts of a picture: each is laid out on its own, so how many there are decides the shape of the whole,
// and how tangled the worst one is decides how long the layout takes.
#pragma once

#include <cstddef>

#include "viz/picture.hpp"

namespace taintgraph::viz {

struct Parts {
  std::size_t count = 0;
  std::size_t arrows = 0;             // in all
  std::size_t arrows_of_largest = 0;  // in the part that has most
};

[[nodiscard]] Parts count_parts(const Picture& picture);

}  // namespace taintgraph::viz
