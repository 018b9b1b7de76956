#include "props/worker_pool.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace taintgraph::props {
namespace {

// Two pipes a worker: the usual limit on open files is below what the largest pool takes, and may be raised by anybody.
void allow_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &files);  // if not, a worker that cannot be started says so
}

}  // namespace

WorkerPool::WorkerPool(std::size_t workers, const ChildLimits& limits) : limits_(limits) {
  allow_open_files();
  for (std::size_t i = 0; i < std::max<std::size_t>(1, workers); ++i) slots_.push_back(std::make_unique<Slot>());
}

std::size_t WorkerPool::busy() const {
  return static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->child != nullptr; }));
}

void WorkerPool::start(std::uint64_t ticket, std::uint64_t first_case, const Work& work) {
  const auto idle = std::find_if(slots_.begin(), slots_.end(), [](const auto& slot) { return !slot->child; });
  Slot& slot = **idle;
  slot.ticket = ticket;
  slot.progress.set_case(first_case);
  slot.child = std::make_unique<Child>([&] { return work(slot.progress); }, slot.progress, limits_);
}

std::vector<WorkerPool::Ended> WorkerPool::wait() {
  std::vector<const Child*> children;
  for (const auto& slot : slots_) {
    if (slot->child) children.push_back(slot->child.get());
  }
  wait_for_any(children);
  std::vector<Ended> ended;
  for (const auto& slot : slots_) {
    if (!slot->child || !slot->child->attend()) continue;
    ended.push_back({slot->ticket, slot->child->outcome(), slot->progress.case_number(), slot->progress.step()});
    slot->child.reset();
  }
  return ended;
}

void WorkerPool::drop_from(std::uint64_t ticket) {
  for (const auto& slot : slots_) {
    if (slot->child && slot->ticket >= ticket) slot->child.reset();
  }
}

}  // namespace taintgraph::props
