#include "traces/internal/resource_audit.hpp"

#include <algorithm>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::traces::internal {
namespace {

// Each stream of the backend keeps one event to order others after it, and has at most one fence out at a time.
constexpr std::size_t kEventsAStream = 2;
// And it stages what goes to the device and what comes from it.
constexpr std::size_t kHostAllocationsAStream = 2;

void report_leak(std::size_t most, std::size_t found, std::string_view what, std::vector<std::string>& findings) {
  findings.push_back("leaked: " + std::to_string(found) + " " + std::string(what) + " alive, accounted for are " +
                     std::to_string(most));
}

inline void expect_at_most(std::size_t most, std::size_t found, std::string_view what,
                           std::vector<std::string>& findings) {
  if (found > most) report_leak(most, found, what, findings);
}

std::vector<core::PageId> empty_pages(const core::Pool& pool) {
  std::vector<core::PageId> pages;
  pool.for_each([&](core::SliceId, const core::Slice& slice) {
    const bool whole_page = slice.before == core::SliceId::none && slice.after == core::SliceId::none;
    if (whole_page && slice.state == core::SliceState::free) pages.push_back(slice.page);
  });
  return pages;
}

}  // namespace

void ResourceAudit::check(const sim::LiveObjects& live, const core::Runtime& runtime, const Happened& happened,
                          std::vector<std::string>& findings) {
  if (owing(happened.fired, happened.made_calls)) return;
  expect_at_most(1, live.contexts, "contexts", findings);
  expect_at_most(streams_ + ordering_streams_, live.streams, "streams", findings);
  expect_at_most(kEventsAStream * streams_ + ordering_streams_, live.events, "events", findings);
  expect_at_most(gpu::kernel_catalog().size(), live.modules, "modules", findings);
  expect_at_most(0, live.programs, "programs of the compiler", findings);
  expect_at_most(0, live.graphs, "graphs that are not executable", findings);
  const std::size_t recorded_work = runtime.recorded();
  expect_at_most(recorded_work, live.executable_graphs, "executable graphs", findings);

  // Recorded launches keep their operands in memory of their own. When a stream cannot be waited for, that memory is
  // left to its context.
  const bool unwaited = std::any_of(happened.fired.begin(), happened.fired.end(), [](const sim::FiredFault& fault) {
    return fault.call == gpu::Call::cuStreamSynchronize || fault.call == gpu::Call::cuStreamQuery;
  });
  const bool recorded = recorded_work != 0;
  abandoned_ = abandoned_ || ((unwaited || happened.hangs) && (recorded || recorded_before_));
  recorded_before_ = recorded;
  if (recorded || abandoned_) return;
  expect_at_most(kHostAllocationsAStream * streams_, live.host_allocations, "host allocations", findings);
  expect_at_most(runtime.pool().pages() + streams_, live.allocations, "device allocations", findings);
}

void ResourceAudit::check_closed(const sim::LiveObjects& left_to_context, std::vector<std::string>& findings) const {
  expect_at_most(0, left_to_context.streams, "streams", findings);
  expect_at_most(0, left_to_context.events, "events", findings);
  expect_at_most(0, left_to_context.modules, "modules", findings);
  expect_at_most(0, left_to_context.graphs, "graphs that are not executable", findings);
  expect_at_most(0, left_to_context.executable_graphs, "executable graphs", findings);
  if (abandoned_) return;
  expect_at_most(0, left_to_context.host_allocations, "host allocations", findings);
  expect_at_most(0, left_to_context.allocations, "device allocations", findings);
}

bool ResourceAudit::has_room(const core::Pool& pool, PoolKind kind, std::uint64_t size_bytes) {
  const std::uint64_t most = kind == PoolKind::exclusive ? pool.page_bytes(size_bytes) : UINT64_MAX;
  bool found = false;
  pool.for_each([&](core::SliceId, const core::Slice& slice) {
    const bool fits = pool.slice_bytes(size_bytes) <= slice.size_bytes && slice.size_bytes <= most;
    found = found || (slice.state == core::SliceState::free && fits);
  });
  return found;
}

bool ResourceAudit::owing(std::span<const sim::FiredFault> fired, bool made_calls) {
  const bool refused = std::any_of(fired.begin(), fired.end(), [](const sim::FiredFault& fault) {
    if (fault.when == gpu::FaultWhen::async) return false;  // the call itself does its work
    const bool lost = fault.call == gpu::Call::cuCtxGetCurrent && gpu::row(fault.kind).sticky;
    return lost || fault.call == gpu::Call::cuCtxSetCurrent;
  });
  if (refused || made_calls) owing_ = refused;
  return owing_;
}

void ResourceAudit::check_cleaned(const core::Runtime& runtime, bool everything, std::vector<std::string>& findings) {
  const core::Pool& pool = runtime.pool();
  if (!pool.retired().empty()) {
    findings.push_back("nothing is queued, and cleanup leaves " + std::to_string(pool.retired().size()) +
                       " freed piece(s) of memory out of use");
  }
  if (everything && !empty_pages(pool).empty()) findings.emplace_back("an explicit cleanup keeps an empty page");
}

void ResourceAudit::check_idle(const core::Runtime& runtime, bool reserves, bool periodic,
                               std::vector<std::string>& findings) {
  if (reserves) empty_pages_.clear();
  if (!periodic) return;
  const std::vector<core::PageId> empty = empty_pages(runtime.pool());
  const bool kept = std::any_of(empty.begin(), empty.end(), [&](core::PageId page) {
    return std::find(empty_pages_.begin(), empty_pages_.end(), page) != empty_pages_.end();
  });
  if (kept) findings.emplace_back("a periodic cleanup keeps a page that was empty at the one before, too");
  empty_pages_ = empty;
}

}  // namespace taintgraph::traces::internal
