// One row of the comparison for each probe and each trace: what the fault table (or the trace) lets be seen, what the
// simulated driver shows and what the real one does.
//
// Each driver works in a child process for each row, so that an error that only a new process recovers from, a crash or
// a hang is a row and not the end. The parent touches no driver.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "props/conform/probe.hpp"
#include "traces/program.hpp"
#include "traces/session.hpp"

namespace taintgraph::props {

enum class Agreement : std::uint8_t {
  agree,              // both see the same, and it is allowed
  both_allowed,       // they differ within what is allowed
  simulator_differs,  // from what is allowed
  hardware_differs,
  both_differ,
  left_out,  // not to be had on a real driver
};

[[nodiscard]] std::string_view to_string(Agreement agreement);

struct ConformRow {
  std::string name;
  std::string expected;
  std::string simulated;
  std::string real;
  Agreement agreement = Agreement::left_out;

  friend bool operator==(const ConformRow&, const ConformRow&) = default;
};

// Sets `agreement` from the rest.
void judge(ConformRow& row);

struct Machine {
  std::string card;
  int driver_version = 0;  // as CUDA counts: 1000 * major + 10 * minor
  int compiler_version = 0;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// In a child. The error says what is missing.
[[nodiscard]] tl::expected<Machine, std::string> look_at(const RigMaker& rig);

// Every probe, in the order of the table.
[[nodiscard]] std::vector<Probe> all_probes();

// What `probe` sees on `rig`, in a child. Its death is what was seen then, and nothing expected.
[[nodiscard]] Observation observe(const Probe& probe, const RigMaker& rig, std::chrono::milliseconds limit);

// What a session of `program` shows: mismatches, and every operation that was not ok. In a child.
[[nodiscard]] std::string observe(const traces::Program& program, const traces::SessionOptions& options,
                                  std::chrono::milliseconds limit);

// What is expected of every trace.
inline constexpr std::string_view kNoMismatch = "mismatches=0";

}  // namespace taintgraph::props
