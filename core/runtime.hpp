// The runtime: buffers, launches, copies and reads on one device, with every failure followed through memory.
//
// What it is: the place where the rules meet. An operation is judged in a fixed order: program errors (R4), poison
// (D1), claims (W1, R1), then the device's own answer (W2). What it is not: a scheduler; work goes to the stream that
// the caller names, and the runtime only adds the order that the bytes need (W6).
//
// Ids and bindings are of the runtime that made them; another would take them for its own.
//
// Use from one thread at a time, const calls included: some remember what they looked up. Only owners (Handle) may be
// copied and dropped anywhere. Dropped buffers are freed at the start of the next operation, before it is judged (C4).
//
// Errors are values. What may be thrown is std::bad_alloc, and whatever host code throws. An operation that is left so
// may have been submitted; what it was to write is claimed then (W2), and a window that it was recorded in is doomed
// (G1). If the device is found lost while a capture is undone, poison() says so, though the exception does not (D1).
// Everything else is as before, and the runtime can go on being used; if it is close() or the destructor that lacks
// memory, what the device holds by then stays with it.
//
// The success path of launch, copy and write allocates nothing on the heap once warm.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/buffer_table.hpp"
#include "core/device.hpp"
#include "core/memory_manager.hpp"
#include "core/recording.hpp"
#include "core/request.hpp"
#include "core/stream_table.hpp"
#include "core/work_log.hpp"
#include "core/write_scope.hpp"

namespace taintgraph::core {

struct RuntimeOptions {
  PoolOptions pool;
  bool distrust_fresh_memory = false;  // fresh allocations are claimed whole by a failure that says so (B3)
};

class Runtime {
 public:
  // `device` must outlive the runtime.
  Runtime(Device& device, const RuntimeOptions& options);
  // Closes, if close() was not called.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Reserves memory for a new buffer (B3, W5). Statuses: failed, poisoned; with distrust_fresh_memory an ok status
  // still leaves the bytes claimed. If empty pages had to be given back to make room, what the device said of that is
  // told only if there is no room all the same.
  [[nodiscard]] Allocation alloc(const AllocRequest& request);

  // Drops this owner; the buffer is freed at once if it was the last. Statuses: rejected (an empty handle: freed
  // before).
  [[nodiscard]] Status free(Handle& handle);

  // Of the operations on a stream, write, read, sync, wait and replay are rejected with capture_state while it captures
  // (G1), and so is a sync of all while any does. Other reasons for a rejection are in program_error; the first that
  // applies is given.

  // Host to device. Statuses: rejected, poisoned, unwritten (unallocated buffer, W5), failed.
  [[nodiscard]] Status write(const WriteRequest& request);

  // Runs a kernel. Statuses: rejected, poisoned, skipped (W1), failed.
  [[nodiscard]] Status launch(const LaunchRequest& request);

  // Device to device: a launch of one read and one write (W3). Statuses: as launch.
  [[nodiscard]] Status copy(const CopyRequest& request);

  // Device to host; waits for the bytes. Statuses: rejected, unwritten (R1, R2), poisoned, failed, timeout (no bytes).
  [[nodiscard]] Status read(const ReadRequest& request);

  // Waits for one stream, or for all. Consumes nothing (R3). Statuses: rejected, poisoned, failed, timeout.
  [[nodiscard]] Status sync(const SyncRequest& request);

  // Orders later work of `stream` after what `on` has queued so far. Statuses: rejected, poisoned, failed.
  [[nodiscard]] Status wait(const WaitRequest& request);

  // Declares bytes good by the caller's word (B5). Statuses: rejected, unwritten (unallocated buffer). If the host
  // lacks the memory to cut a claim, that stays as wide as it was, which graph().widened() counts.
  [[nodiscard]] Status trust(const WeakBinding& to);

  // Gives empty pages back to the device. Statuses: failed (of a poisoned device: none).
  [[nodiscard]] Status cleanup(CleanupMode mode, Correlation correlation);

