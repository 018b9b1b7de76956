// Runtime: moving memory, and starting again after a sticky error (B4, D2).
#include <utility>

#include "core/runtime.hpp"

namespace taintgraph::core {

Status Runtime::relocate(const RelocateRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  Buffer* const buffer = buffers_.find(request.buffer);
  if (!buffer) return rejected(program_error::stale_handle);
  if (buffer->unallocated()) return rejected(program_error::unallocated);
  if (buffer->holds > 0) return rejected(program_error::in_use);
  if (poison_) return poisoned();
  const std::optional<StreamIndex> stream = open_stream(request.stream);
  if (!stream) return rejected(program_error::capture_state);
  if (buffer->size_bytes == 0 && !request.from_new_page) return {};  // no bytes to move

  auto moved = memory_.reserve(buffer->size_bytes, request.from_new_page ? ReserveFrom::new_page : ReserveFrom::pool);
  if (!moved) return failed(std::move(moved.error()), request.correlation);
  DeviceResult<void> copied;
  try {
    copied = copy_to(*buffer, *moved, *stream, request.correlation);
    if (copied) run(request.host_code);
  } catch (...) {
    memory_.retire(*moved);
    throw;
  }
  if (!copied) {
    memory_.retire(*moved);
    return failed(std::move(copied.error()), request.correlation);
  }
  memory_.bind(*moved, buffer->id);
  const SliceId old = std::exchange(buffer->slice, *moved);
  if (old == SliceId::none) return {};
  memory_.at(*moved).taint = std::move(memory_.at(old).taint);  // claims move with their allocation (B4)
  memory_.retire(old);
  return {};
}

// A stream that runs what is submitted to it: the one wanted, or the first that does not capture.
std::optional<StreamIndex> Runtime::open_stream(StreamIndex wanted) const {
  if (!captures(wanted)) return wanted;
  for (std::uint32_t i = 0; i < recordings_.size(); ++i)
    if (!recordings_[i]) return StreamIndex{i};
  return std::nullopt;
}

DeviceResult<void> Runtime::copy_to(const Buffer& buffer, SliceId to, StreamIndex stream, Correlation correlation) {
  if (buffer.slice == SliceId::none || buffer.size_bytes == 0) return {};
  Slice& from_slice = memory_.at(buffer.slice);
  Slice& to_slice = memory_.at(to);
  const ByteRange whole{0, buffer.size_bytes};
  reads_.assign(1, {const_cast<Buffer*>(&buffer), &from_slice, whole, {}});
  writes_.assign(1, {const_cast<Buffer*>(&buffer), &to_slice, whole, {}});
  if (auto ordered = order(stream); !ordered) return ordered;
  const Mark mark = streams_.take_mark(stream);
  WorkLog::Noting noting(work_log_, mark, "relocation", correlation);
  note_use(mark);
  auto copied = device_.copy(stream, span_of(writes_.front()), span_of(reads_.front()));
  if (!copied && copied.error().sticky) noting.never();  // it is to blame itself, and is about to be reported
  return copied;
}

Status Runtime::reset() {
  drain_dropped();
  if (!poison_) return rejected(program_error::not_poisoned);
  if (graph_.error(poison_).recovery != Recovery::context) return refused(Outcome::failed, poison_);
  static_cast<void>(end_recorded_work());  // the context that they belong to is about to be destroyed
  if (auto recreated = device_.recreate(); !recreated) {
    Status status = refused(Outcome::failed, poison_);
    add_detail(status.error().error, "making the device again", recreated.error());
    return status;
  }

  // The memory went with its context; every live buffer is lost and says why (D2).
  buffers_.for_each([this](Buffer& each) { lose(each); });
  static_cast<void>(memory_.release_all(Pages::abandoned));
  streams_.forget();
  work_log_.forget();
  graph_.unpin(std::exchange(poison_, FailureId()));
  return {};
}

void Runtime::lose(Buffer& buffer) {
  graph_.tag(poison_);
  if (buffer.unallocated()) graph_.untag(buffer.reason);
  buffer.reason = poison_;
  if (buffer.slice == SliceId::none) return;
  memory_.retire(buffer.slice);
  memory_.shed(buffer.slice);
  buffer.slice = SliceId::none;
}

}  // namespace taintgraph::core
