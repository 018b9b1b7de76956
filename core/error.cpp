#include "core/error.hpp"

namespace taintgraph::core {

std::string_view to_string(Recovery recovery) {
  switch (recovery) {
    case Recovery::none:
      return "none";
    case Recovery::retry:
      return "retry";
    case Recovery::context:
      return "context";
    case Recovery::process:
      return "process";
  }
  return "none";
}

}  // namespace taintgraph::core
