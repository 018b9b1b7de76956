// Turns a replayed trace into a recorded one: the same operations with every decision of the run written on them, so
// that it replays with no plan, no random numbers and no schedule choices of its own.
#pragma once

#include <cstdint>
#include <string>

#include "traces/session.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {

class Recorder {
 public:
  // `names` must outlive the recorder.
  Recorder(const Header& header, const NameTable& names);

  // `result` is what executing `operation` gave.
  void add(const Operation& operation, const StepResult& result);

  // The whole recorded trace, closing line included.
  [[nodiscard]] std::string finish(const Session& session);

 private:
  const NameTable& names_;
  std::string text_;
};

}  // namespace taintgraph::traces
