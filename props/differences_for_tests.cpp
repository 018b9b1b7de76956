#include "props/differences_for_tests.hpp"

#include "props/checker.hpp"
#include "traces/reader.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {

std::string differences(const std::string& operations, const std::string& header) {
  const std::string first =
      R"({"format":"taintgraph-trace","version":1)" + (header.empty() ? "" : "," + header) + "}\n";
  const auto program = traces::parse_program(first + operations);
  if (!program) return "not a trace: " + traces::to_string(program.error().front(), "text");
  std::string all;
  CheckOptions options;
  if (const auto difference = check(*program, options).disagreement) {
    all += difference->property + " at " + difference->operation + ": expected " + difference->expected + ", found " +
           difference->found + '\n';
  }
  traces::SessionOptions session;
  session.validate = true;
  traces::Replayer replayer(
      program->header, program->names, session,
      [&](const traces::Operation&, const traces::StepResult&, const std::vector<traces::Mismatch>& mismatches) {
        for (const traces::Mismatch& each : mismatches) all += traces::to_string(each) + '\n';
      });
  for (const traces::Operation& operation : program->operations) replayer.execute(operation);
  replayer.finish();
  for (const traces::Mismatch& each : replayer.whole_run()) all += traces::to_string(each) + '\n';
  return all;
}

}  // namespace taintgraph::props
