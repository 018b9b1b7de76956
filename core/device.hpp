// The port through which the core does GPU work. The core decides what may run, on which memory and after what; a
// Device carries it out and reports every error of its driver. gpu::CudaDevice does it with CUDA; a runtime with
// kernels, modules or memory of its own writes another. One Device serves one Runtime.
//
// Everything is asynchronous unless it says that it waits. Work on one stream runs in the order it was submitted. A
// Device never orders two streams on its own: the core's StreamTable asks for that (W6).
//
// An Error that is not `sticky` is of the call that returns it, and of nothing before it (D3): that operation is not
// known to have happened. Its effect may still have reached the stream (a driver may queue the work and report an error
// all the same), so the core keeps ordering later work after it.
//
// What goes wrong with work after it was accepted is `sticky` (D1): the call that hears of it cannot say which bytes
// are bad, and so the core trusts none until recreate(). A device that can say so answers for the work itself. A sticky
// error comes back from every later call until recreate().
//
// No wait lasts for ever: one that the device cannot end in its patience comes back as timed_out(), and nothing is
// known of the work then. Where the operation itself was to wait (read, synchronize), that is all; where something had
// to be waited for before its work could be submitted, the operation has failed with that error.
//
// May throw std::bad_alloc, having submitted the work or not; what was to end has ended even then, as after an error,
// and a begin_capture() that throws has begun nothing. Not thread safe: one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/binding.hpp"
#include "core/error.hpp"
#include "core/ids.hpp"

namespace taintgraph::core {

// A piece of device memory.
struct DeviceSpan {
  DeviceAddress address = DeviceAddress::null;
  std::uint64_t size_bytes = 0;
};

// Where pages of device memory come from.
class Storage {
 public:
  virtual ~Storage() = default;

  // The most that could ever be reserved at once, whatever is given back first; the highest number if nobody knows.
  [[nodiscard]] virtual std::uint64_t capacity_bytes() const { return UINT64_MAX; }

  // Reserves `size_bytes` (at least 1) of device memory, aligned for any use (256 bytes). Never at address zero, which
  // is no address.
  // Errors: out of memory (recovery retry), or any error of the driver.
  [[nodiscard]] virtual DeviceResult<DeviceAddress> reserve(std::uint64_t size_bytes) = 0;

  // Gives memory back. Requires: `address` came from reserve(), and no work that uses it is pending on any stream.
  // The memory is gone even when an error comes back.
  [[nodiscard]] virtual DeviceResult<void> give_back(DeviceAddress address) = 0;

  // Waits, where it has to, until what was given back can be reserved again in any other size.
  [[nodiscard]] virtual DeviceResult<void> settle() { return {}; }
};

// A launch as the program states it, before anything is known about the memory behind it.
struct LaunchShape {
  std::string_view kernel;
  std::span<const WeakBinding> reads;
  std::span<const WeakBinding> writes;
  std::span<const std::uint64_t> scalars;  // by-value arguments, in the kernel's own order
};

// A launch ready to be submitted: ranges have become addresses, empty ranges included (size 0, any address). A recorded
// one may name a range of address null and any size: memory that was never reserved, so that no replay will run it.
struct DeviceLaunch {
  std::string_view kernel;
  std::span<const DeviceSpan> reads;
  std::span<const DeviceSpan> writes;
  std::span<const std::uint64_t> scalars;
};

// One piece of a host read.
struct DeviceRead {
  DeviceSpan from;
  std::byte* to = nullptr;  // room for from.size_bytes
};

// When a wait on the host is given up, in nanoseconds of the device's own clock; none: after the device's own patience.
struct Deadline {
  std::optional<std::uint64_t> at_nanoseconds;
};

// A point in a stream's work that the host can ask about; made by Device::fence().
enum class FenceId : std::uint64_t { none = 0 };

// A graph of recorded work; made by Device::end_capture().
enum class DeviceGraphId : std::uint64_t { none = 0 };

class Device : public Storage {
 public:
  [[nodiscard]] virtual std::uint32_t stream_count() const = 0;

