// The CUDA backend: core::Device over a table of driver functions. The same code runs on a real driver and on the
// simulated one.
//
// It launches the kernels of gpu/kernels, which it carries as text and compiles, by name. Not a device for any kernel:
// nobody can hand it a module of theirs, so a runtime with kernels of its own implements core::Device itself.
//
// Keeps: streams are non-blocking and the NULL stream is never used; no synchronous copy; ordering by events; staging
// memory is reused only when its copy is done; every driver result is looked at (D3). One device, one context, used
// from one thread at a time; each call makes its context current.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/device.hpp"
#include "gpu/compiler_api.hpp"
#include "gpu/device_clock.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_observer.hpp"

namespace taintgraph::gpu {

// Where pages of device memory come from.
enum class PageAllocator : std::uint8_t {
  context,         // cuMemAlloc: memory of the context
  stream_ordered,  // cuMemAllocAsync on a stream of the device's own: memory that outlives its context
};

struct CudaDeviceOptions {
  int ordinal = 0;            // which GPU
  std::uint32_t streams = 4;  // at least 1
  // Pinned memory for each stream and direction, at least 1; longer transfers go in pieces of that size.
  std::uint64_t staging_bytes = 1U << 20;
  bool adopt_primary_context = false;  // share the process's primary context instead of creating one
  PageAllocator allocator = PageAllocator::context;
  LaunchObserver observer{};  // optional
  DeviceClock clock{};        // optional: the host's own
  // How long a wait without a deadline lasts before it is given up: no program waits that long on purpose.
  std::uint64_t patience_nanoseconds = 600'000'000'000;
};

class CudaDevice final : public core::Device {
 public:
  // Initialises the driver and creates context, streams and staging memory. The tables are copied.
  // Requires: every entry of both tables is set; any may be called at any time, and calling one that is null is
  // undefined. Options as CudaDeviceOptions says; a number below its least is a program error and aborts.
  // Errors: whatever the driver says; everything made until then is undone.
  [[nodiscard]] static core::DeviceResult<std::unique_ptr<CudaDevice>> create(const DriverApi& driver,
                                                                              const CompilerApi& compiler,
                                                                              const CudaDeviceOptions& options);
  // As close(), whose errors then have nobody to go to.
  ~CudaDevice() override;

  // Gives everything back, waiting for work that can finish in the device's patience; what is still running then keeps
  // what it uses until its context ends. Aborts on no error but returns each, in order (D1). Memory
  // from reserve() goes with a context of our own; stream-ordered memory does not, and is given back first, unless a
  // stream that cannot be waited for may still use it. Every later operation but close() and reset() is refused with
  // invalid_context, and ends nothing in a context that is opened later.
  [[nodiscard]] std::vector<core::Error> close();

  // close(), then a new context with everything new in it (D2). Memory from reserve() and fences are gone. Returns the
  // errors of the teardown, which cannot keep a new context from working.
  // Errors: not_permitted for an adopted context; whatever the driver says to the new one, the device being closed
  // then.
  [[nodiscard]] core::DeviceResult<std::vector<core::Error>> reset();

  // Drops the compiled form of `kernel`, so that its next launch compiles, loads and looks it up again.
  // Errors: of unloading the module.
  [[nodiscard]] core::DeviceResult<void> forget_kernel(std::string_view kernel);

  [[nodiscard]] std::uint32_t stream_count() const override;
  [[nodiscard]] std::uint64_t capacity_bytes() const override;
  [[nodiscard]] core::DeviceResult<core::DeviceAddress> reserve(std::uint64_t size_bytes) override;
  [[nodiscard]] core::DeviceResult<void> give_back(core::DeviceAddress address) override;
  [[nodiscard]] core::DeviceResult<void> settle() override;
  [[nodiscard]] core::DeviceResult<void> check(const core::LaunchShape& shape) const override;
  [[nodiscard]] core::DeviceResult<void> launch(core::StreamIndex stream, const core::DeviceLaunch& launch) override;
  [[nodiscard]] core::DeviceResult<void> copy(core::StreamIndex stream, core::DeviceSpan to,
                                              core::DeviceSpan from) override;
  [[nodiscard]] core::DeviceResult<void> write(core::StreamIndex stream, core::DeviceAddress to,
                                               std::span<const std::byte> bytes) override;
  [[nodiscard]] core::DeviceResult<void> read(core::StreamIndex stream,
                                              std::span<const core::DeviceRead> pieces) override;
  [[nodiscard]] core::DeviceResult<void> synchronize(core::StreamIndex stream, core::Deadline deadline) override;
  [[nodiscard]] core::Deadline deadline_in(std::optional<std::uint64_t> nanoseconds) const override;
  [[nodiscard]] core::DeviceResult<void> order_after(core::StreamIndex stream, core::StreamIndex on) override;
  [[nodiscard]] core::DeviceResult<core::FenceId> fence(core::StreamIndex stream) override;
  [[nodiscard]] core::DeviceResult<bool> reached(core::FenceId fence) override;
  [[nodiscard]] core::DeviceResult<void> drop(core::FenceId fence) override;
  [[nodiscard]] core::DeviceResult<void> begin_capture(core::StreamIndex stream) override;
  [[nodiscard]] core::DeviceResult<core::DeviceGraphId> end_capture(core::StreamIndex stream) override;
  [[nodiscard]] core::DeviceResult<void> abandon_capture(core::StreamIndex stream) override;
  [[nodiscard]] core::DeviceResult<void> replay(core::StreamIndex stream, core::DeviceGraphId graph) override;
  [[nodiscard]] core::DeviceResult<void> drop(core::DeviceGraphId graph) override;
  [[nodiscard]] core::DeviceResult<void> recreate() override;

 private:
  struct State;
  explicit CudaDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace taintgraph::gpu
