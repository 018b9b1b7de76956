#include "props/model_memory.hpp"

#include <algorithm>
#include <stdexcept>

namespace taintgraph::props::reference {
namespace {

void add_new(std::vector<Ordinal>& failures, Ordinal failure) {
  if (std::find(failures.begin(), failures.end(), failure) == failures.end()) failures.push_back(failure);
}

template <typename Buffers>
auto& buffer_among(Buffers& buffers, Ordinal ordinal) {
  for (auto& each : buffers) {
    if (each.ordinal == ordinal) return each;
  }
  throw std::out_of_range("the model knows no such buffer");
}

// Those of one buffer.
void add_carried_by(const Buffer& buffer, std::vector<Ordinal>& failures) {
  if (buffer.reason != 0) failures.push_back(buffer.reason);
  const std::size_t others = failures.size();
  Ordinal last = 0;
  for (const Claim& claim : buffer.claims.list()) {
    if (claim.failure == last) continue;  // so are most of a buffer in pieces
    last = claim.failure;
    std::size_t known = others;
    while (known < failures.size() && failures[known] != claim.failure) ++known;
    if (known == failures.size()) failures.push_back(claim.failure);
  }
}

}  // namespace

bool carries(const Buffer& buffer, Ordinal failure) {
  const std::vector<Claim>& claims = buffer.claims.list();
  return buffer.reason == failure ||
         std::any_of(claims.begin(), claims.end(), [failure](const Claim& each) { return each.failure == failure; });
}

const Buffer* Memory::find(traces::NameId name) const {
  for (const Buffer& each : buffers_) {
    if (each.name == name && each.has_handle) return &each;
  }
  return nullptr;
}

Ordinal Memory::named(traces::NameId name) const {
  const Buffer* found = find(name);
  return found ? found->ordinal : 0;
}

const Buffer& Memory::at(Ordinal buffer) const { return buffer_among(buffers_, buffer); }

Buffer& Memory::find(Ordinal buffer) { return buffer_among(buffers_, buffer); }

std::optional<Range> Memory::resolve(const traces::Ref& ref) const {
  const Buffer* buffer = find(ref.buffer);
  if (!buffer) return std::nullopt;
  if (ref.whole) return Range{buffer->ordinal, 0, buffer->size};
  if (ref.begin > ref.end || ref.end > buffer->size) return std::nullopt;
  return Range{buffer->ordinal, ref.begin, ref.end};
}

bool Memory::resolve(std::span<const traces::Ref> refs, std::vector<Range>& ranges) const {
  ranges.clear();
  ranges.reserve(refs.size());
  for (const traces::Ref& ref : refs) {
    const std::optional<Range> range = resolve(ref);
    if (!range) return false;
    ranges.push_back(*range);
  }
  return true;
}

void Memory::allocate(Ordinal ordinal, traces::NameId name, std::uint64_t size) {
  buffers_.push_back({.ordinal = ordinal, .name = name, .size = size, .values = Values(size, kUnknown)});
}

void Memory::allocate_nothing(Ordinal ordinal, traces::NameId name, std::uint64_t size, Ordinal reason) {
  buffers_.push_back({.ordinal = ordinal, .name = name, .size = size, .reason = reason});
}

void Memory::drop_handle(traces::NameId name) { find(named(name)).has_handle = false; }

bool Memory::all_have_handles() const {
  return std::all_of(buffers_.begin(), buffers_.end(), [](const Buffer& each) { return each.has_handle; });
}

void Memory::sweep(const std::vector<Ordinal>& held) {
  const auto is_over = [&held](const Buffer& each) {
    return !each.has_handle && !std::binary_search(held.begin(), held.end(), each.ordinal);
  };
  buffers_.erase(std::remove_if(buffers_.begin(), buffers_.end(), is_over), buffers_.end());
}

void Memory::lose_all(Ordinal reason) {
  for (Buffer& buffer : buffers_) {
    buffer.reason = reason;
    buffer.values.clear();
    buffer.claims.clear();
  }
}

void Memory::claim(std::span<const Range> ranges, Ordinal failure) {
  for (const Range& range : ranges) {
    Buffer& buffer = find(range.buffer);
    if (buffer.reason == 0) buffer.claims.set(range.begin, range.end, failure);
  }
}

void Memory::release(std::span<const Range> ranges) { claim(ranges, 0); }

Ordinal Memory::first_claim(const Range& range) const {
  if (range.empty()) return 0;
  const Buffer& buffer = at(range.buffer);
  if (buffer.reason != 0) return buffer.reason;
  const std::span<const Claim> found = buffer.claims.meeting(range.begin, range.end);
  return found.empty() ? 0 : found.front().failure;
}

std::vector<Ordinal> Memory::claims(const Range& range) const {
  if (range.empty()) return {};
  const Buffer& buffer = at(range.buffer);
  if (buffer.reason != 0) return {buffer.reason};
  std::vector<Ordinal> found;
  for (const Claim& claim : buffer.claims.meeting(range.begin, range.end)) add_new(found, claim.failure);
  return found;
}

void Memory::add_carried(std::vector<Ordinal>& failures) const {
  for (const Buffer& buffer : buffers_) add_carried_by(buffer, failures);
}

bool Memory::unallocated(const Range& range) const { return !range.empty() && at(range.buffer).reason != 0; }

std::span<const Value> Memory::values(const Range& range) const {
  if (range.empty()) return {};
  return std::span(at(range.buffer).values).subspan(range.begin, range.size());
}

std::span<Value> Memory::values_to_set(const Range& range) {
  if (range.empty()) return {};
  return std::span(find(range.buffer).values).subspan(range.begin, range.size());
}

void Memory::set_values(const Range& range, std::span<const Value> values) {
  std::copy(values.begin(), values.end(), values_to_set(range).begin());
}

void Memory::forget_values(std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    if (unallocated(range)) continue;
    const std::span<Value> values = values_to_set(range);
    std::fill(values.begin(), values.end(), kUnknown);
  }
}

}  // namespace taintgraph::props::reference
