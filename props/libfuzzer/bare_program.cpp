#include "props/libfuzzer/bare_program.hpp"

#include <memory>
#include <utility>

namespace taintgraph::props {

void make_bare(traces::Program& program) {
  program.header.name.clear();
  program.header.note.clear();
  program.header.extensions.clear();
  program.end.reset();
  for (traces::Operation& operation : program.operations) {
    if (!operation.annotations) continue;
    traces::Annotations kept;
    if (operation.kind == traces::OpKind::check) kept.check.emplace();
    kept.fired = operation.annotations->fired;
    operation.annotations = std::make_shared<const traces::Annotations>(std::move(kept));
  }
}

}  // namespace taintgraph::props