  // Moves a buffer to other memory, its bytes and claims with it (B4). Statuses: rejected (stale_handle,
  // unknown_stream, unallocated, in_use: held by a graph or an open recording, capture_state: every stream captures),
  // poisoned, failed (everything is as it was).
  [[nodiscard]] Status relocate(const RelocateRequest& request);

  // Begins to record what is launched and copied on a stream (G1); waits for it first. Statuses: rejected (it captures
  // already), poisoned, failed, timeout (no window).
  [[nodiscard]] Status capture_begin(const CaptureRequest& request);

  // Ends the window and makes a graph of it (G1). Statuses: rejected (no window is open; nothing changes), poisoned,
  // failed (a doomed window: by the failure that doomed it); after the last two the window is closed and there is no
  // graph.
  [[nodiscard]] Captured capture_end(const CaptureRequest& request);

  // Runs a graph, judged by what its bytes are now (G2). Statuses: as launch.
  [[nodiscard]] Status replay(const ReplayRequest& request);

  // Drops a graph; it lets go of its memory (G3). Waits for its last replay if that may still need memory of the
  // device's own, but not beyond the device's patience: such memory is then left to the context. Statuses: rejected,
  // failed (the graph is gone all the same).
  [[nodiscard]] Status destroy(GraphId graph, Correlation correlation);

  // Ends every open window without a graph and drops every graph. Statuses: failed (all of it is gone all the same).
  [[nodiscard]] Status drop_recorded_work(Correlation correlation);

  // Starts again with a new context after a sticky error (D2): captures and graphs are dropped, every live buffer is
  // lost. Statuses: rejected (a healthy device), failed by what holds the device: its error allows no recovery within
  // this process, or the device could not be made again, which the error's detail says then. That may be tried once
  // more; captures and graphs are gone all the same.
  [[nodiscard]] Status reset();

  // Waits for the device and gives all memory back; every owner's buffer is gone. A stream that cannot be waited for
  // (and is not merely poisoned), or not within the device's patience, may still use memory, which is then left to the
  // end of its context. Only const calls may follow, even if it throws (std::bad_alloc: what was not given back by then
  // is left, too). Errors: the gravest of the device, teardown going on through it.
  [[nodiscard]] DeviceResult<void> close();

  [[nodiscard]] const ErrorGraph& graph() const { return graph_; }
  [[nodiscard]] const Pool& pool() const { return memory_.pool(); }
  [[nodiscard]] const BufferTable& buffers() const { return buffers_; }
  // The failure that holds the device; none while it is healthy (D1).
  [[nodiscard]] FailureId poison() const { return poison_; }
  // Graphs and open recordings: what may hold memory of the device that is in no page of the pool.
  [[nodiscard]] std::size_t recorded() const;
  // Sum of the sizes of live buffers that have memory, in bytes as asked for.
  [[nodiscard]] std::uint64_t bytes_in_use() const;
  // The claims on a buffer's range, cut to it, in order; an unallocated buffer is claimed whole by its reason. Empty if
  // stale.
  [[nodiscard]] std::vector<Claim> claims(const WeakBinding& of) const;
  // The same, behind what `found` holds already.
  void append_claims(const WeakBinding& of, std::vector<Claim>& found) const;

  // Frees what was dropped since the last operation, as the next operation would.
  void drain_dropped();

  // Recounts every failure's carriers from scratch (C1, C2) and runs every structure's own validate(). CHECKs. O(all).
  void validate() const;

 private:
  struct Operand {
    Buffer* buffer = nullptr;
    Slice* slice = nullptr;  // null if unallocated or of size 0
    ByteRange range;
    FailureId claim;  // while a skip is put together: what the range carried
  };

  // Looking up (runtime_work.cpp). The name of a program error if one of them does not hold.
  [[nodiscard]] std::optional<std::string_view> resolve(std::span<const WeakBinding> bindings,
                                                        std::vector<Operand>& operands);
  [[nodiscard]] std::optional<std::string_view> resolve(const WeakBinding& binding, Operand& operand);
  [[nodiscard]] FailureId first_claim(const Operand& operand) const;
  [[nodiscard]] DeviceSpan span_of(const Operand& operand) const;

