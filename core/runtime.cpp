#include "core/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "core/check.hpp"

namespace taintgraph::core {

Runtime::Runtime(Device& device, const RuntimeOptions& options)
    : device_(device),
      options_(options),
      streams_(device),
      memory_(options.pool, device, streams_, graph_),
      recordings_(device.stream_count()),
      work_log_(device.stream_count()) {}

Runtime::~Runtime() {
  // Whoever wants to know what teardown said calls close() first.
  if (closed_) return;
  try {
    static_cast<void>(close());
  } catch (const std::bad_alloc&) {
    // What the device holds stays with it.
  }
}

Allocation Runtime::alloc(const AllocRequest& request) {
  drain_dropped();
  Handle handle = buffers_.create(request.size_bytes, request.correlation);
  Buffer& buffer = *buffers_.find(handle.id());
  if (poison_) {
    buffer.reason = poison_;
    graph_.tag(poison_);
    return {std::move(handle), poisoned()};
  }
  const auto fail = [&](Error error) -> Allocation {
    buffer.reason = graph_.mint(std::move(error), request.correlation);
    graph_.tag(buffer.reason);
    return {std::move(handle), failed(buffer.reason)};
  };
  if (request.host_code) {
    try {
      run(request.host_code);
    } catch (...) {
      return fail(torn_down());
    }
  }
  if (request.size_bytes == 0 && !request.from_new_page) return {std::move(handle), {}};

  auto slice = memory_.reserve(request.size_bytes, request.from_new_page ? ReserveFrom::new_page : ReserveFrom::pool);
  if (!slice) return fail(std::move(slice.error()));
  memory_.bind(*slice, buffer.id);
  buffer.slice = *slice;
  if (options_.distrust_fresh_memory && request.size_bytes > 0) {
    const FailureId unwritten = graph_.mint(never_written(), request.correlation);
    memory_.at(*slice).taint.claim({0, request.size_bytes}, unwritten, graph_);
  }
  return {std::move(handle), {}};
}

Status Runtime::free(Handle& handle) {
  drain_dropped();
  if (!buffers_.owns(handle) || !buffers_.find(handle.id())) return rejected(program_error::stale_handle);
  handle.drop();
  drain_dropped();
  return {};
}

void Runtime::drain_dropped() {
  TAINTGRAPH_CHECK(!closed_, "a closed runtime is only looked at");
  TAINTGRAPH_CHECK(!in_host_code_, "host code of an operation may not use its runtime");
  buffers_.drain_dropped([this](Buffer& dropped) {
    if (dropped.holds == 0) release(dropped);
  });
}

// A buffer ends, and with it its claims (B4) or the record of its failed reservation (W5); its memory waits for the
// streams.
void Runtime::release(Buffer& buffer) {
  if (buffer.unallocated()) graph_.untag(buffer.reason);
  if (buffer.slice != SliceId::none) {
    memory_.retire(buffer.slice);
    memory_.shed(buffer.slice);
  }
  buffers_.erase(buffer.id);
}

Status Runtime::trust(const WeakBinding& to) {
  drain_dropped();
  Operand operand;
  if (auto error = resolve(to, operand)) return rejected(*error);
  if (operand.range.empty()) return {};
  if (operand.buffer->unallocated()) return unwritten(operand.buffer->reason);
  operand.slice->taint.release(operand.range, graph_);
  return {};
}

Status Runtime::cleanup(CleanupMode mode, Correlation correlation) {
  drain_dropped();
  auto cleaned = memory_.cleanup(mode);
  if (cleaned || poison_) return {};  // a poisoned device refuses everything; that is known, and the pages are gone
  return failed(std::move(cleaned.error()), correlation);
}

DeviceResult<void> Runtime::close() {
  TAINTGRAPH_CHECK(!in_host_code_, "host code of an operation may not use its runtime");
  closed_ = true;
  try {
    return take_down();
  } catch (...) {
    end_buffers();  // claims end with their allocations (B4) even if the host has no memory to tell the device
    throw;
  }
}

DeviceResult<void> Runtime::take_down() {
  DeviceResult<void> gravest = end_recorded_work();
  bool idle = true;
  const Deadline deadline = device_.deadline_in(std::nullopt);
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    DeviceResult<void> waited = streams_.synchronize(StreamIndex{i}, deadline);
    if (!waited && !waited.error().sticky) waited = streams_.synchronize(StreamIndex{i}, deadline);
    idle = idle && (waited || waited.error().sticky);  // a poisoned device runs nothing any more
    keep_gravest(gravest, std::move(waited));
  }
  end_buffers();
  keep_gravest(gravest, streams_.close());
  keep_gravest(gravest, memory_.release_all(idle ? Pages::given_back : Pages::abandoned));
  return gravest;
}

