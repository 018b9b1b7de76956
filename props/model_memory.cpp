#include "props/model_memory.hpp"

#include <algorithm>

namespace taintgraph::props::reference {

Ordinal Memory::named(traces::NameId name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? 0 : found->second;
}

std::optional<Range> Memory::resolve(const traces::Ref& ref) const {
  const Ordinal buffer = named(ref.buffer);
  if (buffer == 0) return std::nullopt;
  const std::uint64_t size = at(buffer).size;
  if (ref.whole) return Range{buffer, 0, size};
  if (ref.begin > ref.end || ref.end > size) return std::nullopt;
  return Range{buffer, ref.begin, ref.end};
}

std::optional<std::vector<Range>> Memory::resolve(std::span<const traces::Ref> refs) const {
  std::vector<Range> ranges;
  for (const traces::Ref& ref : refs) {
    const std::optional<Range> range = resolve(ref);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

void Memory::allocate(Ordinal ordinal, traces::NameId name, std::uint64_t size) {
  Buffer buffer{.name = name, .size = size, .bytes = {}, .carried = {}};
  buffer.bytes.resize(size);
  buffers_.emplace(ordinal, std::move(buffer));
  names_.emplace(name, ordinal);
}

void Memory::allocate_nothing(Ordinal ordinal, traces::NameId name, std::uint64_t size, Ordinal reason) {
  buffers_.emplace(ordinal, Buffer{.name = name, .size = size, .reason = reason, .bytes = {}, .carried = {}});
  names_.emplace(name, ordinal);
}

void Memory::drop_handle(traces::NameId name) {
  buffers_.at(names_.at(name)).has_handle = false;
  names_.erase(name);
}

void Memory::sweep(const std::set<Ordinal>& held) {
  for (auto each = buffers_.begin(); each != buffers_.end();) {
    const bool live = each->second.has_handle || held.count(each->first) != 0;
    each = live ? std::next(each) : buffers_.erase(each);
  }
}

void Memory::lose_all(Ordinal reason) {
  for (auto& [ordinal, buffer] : buffers_) {
    buffer.reason = reason;
    buffer.bytes.clear();
    buffer.carried.reset();
  }
}

void Memory::claim(std::span<const Range> ranges, Ordinal failure) {
  for (const Range& range : ranges) {
    Buffer& buffer = buffers_.at(range.buffer);
    if (buffer.reason != 0) continue;
    for (std::uint64_t i = range.begin; i < range.end; ++i) buffer.bytes[i].claim = failure;
    buffer.carried.reset();
  }
}

void Memory::release(std::span<const Range> ranges) { claim(ranges, 0); }

Ordinal Memory::first_claim(const Range& range) const {
  const std::vector<Ordinal> found = claims(range);
  return found.empty() ? 0 : found.front();
}

const std::vector<Ordinal>& carried_by(const Buffer& buffer) {
  if (buffer.carried) return *buffer.carried;
  std::vector<Ordinal>& failures = buffer.carried.emplace();
  if (buffer.reason != 0) failures.push_back(buffer.reason);
  Ordinal before = 0;  // bytes side by side mostly have one claim
  for (const Byte& byte : buffer.bytes) {
    if (byte.claim == before) continue;
    before = byte.claim;
    const bool new_one = std::find(failures.begin(), failures.end(), before) == failures.end();
    if (before != 0 && new_one) failures.push_back(before);
  }
  return failures;
}

std::vector<Ordinal> Memory::claims(const Range& range) const {
  const Buffer& buffer = at(range.buffer);
  if (unallocated(range)) return {buffer.reason};
  std::vector<Ordinal> found;
  for (std::uint64_t i = range.begin; i < range.end; ++i) {
    const Ordinal claim = buffer.bytes[i].claim;
    if (claim != 0 && std::find(found.begin(), found.end(), claim) == found.end()) found.push_back(claim);
  }
  return found;
}

bool Memory::unallocated(const Range& range) const { return !range.empty() && at(range.buffer).reason != 0; }

Values Memory::values(const Range& range) const {
  Values values;
  const Buffer& buffer = at(range.buffer);
  values.reserve(range.size());
  for (std::uint64_t i = range.begin; i < range.end; ++i) values.push_back(buffer.bytes[i].value);
  return values;
}

void Memory::set_values(const Range& range, const Values& values) {
  Buffer& buffer = buffers_.at(range.buffer);
  for (std::uint64_t i = 0; i < range.size(); ++i) buffer.bytes[range.begin + i].value = values[i];
}

void Memory::forget_values(std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    if (!unallocated(range)) set_values(range, Values(range.size()));
  }
}

}  // namespace taintgraph::props::reference
