#include "sim/work_executor.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "sim/footprint.hpp"

namespace taintgraph::sim {

std::optional<CUresult> WorkExecutor::execute(const Work& work, std::uint32_t slot) {
  switch (work.kind) {
    case WorkKind::kernel:
      return run_kernel(work, slot);
    case WorkKind::copy_to_device:
      copy_to_device(work);
      break;
    case WorkKind::copy_to_host:
      copy_to_host(work);
      break;
    case WorkKind::copy_on_device:
      copy_on_device(work);
      break;
    case WorkKind::reserve:
      break;
    case WorkKind::release:
      if (Allocation* const allocation = memory_.find(work.to)) memory_.scramble(*allocation);
      break;
  }
  return std::nullopt;
}

std::byte* WorkExecutor::device_bytes(CUdeviceptr address, std::uint64_t size_bytes) {
  Allocation* const allocation = memory_.find(address, size_bytes);
  return allocation == nullptr ? nullptr : memory_.bytes(*allocation, address, size_bytes);
}

void WorkExecutor::copy_to_device(const Work& work) {
  const std::uint64_t size = std::min(work.size_bytes, work.write_limit);
  std::byte* const to = device_bytes(work.to, size);
  const std::byte* from = work.bytes.data();
  if (work.host_from != nullptr) from = host_.find(work.host_from, size) == nullptr ? nullptr : work.host_from;
  if (to != nullptr && from != nullptr) std::memcpy(to, from, size);
}

void WorkExecutor::copy_to_host(const Work& work) {
  const std::byte* const from = device_bytes(work.from, work.size_bytes);
  if (from != nullptr && host_.find(work.host_to, work.size_bytes) != nullptr) {
    std::memcpy(work.host_to, from, work.size_bytes);
  }
}

std::optional<std::uint64_t> WorkExecutor::host_digest(const Work& work) {
  std::optional<std::uint64_t> digest;
  each_touch(work, [&](const Touch& touch) {
    if (touch.host_bytes == nullptr || host_.find(touch.host_bytes, touch.size_bytes) == nullptr) return;
    std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
    for (std::uint64_t i = 0; i < touch.size_bytes; ++i) {
      hash = (hash ^ std::to_integer<std::uint64_t>(touch.host_bytes[i])) * 0x100000001B3ULL;
    }
    digest = hash;
  });
  return digest;
}

void WorkExecutor::copy_on_device(const Work& work) {
  const std::uint64_t size = std::min(work.size_bytes, work.write_limit);
  const std::byte* const from = device_bytes(work.from, size);
  std::byte* const to = device_bytes(work.to, size);
  if (to != nullptr && from != nullptr) std::memmove(to, from, size);
}

std::optional<CUresult> WorkExecutor::run_kernel(const Work& work, std::uint32_t slot) {
  if (work.is_declared) {
    checker_.declare(work.declared, work.write_limit);
  } else if (work.write_limit == Work::kAllBytes) {
    checker_.declare_everything();
  } else {
    checker_.declare({}, 0);  // nobody said what it writes, so there is no first byte of it
  }
  const std::optional<FaultKind> fault = work.kernel->run(work.dimensions, work.bytes.data(), checker_);
  report_undeclared(work, slot);
  if (!fault) return std::nullopt;
  return code_of(*fault);
}

void WorkExecutor::report_undeclared(const Work& work, std::uint32_t slot) {
  const UndeclaredAccesses& undeclared = checker_.undeclared();
  if (!work.is_declared) return;
  const auto report = [&](const char* what, std::uint64_t count, std::uint64_t address) {
    if (count == 0) return;
    std::string line = "undeclared access: kernel " + std::string(work.kernel->name) + " on stream " +
                       std::to_string(slot) + " " + what + " " + std::to_string(count) +
                       " times where its launch declared nothing";
    if (const Allocation* const allocation = memory_.find(address)) {
      line += ", first at byte " + std::to_string(address - allocation->address) + " of allocation " +
              std::to_string(allocation->serial);
    }
    findings_.add(std::move(line));
  };
  report("loads", undeclared.loads, undeclared.first_load);
  report("stores", undeclared.stores, undeclared.first_store);
}

bool WorkExecutor::looks_faulty(const Work& work) {
  if (work.kind != WorkKind::kernel) return false;
  const auto is_gone = [this](const gpu::DeclaredAccess& access) {
    return memory_.find(access.address, access.size_bytes) == nullptr;
  };
  if (std::any_of(work.declared.begin(), work.declared.end(), is_gone)) return true;
  // Of parameters that are all zero, it has nothing to touch.
  const std::vector<std::byte> nothing(work.bytes.size());
  checker_.declare_without_effect();
  return work.kernel->run_first_thread(work.dimensions, nothing.data(), checker_).has_value();
}

}  // namespace taintgraph::sim
