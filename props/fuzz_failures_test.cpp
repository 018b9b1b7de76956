// What becomes of failures when there are several, known ones, and several workers.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "props/fuzz_for_tests.hpp"
#include "props/signature.hpp"
#include "props/summary_json.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;
using traces::Program;

// Everything about a run but how long it took.
nlohmann::json without_time(nlohmann::json summary) {
  summary.erase("milliseconds");
  return summary;
}

// Two bugs, one of them a crash.
CheckedRun trust_and_cleanup(const Program& program, const CheckOptions& options) {
  CheckedRun run = crash_at_trust(program, options);
  plant(run, program, OpKind::cleanup, "planted");
  return run;
}

class FuzzFailures : public Fuzz {
 protected:
  FuzzFailures() {
    options_.json = folder_ + "/run.json";
    options_.quiet = true;
  }
  nlohmann::json summary_of(const Judge& judge, int status) {
    EXPECT_EQ(run(judge), status) << said();
    std::ostringstream text;
    text << std::ifstream(options_.json).rdbuf();
    const auto read_back = parse_summary(text.str());
    EXPECT_TRUE(read_back) << "merge would refuse it: " << read_back.error();
    return nlohmann::json::parse(text.str());
  }
  void know(const std::string& text) {
    options_.known = folder_ + "/known";
    std::ofstream(options_.known) << text;
  }
};

TEST_F(FuzzFailures, TheLowestFailingCaseIsTheOneReportedWhateverTheWorkers) {
  options_.end_case = 400;
  const auto lowest = [&] {
    for (std::uint64_t number = 0;; ++number) {
      if (first_of(generate(5, number, {}), OpKind::trust)) return number;
    }
  }();
  // Cases that do not fail are slow, so that later ones are done first.
  const Judge slow = [](const Program& program, const CheckOptions& options) {
    if (!first_of(program, OpKind::trust)) ::usleep(3000);
    return no_trust(program, options);
  };
  nlohmann::json expected;
  for (const std::size_t jobs : {1U, 2U, 5U}) {
    options_.jobs = jobs;
    const nlohmann::json summary = without_time(summary_of(slow, 1));
    if (expected.is_null()) expected = summary;
    EXPECT_EQ(summary, expected) << jobs;
    ASSERT_EQ(summary["failures"].size(), 1U);
    EXPECT_EQ(summary["failures"][0]["first_case"], lowest);
    EXPECT_EQ(summary["cases"], lowest + 1);
    EXPECT_EQ(summary["end"], "stopped by failure");
  }
}

TEST_F(FuzzFailures, GoingOnAllCasesAreRunAndFailuresGrouped) {
  options_.keep_going = true;
  options_.end_case = 300;
  std::uint64_t trusts = 0;
  std::uint64_t shortest = UINT64_MAX;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const auto index = first_of(generate(5, number, {}), OpKind::trust);
    if (!index) continue;
    ++trusts;
    shortest = std::min<std::uint64_t>(shortest, *index + 1);
  }
  nlohmann::json expected;
  for (const std::size_t jobs : {1U, 3U}) {
    options_.jobs = jobs;
    const nlohmann::json summary = without_time(summary_of(trust_and_cleanup, 1));
    if (expected.is_null()) expected = summary;
    EXPECT_EQ(summary, expected) << jobs;
    EXPECT_EQ(summary["cases"], 300);
    ASSERT_EQ(summary["failures"].size(), 2U);
    const auto& crash = summary["failures"][summary["failures"][0]["property"] == "crash" ? 0 : 1];
    EXPECT_EQ(crash["cases"], trusts);
    EXPECT_EQ(crash["step"], shortest);
    EXPECT_EQ(crash["shrunk_operations"], 1);
  }
  EXPECT_TRUE(std::filesystem::exists(path("shrunk.jsonl")));
  EXPECT_TRUE(std::filesystem::exists(path("2/shrunk.jsonl")));
}

