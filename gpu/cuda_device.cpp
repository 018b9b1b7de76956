#include "gpu/cuda_device.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "gpu/captures.hpp"
#include "gpu/context.hpp"
#include "gpu/error_mapping.hpp"
#include "gpu/fence_pool.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_catalog.hpp"
#include "gpu/launcher.hpp"
#include "gpu/stream.hpp"
#include "gpu/stream_ordered_memory.hpp"
#include "gpu/stream_waiter.hpp"

namespace taintgraph::gpu {

struct CudaDevice::State {
  State(const DriverApi& driver_table, const CompilerApi& compiler_table, const CudaDeviceOptions& device_options)
      : driver(driver_table),
        compiler(compiler_table),
        options(device_options),
        waiter(driver, options.clock, options.patience_nanoseconds),
        context(driver),
        fences(driver),
        kernels(driver, compiler),
        captures(driver, waiter, options.streams),
        launcher(driver, options.observer, captures, options.streams),
        memory(driver, waiter, options.streams),
        streams(options.streams, Stream(driver, waiter)) {
    owed_windows.reserve(options.streams);
  }

  // Opens everything; on an error some of it may be open.
  [[nodiscard]] core::DeviceResult<void> open() {
    auto opened = context.open(options.ordinal, options.adopt_primary_context);
    for (Stream& stream : streams) {
      if (!opened) break;
      opened = stream.open(static_cast<std::size_t>(options.staging_bytes));
    }
    if (opened && options.allocator == PageAllocator::stream_ordered) opened = memory.open();
    if (opened) opened = ask_for_capacity();
    return opened;
  }

  [[nodiscard]] core::DeviceResult<void> ask_for_capacity() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    auto asked = checked(driver, driver.cuMemGetInfo(&free_bytes, &total_bytes), Call::cuMemGetInfo);
    if (asked && total_bytes != 0) capacity_bytes = total_bytes;
    return asked;
  }

  // Gives everything back and goes on through errors. Kernels and memory go only once nothing runs any more.
  void close(std::vector<core::Error>& errors) {
    if (!context.is_open()) return;
    owed_windows.clear();  // captures still knows of them
    owed_graphs.clear();
    const std::vector<core::DeviceAddress> owed = std::exchange(owed_memory, {});
    if (auto current = context.make_current(); !current) {
      const bool dead = current.error().sticky;
      errors.push_back(std::move(current.error()));
      if (!dead) return abandon(errors);
    }
    std::vector<CUstream> handles;
    handles.reserve(streams.size());
    for (const Stream& stream : streams) handles.push_back(stream.handle());
    captures.close_windows(handles, errors);  // a capturing stream cannot be waited for
    std::vector<bool> idle;
    idle.reserve(streams.size());
    const core::Deadline deadline = waiter.deadline_in({});
    for (std::uint32_t i = 0; i < options.streams; ++i) {
      // It was idle when its window opened, and can be neither waited for nor destroyed.
      const bool unsure = captures.is_unsure(core::StreamIndex{i});
      idle.push_back(unsure || settle(streams[i], deadline, errors));
      if (unsure) streams[i].leave();
    }
    const bool all_idle = std::find(idle.begin(), idle.end(), false) == idle.end();
    captures.close_graphs(all_idle, errors);
    captures.abandon_all();             // windows in doubt are no concern of the next context
    if (options.adopt_primary_context)  // which keeps its memory
      for (const core::DeviceAddress each : owed) append_error(free(each), errors);
    memory.close(all_idle, errors);
    fences.close(errors);
    if (all_idle) {
      kernels.close(errors);
    } else {
      kernels.abandon_all();  // unloading a kernel that runs would wait for it
    }
    for (std::uint32_t i = 0; i < options.streams; ++i) {
      launcher.close(core::StreamIndex{i}, idle[i], errors);
      streams[i].close(idle[i], errors);
    }
    context.close(errors);
  }

