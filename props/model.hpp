// The reference model: what every operation of a trace must answer, worked out from scratch.
//
// It is slow and obvious. It shares no code with the core and includes none of its headers; it knows the rules of the
// trace format, the kernels' arithmetic and the table of faults, and nothing of pools, pages or streams' timing. It is
// told which faults fired during an operation, and never what the core answered. What a failed driver call means for an
// operation depends on how the backend goes about it; all that is known of that stands in model_faults, but for the few
// sizes beyond which the backend has to wait for room.
//
// Cost: each operation walks the claims of every live buffer (C1 and C2 are recounted, not kept), and computes every
// byte that it writes. One whose answer may be open also copies everything there is, for the other answer to start
// from.
//
// Some answers are the implementation's to choose. `outcome_open` marks them; there is another answer then, for which
// otherwise() asks, and perhaps one more. The first is the one in which nothing goes wrong. They are open where
//  - an asynchronous fault is pending and the operation may surface it: `alloc`, `relocate`, `cleanup`, the capture
//    operations and `destroy` at any time; with late surfacing everything that submits work, and waits for other work;
//  - faults of different kinds are pending and late: which of them becomes the poison, and so whether `reset` works;
//  - a `sync` has a deadline and its work is merely slow: how long work takes is nobody's business here;
//  - something hangs, and the operation may need to wait for it: for room in staging memory, for an order that events
//    cannot keep, for memory that was freed;
//  - work failed while it was put in order: what hangs or has faulted may stand before what comes later, or not;
//  - a planned fault struck housekeeping (freeing, say) which the operation may or may not answer for, or a sticky one
//    struck a call that the operation can do without;
//  - an `alloc` or `relocate` takes the live bytes over half of the device's memory: room is the pool's to define.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "props/model_failures.hpp"
#include "props/model_faults.hpp"
#include "props/model_graphs.hpp"
#include "props/model_memory.hpp"
#include "props/model_order.hpp"
#include "props/prediction.hpp"
#include "traces/name_table.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

class Model {
 public:
  // `names` must outlive the model.
  Model(const traces::Header& header, const traces::NameTable& names);

  // Takes the next operation and says what it must answer. `fired`: the faults that fired during it.
  // Requires: ordinals rise.
  Prediction predict(const traces::Operation& operation, std::uint64_t ordinal, std::span<const sim::FiredFault> fired);

  // Takes the last operation back and gives another answer instead; the model goes on from there.
  // Requires: the last prediction was open.
  Prediction otherwise();

  // The counts of C1 and C2, recounted.
  [[nodiscard]] std::uint64_t failures() const;
  [[nodiscard]] std::uint64_t tags() const;

  // A buffer that a handle holds.
  struct LiveBuffer {
    std::string_view name;
    std::uint64_t size = 0;
    bool unallocated = false;
    bool recorded = false;  // a graph or an open recording holds it too
  };
  // In order of allocation.
  [[nodiscard]] std::vector<LiveBuffer> live_buffers() const;
  [[nodiscard]] std::vector<std::string_view> live_graphs() const;
  [[nodiscard]] bool capturing() const { return !state_.windows.empty(); }
  [[nodiscard]] bool capturing(std::uint32_t stream) const { return state_.windows.count(stream) != 0; }
  // The failure that holds the device, zero if it is healthy.
  [[nodiscard]] std::uint64_t poison() const { return state_.poison; }
  [[nodiscard]] bool fault_pending() const { return !state_.pending.empty(); }
  // For each byte of `ref` the failure that claims it, zero if none does. Nothing if `ref` does not resolve.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> claims(const traces::Ref& ref) const;

 private:
  using Ordinal = reference::Ordinal;
  using Ranges = std::vector<reference::Range>;

  struct State {
    reference::Memory memory;
    reference::Failures failures;
    std::map<std::uint32_t, reference::Window> windows;  // by capturing stream
    std::map<traces::NameId, reference::Graph> graphs;
    std::vector<reference::AsyncFault> pending;  // caused and not surfaced, oldest first
    Ordinal poison = 0;
    reference::Order order;
    bool may_owe = false;        // ends that could not be made when they should have been
    bool order_open = false;     // work failed so that nobody can say whether it was queued
    bool recovery_open = false;  // the poison is one of several faults, and they recover differently
  };

  // The answers to an operation's open questions, in the order in which they are met: true for the less usual one.
  using Choices = std::vector<bool>;

  // One operation being worked out.
  struct Step {
    const traces::Operation& operation;
    Ordinal ordinal;
    reference::Verdict verdict;
    Choices choices{};      // of its open questions, those that are known beforehand and, in the end, all
    std::size_t asked = 0;  // open questions so far
    bool left_behind = false;
    bool gave_up = false;  // before an error could surface
  };

  // How far an operation reaches, and so which earlier faults surface in it.
  enum class Reach : std::uint8_t { perhaps, submits, waits_for_stream, waits_for_all };

  // What the answers to an operation start from.
  struct Question {
    State before;
    traces::Operation operation;
    Ordinal ordinal = 0;
    reference::Verdict verdict;
    Choices choices{};  // of the answer given last
  };