TEST_F(FuzzFailures, KnownFailuresAreCountedAndFailNothing) {
  know("# found before\n\n  planted / trust / trust  \r\n");
  const nlohmann::json summary = summary_of(no_trust, 0);
  EXPECT_EQ(summary["cases"], 60);
  ASSERT_EQ(summary["failures"].size(), 1U);
  EXPECT_EQ(summary["failures"][0]["known"], true);
  EXPECT_GT(summary["failures"][0]["cases"], 1);
  EXPECT_EQ(last_line().rfind("PASSED", 0), 0U);
  EXPECT_NE(out_.str().find("known failure: planted / trust / trust"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(options_.out));

  know("planted / free / free\n");
  EXPECT_EQ(run(no_trust), 1);
  options_.known = folder_ + "/nowhere";
  EXPECT_EQ(run(no_trust), 64);
  EXPECT_NE(err_.str().find("nowhere"), std::string::npos);
}

TEST_F(FuzzFailures, ShardsTogetherAreTheWholeRun) {
  options_.first_case = 3;
  options_.end_case = 200;
  const nlohmann::json whole = summary_of(check, 0);
  std::uint64_t cases = 0;
  std::uint64_t operations = 0;
  std::uint64_t fingerprint = 0;
  for (std::uint64_t index = 1; index <= 3; ++index) {
    options_.shard = {index, 3};
    const nlohmann::json shard = summary_of(check, 0);
    cases += shard["cases"].get<std::uint64_t>();
    operations += shard["operations"].get<std::uint64_t>();
    fingerprint += std::stoull(shard["fingerprint"].get<std::string>(), nullptr, 16);
  }
  EXPECT_EQ(cases, 197U);
  EXPECT_EQ(operations, whole["operations"]);
  EXPECT_EQ(fingerprint, std::stoull(whole["fingerprint"].get<std::string>(), nullptr, 16));
  options_.first_case = 0;
  options_.end_case = 2;
  options_.shard = {3, 3};
  EXPECT_EQ(summary_of(check, 0)["cases"], 0);  // nothing was its to run, and that held
}

TEST_F(FuzzFailures, RunningOutOfMemoryIsAFailureLikeAnyOther) {
  if (!can_limit_memory()) GTEST_SKIP() << "a sanitizer's address space knows no limit";
  options_.limits.memory_bytes = std::uint64_t{512} << 20;
  const Judge greedy = [](const Program& program, const CheckOptions& options) {
    if (first_of(program, OpKind::trust)) {
      // By way of a pointer that may change, or a compiler sees through it and needs no memory.
      std::vector<char>* volatile much = nullptr;
      const auto held = std::make_unique<std::vector<char>>(std::size_t{1} << 30, 'x');
      much = held.get();
      EXPECT_EQ(much->back(), 'x');
    }
    return check(program, options);
  };
  const nlohmann::json summary = summary_of(greedy, 1);
  ASSERT_EQ(summary["failures"].size(), 1U);
  EXPECT_EQ(summary["failures"][0]["property"], "out of memory");
  EXPECT_EQ(summary["failures"][0]["shrunk_operations"], 1);
}

TEST_F(FuzzFailures, TwoRunsOfOneCaseThatDifferAreToldByTheFirstStep) {
  options_.end_case = 200;
  const Judge moody = [](const Program& program, const CheckOptions& options) {
    static int judged = 0;
    CheckedRun run = check(program, options);
    if (++judged % 2 == 0 && run.trail.size() > 6) run.trail[6] ^= 1;
    return run;
  };
  const nlohmann::json summary = summary_of(moody, 3);
  ASSERT_EQ(summary["failures"].size(), 1U);
  EXPECT_EQ(summary["failures"][0]["property"], "determinism");
  EXPECT_EQ(summary["failures"][0]["step"], 7);
  EXPECT_NE(summary["failures"][0]["operation"], "");
  EXPECT_NE(out_.str().find("property:  determinism"), std::string::npos);
}

TEST_F(FuzzFailures, RegressionsAreReplayedFirst) {
  options_.regressions = folder_ + "/regressions";
  std::filesystem::create_directory(options_.regressions);
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(options_.regressions + "/" + name) << text;
  };
  put("note.md", "not a trace");
  put("a.jsonl", "{\"format\":\"taintgraph-trace\",\"version\":1}\n{\"op\":\"alloc\",\"buffer\":\"A\",\"size\":4}\n");
  nlohmann::json summary = summary_of(check, 0);
  EXPECT_EQ(summary["regressions"]["traces"], 1);
  EXPECT_EQ(summary["cases"], 60);

  put("b.jsonl",
      "{\"format\":\"taintgraph-trace\",\"version\":1}\n"
      "{\"op\":\"alloc\",\"buffer\":\"A\",\"size\":4,\"expect\":{\"outcome\":\"failed\"}}\n");
  options_.annotate = true;
  summary = summary_of(check, 1);
  EXPECT_EQ(summary["regressions"]["failed"].size(), 1U);
  EXPECT_EQ(summary["regressions"]["failed"][0]["property"], "expect outcome");
  EXPECT_EQ(summary["cases"], 0);
  EXPECT_NE(out_.str().find("b.jsonl fails"), std::string::npos);
  EXPECT_NE(out_.str().find("::error file=" + options_.regressions + "/b.jsonl,"), std::string::npos);

  put("c.jsonl", "no trace\n");
  EXPECT_EQ(run(check), 64);
  EXPECT_NE(err_.str().find("c.jsonl:1:"), std::string::npos);

  ASSERT_EQ(::mkfifo((options_.regressions + "/0.jsonl").c_str(), 0600), 0);
  EXPECT_EQ(run(check), 64) << "a pipe among them is not waited for";
  EXPECT_NE(err_.str().find("0.jsonl: is no regular file"), std::string::npos) << err_.str();
}

TEST_F(FuzzFailures, WhatCannotBeWrittenIsSaidBeforeAnythingRuns) {
  options_.json = folder_ + "/nowhere/run.json";
  EXPECT_EQ(run(check), 70);
  EXPECT_NE(err_.str().find("nowhere"), std::string::npos);
  EXPECT_TRUE(out_.str().empty());
}

TEST_F(FuzzFailures, ARunThatCouldNotWriteWhatWasAskedForHasNotPassed) {
  for (std::string* file : {&options_.json, &options_.junit}) {
    options_.json.clear();
    *file = "/dev/full";
    EXPECT_EQ(run(check), 70);
    EXPECT_NE(err_.str().find("/dev/full"), std::string::npos);
    EXPECT_EQ(last_line().rfind("FAILED", 0), 0U) << last_line();
  }
}

}  // namespace
}  // namespace taintgraph::props