void Runtime::end_buffers() {
  buffers_.for_each([this](Buffer& each) { release(each); });
  if (poison_) graph_.unpin(std::exchange(poison_, FailureId()));
}

// Runs what the caller put inside an operation. Its exception goes through, so the scope around it stays claimed (W2).
void Runtime::run(HostCode* host_code) {
  if (!host_code) return;
  struct Busy {
    explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
    ~Busy() { flag_ = false; }
    bool& flag_;
  } const busy(in_host_code_);
  host_code->run();
}

std::uint64_t Runtime::bytes_in_use() const {
  std::uint64_t total = 0;
  buffers_.for_each([&](const Buffer& each) { total += each.slice != SliceId::none ? each.size_bytes : 0; });
  return total;
}

std::vector<Claim> Runtime::claims(const WeakBinding& of) const {
  std::vector<Claim> found;
  append_claims(of, found);
  return found;
}

void Runtime::append_claims(const WeakBinding& of, std::vector<Claim>& found) const {
  const Buffer* buffer = buffers_.find(of.buffer);
  if (!buffer || of.range.empty()) return;
  if (buffer->unallocated()) {
    const ByteRange inside = intersection(of.range, {0, buffer->size_bytes});
    if (!inside.empty()) found.push_back({inside, buffer->reason});
  } else if (buffer->slice != SliceId::none) {
    memory_.at(buffer->slice).taint.append_claims(of.range, found);
  }
}

Status Runtime::rejected(Error error) const {
  return tl::unexpected(OperationError{Outcome::rejected, std::move(error), {}});
}

Status Runtime::rejected(std::string_view program_error) const { return rejected(program_error_named(program_error)); }

// Put together in its place: moving a report costs more than writing one.
Status Runtime::refused(Outcome outcome, FailureId failure) const {
  Status status(tl::unexpect, OperationError{outcome, graph_.error(failure), {}});
  std::vector<FailureReport>& reports = status.error().several.reports;
  reports.resize(1);
  graph_.describe(failure, reports.front());
  return status;
}

Status Runtime::failed(Error error, Correlation correlation) {
  return failed(graph_.mint(std::move(error), correlation));
}

Status Runtime::failed(FailureId failure) {
  if (!poison_ && graph_.error(failure).sticky) {
    graph_.pin(failure);
    poison_ = failure;
    graph_.suspect(failure, work_log_.suspects(streams_));
  }
  // Carried by nothing if the operation had nothing to write; gone then whatever happens below (C1).
  struct Pruning {
    ~Pruning() { graph.prune(failure); }
    ErrorGraph& graph;
    FailureId failure;
  } const pruning{graph_, failure};
  return refused(Outcome::failed, failure);
}

Status Runtime::failed_wait(Error error, Correlation correlation) {
  if (!is_timeout(error)) return failed(std::move(error), correlation);
  return tl::unexpected(OperationError{Outcome::timeout, std::move(error), {}});
}

void Runtime::validate() const {
  graph_.validate();
  pool().validate();
  streams_.validate();
  std::vector<FailureId>& carried = carried_;  // once for each carrier
  carried.clear();
  std::size_t slices = 0;
  buffers_.for_each([&](const Buffer& buffer) {
    if (buffer.unallocated()) carried.push_back(buffer.reason);
    if (buffer.slice == SliceId::none) return;
    ++slices;
    const Slice& slice = memory_.at(buffer.slice);
    TAINTGRAPH_CHECK(slice.state == SliceState::live && slice.buffer == buffer.id, "a buffer's slice is its own");
    if (slice.taint.is_clean()) return;
    TAINTGRAPH_CHECK(slice.taint.end() <= buffer.size_bytes, "claims lie inside the buffer");
    slice.taint.append_failures(carried);
  });
  TAINTGRAPH_CHECK(slices == pool().live_slices(), "a live slice is a buffer's");
  for (const SliceId retired : pool().retired())
    TAINTGRAPH_CHECK(memory_.at(retired).taint.is_clean(), "B4: claims end with the allocation");
  TAINTGRAPH_CHECK(carried.size() == graph_.tags(), "C2: the sums agree");
  std::sort(carried.begin(), carried.end());
  std::size_t failures = 0;
  for (auto each = carried.begin(); each != carried.end(); ++failures) {
    const auto next = std::find_if(each, carried.end(), [&](FailureId other) { return other != *each; });
    TAINTGRAPH_CHECK(graph_.contains(*each) && graph_.tagged(*each) == static_cast<std::uint64_t>(next - each),
                     "C2: tagged is the number of carriers");
    each = next;
  }
  const bool poison_alone = poison_ && !std::binary_search(carried.begin(), carried.end(), poison_);
  TAINTGRAPH_CHECK(graph_.size() == failures + (poison_alone ? 1 : 0), "C1: the graph holds what is carried");
}

}  // namespace taintgraph::core
