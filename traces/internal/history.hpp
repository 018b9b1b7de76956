// What a session remembers so that pictures and reports can call things by their names.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "traces/name_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::traces::internal {

class History {
 public:
  struct BufferName {
    NameId name = NameId::none;
    std::uint64_t serial = 0;  // ordinal of the operation that allocated it
  };

  // Requires: called for every operation in turn, so that the n-th call is operation n.
  void remember(const Operation& operation) { operations_.push_back({operation.kind, operation.kernel, operation.id}); }
  void remember(core::BufferId buffer, NameId name, std::uint64_t serial) { buffers_[id_of(buffer)] = {name, serial}; }

  // The operation's id, or "#n".
  [[nodiscard]] std::string operation_name(std::uint64_t ordinal, const NameTable& names) const;
  // What it was: "launch iota", "alloc".
  [[nodiscard]] std::string operation_text(std::uint64_t ordinal) const;
  [[nodiscard]] BufferName buffer_name(core::BufferId buffer) const {
    const auto found = buffers_.find(id_of(buffer));
    return found == buffers_.end() ? BufferName{} : found->second;
  }

 private:
  struct Remembered {
    OpKind kind;
    std::uint16_t kernel;
    NameId id;
  };
  [[nodiscard]] static std::uint64_t id_of(core::BufferId buffer) {
    return (std::uint64_t{buffer.generation()} << 32) | buffer.slot();
  }

  std::vector<Remembered> operations_;
  std::unordered_map<std::uint64_t, BufferName> buffers_;
};

}  // namespace taintgraph::traces::internal
