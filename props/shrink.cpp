#include "props/shrink.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "props/removal.hpp"
#include "props/simplify.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::Program;

constexpr std::size_t kPairsUpTo = 12;  // operations; more pairs than that cost more runs than they are worth

class Shrinker {
 public:
  Shrinker(Program program, std::size_t needed, const FailureTest& test, const ShrinkOptions& options)
      : best_(std::move(program)), test_(test), options_(options) {
    cut(best_, needed);
  }

  Shrunk run() {
    drop_groups();
    drop_chunks();
    bool changed = true;
    while (changed && !stopped()) {
      changed = simplify_headers();
      changed |= simplify_whole();
      changed |= simplify_operations();
      if (changed) drop_chunks();
      changed |= drop_pairs();
    }
    const bool finished = !stopped();
    try_take(with_plain_names(best_));
    return {std::move(best_), runs_, finished};
  }

 private:
  static void cut(Program& program, std::size_t needed) {
    if (needed < program.operations.size()) program.operations.resize(needed);
  }

  bool stopped() {
    stopped_ = stopped_ || runs_ >= options_.max_runs || (options_.interrupted && options_.interrupted());
    return stopped_;
  }

  // Takes the candidate as the new best if it still fails.
  bool try_take(Program candidate) {
    if (stopped() || candidate.operations.empty()) return false;
    ++runs_;
    const std::optional<std::size_t> needed = test_(candidate);
    if (!needed) return false;
    cut(candidate, *needed);
    best_ = std::move(candidate);
    return true;
  }

  // All operations of one kind, or on one buffer or graph, or that cannot reach the last one: seldom right, but cheap
  // to ask.
  void drop_groups() {
    try_take(without_unrelated(best_));
    for (std::size_t kind = 0; kind < traces::kOpKindCount; ++kind) {
      Program without = without_kind(best_, static_cast<traces::OpKind>(kind));
      if (without.operations.size() < best_.operations.size()) try_take(std::move(without));
    }
    for (const traces::NameId graph : graphs_of(best_)) {
      Program without = without_graph(best_, graph);
      if (without.operations.size() < best_.operations.size()) try_take(std::move(without));
    }
    for (const traces::NameId buffer : buffers_of(best_)) {
      Program without = without_buffer(best_, buffer);
      if (without.operations.size() < best_.operations.size()) try_take(std::move(without));
    }
  }

  // Chunks of half the program, then a quarter, down to single operations; from the back, where what a chunk's
  // operations depend on is still there.
  void drop_chunks() {
    std::size_t size = std::max<std::size_t>(1, best_.operations.size() / 2);
    while (!stopped()) {
      const bool dropped = drop_chunks_of(size);
      if (size == 1 && !dropped) return;
      if (size > 1) size = std::max<std::size_t>(1, std::min(size, best_.operations.size()) / 2);
    }
  }

  bool drop_chunks_of(std::size_t size) {
    bool dropped = false;
    std::size_t end = best_.operations.size();
    while (end > 0 && !stopped()) {
      const std::size_t begin = end > size ? end - size : 0;
      dropped |= try_take(without_range(best_, begin, end));
      end = std::min(begin, best_.operations.size());
    }
    return dropped;
  }

  // Two operations that only make sense without each other, such as a free and the reservation after it, or the
  // beginning and the end of a capture.
  bool drop_pairs() {
    bool dropped = false;
    for (std::size_t i = 0; i < best_.operations.size(); ++i) {
      for (std::size_t j = i + 1; j < best_.operations.size() && !stopped(); ++j) {
        if (best_.operations.size() > kPairsUpTo && !belong_together(best_, i, j)) continue;
        if (try_take(without_two(best_, i, j))) {
          dropped = true;
          j = i;
        }
      }
    }
    return dropped;
  }

  bool simplify_headers() {
    return simplify_with([this] {
      std::vector<Program> programs;
      for (traces::Header& header : simpler_headers(best_.header)) {
        programs.push_back(best_);
        programs.back().header = std::move(header);
      }
      return programs;
    });
  }

  bool simplify_whole() {
    return simplify_with([this] { return simpler_programs(best_); });
  }

  // Takes the first of the candidates that still fails and begins again, until none does.
  template <class Candidates>
  bool simplify_with(Candidates candidates) {
    bool changed = false;
    bool found = true;
    while (found && !stopped()) {
      found = false;
      for (Program& candidate : candidates()) {
        if (!try_take(std::move(candidate))) continue;
        found = changed = true;
        break;
      }
    }
    return changed;
  }

  bool simplify_operations() {
    bool changed = false;
    for (std::size_t i = best_.operations.size(); i-- > 0 && !stopped();) {
      if (i < best_.operations.size()) changed |= simplify_operation(i);
    }
    return changed;
  }

  // Like simplify_with(), but for a program at a time: an operation of a thousand ranges has thousands of candidates.
  bool simplify_operation(std::size_t index) {
    bool changed = false;
    bool found = true;
    while (found && !stopped() && index < best_.operations.size()) {
      found = false;
      for (Operation& operation : simpler_operations(best_.operations[index])) {
        Program candidate = best_;
        candidate.operations[index] = std::move(operation);
        if (!try_take(std::move(candidate))) continue;
        found = changed = true;
        break;
      }
    }
    return changed;
  }

  Program best_;
  const FailureTest& test_;
  const ShrinkOptions& options_;
  std::uint64_t runs_ = 0;
  bool stopped_ = false;
};

}  // namespace

Shrunk shrink(const Program& program, std::size_t needed, const FailureTest& test, const ShrinkOptions& options) {
  return Shrinker(program, needed, test, options).run();
}

}  // namespace taintgraph::props
