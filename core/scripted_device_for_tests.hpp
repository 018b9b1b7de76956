// A device for tests of the core alone: does nothing, counts what it is asked, and answers with errors when told to.
#pragma once

#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/device.hpp"

namespace taintgraph::core {

class ScriptedDevice : public Device {
 public:
  explicit ScriptedDevice(std::uint32_t streams = 4) : streams_(streams) {}

  // The next `count` calls named `call` fail with `error`.
  void fail(const std::string& call, Error error, int count = 1) { failing_[call] = {std::move(error), count}; }
  // The call that comes after so many others throws, having done what it was to do. Negative: none does.
  void throw_after(int calls) { calls_left_ = calls + 1; }
  // Whether that call is still to come.
  [[nodiscard]] bool will_throw() const { return calls_left_ > 0; }
  // Whether fences count as reached.
  void finish_work(bool finished) { finished_ = finished; }

  [[nodiscard]] int calls(const std::string& call) const {
    const auto found = calls_.find(call);
    return found == calls_.end() ? 0 : found->second;
  }
  // Of the last wait. Its clock stands at 1000.
  [[nodiscard]] std::uint64_t deadline() const { return deadline_.at_nanoseconds.value_or(0); }
  static constexpr std::uint64_t kPatience = 1'000'000;
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }
  [[nodiscard]] std::uint64_t fences() const { return fences_; }
  [[nodiscard]] std::size_t live_fences() const { return live_fences_; }
  [[nodiscard]] std::size_t live_graphs() const { return live_graphs_; }
  [[nodiscard]] std::size_t open_windows() const { return open_windows_; }
  // "stream<-on" for each order made, in turn.
  [[nodiscard]] const std::vector<std::string>& orders() const { return orders_; }

  // What it says that it has in all.
  void have(std::uint64_t capacity_bytes) { capacity_bytes_ = capacity_bytes; }

  std::uint32_t stream_count() const override { return streams_; }
  std::uint64_t capacity_bytes() const override { return capacity_bytes_; }
  DeviceResult<DeviceAddress> reserve(std::uint64_t size_bytes) override {
    if (auto error = answer("reserve")) return tl::unexpected(*error);
    const DeviceAddress address{next_};
    next_ += (size_bytes + 4095) / 4096 * 4096 + 4096;
    pages_[address] = size_bytes;
    return address;
  }
  DeviceResult<void> give_back(DeviceAddress address) override {
    pages_.erase(address);
    return result("give_back");
  }
  DeviceResult<void> settle() override { return result("settle"); }
  DeviceResult<void> check(const LaunchShape& shape) const override {
    if (shape.kernel != "unknown") return {};
    return tl::unexpected(program_error_named(program_error::unknown_kernel));
  }
  DeviceResult<void> launch(StreamIndex, const DeviceLaunch&) override { return result("launch"); }
  DeviceResult<void> copy(StreamIndex, DeviceSpan, DeviceSpan) override { return result("copy"); }
  DeviceResult<void> write(StreamIndex, DeviceAddress, std::span<const std::byte>) override { return result("write"); }
  DeviceResult<void> read(StreamIndex, std::span<const DeviceRead>) override { return result("read"); }
  DeviceResult<void> synchronize(StreamIndex, Deadline deadline) override {
    deadline_ = deadline;
    return result("synchronize");
  }
  Deadline deadline_in(std::optional<std::uint64_t> nanoseconds) const override {
    return {1000 + nanoseconds.value_or(kPatience)};
  }
  DeviceResult<void> order_after(StreamIndex stream, StreamIndex on) override {
    orders_.push_back(std::to_string(index(stream)) + "<-" + std::to_string(index(on)));
    return result("order_after");
  }
  DeviceResult<FenceId> fence(StreamIndex) override {
    if (auto error = answer("fence")) return tl::unexpected(*error);
    ++live_fences_;
    return FenceId{++fences_};
  }
  DeviceResult<bool> reached(FenceId) override {
    if (auto error = answer("reached")) return tl::unexpected(*error);
    return finished_;
  }
  DeviceResult<void> drop(FenceId) override {
    --live_fences_;
    return result("drop");
  }
  DeviceResult<void> begin_capture(StreamIndex) override {
    if (auto error = answer("begin_capture")) return tl::unexpected(*error);
    ++open_windows_;
    return {};
  }
  DeviceResult<DeviceGraphId> end_capture(StreamIndex) override {
    --open_windows_;
    if (auto error = answer("end_capture")) return tl::unexpected(*error);
    ++live_graphs_;
    return DeviceGraphId{++graphs_};
  }
  DeviceResult<void> abandon_capture(StreamIndex) override {
    --open_windows_;
    return result("abandon_capture");
  }
  DeviceResult<void> replay(StreamIndex, DeviceGraphId) override { return result("replay"); }
  DeviceResult<void> drop(DeviceGraphId) override {
    --live_graphs_;
    return result("drop_graph");
  }
  DeviceResult<void> recreate() override {
    pages_.clear();
    live_fences_ = live_graphs_ = open_windows_ = 0;
    return result("recreate");
  }

 private:
  std::optional<Error> answer(const std::string& call) {
    ++calls_[call];
    if (calls_left_ > 0 && --calls_left_ == 0) throw std::bad_alloc();
    const auto found = failing_.find(call);
    if (found == failing_.end() || found->second.second == 0) return std::nullopt;
    --found->second.second;
    return found->second.first;
  }
  DeviceResult<void> result(const std::string& call) {
    if (auto error = answer(call)) return tl::unexpected(*error);
    return {};
  }

  std::uint32_t streams_;
  std::uint64_t capacity_bytes_ = UINT64_MAX;
  std::uint64_t next_ = 1U << 20;
  std::uint64_t fences_ = 0;
  std::uint64_t graphs_ = 0;
  int calls_left_ = 0;
  std::size_t live_fences_ = 0;
  std::size_t live_graphs_ = 0;
  std::size_t open_windows_ = 0;
  bool finished_ = true;
  Deadline deadline_;
  std::map<DeviceAddress, std::uint64_t> pages_;
  std::map<std::string, int> calls_;
  std::map<std::string, std::pair<Error, int>> failing_;
  std::vector<std::string> orders_;
};

[[nodiscard]] inline Error error_named(std::string_view name) {
  return Error{.name = name, .call = {}, .code = 1, .detail = {}};
}
[[nodiscard]] inline Error out_of_memory() {
  return Error{.name = "out_of_memory", .call = "cuMemAlloc", .code = 2, .recovery = Recovery::retry, .detail = {}};
}

}  // namespace taintgraph::core
