// Shards run and joined against the same run in one piece.
#include "props/merge.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "props/fuzz_for_tests.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;

class Merge : public Fuzz {
 protected:
  Merge() {
    options_.quiet = true;
    options_.keep_summary = true;
    options_.version = "1 (commit x)";
    options_.end_case = 50;
  }

  // Runs a shard into a folder of its own, and returns the folder.
  std::string shard(std::uint64_t index, std::uint64_t count, const Judge& judge, const std::string& name = "s") {
    options_.shard = {index, count};
    options_.out = folder_ + "/" + name + std::to_string(index);
    (void)run(judge);
    return options_.out;
  }

  int merge(std::vector<std::string> arguments) {
    out_.str("");
    err_.str("");
    std::vector<const char*> all = {"merge", "-q", "-o", joined_.c_str()};
    for (const std::string& each : arguments) all.push_back(each.c_str());
    return merge_command(static_cast<int>(all.size()), all.data(), out_, err_);
  }

  static nlohmann::json summary_in(const std::string& folder) {
    return nlohmann::json::parse(std::ifstream(folder + "/summary.json"));
  }

  // What does not depend on time, and on which shards reported a failure.
  static nlohmann::json comparable(nlohmann::json summary) {
    summary.erase("milliseconds");
    for (auto& each : summary["failures"]) {
      for (const char* key : {"folder", "reproduce", "shrunk_operations", "shortest_case", "step", "operation"})
        each.erase(key);
    }
    return summary;
  }

  std::string joined_ = folder_ + "/joined";
};

TEST_F(Merge, JoinedShardsAreTheWholeRun) {
  const std::string whole = shard(1, 1, check, "whole");
  const std::vector<std::string> shards = {shard(1, 3, check), shard(2, 3, check), shard(3, 3, check)};
  EXPECT_EQ(merge({shards[2], shards[0], shards[1]}), 0) << said();
  EXPECT_EQ(comparable(summary_in(joined_)), comparable(summary_in(whole)));
  EXPECT_EQ(last_line().rfind("PASSED seed=5 cases=50 ", 0), 0U);
  const std::string forward = field("fingerprint");
  EXPECT_EQ(merge({shards[0], shards[1], shards[2]}), 0);
  EXPECT_EQ(field("fingerprint"), forward);
  // What was joined can be looked at again.
  const std::string once = joined_;
  joined_ = folder_ + "/again";
  EXPECT_EQ(merge({once}), 0) << said();
  EXPECT_EQ(comparable(summary_in(joined_)), comparable(summary_in(whole)));
}

TEST_F(Merge, ShardsMayShareAFolder) {
  for (std::uint64_t index = 1; index <= 2; ++index) {
    options_.shard = {index, 2};
    options_.out = folder_ + "/shared";
    ASSERT_EQ(run(check), 0);
  }
  EXPECT_EQ(merge({folder_ + "/shared"}), 0) << said();
  EXPECT_EQ(field("cases"), "50");
}

TEST_F(Merge, FailuresAreGroupedAndTheShortestTraceWins) {
  options_.keep_going = true;
  const Judge judge = [](const traces::Program& program, const CheckOptions& options) {
    CheckedRun run = check(program, options);
    plant(run, program, OpKind::trust, "planted");
    return run;
  };
  const std::string whole = shard(1, 1, judge, "whole");
  const std::vector<std::string> shards = {shard(1, 2, judge), shard(2, 2, judge)};
  EXPECT_EQ(merge(shards), 1) << said();
  EXPECT_EQ(comparable(summary_in(joined_)), comparable(summary_in(whole)));
  ASSERT_EQ(summary_in(joined_)["failures"].size(), 1U);
  const nlohmann::json failure = summary_in(joined_)["failures"][0];
  EXPECT_EQ(failure["folder"], "5");
  EXPECT_EQ(failure["shrunk_operations"], 1);
  EXPECT_TRUE(traces::load_program(joined_ + "/5/shrunk.jsonl"));
  EXPECT_EQ(last_line().rfind("FAILED", 0), 0U);
}

