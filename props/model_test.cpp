#include "props/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "props/model_replay.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_agreement(const std::vector<std::string>& files, std::size_t fewest) {
  EXPECT_GE(files.size(), fewest);
  for (const std::string& file : files) {
    const auto program = traces::load_program(file);
    ASSERT_TRUE(program) << traces::to_string(program.error().front(), file);
    EXPECT_GE(expectations_in(*program), 5U) << file;
    EXPECT_EQ(mismatches_of_model(*program), std::vector<std::string>{}) << file;
  }
}

// Their answers were computed by an implementation that shares nothing with this one.
TEST(Model, AgreesWithEveryScenario) { expect_agreement(files_in(TAINTGRAPH_SCENARIOS), 33); }

TEST(Model, AgreesWithEveryBehaviour) { expect_agreement(files_in(TAINTGRAPH_BEHAVIOURS), 8); }

// A comparison that cannot fail proves nothing: each kind of expectation, stated wrongly.
TEST(Model, ReplayReportsEveryKindOfMismatch) {
  const std::string all = mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":2,"expect":{"outcome":"failed"}}
{"op":"alloc","buffer":"Y","size":2}
{"op":"write","to":"X","bytes":"0102"}
{"op":"read","from":"X","expect":{"bytes":"0103"}}
{"op":"read","from":"X","expect":{"fill":1}}
{"op":"read","from":"Y","expect":{"bytes":"0000"}}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"invalid_value","expect":{"roots":["#4"],"error":"not_found"}}
{"op":"copy","from":"X","to":"Y"}
{"op":"read","from":"Y","expect":{"via":[]}}
{"op":"check","failures":2,"tags":1,"clean":["X"],"claimed":[["Y","#1"]]}
)");
  EXPECT_EQ(all,
            "#1 (operation 1): outcome, found ok\n"
            "#4 (operation 4): bytes, found other bytes\n"
            "#5 (operation 5): fill, found other bytes\n"
            "#6 (operation 6): bytes, found other bytes\n"
            "P (operation 7): roots, found [P]\n"
            "P (operation 7): error, found invalid_value\n"
            "#9 (operation 9): via, found [#8]\n"
            "#10 (operation 10): failures, found 1\n"
            "#10 (operation 10): tags, found 2\n"
            "#10 (operation 10): clean, found claimed by 'P'\n"
            "#10 (operation 10): claimed, found claimed by 'P'\n");
  EXPECT_EQ(mismatches_of_model(R"({"op":"sync"})"), "it expects nothing");
}

class ModelState : public testing::Test {
 protected:
  Prediction play(const std::string& operations) {
    const std::string header = R"({"format":"taintgraph-trace","version":1})";
    program_ = *traces::parse_program(header + "\n" + operations);
    model_.emplace(program_.header, program_.names);
    Prediction last;
    for (std::size_t i = 0; i < program_.operations.size(); ++i)
      last = model_->predict(program_.operations[i], i + 1, {});
    return last;
  }

  traces::Program program_;
  std::optional<Model> model_;
};

TEST_F(ModelState, TellsWhatIsLive) {
  play(R"(
{"op":"alloc","buffer":"A","size":3}
{"op":"alloc","buffer":"B","size":5,"fault":"out_of_memory"}
{"op":"alloc","buffer":"C","size":7}
{"op":"capture_begin","stream":2}
{"op":"launch","kernel":"copy","reads":["C"],"writes":["C"],"stream":2}
{"op":"launch","kernel":"copy","reads":["A"],"writes":["A"],"stream":2}
{"op":"capture_end","stream":2,"graph":"g"}
{"op":"capture_begin","stream":3}
{"op":"free","buffer":"C"}
)");
  const std::vector<Model::LiveBuffer> live = model_->live_buffers();
  ASSERT_EQ(live.size(), 2U);
  EXPECT_EQ(live[0].name, "A");
  EXPECT_EQ(live[0].size, 3U);
  EXPECT_TRUE(live[0].recorded);
  EXPECT_FALSE(live[0].unallocated);
  EXPECT_EQ(live[1].name, "B");
  EXPECT_TRUE(live[1].unallocated);
  EXPECT_FALSE(live[1].recorded);
  EXPECT_EQ(model_->live_graphs(), std::vector<std::string_view>{"g"});
  EXPECT_FALSE(model_->capturing(2));
  EXPECT_TRUE(model_->capturing(3));
  EXPECT_EQ(model_->failures(), 1U);
  EXPECT_EQ(model_->tags(), 1U);
}

