#include "traces/internal/header_reader.hpp"

#include <array>
#include <bit>
#include <string>

#include "traces/internal/fault_reader.hpp"
#include "traces/internal/format_words.hpp"

namespace taintgraph::traces::internal {
namespace {

enum HeaderMember : std::size_t { format, version, name, note, seed, device, faults, requires_, ops };
constexpr std::array<std::string_view, 9> kHeaderNames = {"format", "version", "name",     "note", "seed",
                                                          "device", "faults",  "requires", "ops"};

enum DeviceMember : std::size_t { memory, streams, alignment, pool, page, allocator, init, surfacing };
constexpr std::array<std::string_view, 8> kDeviceNames = {"memory", "streams",   "alignment", "pool",
                                                          "page",   "allocator", "init",      "surfacing"};

std::string read_text(ValueReader& in) {
  const auto text = in.text();
  return text ? std::string(*text) : std::string();
}

}  // namespace

HeaderReader::HeaderReader(ValueReader& in) : in_(in), members_(in, kHeaderNames, &header_.extensions) {}

HeaderReader::Step HeaderReader::step() {
  const auto member = members_.next();
  if (!member) return Step::done;
  switch (*member) {
    case format:
      read_format();
      break;
    case version:
      read_version();
      break;
    case name:
      header_.name = read_text(in_);
      break;
    case note:
      header_.note = read_text(in_);
      break;
    case seed:
      header_.seed = in_.integer().value_or(0);
      break;
    case device:
      read_device();
      break;
    case faults:
      header_.faults = read_fault_plan(in_);
      break;
    case requires_:
      read_requires();
      break;
    default:
      return Step::operations;
  }
  return Step::more;
}

bool HeaderReader::is_document() const { return members_.has(ops); }

void HeaderReader::check_complete() {
  members_.require(format);
  members_.require(version);
}

void HeaderReader::read_format() {
  const Place start = in_.next_place();
  const auto given = in_.text();
  if (!given) return;
  format_good_ = *given == kFormatName;
  if (!format_good_) {
    in_.problems().add(start, "unknown format " + in_quotes(*given) + "; expected " + in_quotes(kFormatName));
  }
}

void HeaderReader::read_version() {
  const Place start = in_.next_place();
  const auto given = in_.integer();
  if (!given) return;
  version_good_ = *given == kFormatVersion;
  if (!version_good_) {
    in_.problems().add(start,
                       "unknown version " + std::to_string(*given) + "; expected " + std::to_string(kFormatVersion));
  }
}

void HeaderReader::read_device() {
  if (!in_.object()) return;
  Members members(in_, kDeviceNames);
  while (const auto member = members.next()) read_device_member(*member);
}

void HeaderReader::read_device_member(std::size_t member) {
  DeviceConfig& config = header_.device;
  const Place start = in_.next_place();
  switch (member) {
    case memory:
      config.memory_bytes = in_.integer().value_or(config.memory_bytes);
      break;
    case streams:
      config.streams = static_cast<std::uint32_t>(in_.integer(1, kMaxStreams).value_or(config.streams));
      break;
    case alignment:
      config.alignment_bytes = in_.integer(1, kMaxAlignmentBytes).value_or(config.alignment_bytes);
      if (!std::has_single_bit(config.alignment_bytes)) {
        in_.problems().add(start, "expected a power of two, found " + std::to_string(config.alignment_bytes));
      }
      break;
    case pool:
      config.pool = in_.word(kPoolWords).value_or(config.pool);
      break;
    case page:
      config.page_bytes = in_.integer(1);
      break;
    case allocator:
      config.allocator = in_.word(kAllocatorWords).value_or(config.allocator);
      break;
    case init:
      config.init = in_.word(kInitWords).value_or(config.init);
      break;
    default:
      config.surfacing = in_.word(kSurfacingWords).value_or(config.surfacing);
      break;
  }
}

void HeaderReader::read_requires() {
  if (!in_.list()) return;
  in_.scanner().enter();
  for (std::uint64_t i = 0; in_.scanner().next_element(); ++i) {
    const PathStep step(in_.problems(), i);
    const Place start = in_.next_place();
    const auto feature = in_.name("the name of a feature");
    if (!feature) continue;
    // Version 1 has no optional features yet, so whatever is asked for is beyond this reader.
    in_.problems().add(start, "the trace requires " + in_quotes(*feature) +
                                  ", which this reader does not know; expected no required feature");
  }
}

}  // namespace taintgraph::traces::internal
