// What CUDA C++ means on the host: the words that gpu/kernels/*.cu use, so that their very text runs in the simulator.
//
// Included before a kernel's text, and by nothing else. A kernel names its indices as if they were global (blockIdx,
// threadIdx) and a device pointer has exactly a pointer's layout, so neither has room for a reference to the launch
// that runs; each host thread therefore has the state of the one launch it runs, below.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/access_checker.hpp"

namespace taintgraph::sim::device {

struct Index3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

inline constinit thread_local Index3 gridDim{};
inline constinit thread_local Index3 blockDim{};
inline constinit thread_local Index3 blockIdx{};
inline constinit thread_local Index3 threadIdx{};
inline constinit thread_local AccessChecker* running_checker = nullptr;

// A device address dereferenced for reading and writing.
template <class T>
class Reference {
 public:
  explicit Reference(unsigned long long address) : address_(address) {}
  Reference(const Reference&) = default;

  // NOLINTNEXTLINE(google-explicit-constructor): reads like the T that it stands for.
  operator T() const {
    T value;
    running_checker->load(address_, &value, sizeof value);
    return value;
  }
  const Reference& operator=(const T& value) const {
    running_checker->store(address_, &value, sizeof value);
    return *this;
  }
  const Reference& operator=(const Reference& other) const { return *this = static_cast<T>(other); }
  const Reference& operator+=(const T& value) const { return *this = static_cast<T>(static_cast<T>(*this) + value); }

 private:
  unsigned long long address_;
};

template <class T>
struct GlobalPointer {
  using Value = std::remove_const_t<T>;
  static_assert(std::is_trivially_copyable_v<Value>);

  unsigned long long address;

  auto operator[](unsigned long long index) const {
    const unsigned long long at = address + index * sizeof(Value);
    if (at % alignof(Value) != 0) throw KernelStop{FaultKind::misaligned_address};
    if constexpr (std::is_const_v<T>) {
      return static_cast<Value>(Reference<Value>(at));
    } else {
      return Reference<Value>(at);
    }
  }
  auto operator*() const { return (*this)[0]; }
  GlobalPointer operator+(unsigned long long count) const { return {address + count * sizeof(Value)}; }
  explicit operator bool() const { return address != 0; }
  friend bool operator==(GlobalPointer, GlobalPointer) = default;
};
static_assert(sizeof(GlobalPointer<char>) == sizeof(std::uint64_t));

[[noreturn]] inline void trap() { throw KernelStop{FaultKind::launch_failed}; }
[[noreturn]] inline void assertion_failed() { throw KernelStop{FaultKind::assert_}; }

}  // namespace taintgraph::sim::device

#define TAINTGRAPH_DEVICE_LANGUAGE 1
#define KERNEL [[gnu::always_inline]] static inline void
#define DEVICE [[maybe_unused]] static inline
#define READ_ONLY(T) const T&
#define GLOBAL(T) ::taintgraph::sim::device::GlobalPointer<T>
#define DEVICE_SPIN() ((void)0)  // a kernel that says so is never run; see CompiledKernel::endless
#define DEVICE_TRAP() ::taintgraph::sim::device::trap()
#define DEVICE_ASSERT_FAIL(message) ::taintgraph::sim::device::assertion_failed()