TEST_F(ModelState, TellsTheClaimOfEveryByte) {
  play(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"launch","kernel":"iota","writes":[["X",1,3]],"fault":"invalid_value"}
{"op":"alloc","buffer":"B","size":2,"fault":"out_of_memory"}
)");
  const auto ref = [this](std::string_view name) { return traces::Ref{*program_.names.find(name), true, 0, 0}; };
  EXPECT_EQ(model_->claims(ref("X")), (std::vector<std::uint64_t>{0, 2, 2, 0}));
  EXPECT_EQ(model_->claims(ref("B")), (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(model_->claims(traces::Ref{*program_.names.find("X"), false, 1, 5}), std::nullopt);
}

TEST_F(ModelState, TellsPendingFaultAndPoison) {
  play(R"({"op":"launch","kernel":"trap"})");
  EXPECT_TRUE(model_->fault_pending());
  EXPECT_EQ(model_->poison(), 0U);
  play(R"({"op":"launch","kernel":"trap"}
{"op":"sync"})");
  EXPECT_FALSE(model_->fault_pending());
  EXPECT_EQ(model_->poison(), 2U);
}

TEST_F(ModelState, ReadGivesAllRefsEndToEndAndUnknownWhereNobodyWrote) {
  const Prediction read = play(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":2}
{"op":"write","to":["X",1,3],"bytes":"0a0b"}
{"op":"write","to":"Y","fill":7}
{"op":"read","from":["Y","X",["Y",1,1],["X",2,3]]}
)");
  constexpr reference::Value unknown = reference::kUnknown;
  EXPECT_EQ(read.outcome, traces::Outcome::ok);
  EXPECT_EQ(read.bytes, (reference::Values{7, 7, unknown, 10, 11, unknown, 11}));
}

TEST_F(ModelState, PredictionCarriesTheCountsAfterwards) {
  const Prediction skip = play(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"launch","kernel":"iota","writes":["X"],"fault":"invalid_value"}
{"op":"copy","from":"X","to":"Y"}
)");
  EXPECT_EQ(skip.failures, 1U);
  EXPECT_EQ(skip.tags, 2U);
  EXPECT_EQ(skip.roots, std::vector<std::uint64_t>{3});
}

// The reader of traces may refuse these; whoever builds operations itself is answered all the same.
TEST_F(ModelState, StreamsAndRangesThatDoNotExistAreRejected) {
  play(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"read","from":["X",0,1],"stream":3}
{"op":"wait","stream":0,"on":3}
)");
  std::uint64_t ordinal = 3;
  const auto outcome_of = [&](const traces::Operation& operation) {
    return model_->predict(operation, ++ordinal, {}).outcome;
  };
  traces::Operation read = program_.operations[1];
  EXPECT_EQ(outcome_of(read), traces::Outcome::ok);
  read.stream = 4;
  EXPECT_EQ(outcome_of(read), traces::Outcome::rejected);
  traces::Operation inverted = program_.operations[1];
  inverted.reads[0].begin = 2;
  EXPECT_EQ(outcome_of(inverted), traces::Outcome::rejected);
  inverted.reads[0].end = ~std::uint64_t{0};
  EXPECT_EQ(outcome_of(inverted), traces::Outcome::rejected);
  traces::Operation wait = program_.operations[2];
  EXPECT_EQ(outcome_of(wait), traces::Outcome::ok);
  wait.on = 4;
  EXPECT_EQ(outcome_of(wait), traces::Outcome::rejected);
}

}  // namespace
}  // namespace taintgraph::props
