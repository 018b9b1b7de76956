// Pages of device memory, cut into slices.
//
// Bookkeeping only: a Pool is given pages and gives them back, but talks to no device and knows no stream. Page and
// slice ids are stable: nothing that happens to one page or slice renumbers another (B4). A slice's claims are shed
// when it is bound to another buffer, freed, coalesced away, or goes with its page (B4).
//
// Sliced: a page holds many slices; neighbouring free slices are one. Exclusive: a page is one slice, never split, and
// pages come in size classes, so that one that is freed serves the next buffer of about that size: up to four alignment
// units every whole number of them, beyond that four classes to each doubling (5, 6, 7, 8, 10, 12, 14, 16, 20 ...). A
// page is thus less than a quarter larger than what its buffer needs, rounded to the alignment.
//
// Best fit, lowest address first, so that equal programs place equally. Cost: O(log n) in free slices.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/slice.hpp"

namespace taintgraph::core {

// Which pages a cleanup takes.
enum class EmptyPages : std::uint8_t {
  all,   // every page that is empty now
  idle,  // those that were empty at the last such cleanup too, and have not been used in between
};

enum class PoolKind : std::uint8_t { sliced, exclusive };

struct PoolOptions {
  PoolKind kind = PoolKind::sliced;
  std::uint64_t alignment_bytes = 256;     // of every slice, within its page; a power of two
  std::uint64_t page_bytes = 2U << 20;     // of a sliced pool's pages; larger buffers get a page of their own
  std::uint64_t limit_bytes = UINT64_MAX;  // that all pages together may have; kept by the MemoryManager
};

class Pool {
 public:
  // `graph` must outlive the pool.
  Pool(const PoolOptions& options, ErrorGraph& graph);
  // Requires: every slice was retired and freed or shed.
  ~Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // The least that a slice for `size_bytes` occupies, and how big a page to get for it if no free slice fits (a page of
  // the former size will do where that is too much). Sizes too large to be rounded come back as they are: no device has
  // them anyway.
  [[nodiscard]] std::uint64_t slice_bytes(std::uint64_t size_bytes) const;
  [[nodiscard]] std::uint64_t page_bytes(std::uint64_t size_bytes) const;

  // A free slice of slice_bytes(size_bytes), split off a larger one if need be; of an exclusive pool a page of the size
  // class. It is live, clean and unbound. SliceId::none if no free slice is large enough, or none is of the class.
  [[nodiscard]] SliceId take(std::uint64_t size_bytes);
  // Adds a page and takes a slice from it. Requires: page_size_bytes >= slice_bytes(size_bytes).
  [[nodiscard]] SliceId take_from_new_page(DeviceAddress address, std::uint64_t page_size_bytes,
                                           std::uint64_t size_bytes);

  // Makes a live slice the memory of `buffer`. Claims made for an earlier one end here (B4).
  void bind(SliceId slice, BufferId buffer);
  // Its buffer is gone. Requires: live.
  void retire(SliceId slice);
  // Releases its claims. Any state but tombstone.
  void shed(SliceId slice) { at(slice).taint.clear(graph_); }
  // Makes every retired slice free of which done(const Slice&) is true: sheds it and joins it with free neighbours.
  // Requires: every stream is done with those.
  template <class Done>
  void free_retired(Done&& done) {
    std::size_t kept = 0;
    for (const SliceId each : retired_) {
      if (done(std::as_const(at(each)))) {
        make_free(each);
      } else {
        retired_[kept++] = each;
      }
    }
    retired_.resize(kept);
  }

  [[nodiscard]] const std::vector<SliceId>& retired() const { return retired_; }

  // Takes pages without a live or retired slice out of the pool; their memory is the caller's to give back.
  [[nodiscard]] std::vector<DeviceAddress> take_empty_pages(EmptyPages which);
  // Takes every page out, whatever its slices are; all slices become tombstones, shed.
  [[nodiscard]] std::vector<DeviceAddress> take_all_pages();
  // The same where their memory is nobody's to give back. Throws nothing.
  void forget_all_pages();

  // Requires: not a tombstone.
  [[nodiscard]] Slice& at(SliceId slice) { return *slices_[static_cast<std::uint32_t>(slice)]; }
  [[nodiscard]] const Slice& at(SliceId slice) const { return *slices_[static_cast<std::uint32_t>(slice)]; }
  [[nodiscard]] DeviceAddress address(const Slice& slice) const {
    return pages_[static_cast<std::uint32_t>(slice.page)].address + slice.offset;
  }
  [[nodiscard]] DeviceAddress address(SliceId slice) const { return address(at(slice)); }

  [[nodiscard]] std::size_t pages() const { return pages_.size() - free_pages_.size(); }
  [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }
  // O(pages).
  [[nodiscard]] std::size_t live_slices() const {
    std::size_t occupied = 0;
    for (const Page& each : pages_) occupied += each.occupied;
    return occupied - retired_.size();
  }

  // Calls visit(SliceId, const Slice&) for every slice that is not a tombstone.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::uint32_t id = 0;
    for (const auto& each : slices_) {
      if (each->state != SliceState::tombstone) visit(static_cast<SliceId>(id), std::as_const(*each));
      ++id;
    }
  }

  // CHECKs that slices cover each page without gap or overlap, that no two free neighbours exist, every list and sum.
  void validate() const;

 private:
  struct Page {
    DeviceAddress address = DeviceAddress::null;  // null: the id is not in use
    std::uint64_t size_bytes = 0;
    SliceId first = SliceId::none;
    std::uint32_t occupied = 0;  // live and retired slices
    bool idle = false;           // was empty at the last idle-only call
  };
  // Size, page, offset: best fit, lowest address first.
  using FreeKey = std::tuple<std::uint64_t, PageId, std::uint64_t, SliceId>;

  [[nodiscard]] Page& page(const Slice& slice) { return pages_[static_cast<std::uint32_t>(slice.page)]; }
  [[nodiscard]] FreeKey key(SliceId slice) const;
  [[nodiscard]] std::uint64_t class_bytes(std::uint64_t slice_bytes) const;
  void make_slices(std::size_t count);
  SliceId new_slice();
  void make_free(SliceId slice);
  void list_free(SliceId slice);
  void unlist_free(SliceId slice) { free_nodes_[static_cast<std::uint32_t>(slice)] = free_.extract(key(slice)); }
  void split(SliceId slice, std::uint64_t size_bytes, SliceId rest);
  void absorb_next(SliceId slice);
  void occupy(SliceId slice, std::uint64_t size_bytes);
  void tombstone(SliceId slice);
  DeviceAddress remove_page(PageId page);

  PoolOptions options_;
  ErrorGraph& graph_;
  std::vector<std::unique_ptr<Slice>> slices_;  // by id; slices stay where they are
  std::vector<SliceId> tombstones_;
  std::vector<SliceId> retired_;  // oldest first
  std::set<FreeKey> free_;
  std::vector<std::set<FreeKey>::node_type>
      free_nodes_;  // of each slice while not in free_, so that freeing cannot fail
  std::vector<Page> pages_;
  std::vector<PageId> free_pages_;  // ids to use again
  std::uint64_t reserved_bytes_ = 0;
};

}  // namespace taintgraph::core
