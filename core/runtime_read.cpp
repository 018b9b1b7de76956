// Runtime: what waits for the device.
#include <unordered_set>
#include <utility>

#include "core/runtime.hpp"

namespace taintgraph::core {
namespace {

struct Found {
  FailureId failure;
  WeakBinding first;         // the first range read that it claims
  bool unallocated = false;  // as the reason of a buffer without memory
};

}  // namespace

Status Runtime::read(const ReadRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  writes_.clear();
  reads_.resize(request.pieces.size());
  for (std::size_t i = 0; i < reads_.size(); ++i)
    if (auto error = resolve(request.pieces[i].from, reads_[i])) return rejected(*error);

  std::vector<Found> found;
  std::unordered_set<FailureId> known;
  const auto add = [&](FailureId failure, const Operand& operand, bool unallocated) {
    if (known.insert(failure).second) found.push_back({failure, {operand.buffer->id, operand.range}, unallocated});
  };
  std::vector<Claim> claims;  // of one range
  bool any_bytes = false;
  for (const Operand& operand : reads_) {
    if (operand.range.empty()) continue;
    any_bytes = true;
    if (operand.buffer->unallocated()) {
      add(operand.buffer->reason, operand, true);
    } else if (!operand.slice->taint.is_clean()) {
      claims.clear();
      operand.slice->taint.append_claims(operand.range, claims);
      FailureId last;
      for (const Claim& claim : claims)
        if (std::exchange(last, claim.failure) != claim.failure) add(claim.failure, operand, false);
    }
  }
  if (poison_) {  // the bytes' own failures first, then what holds the device (D1)
    std::erase_if(found, [this](const Found& each) { return each.failure == poison_; });
    found.push_back({poison_, {}, true});
  }
  if (!poison_ && captures(request.stream)) return rejected(program_error::capture_state);
  if (!found.empty()) {
    OperationError error{poison_ ? Outcome::poisoned : Outcome::unwritten, {}, {}};
    for (const Found& each : found)
      error.several.reports.push_back(each.unallocated ? graph_.report(each.failure)
                                                       : graph_.report(each.failure, each.first));
    error.error = error.several.reports.front().root;
    return tl::unexpected(std::move(error));
  }
  if (!any_bytes) return {};  // makes no driver call

  if (auto ordered = order(request.stream); !ordered)
    return failed_wait(std::move(ordered.error()), request.correlation);
  read_pieces_.clear();
  for (std::size_t i = 0; i < reads_.size(); ++i)
    if (!reads_[i].range.empty()) read_pieces_.push_back({span_of(reads_[i]), request.pieces[i].to});
  const Mark mark = streams_.take_mark(request.stream);
  WorkLog::Noting noting(work_log_, mark, "read", request.correlation);
  note_use(mark);
  if (auto done = device_.read(request.stream, read_pieces_); !done)
    return failed_wait(std::move(done.error()), request.correlation);
  noting.now();
  streams_.proved(request.stream);
  run(request.host_code);
  return {};
}

Status Runtime::sync(const SyncRequest& request) {
  drain_dropped();
  if (request.stream && !streams_.has(*request.stream)) return rejected(program_error::unknown_stream);
  if (poison_) return poisoned();
  if (request.stream ? captures(*request.stream) : captures_anywhere()) return rejected(program_error::capture_state);
  DeviceResult<void> first;
  const Deadline deadline = device_.deadline_in(request.deadline_nanoseconds);
  const std::uint32_t begin = request.stream ? index(*request.stream) : 0;
  const std::uint32_t end = request.stream ? begin + 1 : streams_.size();
  for (std::uint32_t i = begin; i < end; ++i) {
    keep_gravest(first, streams_.synchronize(StreamIndex{i}, deadline));
  }
  if (!first) return failed_wait(std::move(first.error()), request.correlation);
  for (std::uint32_t i = begin; i < end; ++i) streams_.proved(StreamIndex{i});
  run(request.host_code);
  return {};
}

Status Runtime::wait(const WaitRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream) || !streams_.has(request.on)) return rejected(program_error::unknown_stream);
  if (poison_) return poisoned();
  if (captures(request.stream) || captures(request.on)) return rejected(program_error::capture_state);
  if (request.stream == request.on) return {};  // in order with itself already
  if (auto ordered = streams_.order_after(request.stream, request.on); !ordered)
    return failed(std::move(ordered.error()), request.correlation);
  run(request.host_code);
  return {};
}

}  // namespace taintgraph::core
