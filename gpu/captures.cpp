#include "gpu/captures.hpp"

#include <cstring>
#include <utility>

#include "core/check.hpp"
#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {

core::DeviceResult<void> Captures::begin(core::StreamIndex stream, CUstream handle) {
  auto begun = checked(driver_, driver_.cuStreamBeginCapture(handle, CU_STREAM_CAPTURE_MODE_RELAXED),
                       Call::cuStreamBeginCapture);
  if (begun) {
    Window& window = windows_[core::index(stream)];
    window = {};
    window.open = true;
    return begun;
  }
  if (auto sure = make_sure(stream, handle); !sure) add_undo_failure(begun.error(), sure.error());
  return begun;
}

// A call that failed may have taken effect all the same; a stream must not stay in a window that nobody knows of.
core::DeviceResult<void> Captures::make_sure(core::StreamIndex stream, CUstream handle) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto ask = [&] {
    return checked(driver_, driver_.cuStreamIsCapturing(handle, &status), Call::cuStreamIsCapturing);
  };
  auto asked = ask();
  if (!asked && !asked.error().sticky) asked = ask();  // work that ends up in a window would never run
  std::erase(unsure_, stream);
  const bool dead = !asked && asked.error().sticky;
  windows_[core::index(stream)].open = dead;  // it may be: a dead context answers no questions, but ends what there is
  if (!asked && !dead) unsure_.push_back(stream);
  if (!asked || status == CU_STREAM_CAPTURE_STATUS_NONE) return asked;
  return abandon(stream, handle);
}

core::DeviceResult<core::DeviceGraphId> Captures::end(core::StreamIndex stream, CUstream handle) {
  std::map<core::DeviceGraphId, Graph> made_room;  // what may throw comes first
  made_room.emplace(core::DeviceGraphId{made_ + 1}, Graph{});
  Window window = std::exchange(windows_[core::index(stream)], {});
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  auto made = checked(driver_, driver_.cuStreamEndCapture(handle, &graph), Call::cuStreamEndCapture);
  if (made) made = checked(driver_, driver_.cuGraphInstantiate(&exec, graph, 0), Call::cuGraphInstantiate);
  if (graph != nullptr) {  // it may come with an error, too
    auto destroyed = checked(driver_, driver_.cuGraphDestroy(graph), Call::cuGraphDestroy);
    if (made) {
      made = std::move(destroyed);
    } else if (!destroyed) {
      add_undo_failure(made.error(), destroyed.error());
    }
  }
  if (made) {
    const core::DeviceGraphId id{++made_};
    auto room = made_room.extract(id);
    room.mapped() = {exec, std::move(window.tables), nullptr, {}};
    graphs_.insert(std::move(room));
    return id;
  }
  if (exec != nullptr) {
    auto destroyed = checked(driver_, driver_.cuGraphExecDestroy(exec), Call::cuGraphExecDestroy);
    if (!destroyed) add_undo_failure(made.error(), destroyed.error());
  }
  if (auto freed = free(window.tables); !freed) add_undo_failure(made.error(), freed.error());
  return tl::unexpected(std::move(made.error()));
}

core::DeviceResult<void> Captures::abandon(core::StreamIndex stream, CUstream handle) {
  const Window window = std::exchange(windows_[core::index(stream)], {});
  CUgraph graph = nullptr;
  core::DeviceResult<void> gravest;
  auto ended = checked(driver_, driver_.cuStreamEndCapture(handle, &graph), Call::cuStreamEndCapture);
  // An invalidated capture says so once more when it ends; that it ended is all that is wanted here.
  const bool only_says_so = !ended && ended.error().code == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!only_says_so) core::keep_gravest(gravest, std::move(ended));
  if (graph != nullptr)
    core::keep_gravest(gravest, checked(driver_, driver_.cuGraphDestroy(graph), Call::cuGraphDestroy));
  core::keep_gravest(gravest, free(window.tables));
  return gravest;
}

