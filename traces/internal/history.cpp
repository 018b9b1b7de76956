#include "traces/internal/history.hpp"

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::traces::internal {

std::string History::operation_name(std::uint64_t ordinal, const NameTable& names) const {
  if (ordinal >= 1 && ordinal <= operations_.size())
    if (const NameId id = operations_[ordinal - 1].id; id != NameId::none) return names.text(id);
  return "#" + std::to_string(ordinal);
}

std::string History::operation_text(std::uint64_t ordinal) const {
  if (ordinal < 1 || ordinal > operations_.size()) return {};
  const Remembered& operation = operations_[ordinal - 1];
  std::string text(to_string(operation.kind));
  if (operation.kind == OpKind::launch) text += " " + std::string(gpu::kernel_catalog()[operation.kernel].name);
  return text;
}

}  // namespace taintgraph::traces::internal
