// Runtime: work that writes device memory, judged and submitted.
#include <algorithm>
#include <utility>

#include "core/internal/submit.hpp"
#include "core/runtime.hpp"

namespace taintgraph::core {

std::optional<std::string_view> Runtime::resolve(const WeakBinding& binding, Operand& operand) {
  Buffer* const buffer = buffers_.find(binding.buffer);
  if (!buffer) return program_error::stale_handle;
  if (!binding.range.fits(buffer->size_bytes)) return program_error::out_of_bounds;
  operand = {buffer, buffer->slice != SliceId::none ? &memory_.at(buffer->slice) : nullptr, binding.range, {}};
  return std::nullopt;
}

std::optional<std::string_view> Runtime::resolve(std::span<const WeakBinding> bindings,
                                                 std::vector<Operand>& operands) {
  operands.resize(bindings.size());
  auto operand = operands.begin();
  for (const WeakBinding& binding : bindings)
    if (auto error = resolve(binding, *operand++)) return error;
  return std::nullopt;
}

FailureId Runtime::first_claim(const Operand& operand) const {
  if (operand.range.empty()) return {};
  if (operand.buffer->unallocated()) return operand.buffer->reason;
  return operand.slice->taint.first(operand.range);
}

DeviceSpan Runtime::span_of(const Operand& operand) const {
  if (operand.range.empty()) return {};
  return {memory_.pool().address(*operand.slice) + operand.range.begin, operand.range.size()};
}

Status Runtime::launch(const LaunchRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  if (auto error = resolve(request.reads, reads_)) return rejected(*error);
  if (auto error = resolve(request.writes, writes_)) return rejected(*error);
  if (auto fits = device_.check({request.kernel, request.reads, request.writes, request.scalars}); !fits)
    return rejected(std::move(fits.error()));

  if (poison_) return refuse_poisoned_work();
  const Work work{request.kernel, request.stream, request.correlation, request.host_code};
  if (captures(request.stream)) return record_launch(work, request.scalars);
  if (const FailureId cause = find_cause()) return skip(work, cause);
  return submit(work, [&] {
    return device_.launch(request.stream, {request.kernel, read_spans_, write_spans_, request.scalars});
  });
}

Status Runtime::copy(const CopyRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  if (auto error = resolve({&request.from, 1}, reads_)) return rejected(*error);
  if (auto error = resolve({&request.to, 1}, writes_)) return rejected(*error);
  if (request.from.range.size() != request.to.range.size()) return rejected(program_error::length_mismatch);
  if (request.from.buffer == request.to.buffer && request.from.range != request.to.range &&
      overlaps(request.from.range, request.to.range))
    return rejected(program_error::does_not_fit);

  if (poison_) return refuse_poisoned_work();
  const Work work{"copy", request.stream, request.correlation, request.host_code};
  if (captures(request.stream)) return record_copy(work);
  if (request.to.range.empty()) return {};  // makes no driver call
  if (const FailureId cause = find_cause()) return skip(work, cause);
  return submit(work, [&] { return device_.copy(request.stream, write_spans_.front(), read_spans_.front()); });
}

Status Runtime::write(const WriteRequest& request) {
  drain_dropped();
  reads_.clear();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  if (auto error = resolve({&request.to, 1}, writes_)) return rejected(*error);
  if (request.bytes.size() != request.to.range.size()) return rejected(program_error::length_mismatch);

  if (poison_) return refuse_poisoned_work();
  if (captures(request.stream)) return rejected(program_error::capture_state);
  if (request.to.range.empty()) return {};  // makes no driver call
  if (writes_.front().buffer->unallocated()) return unwritten(writes_.front().buffer->reason);
  const Work work{"write", request.stream, request.correlation, request.host_code};
  return submit(work, [&] { return device_.write(request.stream, write_spans_.front().address, request.bytes); });
}

// Refused work still did not write what it should have (D1). An unallocated buffer keeps its reason (W5).
Status Runtime::refuse_poisoned_work() {
  for (const Operand& output : writes_)
    if (output.slice) output.slice->taint.claim(output.range, poison_, graph_);
  return poisoned();
}

// The failure that stops a launch, if one does: of its reads, then of what it was to write and has no memory (W1, W5).
FailureId Runtime::find_cause() const {
  for (const Operand& input : reads_)
    if (const FailureId claim = first_claim(input)) return claim;
  for (const Operand& output : writes_)
    if (!output.range.empty() && output.buffer->unallocated()) return output.buffer->reason;
  return {};
}

Status Runtime::skip(const Work& work, FailureId cause) {
  // What each input carried is asked before the outputs are claimed, since one may be the other; and the outputs are
  // claimed before anything is built that the host may lack the memory for.
  for (Operand& input : reads_) input.claim = first_claim(input);
  claim_outputs(cause);
  std::vector<ClaimedInput> inputs;
  for (const Operand& input : reads_)
    if (input.claim) inputs.push_back({{input.buffer->id, input.range}, input.claim});
  for (const Operand& output : writes_)
    if (!output.range.empty() && output.buffer->unallocated())
      inputs.push_back({{output.buffer->id, output.range}, output.buffer->reason});
  return record_skip(work, std::move(inputs));
}

void Runtime::claim_outputs(FailureId cause) {
  for (const Operand& output : writes_)
    if (output.slice) output.slice->taint.claim(output.range, cause, graph_);
}

// Requires: the outputs carry the first input's failure already.
Status Runtime::record_skip(const Work& work, std::vector<ClaimedInput> inputs) {
  const FailureId cause = inputs.front().failure;
  SkipRecord record{std::string(work.kernel), work.correlation, std::move(inputs), {}};
  for (const Operand& output : writes_)
    if (!output.range.empty() && !output.buffer->unallocated())
      record.outputs.push_back({output.buffer->id, output.range});
  graph_.record(cause, std::move(record));
  return refused(Outcome::skipped, cause);
}

DeviceResult<void> Runtime::order(StreamIndex stream) {
  for (const Operand& input : reads_)
    if (!input.range.empty())
      if (auto ordered = streams_.before_read(stream, input.slice->usage); !ordered) return ordered;
  for (const Operand& output : writes_)
    if (!output.range.empty())
      if (auto ordered = streams_.before_write(stream, output.slice->usage); !ordered) return ordered;
  return {};
}

// Reads first: where one allocation is read and written, the write is what later work has to come after.
void Runtime::note_use(Mark mark) {
  for (const Operand& input : reads_)
    if (!input.range.empty()) input.slice->usage.read_at(mark);
  for (const Operand& output : writes_)
    if (!output.range.empty()) output.slice->usage.written_at(mark);
}

}  // namespace taintgraph::core