core::DeviceResult<void> Captures::recorded(core::StreamIndex stream, core::DeviceResult<void> result) {
  Window& window = windows_[core::index(stream)];
  if (result || !window.open) return result;
  const std::int32_t code = result.error().code;
  if (code == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED && window.invalidated) return {};
  window.invalidated = window.invalidated || (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
                                              code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  return result;
}

core::DeviceResult<void> Captures::replay(core::StreamIndex stream, CUstream handle, core::DeviceGraphId graph) {
  const auto found = graphs_.find(graph);
  TAINTGRAPH_CHECK(found != graphs_.end(), "replay: a graph of this device");
  found->second.last_replay = handle;
  found->second.last_stream = stream;
  return checked(driver_, driver_.cuGraphLaunch(found->second.exec, handle), Call::cuGraphLaunch);
}

core::DeviceResult<void> Captures::drop(core::DeviceGraphId graph) {
  const auto found = graphs_.find(graph);
  TAINTGRAPH_CHECK(found != graphs_.end(), "drop: a graph of this device");
  const Graph gone = std::move(found->second);
  graphs_.erase(found);
  core::DeviceResult<void> gravest;
  // A stream that captures by now, or may, can be waited for no more, and need not: it was idle when its window opened.
  const bool may_be_running = gone.last_replay != nullptr && !open(gone.last_stream) && !is_unsure(gone.last_stream);
  if (!gone.tables.empty() && may_be_running) {
    auto waited = waiter_.wait(gone.last_replay);
    const bool may_run = !waited && !waited.error().sticky;
    core::keep_gravest(gravest, std::move(waited));
    if (may_run) {  // the tables are left to their context: a kernel may still read them
      core::keep_gravest(gravest, destroy(gone));
      return gravest;
    }
  }
  core::keep_gravest(gravest, destroy(gone));
  core::keep_gravest(gravest, free(gone.tables));
  return gravest;
}

core::DeviceResult<void> Captures::destroy(const Graph& graph) {
  return checked(driver_, driver_.cuGraphExecDestroy(graph.exec), Call::cuGraphExecDestroy);
}

core::DeviceResult<core::DeviceSpan> Captures::keep_operands(core::StreamIndex stream,
                                                             std::span<const PackedOperand> operands) {
  const std::span<const std::byte> bytes = std::as_bytes(operands);
  std::vector<CUdeviceptr>& tables = windows_[core::index(stream)].tables;
  tables.push_back(0);  // what may throw comes first
  CUdeviceptr table = 0;
  auto kept = checked(driver_, driver_.cuMemAlloc(&table, bytes.size()), Call::cuMemAlloc);
  if (!kept) {
    tables.pop_back();
    return tl::unexpected(std::move(kept.error()));
  }
  tables.back() = table;
  bool idle = true;
  auto uploaded = upload(table, bytes, idle);
  if (!idle) tables.pop_back();  // left to its context: the copy may still write it
  if (!uploaded) return tl::unexpected(std::move(uploaded.error()));
  return core::DeviceSpan{static_cast<core::DeviceAddress>(table), bytes.size()};
}

// On a stream and from pinned memory made for the purpose: the device's own may be capturing, and a graph is made
// rarely.
core::DeviceResult<void> Captures::upload(CUdeviceptr to, std::span<const std::byte> bytes, bool& idle) {
  CUstream stream = nullptr;
  void* staged = nullptr;
  auto done = checked(driver_, driver_.cuStreamCreate(&stream, kStreamNonBlocking), Call::cuStreamCreate);
  if (done) done = checked(driver_, driver_.cuMemAllocHost(&staged, bytes.size()), Call::cuMemAllocHost);
  idle = true;
  if (done) {
    std::memcpy(staged, bytes.data(), bytes.size());
    done = checked(driver_, driver_.cuMemcpyHtoDAsync(to, staged, bytes.size(), stream), Call::cuMemcpyHtoDAsync);
    // Waited for even after an error: the copy may have been queued all the same.
    auto waited = waiter_.wait(stream);
    idle = waited || waited.error().sticky;
    core::keep_gravest(done, std::move(waited));
  }
  if (staged != nullptr && idle)
    core::keep_gravest(done, checked(driver_, driver_.cuMemFreeHost(staged), Call::cuMemFreeHost));
  if (stream != nullptr)
    core::keep_gravest(done, checked(driver_, driver_.cuStreamDestroy(stream), Call::cuStreamDestroy));
  return done;
}

core::DeviceResult<void> Captures::free(const std::vector<CUdeviceptr>& tables) {
  core::DeviceResult<void> gravest;
  for (const CUdeviceptr table : tables)
    core::keep_gravest(gravest, checked(driver_, driver_.cuMemFree(table), Call::cuMemFree));
  return gravest;
}

void Captures::close_windows(std::span<const CUstream> handles, std::vector<core::Error>& errors) {
  for (std::uint32_t i = 0; i < windows_.size(); ++i) {
    const core::StreamIndex stream{i};
    core::DeviceResult<void> ended;
    if (is_unsure(stream)) ended = make_sure(stream, handles[i]);  // a dead context leaves it open
    if (windows_[i].open) core::keep_gravest(ended, abandon(stream, handles[i]));
    windows_[i] = {};  // the stream goes, and what is opened next is another
    append_error(std::move(ended), errors);
  }
}

void Captures::close_graphs(bool idle, std::vector<core::Error>& errors) {
  while (!graphs_.empty()) {
    const auto first = graphs_.begin();
    first->second.last_replay = nullptr;
    if (!idle) first->second.tables.clear();
    append_error(drop(first->first), errors);
  }
}

}  // namespace taintgraph::gpu
