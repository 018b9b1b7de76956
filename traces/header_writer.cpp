// The parts of the writer that say little: header, closing line.

#include "traces/internal/fault_text.hpp"
#include "traces/internal/format_words.hpp"
#include "traces/internal/json_line.hpp"
#include "traces/internal/spelling.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {
namespace {

using internal::JsonLine;
using internal::word_of;

// Fields with their default values are left out, the device as a whole too.
void write_device(JsonLine& line, const DeviceConfig& device) {
  const DeviceConfig defaults;
  if (device == defaults) return;
  line.key("device");
  line.open_object();
  if (device.memory_bytes != defaults.memory_bytes) line.member("memory", device.memory_bytes);
  if (device.streams != defaults.streams) line.member("streams", device.streams);
  if (device.alignment_bytes != defaults.alignment_bytes) line.member("alignment", device.alignment_bytes);
  if (device.pool != defaults.pool) line.member("pool", word_of(internal::kPoolWords, device.pool));
  if (device.page_bytes) line.member("page", *device.page_bytes);
  if (device.allocator != defaults.allocator) {
    line.member("allocator", word_of(internal::kAllocatorWords, device.allocator));
  }
  if (device.init != defaults.init) line.member("init", word_of(internal::kInitWords, device.init));
  if (device.surfacing != defaults.surfacing) {
    line.member("surfacing", word_of(internal::kSurfacingWords, device.surfacing));
  }
  line.close_object();
}

void write_planned(JsonLine& line, const sim::PlannedFault& planned) {
  const sim::PlannedFault defaults;
  line.open_object();
  if (!planned.id.empty()) line.member("id", planned.id);
  if (planned.call) line.member("call", gpu::to_string(*planned.call));
  if (planned.call_class) line.member("class", sim::to_string(*planned.call_class));
  if (!planned.kernel.empty()) line.member("kernel", planned.kernel);
  if (planned.stream) line.member("stream", *planned.stream);
  if (!planned.operation.empty()) line.member("op", planned.operation);
  if (planned.skip != defaults.skip) line.member("skip", planned.skip);
  if (planned.count != defaults.count) line.member("count", planned.count);
  if (planned.persistent) line.member("mode", word_of(internal::kModeWords, planned.persistent));
  if (planned.one_in != 0) line.member("one_in", planned.one_in);
  internal::write_fault_members(line, planned.fault);
  line.close_object();
}

}  // namespace

std::string header_line(const Header& header) {
  JsonLine line;
  line.open_object();
  line.member("format", internal::kFormatName);
  line.member("version", internal::kFormatVersion);
  if (!header.name.empty()) line.member("name", header.name);
  if (!header.note.empty()) line.member("note", header.note);
  if (header.seed != 0) line.member("seed", header.seed);
  write_device(line, header.device);
  if (!header.faults.empty()) {
    line.key("faults");
    line.open_list();
    for (const sim::PlannedFault& planned : header.faults) write_planned(line, planned);
    line.close_list();
  }
  if (!header.requires_features.empty()) {
    line.key("requires");
    line.open_list();
    for (const std::string& feature : header.requires_features) line.string(feature);
    line.close_list();
  }
  line.members(header.extensions);
  line.close_object();
  return line.take();
}

std::string end_line(const End& end) {
  std::string digits;
  for (int shift = 64 - 4; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(end.fingerprint >> static_cast<unsigned>(shift)) & 15U];
  }
  JsonLine line;
  line.open_object();
  line.member("op", "end");
  line.member("operations", end.operations);
  line.member("fingerprint", digits);
  line.close_object();
  return line.take();
}

}  // namespace taintgraph::traces
