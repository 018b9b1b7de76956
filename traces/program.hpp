// A whole trace in memory: header, names, operations. Long files are read one operation at a time instead (reader.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/fault_plan.hpp"
#include "traces/name_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::traces {

enum class PoolKind : std::uint8_t { sliced, exclusive };
enum class Allocator : std::uint8_t { context, stream_ordered };
enum class InitialState : std::uint8_t { trusted, unwritten };
enum class Surfacing : std::uint8_t { strict, documented };

struct DeviceConfig {
  std::uint64_t memory_bytes = 16U << 20;
  std::uint32_t streams = 4;
  std::uint64_t alignment_bytes = 32;
  PoolKind pool = PoolKind::sliced;
  std::optional<std::uint64_t> page_bytes;
  Allocator allocator = Allocator::context;
  InitialState init = InitialState::trusted;
  Surfacing surfacing = Surfacing::strict;

  friend bool operator==(const DeviceConfig&, const DeviceConfig&) = default;
};

struct Header {
  std::string name;
  std::string note;
  std::uint64_t seed = 0;
  DeviceConfig device;
  std::vector<sim::PlannedFault> faults;
  std::vector<std::string> requires_features;
  std::string extensions;  // fields that begin with "x-", as JSON members

  friend bool operator==(const Header&, const Header&) = default;
};

// The closing line of a recorded trace.
struct End {
  std::uint64_t operations = 0;
  std::uint64_t fingerprint = 0;

  friend bool operator==(const End&, const End&) = default;
};

struct Program {
  Header header;
  NameTable names;
  std::vector<Operation> operations;
  std::optional<End> end;
};

}  // namespace taintgraph::traces
