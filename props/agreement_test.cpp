// Small programs on which runtime and model are easily of two minds, each with the answer that is right: both must give
// it. Kept apart from the drawn programs, which come upon such things only by chance.
#include <gtest/gtest.h>

#include <string>

#include "props/checker.hpp"
#include "traces/reader.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

// What is wrong, one line each; nothing if runtime, model and the program's own expectations agree.
std::string differences(const std::string& operations, const std::string& header = "") {
  const std::string first =
      R"({"format":"taintgraph-trace","version":1)" + (header.empty() ? "" : "," + header) + "}\n";
  const auto program = traces::parse_program(first + operations);
  if (!program) return "not a trace: " + traces::to_string(program.error().front(), "text");
  std::string all;
  CheckOptions options;
  options.validate = true;
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

// Where an earlier call of the operation fails for good, its own fault never gets to strike.
TEST(Agreement, ARelocationFailsWithWhatFailedFirst) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"relocate","id":"M","buffer":"X","fault":"invalid_handle","expect":{"outcome":"failed","roots":["M"],"error":"invalid_context"}})",
                        R"("faults":[{"call":"cuMemAlloc","op":"M","kind":"invalid_context"}])"),
            "");
}

TEST(Agreement, AnEmptyBuffersRelocationFailsWithoutACopy) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":0}
{"op":"relocate","id":"M","buffer":"X","fault":"invalid_handle","expect":{"outcome":"failed","roots":["M"],"error":"invalid_handle"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}})"),
            "");
}

TEST(Agreement, WithEveryStreamCapturingNothingIsRelocated) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"capture_begin","stream":0}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"capture_begin","stream":1}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"capture_end","stream":0,"graph":"g"}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}})",
                        R"("device":{"streams":2})"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