  // Gives up everything that only a current context could give back; a context of our own takes it along when it goes.
  void abandon(std::vector<core::Error>& errors) {
    captures.abandon_all();
    memory.abandon();
    fences.abandon_all();
    kernels.abandon_all();
    for (std::uint32_t i = 0; i < options.streams; ++i) {
      launcher.close(core::StreamIndex{i}, false, errors);
      streams[i].abandon();
    }
    context.close(errors);
  }

  // Waits for a stream. True if its work is done or, the context being faulted, will never run.
  [[nodiscard]] bool settle(Stream& stream, core::Deadline deadline, std::vector<core::Error>& errors) {
    if (stream.handle() == nullptr) return true;
    auto done = stream.synchronize(deadline);
    const bool in_vain = !done && core::is_timeout(done.error());
    if (!done && !done.error().sticky && !in_vain) {
      errors.push_back(std::move(done.error()));
      done = stream.synchronize(deadline);  // whatever kept it from waiting may have been of that call alone
    }
    if (done) return true;
    const bool dead = done.error().sticky;
    errors.push_back(std::move(done.error()));
    return dead;
  }

  // Does `work` with the context current.
  template <class Work>
  [[nodiscard]] auto in_context(Work work) -> decltype(work()) {
    if (auto current = context.make_current(); !current) return tl::unexpected(std::move(current.error()));
    if (auto settled = settle_debts(); !settled) return tl::unexpected(std::move(settled.error()));
    return work();
  }

  // The same for work of `stream`, which comes after every reservation. A graph's replay does so for what it recorded.
  template <class Work>
  [[nodiscard]] core::DeviceResult<void> on_stream(core::StreamIndex stream, Work work) {
    return in_context([&]() -> core::DeviceResult<void> {
      if (!captures.open(stream)) {
        if (auto ordered = memory.order(stream, stream_at(stream)); !ordered) return ordered;
      }
      return work(stream_at(stream));
    });
  }

  // The same for work that ends something: if the context cannot be made current, it is owed, unless what it is about
  // went with its context.
  template <class Work, class Owe>
  [[nodiscard]] auto ending_in_context(Work work, Owe owe) -> decltype(work()) {
    if (auto current = context.make_current(); !current) {
      if (context.is_open()) owe();
      return tl::unexpected(std::move(current.error()));
    }
    return work();
  }

  // Ends what an earlier call should have ended. It is gone from the caller's books, so it must not stay here.
  [[nodiscard]] core::DeviceResult<void> settle_debts() {
    core::DeviceResult<void> gravest;
    const bool owes = !owed_windows.empty() || !owed_graphs.empty() || !owed_memory.empty();
    if (!owes && captures.unsure().empty()) return gravest;
    for (const core::StreamIndex each : std::vector(captures.unsure()))
      core::keep_gravest(gravest, captures.make_sure(each, stream_at(each).handle()));
    const std::vector windows(owed_windows);
    owed_windows.clear();  // which keeps its room
    for (const core::StreamIndex each : windows)
      core::keep_gravest(gravest, captures.abandon(each, stream_at(each).handle()));
    for (const core::DeviceGraphId each : std::exchange(owed_graphs, {}))
      core::keep_gravest(gravest, captures.drop(each));
    for (const core::DeviceAddress each : std::exchange(owed_memory, {})) core::keep_gravest(gravest, free(each));
    return gravest;
  }

  [[nodiscard]] core::DeviceResult<void> free(core::DeviceAddress address) {
    if (options.allocator == PageAllocator::stream_ordered) return memory.give_back(address);
    return checked(driver, driver.cuMemFree(static_cast<CUdeviceptr>(address)), Call::cuMemFree);
  }

  [[nodiscard]] Stream& stream_at(core::StreamIndex index) {
    TAINTGRAPH_CHECK(core::index(index) < streams.size(), "a stream of the device");
    return streams[core::index(index)];
  }

