// The objects behind the driver's handles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/capture.hpp"
#include "sim/context_faults.hpp"
#include "sim/handle_table.hpp"
#include "sim/vector_clock.hpp"

namespace taintgraph::sim {

struct ContextObject {
  std::uint64_t serial = 0;  // n-th context of the driver, from 1
  std::uint32_t primary_references = 0;
  bool primary = false;
  std::uint64_t looked_ahead_in = 0;  // operation in which pending work was last looked at for faults
  VectorClock ended;                  // all work of streams that were destroyed
  ContextFaults faults;
};

struct StreamObject {
  std::uint64_t context = 0;         // serial
  std::uint32_t slot = 0;            // in the timeline; also its index
  std::shared_ptr<Capture> capture;  // that it takes part in; null if none
  VectorClock captured;              // the nodes ordered before what is captured next
};

struct EventObject {
  std::uint64_t context = 0;         // serial
  VectorClock clock;                 // what had been queued when it was last recorded; nothing if it never was
  std::uint64_t due = 0;             // when all that is done
  std::shared_ptr<Capture> capture;  // that it was last recorded in; `clock` then counts nodes
};

struct ModuleObject {
  std::uint64_t context = 0;  // serial
  std::size_t kernel = 0;     // index into compiled_kernels()
  std::vector<CUfunction> functions;
};

struct FunctionObject {
  std::uint64_t context = 0;  // serial
  std::size_t kernel = 0;
  bool loaded = false;  // by cuFuncLoad or a launch; loading is lazy otherwise
};

struct ProgramObject {
  std::optional<std::size_t> kernel;  // index into compiled_kernels(); none if its source is none of theirs
  std::string problem;                // what keeps it from compiling; empty if nothing does
  std::string image;                  // empty until compiled
  std::string log;
};

}  // namespace taintgraph::sim