  // Judging and submitting work that reads reads_ and writes writes_ (runtime_work.cpp).
  struct Work {
    std::string_view kernel;
    StreamIndex stream{};
    Correlation correlation{};
    HostCode* host_code = nullptr;
  };
  [[nodiscard]] Status refuse_poisoned_work();
  [[nodiscard]] FailureId find_cause() const;
  [[nodiscard]] Status skip(const Work& work, FailureId cause);
  void claim_outputs(FailureId cause);
  [[nodiscard]] Status record_skip(const Work& work, std::vector<ClaimedInput> inputs);
  template <class Submit>
  [[nodiscard]] Status submit(const Work& work, Submit&& submit);
  [[nodiscard]] DeviceResult<void> order(StreamIndex stream);
  void note_use(Mark mark);
  void run(HostCode* host_code);

  // Recording (runtime_capture.cpp).
  [[nodiscard]] bool captures(StreamIndex stream) const;
  [[nodiscard]] bool captures_anywhere() const;
  template <class Submit>
  [[nodiscard]] Status record(const Work& work, Submit&& submit);
  [[nodiscard]] Status record_launch(const Work& work, std::span<const std::uint64_t> scalars);
  [[nodiscard]] Status record_copy(const Work& work);
  [[nodiscard]] DeviceSpan recorded_span(const Operand& operand) const;
  void gather_operands(const Graph& graph);
  [[nodiscard]] std::vector<ClaimedInput> claimed_inputs(const Graph& graph) const;
  [[nodiscard]] DeviceResult<void> close_window(StreamIndex stream);
  [[nodiscard]] DeviceResult<void> drop_graph(std::map<GraphId, Graph>::iterator graph);
  [[nodiscard]] DeviceResult<void> end_recorded_work();
  [[nodiscard]] DeviceResult<void> take_down();
  void end_buffers();
  struct LetGo;
  void let_go(const std::vector<RecordedNode>& nodes);

  // Moving and starting again (runtime_recovery.cpp).
  [[nodiscard]] std::optional<StreamIndex> open_stream(StreamIndex wanted) const;
  [[nodiscard]] DeviceResult<void> copy_to(const Buffer& buffer, SliceId to, StreamIndex stream,
                                           Correlation correlation);
  void lose(Buffer& buffer);

  // Saying no (runtime.cpp).
  [[nodiscard]] Status rejected(Error error) const;
  [[nodiscard]] Status rejected(std::string_view program_error) const;
  // By what is known of one failure.
  [[nodiscard]] Status refused(Outcome outcome, FailureId failure) const;
  [[nodiscard]] Status poisoned() const { return refused(Outcome::poisoned, poison_); }
  [[nodiscard]] Status unwritten(FailureId reason) const { return refused(Outcome::unwritten, reason); }
  // Mints, or takes, the failure of an operation that failed; poisons the device if the error is sticky (D1).
  [[nodiscard]] Status failed(Error error, Correlation correlation);
  [[nodiscard]] Status failed(FailureId failure);
  // The same of a wait, which may also have been given up.
  [[nodiscard]] Status failed_wait(Error error, Correlation correlation);

  void release(Buffer& buffer);

  Device& device_;
  RuntimeOptions options_;
  ErrorGraph graph_;
  StreamTable streams_;
  MemoryManager memory_;
  BufferTable buffers_;
  std::vector<std::optional<Recording>> recordings_;  // by stream
  std::map<GraphId, Graph> graphs_;
  std::uint64_t graphs_made_ = 0;
  Mark last_mark_;  // of the work being submitted
  WorkLog work_log_;
  FailureId poison_;
  bool closed_ = false;
  bool in_host_code_ = false;

  // Reused by every operation, so that a warm one allocates nothing.
  std::vector<Operand> reads_;
  std::vector<Operand> writes_;
  std::vector<WriteTarget> targets_;
  std::vector<DeviceSpan> read_spans_;
  std::vector<DeviceSpan> write_spans_;
  std::vector<DeviceRead> read_pieces_;
  mutable std::vector<FailureId> carried_;  // of validate()
};

}  // namespace taintgraph::core