  const DriverApi driver;
  const CompilerApi compiler;
  const CudaDeviceOptions options;
  StreamWaiter waiter;
  Context context;
  FencePool fences;
  KernelCache kernels;
  Captures captures;
  Launcher launcher;
  StreamOrderedMemory memory;  // open if pages come from there
  std::uint64_t capacity_bytes = UINT64_MAX;
  std::vector<Stream> streams;
  std::vector<core::StreamIndex> owed_windows;  // with room for all
  std::vector<core::DeviceGraphId> owed_graphs;
  std::vector<core::DeviceAddress> owed_memory;
};

CudaDevice::CudaDevice(std::unique_ptr<State> state) : state_(std::move(state)) {}

CudaDevice::~CudaDevice() { (void)close(); }

core::DeviceResult<std::unique_ptr<CudaDevice>> CudaDevice::create(const DriverApi& driver, const CompilerApi& compiler,
                                                                   const CudaDeviceOptions& options) {
  TAINTGRAPH_CHECK(options.streams > 0 && options.staging_bytes > 0, "a device has streams and staging memory");
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::make_unique<State>(driver, compiler, options)));
  auto opened = device->state_->open();
  if (opened) return device;
  for (const core::Error& undo : device->close()) add_undo_failure(opened.error(), undo);
  return tl::unexpected(std::move(opened.error()));
}

std::vector<core::Error> CudaDevice::close() {
  std::vector<core::Error> errors;
  state_->close(errors);
  return errors;
}

core::DeviceResult<std::vector<core::Error>> CudaDevice::reset() {
  if (state_->options.adopt_primary_context) {
    return tl::unexpected(core::Error{.name = row(FaultKind::not_permitted).name,
                                      .call = {},
                                      .recovery = core::Recovery::process,
                                      .detail = "the primary context belongs to every library in the process"});
  }
  std::vector<core::Error> errors = close();
  auto opened = state_->open();
  if (opened) return errors;
  for (const core::Error& undo : close()) add_undo_failure(opened.error(), undo);
  return tl::unexpected(std::move(opened.error()));
}

core::DeviceResult<void> CudaDevice::forget_kernel(std::string_view kernel) {
  const KernelInfo* info = find_kernel(kernel);
  if (info == nullptr) return {};
  return state_->in_context([&] { return state_->kernels.forget(*info); });
}

std::uint32_t CudaDevice::stream_count() const { return state_->options.streams; }

std::uint64_t CudaDevice::capacity_bytes() const { return state_->capacity_bytes; }

core::DeviceResult<core::DeviceAddress> CudaDevice::reserve(std::uint64_t size_bytes) {
  return state_->in_context([&]() -> core::DeviceResult<core::DeviceAddress> {
    if (state_->options.allocator == PageAllocator::stream_ordered) return state_->memory.reserve(size_bytes);
    CUdeviceptr address = 0;
    auto reserved = checked(state_->driver, state_->driver.cuMemAlloc(&address, static_cast<std::size_t>(size_bytes)),
                            Call::cuMemAlloc);
    if (!reserved) return tl::unexpected(std::move(reserved.error()));
    return static_cast<core::DeviceAddress>(address);
  });
}

core::DeviceResult<void> CudaDevice::give_back(core::DeviceAddress address) {
  return state_->ending_in_context([&] { return state_->free(address); },
                                   [&] { state_->owed_memory.push_back(address); });
}

core::DeviceResult<void> CudaDevice::settle() {
  if (state_->options.allocator != PageAllocator::stream_ordered) return {};
  return state_->in_context([&] { return state_->memory.settle(); });
}

core::DeviceResult<void> CudaDevice::check(const core::LaunchShape& shape) const { return check_fit(shape); }