  [[nodiscard]] bool may_be_open(const Step& step) const;
  // An open question: true if the less usual answer is to be given.
  [[nodiscard]] static bool ask(Step& step);
  Prediction answer(Step& step);
  void note_choices(const Step& step, const Prediction& prediction);
  Prediction dispatch(Step& step);
  void settle(Step& step, Prediction& prediction);

  // model_allocation.cpp: operations on whole buffers and on the device
  Prediction alloc(Step& step);
  Prediction free(Step& step);
  Prediction relocate(Step& step);
  Prediction cleanup(Step& step);
  Prediction reset(Step& step);
  Prediction check(Step& step);
  [[nodiscard]] std::uint32_t open_stream(std::uint32_t wanted) const;
  [[nodiscard]] bool may_lack_room(const traces::Operation& operation) const;
  [[nodiscard]] bool over_half(std::uint64_t more_bytes) const;

  // model_work.cpp: operations on bytes
  Prediction write(Step& step);
  Prediction launch(Step& step);
  Prediction copy(Step& step);
  Prediction submit(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed = std::nullopt);
  // Empties node_ and returns it; good until the next call.
  [[nodiscard]] reference::Node& new_node();
  [[nodiscard]] static bool hangs(reference::Nodes graph);
  [[nodiscard]] static bool may_be_no_work(reference::Nodes graph);
  void queue(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed, reference::Holds holds);
  void queue_failed(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed);
  Prediction skip(Step& step, reference::Nodes graph, std::vector<reference::ClaimedInput> inputs);
  Prediction read(Step& step);
  [[nodiscard]] Prediction unwritten(std::span<const reference::Range> ranges, std::vector<Ordinal> roots) const;
  Prediction trust(Step& step);
  Prediction sync(Step& step);
  Prediction wait(Step& step);

  // model_capture.cpp
  Prediction capture_begin(Step& step);
  [[nodiscard]] bool may_pass_over(std::uint32_t stream) const;
  Prediction capture_end(Step& step);
  Prediction record(Step& step, reference::Node node);
  Prediction replay(Step& step);
  Prediction destroy(Step& step);

  // model_outcomes.cpp: what operations have in common
  struct Trouble {
    reference::Cause cause;
    reference::Strike strike;  // what happened all the same
    bool surfaced = false;     // the cause is an earlier asynchronous fault
    bool recovery_open = false;
  };
  // What becomes of a wait for a stream, or for all, that has something to wait for; none: it is good.
  [[nodiscard]] std::optional<Prediction> wait_in_vain(Step& step, std::optional<std::uint32_t> stream);
  // Whether that wait fails by itself. `some_end`: of what is waited for, some ends in any case.
  [[nodiscard]] static bool meets_an_error(const Step& step, bool some_end);
  [[nodiscard]] std::optional<Trouble> stalling(Step& step, reference::Nodes graph);
  // Its host code threw once the work was done.
  [[nodiscard]] static bool threw(const Trouble& trouble);
  [[nodiscard]] std::optional<Trouble> trouble(Step& step, Reach reach);
  void leave_faults_of(reference::Nodes graph, std::uint32_t stream, bool doubtful);
  static void doubt_what_is_left_behind(Step& step, const reference::Window& window);
  [[nodiscard]] std::optional<Trouble> trouble_recording(Step& step, reference::Window& window);  // model_capture.cpp
  [[nodiscard]] static std::optional<Trouble> own_trouble(Step& step);
  [[nodiscard]] std::optional<Trouble> surfacing(Step& step, Reach reach);
  void follow(std::uint32_t stream, const Ranges& reads, const Ranges& writes);
  void follow_to_new_memory(std::uint32_t stream, const reference::Range& moved);
  [[nodiscard]] bool others_recover_otherwise(const Step& step, const reference::Cause& cause) const;
  [[nodiscard]] Prediction fail(Step& step, const Trouble& trouble);
  [[nodiscard]] Prediction refuse(std::span<const reference::Range> writes);
  void leave_behind(Step& step);
  void leave_behind(reference::AsyncFault fault);
  void proved(std::optional<std::uint32_t> stream);
  void blame(Prediction& prediction) const;
  [[nodiscard]] Prediction with(traces::Outcome outcome, std::vector<Ordinal> roots) const;
  [[nodiscard]] bool is_stream(std::uint32_t stream) const { return stream < device_.streams; }
  // Fills in every buffer that a graph or an open recording holds, in rising order.
  void find_held(std::vector<Ordinal>& buffers) const;
  // C1, C2: fills in each failure that is carried, in rising order, and says how often they are. Counted from the
  // claims of every buffer.
  std::uint64_t count_carried(std::vector<Ordinal>& failures) const;
  void tell(Prediction& prediction) const;
  void count_bytes(const traces::Operation& operation, Prediction& prediction) const;

  traces::DeviceConfig device_;
  const traces::NameTable& names_;
  State state_;
  std::vector<Ordinal> carried_;  // scratch memory: what count_carried() found,
  std::vector<Ordinal> held_;     // and what find_held() did
  reference::Node node_;          // likewise: the work of an operation, alone
  Question question_;             // the last one, whose memory the next one uses again
  bool open_ = false;             // it is about the last operation, and there may be another answer
};

}  // namespace taintgraph::props
