#include "core/pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"

namespace taintgraph::core {
namespace {

// Streams that may read a slice between two writes before noting them takes an allocation.
constexpr std::size_t kUsualReaders = 4;

// Slices that there is room for from the first one on.
constexpr std::size_t kFirstSlices = 16;

// Size classes of an exclusive pool to each doubling. More would waste less and reuse less.
constexpr std::uint64_t kClassesADoubling = 4;

}  // namespace

Pool::Pool(const PoolOptions& options, ErrorGraph& graph) : options_(options), graph_(graph) {
  TAINTGRAPH_CHECK(std::has_single_bit(options.alignment_bytes), "alignment: a power of two");
}

std::uint64_t Pool::slice_bytes(std::uint64_t size_bytes) const {
  const std::uint64_t rounding = options_.alignment_bytes - 1;
  if (size_bytes > UINT64_MAX - rounding) return size_bytes;
  return std::max(options_.alignment_bytes,
                  (size_bytes + rounding) / options_.alignment_bytes * options_.alignment_bytes);
}

std::uint64_t Pool::page_bytes(std::uint64_t size_bytes) const {
  const std::uint64_t needed = slice_bytes(size_bytes);
  return options_.kind == PoolKind::exclusive ? class_bytes(needed) : std::max(needed, options_.page_bytes);
}

std::uint64_t Pool::class_bytes(std::uint64_t slice_bytes) const {
  const std::uint64_t units = slice_bytes / options_.alignment_bytes;
  const std::uint64_t step = std::bit_floor(units) / kClassesADoubling;
  if (step <= 1) return slice_bytes;
  const std::uint64_t rounded = (units + step - 1) / step * step;
  return rounded > UINT64_MAX / options_.alignment_bytes ? slice_bytes : rounded * options_.alignment_bytes;
}

Pool::FreeKey Pool::key(SliceId slice) const {
  const Slice& each = at(slice);
  return {each.size_bytes, each.page, each.offset, slice};
}

SliceId Pool::take(std::uint64_t size_bytes) {
  const std::uint64_t needed = slice_bytes(size_bytes);
  const auto found = free_.lower_bound({needed, PageId{0}, 0, SliceId{0}});
  if (found == free_.end()) return SliceId::none;
  const SliceId slice = std::get<SliceId>(*found);
  if (options_.kind == PoolKind::exclusive && at(slice).size_bytes > class_bytes(needed)) return SliceId::none;
  occupy(slice, needed);
  return slice;
}

SliceId Pool::take_from_new_page(DeviceAddress address, std::uint64_t page_size_bytes, std::uint64_t size_bytes) {
  // What may throw comes first: a page that is in the pool is in it whole.
  make_slices(2);
  if (free_pages_.empty()) {
    if (free_pages_.capacity() <= pages_.size()) free_pages_.reserve(2 * pages_.size() + 1);
    pages_.emplace_back();
    free_pages_.push_back(static_cast<PageId>(pages_.size() - 1));
  }
  const PageId id = free_pages_.back();
  free_pages_.pop_back();
  const SliceId whole = new_slice();
  Slice& slice = at(whole);
  slice.state = SliceState::free;
  slice.page = id;
  slice.offset = 0;
  slice.size_bytes = page_size_bytes;
  slice.before = slice.after = SliceId::none;
  pages_[static_cast<std::uint32_t>(id)] = {address, page_size_bytes, whole, 0, false};
  reserved_bytes_ += page_size_bytes;
  list_free(whole);
  occupy(whole, slice_bytes(size_bytes));
  return whole;
}

// A free slice becomes live, cut to size; what is left over is a free slice behind it.
void Pool::occupy(SliceId slice, std::uint64_t size_bytes) {
  const bool cut = options_.kind == PoolKind::sliced && at(slice).size_bytes > size_bytes;
  if (cut) make_slices(1);  // may throw; nothing has changed yet
  const SliceId rest = cut ? new_slice() : SliceId::none;
  unlist_free(slice);
  if (cut) split(slice, size_bytes, rest);
  Slice& taken = at(slice);
  taken.state = SliceState::live;
  taken.buffer = BufferId();
  taken.usage.forget();
  ++page(taken).occupied;
  page(taken).idle = false;
}

void Pool::split(SliceId slice, std::uint64_t size_bytes, SliceId rest_id) {
  Slice& front = at(slice);
  Slice& rest = at(rest_id);
  rest.state = SliceState::free;
  rest.page = front.page;
  rest.offset = front.offset + size_bytes;
  rest.size_bytes = front.size_bytes - size_bytes;
  rest.before = slice;
  rest.after = front.after;
  if (front.after != SliceId::none) at(front.after).before = rest_id;
  front.after = rest_id;
  front.size_bytes = size_bytes;
  list_free(rest_id);
}

void Pool::list_free(SliceId slice) {
  auto& node = free_nodes_[static_cast<std::uint32_t>(slice)];
  node.value() = key(slice);
  free_.insert(std::move(node));
}

void Pool::bind(SliceId slice, BufferId buffer) {
  TAINTGRAPH_CHECK(at(slice).state == SliceState::live, "bind: a live slice");
  shed(slice);
  at(slice).buffer = buffer;
}

void Pool::retire(SliceId slice) {
  Slice& gone = at(slice);
  TAINTGRAPH_CHECK(gone.state == SliceState::live, "retire: a live slice");
  gone.state = SliceState::retired;
  gone.buffer = BufferId();
  retired_.push_back(slice);
}

void Pool::make_free(SliceId slice) {
  Slice& freed = at(slice);
  shed(slice);
  freed.usage.forget();
  freed.state = SliceState::free;
  --page(freed).occupied;
  if (freed.after != SliceId::none && at(freed.after).state == SliceState::free) {
    unlist_free(freed.after);
    absorb_next(slice);
  }
  SliceId whole = slice;
  if (freed.before != SliceId::none && at(freed.before).state == SliceState::free) {
    whole = freed.before;
    unlist_free(whole);
    absorb_next(whole);
  }
  list_free(whole);
}

// Joins a free slice with the free one behind it, which stops existing. Neither is in free_ meanwhile.
void Pool::absorb_next(SliceId slice) {
  Slice& front = at(slice);
  const SliceId gone = front.after;
  const Slice& back = at(gone);
  front.size_bytes += back.size_bytes;
  front.after = back.after;
  if (front.after != SliceId::none) at(front.after).before = slice;
  tombstone(gone);
}

// So many slices can be taken by new_slice() then. Every list gets room for each, so that no later change of state can
// fail.
void Pool::make_slices(std::size_t count) {
  while (tombstones_.size() < count) {
    const auto grow = [slices = slices_.size() + 1](auto& list) {
      if (list.capacity() < slices) list.reserve(std::max(2 * slices, kFirstSlices));
    };
    grow(slices_);
    grow(tombstones_);
    grow(retired_);
    grow(free_nodes_);
    std::set<FreeKey> maker;
    maker.insert(FreeKey{});
    auto fresh = std::make_unique<Slice>();
    fresh->usage.readers.reserve(kUsualReaders);
    slices_.push_back(std::move(fresh));
    free_nodes_.push_back(maker.extract(maker.begin()));
    tombstones_.push_back(static_cast<SliceId>(slices_.size() - 1));
  }
}

SliceId Pool::new_slice() {
  const SliceId id = tombstones_.back();
  tombstones_.pop_back();
  return id;
}

void Pool::tombstone(SliceId slice) {
  shed(slice);
  Slice& gone = at(slice);
  gone.usage.forget();
  gone.state = SliceState::tombstone;
  gone.page = PageId::none;
  gone.before = gone.after = SliceId::none;
  gone.buffer = BufferId();
  tombstones_.push_back(slice);
}

// Requires: retired_ names none of its slices.
DeviceAddress Pool::remove_page(PageId id) {
  Page& gone = pages_[static_cast<std::uint32_t>(id)];
  for (SliceId each = gone.first; each != SliceId::none;) {
    const SliceId next = at(each).after;
    if (at(each).state == SliceState::free) unlist_free(each);
    tombstone(each);
    each = next;
  }
  const DeviceAddress address = gone.address;
  reserved_bytes_ -= gone.size_bytes;
  gone = {};
  free_pages_.push_back(id);
  return address;
}

std::vector<DeviceAddress> Pool::take_empty_pages(EmptyPages which) {
  std::vector<DeviceAddress> addresses;
  addresses.reserve(pages_.size());  // may throw; nothing has changed yet
  for (std::uint32_t i = 0; i < pages_.size(); ++i) {
    Page& each = pages_[i];
    if (each.address == DeviceAddress::null || each.occupied > 0) continue;
    if (which == EmptyPages::idle && !each.idle) {
      each.idle = true;
      continue;
    }
    addresses.push_back(remove_page(static_cast<PageId>(i)));
  }
  return addresses;
}

std::vector<DeviceAddress> Pool::take_all_pages() {
  std::vector<DeviceAddress> addresses;
  addresses.reserve(pages_.size());
  retired_.clear();
  for (std::uint32_t i = 0; i < pages_.size(); ++i)
    if (pages_[i].address != DeviceAddress::null) addresses.push_back(remove_page(static_cast<PageId>(i)));
  return addresses;
}

void Pool::forget_all_pages() {
  retired_.clear();
  for (std::uint32_t i = 0; i < pages_.size(); ++i)
    if (pages_[i].address != DeviceAddress::null) static_cast<void>(remove_page(static_cast<PageId>(i)));
}

void Pool::validate() const {
  std::size_t slices = 0;
  std::size_t free_slices = 0;
  std::size_t retired_slices = 0;
  std::uint64_t reserved_bytes = 0;
  for (const Page& each : pages_) {
    if (each.address == DeviceAddress::null) continue;
    reserved_bytes += each.size_bytes;
    std::uint64_t offset = 0;
    std::uint32_t occupied = 0;
    bool after_free = false;
    SliceId before = SliceId::none;
    for (SliceId id = each.first; id != SliceId::none;) {
      const Slice& slice = at(id);
      const bool is_free = slice.state == SliceState::free;
      TAINTGRAPH_CHECK(slice.state != SliceState::tombstone, "a page holds no tombstone");
      TAINTGRAPH_CHECK(slice.offset == offset && slice.before == before, "slices cover their page");
      TAINTGRAPH_CHECK(!(is_free && after_free), "free neighbours are one slice");
      TAINTGRAPH_CHECK(!is_free || slice.taint.is_clean(), "free slices are clean");
      if (!slice.taint.is_clean()) slice.taint.validate(graph_);
      occupied += is_free ? 0 : 1;
      free_slices += is_free ? 1 : 0;
      retired_slices += slice.state == SliceState::retired ? 1 : 0;
      ++slices;
      offset += slice.size_bytes;
      after_free = is_free;
      before = std::exchange(id, slice.after);
    }
    TAINTGRAPH_CHECK(offset == each.size_bytes && occupied == each.occupied, "slices cover their page");
    TAINTGRAPH_CHECK(!each.idle || occupied == 0, "a page in use is not idle");
  }
  TAINTGRAPH_CHECK(free_slices == free_.size() && retired_slices == retired_.size(), "every list is complete");
  for (const SliceId id : retired_)
    TAINTGRAPH_CHECK(at(id).state == SliceState::retired, "what is listed as retired is");
  const FreeKey* last = nullptr;  // keys of free slices in rising order: none is there twice, and each is found
  for (const FreeKey& each : free_) {
    const SliceId id = std::get<SliceId>(each);
    TAINTGRAPH_CHECK(at(id).state == SliceState::free && each == key(id), "a free slice is listed as what it is");
    TAINTGRAPH_CHECK(!last || *last < each, "the smallest free slice comes first");
    last = &each;
  }
  TAINTGRAPH_CHECK(slices + tombstones_.size() == slices_.size(), "every other slice is a tombstone");
  TAINTGRAPH_CHECK(reserved_bytes == reserved_bytes_, "reserved is what the pages have");
}

}  // namespace taintgraph::core