core::DeviceResult<void> CudaDevice::launch(core::StreamIndex stream, const core::DeviceLaunch& launch) {
  auto launched = state_->on_stream(stream, [&](Stream& on) -> core::DeviceResult<void> {
    const KernelInfo* kernel = find_kernel(launch.kernel);
    TAINTGRAPH_CHECK(kernel != nullptr, "a launch is submitted only if it fits its kernel");
    auto function = state_->kernels.function(*kernel, state_->context.device());
    if (!function) return tl::unexpected(std::move(function.error()));
    return state_->launcher.launch(stream, on, *kernel, *function, launch);
  });
  return state_->captures.recorded(stream, std::move(launched));
}

core::DeviceResult<void> CudaDevice::copy(core::StreamIndex stream, core::DeviceSpan to, core::DeviceSpan from) {
  auto copied = state_->on_stream(stream, [&](Stream& on) { return on.copy(to, from); });
  return state_->captures.recorded(stream, std::move(copied));
}

core::DeviceResult<void> CudaDevice::write(core::StreamIndex stream, core::DeviceAddress to,
                                           std::span<const std::byte> bytes) {
  return state_->on_stream(stream, [&](Stream& on) { return on.write(to, bytes); });
}

core::DeviceResult<void> CudaDevice::read(core::StreamIndex stream, std::span<const core::DeviceRead> pieces) {
  return state_->on_stream(stream, [&](Stream& on) { return on.read(pieces); });
}

core::DeviceResult<void> CudaDevice::synchronize(core::StreamIndex stream, core::Deadline deadline) {
  return state_->in_context([&] { return state_->stream_at(stream).synchronize(deadline); });
}

core::Deadline CudaDevice::deadline_in(std::optional<std::uint64_t> nanoseconds) const {
  return state_->waiter.deadline_in(nanoseconds);
}

core::DeviceResult<void> CudaDevice::order_after(core::StreamIndex stream, core::StreamIndex on) {
  return state_->in_context([&] { return state_->stream_at(stream).order_after(state_->stream_at(on)); });
}

core::DeviceResult<core::FenceId> CudaDevice::fence(core::StreamIndex stream) {
  return state_->in_context([&] { return state_->fences.record(state_->stream_at(stream).handle()); });
}

core::DeviceResult<bool> CudaDevice::reached(core::FenceId fence) {
  return state_->in_context([&] { return state_->fences.reached(fence); });
}

core::DeviceResult<void> CudaDevice::drop(core::FenceId fence) {
  state_->fences.drop(fence);
  return {};
}

core::DeviceResult<void> CudaDevice::begin_capture(core::StreamIndex stream) {
  return state_->in_context([&] { return state_->captures.begin(stream, state_->stream_at(stream).handle()); });
}

core::DeviceResult<core::DeviceGraphId> CudaDevice::end_capture(core::StreamIndex stream) {
  return state_->ending_in_context([&] { return state_->captures.end(stream, state_->stream_at(stream).handle()); },
                                   [&] { state_->owed_windows.push_back(stream); });
}

core::DeviceResult<void> CudaDevice::abandon_capture(core::StreamIndex stream) {
  return state_->ending_in_context([&] { return state_->captures.abandon(stream, state_->stream_at(stream).handle()); },
                                   [&] { state_->owed_windows.push_back(stream); });
}

core::DeviceResult<void> CudaDevice::replay(core::StreamIndex stream, core::DeviceGraphId graph) {
  return state_->on_stream(stream, [&](Stream& on) { return state_->captures.replay(stream, on.handle(), graph); });
}

core::DeviceResult<void> CudaDevice::drop(core::DeviceGraphId graph) {
  return state_->ending_in_context([&] { return state_->captures.drop(graph); },
                                   [&] { state_->owed_graphs.push_back(graph); });
}

core::DeviceResult<void> CudaDevice::recreate() {
  auto errors = reset();
  if (!errors) return tl::unexpected(std::move(errors.error()));
  return {};  // what tearing the old context down said is of the error that made it necessary
}

}  // namespace taintgraph::gpu