TEST_F(Merge, WhatAreNotTheShardsOfOneRunIsRefused) {
  const std::string one = shard(1, 2, check);
  const std::string two = shard(2, 2, check);
  const auto refused = [&](const std::vector<std::string>& folders, const std::string& why) {
    EXPECT_EQ(merge(folders), 64) << said();
    EXPECT_NE(err_.str().find(why), std::string::npos) << err_.str();
    EXPECT_FALSE(std::filesystem::exists(joined_));
  };
  refused({one}, "shard 2/2 is missing");
  refused({two}, "shard 1/2 is missing");
  refused({shard(3, 8, check)}, "shard 1/8 and 6 more are missing");
  refused({one, two, two}, "shard 2/2 is there twice");
  refused({one, shard(2, 3, check, "t")}, "the number of shards differs");
  refused({one, folder_}, "no summary");
  refused({one, folder_ + "/nowhere"}, "nowhere");
  options_.end_case = 51;
  refused({one, shard(2, 2, check, "longer")}, "the end of the cases differs");
  options_.end_case = 50;
  options_.version = "2";
  refused({one, shard(2, 2, check, "newer")}, "the program differs: 1 (commit x) and 2");
  options_.version = "1 (commit x)";
  options_.seed = 6;
  refused({one, shard(2, 2, check, "seed")}, "the seed differs: 5 and 6");
  std::ofstream(two + "/summary-2-of-2.json") << "{";
  refused({one, two}, "summary-2-of-2.json");
  joined_ = one;
  EXPECT_EQ(merge({one, two}), 64);
}

TEST_F(Merge, AnEmptyNameIsASlip) {
  const std::string one = shard(1, 1, check);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{one, "--json", ""}, {one, "--junit", ""}, {one, ""}}) {
    EXPECT_EQ(merge(arguments), 64) << said();
    EXPECT_NE(err_.str().find("the name is empty"), std::string::npos) << err_.str();
  }
  joined_ = "";
  EXPECT_EQ(merge({one}), 64) << said();
}

TEST_F(Merge, WhatCouldNotBeWrittenHasNotPassed) {
  const std::string one = shard(1, 1, check);
  EXPECT_EQ(merge({one, "--junit", "/dev/full"}), 70) << said();
  EXPECT_EQ(last_line().rfind("FAILED", 0), 0U) << last_line();
}

TEST_F(Merge, WhatIsNoSummaryIsNamedAndRefused) {
  const std::string one = shard(1, 2, check);
  const std::string two = shard(2, 2, check);
  const std::string odd = two + "/summary-2-of-2.json";
  const auto refused = [&](const std::string& why) {
    EXPECT_EQ(merge({one, two}), 64) << said();
    EXPECT_NE(err_.str().find(odd + ": " + why), std::string::npos) << err_.str();
    EXPECT_EQ(err_.str().find("json.exception"), std::string::npos) << err_.str();
  };
  nlohmann::json summary = nlohmann::json::parse(std::ifstream(odd));
  summary["cases"] = -1;
  std::ofstream(odd) << summary;
  refused("cases: is -1; expected a whole number");
  std::ofstream(odd) << "{\n \"format\": x";
  refused("is no JSON from line 2, column 12 on");
  std::ofstream(odd) << "";
  refused("is no JSON");
  std::filesystem::remove(odd);
  std::filesystem::create_directory(odd);
  refused("is no regular file");
  std::filesystem::remove(odd);
  ASSERT_EQ(::mkfifo(odd.c_str(), 0600), 0);
  refused("is no regular file");
  std::filesystem::remove(odd);
  std::filesystem::create_symlink(folder_ + "/nowhere", odd);
  refused("No such file");
}

TEST_F(Merge, AFailureWhoseTraceIsGoneIsStillTold) {
  options_.keep_going = true;
  const std::vector<std::string> shards = {shard(1, 2, no_trust), shard(2, 2, no_trust)};
  EXPECT_EQ(merge(shards), 1) << said();
  EXPECT_EQ(err_.str(), "");

  std::filesystem::remove_all(shards[0] + "/5");
  EXPECT_EQ(merge(shards), 1) << said();
  EXPECT_NE(err_.str().find(shards[0] + "/5/trace.jsonl: is gone"), std::string::npos) << err_.str();
  EXPECT_TRUE(traces::load_program(joined_ + "/5/trace.jsonl")) << "the other shard has one";

  std::filesystem::remove_all(shards[1] + "/5");
  joined_ = folder_ + "/bare";
  EXPECT_EQ(merge(shards), 1) << said();
  EXPECT_NE(err_.str().find(shards[1] + "/5/trace.jsonl: is gone"), std::string::npos) << err_.str();
  EXPECT_NE(out_.str().find("reproduce: "), std::string::npos) << out_.str();
  EXPECT_EQ(out_.str().find("wrote"), std::string::npos) << out_.str();
  EXPECT_EQ(summary_in(joined_)["failures"][0]["folder"], "");
}

TEST_F(Merge, AnInterruptedShardLeavesTheWholeInconclusive) {
  const std::string one = shard(1, 2, check);
  const Judge stuck = [](const traces::Program&, const CheckOptions&) -> CheckedRun {
    ::kill(::getppid(), SIGINT);
    for (;;) ::pause();
  };
  const std::string two = shard(2, 2, stuck);
  EXPECT_EQ(merge({one, two}), 2) << said();
  EXPECT_NE(out_.str().find("inconclusive: interrupted after 25 of 50 cases"), std::string::npos) << out_.str();
}

}  // namespace
}  // namespace taintgraph::props
