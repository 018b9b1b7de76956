#include "core/taint.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "core/check.hpp"
#include "core/internal/claim_map.hpp"

namespace taintgraph::core {
namespace {

// Tags follow the set of failures in a map.
class Tagging final : public internal::ClaimMap::Observer {
 public:
  explicit Tagging(ErrorGraph& graph) : graph_(graph) {}
  void appeared(FailureId failure) override { graph_.tag(failure); }
  void vanished(FailureId failure) override { graph_.untag(failure); }

 private:
  ErrorGraph& graph_;
};

// For a map made from claims that are tagged already, or taken apart into such.
class NoTagging final : public internal::ClaimMap::Observer {
 public:
  void appeared(FailureId) override {}
  void vanished(FailureId) override {}
};

// Enough for the buffers that one launch usually cuts into.
constexpr std::size_t kSpareMaps = 8;

std::unique_ptr<internal::ClaimMap> take_map(ErrorGraph& graph) {
  auto& spare = graph.spare_maps();
  if (spare.empty()) {
    spare.reserve(kSpareMaps);  // putting one back never allocates
    return std::make_unique<internal::ClaimMap>();
  }
  std::unique_ptr<internal::ClaimMap> map = std::move(spare.back());
  spare.pop_back();
  return map;
}

void put_map(std::unique_ptr<internal::ClaimMap> map, ErrorGraph& graph) {
  if (graph.spare_maps().size() == kSpareMaps || map->is_large()) return;
  map->reset();
  graph.spare_maps().push_back(std::move(map));
}

}  // namespace

Taint::~Taint() { TAINTGRAPH_CHECK(is_clean(), "B4: claims end with the allocation, before it"); }

Taint& Taint::operator=(Taint&& other) noexcept {
  TAINTGRAPH_CHECK(is_clean(), "C2: claims are released before others take their place");
  begin_ = std::exchange(other.begin_, 0);
  end_ = std::exchange(other.end_, 0);
  failure_ = std::exchange(other.failure_, FailureId());
  return *this;
}

internal::ClaimMap* Taint::many() const {
  return failure_ || begin_ == 0 ? nullptr : reinterpret_cast<internal::ClaimMap*>(begin_);
}

void Taint::become_many(ErrorGraph& graph) {
  std::unique_ptr<internal::ClaimMap> map = take_map(graph);
  NoTagging observer;
  map->set({begin_, end_}, failure_, observer);
  begin_ = reinterpret_cast<std::uint64_t>(map.release());
  end_ = 0;
  failure_ = FailureId();
}

void Taint::become_few(ErrorGraph& graph) {
  internal::ClaimMap* const map = many();
  if (map->size() > 1) return;
  begin_ = end_ = 0;
  if (map->size() == 1) {
    begin_ = map->front().range.begin;
    end_ = map->front().range.end;
    failure_ = map->front().failure;
  }
  put_map(std::unique_ptr<internal::ClaimMap>(map), graph);
}

// Gives up every claim of a map at once: the work goes by failures, not by fragments.
void Taint::forget_many(ErrorGraph& graph) {
  std::unique_ptr<internal::ClaimMap> map{many()};
  begin_ = 0;
  map->visit_failures([&](FailureId failure) { graph.untag(failure); });
  put_map(std::move(map), graph);
}

void Taint::claim_more(ByteRange range, FailureId failure, ErrorGraph& graph) {
  if (failure_) {
    const bool touching = range.begin <= end_ && begin_ <= range.end;
    if (failure_ == failure && touching) {
      begin_ = std::min(begin_, range.begin);
      end_ = std::max(end_, range.end);
      return;
    }
    if (range.begin <= begin_ && end_ <= range.end) {  // the only claim is taken over whole
      const FailureId old = std::exchange(failure_, failure);
      begin_ = range.begin;
      end_ = range.end;
      graph.tag(failure);
      graph.untag(old);
      return;
    }
  } else if (many()->lies_in(range)) {  // so are all of many
    graph.tag(failure);
    forget_many(graph);
    begin_ = range.begin;
    end_ = range.end;
    failure_ = failure;
    return;
  }
  try {
    if (failure_) become_many(graph);
    Tagging tagging(graph);
    many()->set(range, failure, tagging);
  } catch (const std::bad_alloc&) {
    widen(range, failure, graph);
    return;
  }
  become_few(graph);
}

// No memory to say exactly who claims what: one claim of the newest failure over everything claimed before and now
// needs none (B5).
void Taint::widen(ByteRange range, FailureId failure, ErrorGraph& graph) {
  graph.count_widened();
  graph.tag(failure);
  ByteRange hull = range;
  if (const std::unique_ptr<internal::ClaimMap> map{many()}) {
    hull.begin = std::min(hull.begin, map->front().range.begin);
    hull.end = std::max(hull.end, map->back().range.end);
    map->visit_failures([&](FailureId old) { graph.untag(old); });
  } else {
    hull.begin = std::min(hull.begin, begin_);
    hull.end = std::max(hull.end, end_);
    graph.untag(failure_);
  }
  begin_ = hull.begin;
  end_ = hull.end;
  failure_ = failure;
}

void Taint::release_part(ByteRange range, ErrorGraph& graph) {
  if (failure_) {
    if (!overlaps(range, {begin_, end_})) return;
    if (range.begin <= begin_) {
      begin_ = range.end;
      return;
    }
    if (end_ <= range.end) {
      end_ = range.begin;
      return;
    }
  } else if (many()->lies_in(range)) {
    forget_many(graph);
    return;
  }
  try {
    if (failure_) become_many(graph);
    Tagging tagging(graph);
    many()->set(range, FailureId(), tagging);
  } catch (const std::bad_alloc&) {
    graph.count_widened();
    if (!many()) return;
  }
  become_few(graph);
}

void Taint::clear(ErrorGraph& graph) {
  if (failure_) {
    forget_inline(graph);
  } else if (many()) {
    forget_many(graph);
  }
}

FailureId Taint::first_of_many(ByteRange range) const {
  const internal::Fragment* found = many()->first(range);
  return found ? found->failure : FailureId();
}

std::uint64_t Taint::end_of_many() const { return many()->back().range.end; }

void Taint::append_failures_of_many(std::vector<FailureId>& found) const {
  many()->visit_failures([&](FailureId failure) { found.push_back(failure); });
}

std::vector<Claim> Taint::claims(ByteRange range) const {
  std::vector<Claim> found;
  append_claims(range, found);
  return found;
}

void Taint::append_claims(ByteRange range, std::vector<Claim>& found) const {
  if (failure_) {
    const ByteRange cut = intersection(range, {begin_, end_});
    if (!cut.empty()) found.push_back({cut, failure_});
  } else if (const internal::ClaimMap* map = many(); map && !range.empty()) {
    map->visit(range, [&](const internal::Fragment& fragment) {
      found.push_back({intersection(range, fragment.range), fragment.failure});
      return true;
    });
  }
}

std::size_t Taint::size() const {
  if (failure_) return 1;
  return many() ? many()->size() : 0;
}

bool Taint::carries(FailureId failure) const {
  if (failure_) return failure_ == failure;
  return many() && many()->carries(failure);
}

void Taint::validate(const ErrorGraph& graph) const {
  if (failure_) {
    TAINTGRAPH_CHECK(begin_ < end_, "B1: no empty ranges exist");
    TAINTGRAPH_CHECK(graph.contains(failure_), "C1: a claiming failure is in the graph");
  } else if (const internal::ClaimMap* map = many()) {
    map->validate();
    TAINTGRAPH_CHECK(map->size() > 1, "one range is kept inline");
    map->visit_failures([&](FailureId failure) {
      TAINTGRAPH_CHECK(graph.contains(failure), "C1: a claiming failure is in the graph");
    });
  }
}

}  // namespace taintgraph::core
