#include "gpu/stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
namespace {

CUdeviceptr pointer(core::DeviceAddress address) { return static_cast<CUdeviceptr>(address); }

}  // namespace

core::DeviceResult<void> Stream::open(std::size_t staging_bytes) {
  CUstream stream = nullptr;
  auto created = checked(*driver_, driver_->cuStreamCreate(&stream, kStreamNonBlocking), Call::cuStreamCreate);
  if (!created) return created;
  stream_ = stream;
  CUevent event = nullptr;
  created = checked(*driver_, driver_->cuEventCreate(&event, kEventDisableTiming), Call::cuEventCreate);
  if (!created) return created;
  marked_ = event;
  if (auto staged = to_device_.open(*driver_, staging_bytes); !staged) return staged;
  return to_host_.open(*driver_, staging_bytes);
}

void Stream::close(bool idle, std::vector<core::Error>& errors) {
  if (idle) {
    to_device_.close(*driver_, errors);
    to_host_.close(*driver_, errors);
  } else {
    to_device_.abandon();
    to_host_.abandon();
  }
  if (const CUevent event = std::exchange(marked_, nullptr)) {
    append_error(checked(*driver_, driver_->cuEventDestroy(event), Call::cuEventDestroy), errors);
  }
  if (const CUstream stream = std::exchange(stream_, nullptr)) {
    append_error(checked(*driver_, driver_->cuStreamDestroy(stream), Call::cuStreamDestroy), errors);
  }
}

core::DeviceResult<void> Stream::synchronize(core::Deadline deadline) {
  auto done = waiter_->wait(stream_, deadline);
  if (done) {
    to_device_.rewind();
    to_host_.rewind();
  }
  return done;
}

core::DeviceResult<void> Stream::write(core::DeviceAddress to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), to_device_.size());
    if (to_device_.room() < size) {
      if (auto done = synchronize(); !done) return done;
    }
    std::byte* staged = to_device_.take(size);
    std::memcpy(staged, bytes.data(), size);
    auto queued =
        checked(*driver_, driver_->cuMemcpyHtoDAsync(pointer(to), staged, size, stream_), Call::cuMemcpyHtoDAsync);
    if (!queued) return queued;
    to = to + size;
    bytes = bytes.subspan(size);
  }
  return {};
}

// Queues copies from the cursor on until the pieces or the staging memory are at their end, and moves the cursor there.
core::DeviceResult<void> Stream::enqueue_batch(std::span<const core::DeviceRead> pieces, ReadCursor& cursor) {
  while (cursor.piece < pieces.size()) {
    const core::DeviceSpan& from = pieces[cursor.piece].from;
    const std::size_t size = std::min(static_cast<std::size_t>(from.size_bytes) - cursor.offset, to_host_.room());
    if (size != 0) {
      auto queued =
          checked(*driver_,
                  driver_->cuMemcpyDtoHAsync(to_host_.take(size), pointer(from.address + cursor.offset), size, stream_),
                  Call::cuMemcpyDtoHAsync);
      if (!queued) return queued;
      cursor.offset += size;
    }
    if (cursor.offset != from.size_bytes) return {};
    cursor = {cursor.piece + 1, 0};
  }
  return {};
}

core::DeviceResult<void> Stream::read(std::span<const core::DeviceRead> pieces) {
  ReadCursor cursor;
  do {
    // Space is left over only after a read that failed, whose copies may still come.
    if (to_host_.room() != to_host_.size()) {
      if (auto done = synchronize(); !done) return done;
    }
    const std::byte* staged = to_host_.take(0);
    ReadCursor arrived = cursor;
    if (auto queued = enqueue_batch(pieces, cursor); !queued) return queued;
    if (auto done = synchronize(); !done) return done;
    while (arrived.piece < cursor.piece || arrived.offset < cursor.offset) {
      const core::DeviceRead& piece = pieces[arrived.piece];
      const bool whole = arrived.piece < cursor.piece;
      const std::size_t end = whole ? static_cast<std::size_t>(piece.from.size_bytes) : cursor.offset;
      const std::size_t size = end - arrived.offset;
      if (size != 0) std::memcpy(piece.to + arrived.offset, staged, size);
      staged += size;
      arrived = whole ? ReadCursor{arrived.piece + 1, 0} : ReadCursor{arrived.piece, end};
    }
  } while (cursor.piece < pieces.size());
  return {};
}

core::DeviceResult<void> Stream::copy(core::DeviceSpan to, core::DeviceSpan from) {
  if (to.size_bytes == 0) return {};
  return checked(*driver_,
                 driver_->cuMemcpyDtoDAsync(pointer(to.address), pointer(from.address),
                                            static_cast<std::size_t>(to.size_bytes), stream_),
                 Call::cuMemcpyDtoDAsync);
}

core::DeviceResult<void> Stream::order_after(Stream& on) {
  if (stream_ == on.stream_) return {};
  auto ordered = checked(*driver_, driver_->cuEventRecord(on.marked_, on.stream_), Call::cuEventRecord);
  if (ordered) {
    ordered = checked(*driver_, driver_->cuStreamWaitEvent(stream_, on.marked_, 0), Call::cuStreamWaitEvent);
  }
  if (ordered || ordered.error().sticky) return ordered;
  auto waited = on.synchronize();  // the order is kept all the same, by the host's waiting
  if (!waited && core::is_timeout(waited.error())) return ordered;
  return waited;
}

}  // namespace taintgraph::gpu