  // Whether `shape` is a launch that its kernel takes: known kernel, counts, lengths, overlaps, scalars. Touches no
  // driver. Errors: program_error::unknown_kernel, program_error::does_not_fit.
  [[nodiscard]] virtual DeviceResult<void> check(const LaunchShape& shape) const = 0;

  // Submits a kernel. Allocates nothing on the heap once the kernel is loaded and the stream warm.
  [[nodiscard]] virtual DeviceResult<void> launch(StreamIndex stream, const DeviceLaunch& launch) = 0;

  // Submits a copy of to.size_bytes bytes between two pieces of device memory of one size, which are apart or the same.
  [[nodiscard]] virtual DeviceResult<void> copy(StreamIndex stream, DeviceSpan to, DeviceSpan from) = 0;

  // Submits a copy from the host. `bytes` may be reused as soon as this returns.
  [[nodiscard]] virtual DeviceResult<void> write(StreamIndex stream, DeviceAddress to,
                                                 std::span<const std::byte> bytes) = 0;

  // Copies to the host and waits until the bytes are there. On an error the destinations hold no usable bytes.
  // Waits for `stream`: on success everything submitted to it so far is done.
  [[nodiscard]] virtual DeviceResult<void> read(StreamIndex stream, std::span<const DeviceRead> pieces) = 0;

  // Waits until everything submitted to `stream` is done. Errors: timed_out() if that takes beyond the deadline.
  [[nodiscard]] virtual DeviceResult<void> synchronize(StreamIndex stream, Deadline deadline) = 0;
  // The deadline so many nanoseconds from now; for none the device's own patience from now.
  [[nodiscard]] virtual Deadline deadline_in(std::optional<std::uint64_t> nanoseconds) const = 0;

  // Makes later work of `stream` wait for everything submitted to `on` so far. Does not block the host, unless
  // recording or waiting for the event fails and only waiting on the host can keep the order.
  [[nodiscard]] virtual DeviceResult<void> order_after(StreamIndex stream, StreamIndex on) = 0;

  // Marks the present end of `stream`'s work, to be asked about later without blocking. The caller drops it.
  [[nodiscard]] virtual DeviceResult<FenceId> fence(StreamIndex stream) = 0;
  // True once everything before the fence is done. Does not block.
  [[nodiscard]] virtual DeviceResult<bool> reached(FenceId fence) = 0;
  // Requires: `fence` came from fence() and was not dropped yet. The fence is gone even when an error comes back.
  [[nodiscard]] virtual DeviceResult<void> drop(FenceId fence) = 0;

  // From now on launch() and copy() on `stream` are recorded and do not run. An error that spoils the whole window is
  // returned once, and by end_capture(); until then what follows counts as recorded. Requires: everything submitted to
  // the stream is done, so that no order with it is ever needed while it captures; it captures nothing yet.
  [[nodiscard]] virtual DeviceResult<void> begin_capture(StreamIndex stream) = 0;
  // Ends the window. The stream is usable again whatever comes back; on an error there is no graph.
  [[nodiscard]] virtual DeviceResult<DeviceGraphId> end_capture(StreamIndex stream) = 0;
  // Ends the window and forgets what was recorded.
  [[nodiscard]] virtual DeviceResult<void> abandon_capture(StreamIndex stream) = 0;
  // Submits a graph's work to a stream. Requires: its previous replay is ordered before.
  [[nodiscard]] virtual DeviceResult<void> replay(StreamIndex stream, DeviceGraphId graph) = 0;
  // The graph is gone even when an error comes back. Its last replay may still be running.
  [[nodiscard]] virtual DeviceResult<void> drop(DeviceGraphId graph) = 0;

  // Destroys the context and makes a new one: memory, fences, graphs and pending work are gone, the streams are new
  // (D2). Errors: the context is not this device's to destroy, or no new one can be made; it is of no use then.
  [[nodiscard]] virtual DeviceResult<void> recreate() = 0;
};

}  // namespace taintgraph::core
