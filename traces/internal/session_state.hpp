// A session's inside: the machine, the program's names for what lives on it, and the operations as calls of the
// runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/fingerprint.hpp"
#include "traces/internal/history.hpp"
#include "traces/internal/lineage.hpp"
#include "traces/internal/machine.hpp"
#include "traces/internal/resource_audit.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {

struct Session::State {
  State(const Header& header, const NameTable& name_table, const SessionOptions& session_options)
      : options(session_options),
        names(name_table),
        trace_name(header.name),
        pool_kind(header.device.pool),
        machine(header, session_options),
        audit(header.device) {}

  // A name's buffer. The id stays after the buffer is freed: using it then is the program's error, and the core's to
  // see.
  struct Named {
    core::Handle handle;
    core::BufferId id;
    std::uint64_t size = 0;
    std::uint64_t serial = 0;
  };

  // Host code that throws if the fault plan says so (`host_exception`).
  class PlannedException final : public core::HostCode {
   public:
    struct Thrown {};
    PlannedException(sim::FaultPlan& plan, const Operation& operation) : plan_(plan), operation_(operation) {}
    void run() override;

   private:
    sim::FaultPlan& plan_;
    const Operation& operation_;
  };

  [[nodiscard]] Named& named(NameId name) {
    const auto at = static_cast<std::size_t>(name);
    if (at >= buffers.size()) buffers.resize(at + 1);
    return buffers[at];
  }
  [[nodiscard]] core::WeakBinding bind(const Ref& ref) {
    const Named& buffer = named(ref.buffer);
    if (ref.whole) return {buffer.id, {0, buffer.size}};
    return {buffer.id, {ref.begin, ref.end}};
  }
  [[nodiscard]] core::BufferId drop_empty_buffer();
  void expect_gone(core::BufferId dropped, StepResult& result);
  void arm(const Operation& operation);
  void run(const Operation& operation, StepResult& result);
  void judge(const core::Status& status, StepResult& result) const;
  // Of an operation that ended in an exception, on a device that was healthy before.
  void judge_loss(StepResult& result) const;
  void reject(std::string_view error, StepResult& result) const;

  void relocate(const Operation& operation, StepResult& result);
  void alloc(const Operation& operation, StepResult& result);
  void capture_end(const Operation& operation, StepResult& result);
  void reset(StepResult& result);
  [[nodiscard]] std::uint64_t room(const Ref& ref, const core::WeakBinding& bytes);
  [[nodiscard]] core::Status write(const Operation& operation);
  [[nodiscard]] core::Status launch(const Operation& operation);
  void read(const Operation& operation, StepResult& result);
  void check(const Check& wanted, StepResult& result);
  [[nodiscard]] bool check_bounds(const Ref& ref, const core::WeakBinding& binding, StepResult& result);
  void check_clean(const Ref& ref, StepResult& result);
  void check_claimed(const Ref& ref, NameId root, StepResult& result);
  [[nodiscard]] std::string name_of_root(core::FailureId failure) const;
  [[nodiscard]] std::string_view id_of(std::uint64_t operation) const;
  void remember_id(NameId id);
  void check_waited(const Operation& operation, StepResult& result) const;
  void keep_reports(const core::Several& several, StepResult& result) const;
  void audit_resources(const Operation& operation, bool idle_before, bool made_calls, StepResult& result);
  void judge_teardown(const std::vector<core::Error>& errors, std::vector<std::string>& left) const;
  void keep_claims(const Operation& operation, StepResult& result);
  void note_state(const Operation& operation, StepResult& result);
  [[nodiscard]] std::uint64_t most_fragments(const Operation& operation);

  SessionOptions options;
  const NameTable& names;
  std::string trace_name;
  PoolKind pool_kind;
  internal::Machine machine;
  internal::History history;
  internal::Lineage lineage;  // if reports are kept
  internal::ResourceAudit audit;
  std::vector<Named> buffers;                               // by NameId
  std::unordered_map<NameId, core::GraphId> graphs;         // live ones; none for a name whose graph is gone
  std::unordered_map<std::uint64_t, NameId> operation_ids;  // of operations whose failure is still in the graph
  std::uint64_t ordinal = 0;
  Fingerprint fingerprint;

  // Reused by every operation.
  std::vector<core::WeakBinding> reads;
  std::vector<core::WeakBinding> writes;
  std::vector<core::ReadPiece> pieces;
  std::vector<core::Claim> claimed;
  std::vector<std::byte> payload;
};

}  // namespace taintgraph::traces
