// The whole command: what it says, writes and returns.
#include "props/fuzz.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "props/fuzz_for_tests.hpp"
#include "traces/interrupt.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;
using traces::Program;

TEST_F(Fuzz, PassesAndSaysSoInItsLastLine) {
  EXPECT_EQ(run(check), 0) << said();
  EXPECT_TRUE(std::regex_match(last_line(), std::regex("PASSED seed=5 cases=60 ops=\\d+ faults=\\d+ cells=\\d+/\\d+ "
                                                       "fingerprint=[0-9a-f]{16} time=\\d+\\.\\ds\n")))
      << last_line();
  EXPECT_EQ(out_.str().rfind("seed 5:", 0), 0U);
  EXPECT_FALSE(std::filesystem::exists(options_.out));
}

TEST_F(Fuzz, TheFingerprintIsTheSeedsAndTheSumOfShards) {
  ASSERT_EQ(run(check), 0);
  const std::string whole = field("fingerprint");
  ASSERT_EQ(run(check), 0);
  EXPECT_EQ(field("fingerprint"), whole);
  std::uint64_t sum = 0;
  for (const auto& [first, end] : {std::pair{0, 17}, std::pair{17, 60}}) {
    options_.first_case = static_cast<std::uint64_t>(first);
    options_.end_case = static_cast<std::uint64_t>(end);
    ASSERT_EQ(run(check), 0);
    sum += std::stoull(field("fingerprint"), nullptr, 16);
  }
  EXPECT_EQ(sum, std::stoull(whole, nullptr, 16));
  options_.seed = 6;
  ASSERT_EQ(run(check), 0);
  EXPECT_NE(field("fingerprint"), whole);
}

TEST_F(Fuzz, AFailureIsToldShrunkWrittenAndReproduced) {
  const GraphRenderer render = [](const traces::Snapshot&) { return std::string("<svg/>"); };
  EXPECT_EQ(run(no_trust, render), 1);
  EXPECT_EQ(last_line().rfind("FAILED seed=5", 0), 0U);
  for (const char* said_of_it : {"property:  planted", "expected:  no trust", "found:     trust", "\"op\":\"trust\""}) {
    EXPECT_NE(out_.str().find(said_of_it), std::string::npos) << said_of_it;
  }
  const auto shrunk = traces::load_program(path("shrunk.jsonl"));
  ASSERT_TRUE(shrunk) << shrunk.error()[0].message;
  EXPECT_EQ(shrunk->operations[0].kind, OpKind::trust);
  ASSERT_NE(shrunk->operations[0].expect(), nullptr);
  const auto whole = traces::load_program(path("trace.jsonl"));
  ASSERT_TRUE(whole);
  EXPECT_GT(whole->operations.size(), shrunk->operations.size());
  std::ifstream graph(path("graph.svg"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(graph), {}), "<svg/>");

  const auto record = nlohmann::json::parse(std::ifstream(path("run.json")));
  EXPECT_EQ(record["property"], "planted");
  EXPECT_EQ(record["shrunk_operations"], 1);
  std::smatch match;
  const std::string command = record["reproduce"];
  ASSERT_TRUE(
      std::regex_match(command, match, std::regex("taintgraph fuzz --seed 5 --cases (\\d+)\\.\\.(\\d+) --ops 40")));
  options_.first_case = std::stoull(match[1]);
  options_.end_case = std::stoull(match[2]);
  EXPECT_EQ(run(no_trust, render), 1);
  EXPECT_EQ(field("cases"), "1");
}

TEST_F(Fuzz, WithoutAnyoneToDrawItSaysSo) {
  EXPECT_EQ(run(no_trust), 1);
  EXPECT_NE(err_.str().find("graph.svg"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("graph.svg")));
}

TEST_F(Fuzz, ACrashIsAFailureLikeAnyOther) {
  EXPECT_EQ(run(crash_at_trust), 1) << said();
  EXPECT_NE(out_.str().find("property:  crash"), std::string::npos);
  EXPECT_NE(out_.str().find("signal 6"), std::string::npos);
  const auto shrunk = traces::load_program(path("shrunk.jsonl"));
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->operations[0].kind, OpKind::trust);
  EXPECT_EQ(shrunk->operations[0].expect(), nullptr);  // it never got that far
}

// The cases before the one that crashed count, however they were batched.
TEST_F(Fuzz, ACrashLosesNoCountOfWhatCameBefore) {
  // The sixth case crashes: in the middle of a batch, since batches grow.
  const auto crashes = [](std::uint64_t number) {
    return first_of(generate(5, number, {}), OpKind::trust).has_value();
  };
  for (std::uint64_t quiet = 0; quiet < 5 || !crashes(options_.first_case + 5);) {
    if (quiet == 5 || crashes(options_.first_case + quiet)) {
      ++options_.first_case;
      quiet = 0;
    } else {
      ++quiet;
    }
  }
  options_.end_case = options_.first_case + 40;
  ASSERT_EQ(run(crash_at_trust), 1);
  EXPECT_EQ(field("cases"), "6");
  const std::string fingerprint = field("fingerprint");
  options_.end_case = options_.first_case + 5;  // without the one that crashed
  ASSERT_EQ(run(check), 0);
  EXPECT_EQ(field("fingerprint"), fingerprint);
}

TEST_F(Fuzz, AHangIsInconclusiveAndShrunkLikeAnyOtherFailure) {
  options_.limits.stall = std::chrono::milliseconds(1000);
  const Judge hang = [](const Program& program, const CheckOptions& options) {
    CheckOptions watched = options;
    const auto index = first_of(program, OpKind::trust);
    watched.before_step = [&](std::uint64_t ordinal) {
      if (options.before_step) options.before_step(ordinal);
      while (index && ordinal == *index + 1) ::pause();
    };
    return check(program, watched);
  };
  EXPECT_EQ(run(hang), 2) << said();
  EXPECT_NE(out_.str().find("property:  hang"), std::string::npos);
  EXPECT_NE(out_.str().find("inconclusive: a hang in case"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(path("trace.jsonl")));
  const auto shrunk = traces::load_program(path("shrunk.jsonl"));
  ASSERT_TRUE(shrunk);
  EXPECT_TRUE(first_of(*shrunk, OpKind::trust));
  EXPECT_LT(shrunk->operations.size(), 4U);
}

// Every step ticks, and the case never ends.
TEST_F(Fuzz, ACaseThatTakesForEverIsAHangThoughItMoves) {
  options_.limits.one_case = std::chrono::milliseconds(1000);
  options_.limits.stall = std::chrono::milliseconds(2000);
  const Judge endless = [](const Program& program, const CheckOptions& options) {
    while (options.before_step && program.operations.size() > 1) options.before_step(1);
    return check(program, options);
  };
  EXPECT_EQ(run(endless), 2) << said();
  EXPECT_NE(out_.str().find("property:  hang"), std::string::npos);
}

TEST_F(Fuzz, AFailureThatDoesNotComeAgainIsNotDeterministic) {
  const std::string mark = folder_ + "/mark";
  const Judge once = [&mark](const Program& program, const CheckOptions& options) {
    if (std::filesystem::exists(mark)) return check(program, options);
    if (first_of(program, OpKind::trust)) std::ofstream(mark) << "failed";
    return no_trust(program, options);
  };
  EXPECT_EQ(run(once), 3) << said();
}

TEST_F(Fuzz, AnInterruptEndsItWithWhatWasFound) {
  options_.end_case = 1'000'000;
  const Judge interrupting = [](const Program& program, const CheckOptions& options) {
    static int judged = 0;
    if (++judged == 3) ::kill(::getppid(), SIGINT);
    return check(program, options);
  };
  EXPECT_EQ(run(interrupting), 2) << said();
  EXPECT_GT(std::stoull(field("cases")), 2U);
  EXPECT_NE(out_.str().find("inconclusive: interrupted after " + field("cases") + " of 1000000 cases\n"),
            std::string::npos);
  EXPECT_EQ(last_line().rfind("FAILED", 0), 0U);
}

TEST_F(Fuzz, AnInterruptDoesNotWaitForWhoDoesNotEnd) {
  const Judge stuck = [](const Program&, const CheckOptions&) -> CheckedRun {
    ::kill(::getppid(), SIGINT);
    for (;;) ::pause();
  };
  EXPECT_EQ(run(stuck), 2) << said();
  EXPECT_EQ(field("cases"), "0");
}

TEST_F(Fuzz, AnInterruptWhileShrinkingKeepsTheSmallestSoFar) {
  const std::string mark = folder_ + "/mark";
  const pid_t parent = ::getpid();
  const Judge interrupting = [&](const Program& program, const CheckOptions& options) {
    CheckedRun run = no_trust(program, options);
    if (run.disagreement && program.operations.size() < 10 && !std::filesystem::exists(mark)) {
      std::ofstream(mark) << "interrupted";
      ::kill(parent, SIGINT);
    }
    return run;
  };
  EXPECT_EQ(run(interrupting), 1) << said();
  EXPECT_NE(out_.str().find("stopped early"), std::string::npos);
  EXPECT_TRUE(traces::load_program(path("shrunk.jsonl")));
  // The file may hold more, reservations of buffers that nobody reserves any more.
  const auto record = nlohmann::json::parse(std::ifstream(path("run.json")));
  EXPECT_LT(record["shrunk_operations"], 10U);
}

TEST_F(Fuzz, TimeIsALimitToo) {
  options_.time = std::chrono::milliseconds(300);
  EXPECT_EQ(run(check), 0) << said();
  EXPECT_GT(std::stoull(field("cases")), 0U);
  EXPECT_LT(std::stod(field("time")), 10.0);
}

TEST_F(Fuzz, HoweverShortTheTimeACaseIsRun) {
  options_.time = std::chrono::milliseconds(0);
  EXPECT_EQ(run(check), 0) << said();
  EXPECT_GT(std::stoull(field("cases")), 0U);
}

TEST_F(Fuzz, AFeatureThatIsNotExercisedIsInconclusive) {
  options_.end_case = kFloorsFromCases;
  const Judge blind = [](const Program&, const CheckOptions&) { return CheckedRun{}; };
  EXPECT_EQ(run(blind), 2);
  EXPECT_NE(out_.str().find("inconclusive: too little of a feature in " + std::to_string(kFloorsFromCases) +
                            " cases: skip chain of three or more"),
            std::string::npos);
}

TEST_F(Fuzz, OnARealDriverFloorsOfDrawnProgramsDoNotCount) {
  options_.end_case = kFloorsFromCases;
  options_.backend = traces::Backend::cuda;
  const Judge blind = [](const Program&, const CheckOptions&) { return CheckedRun{}; };
  EXPECT_EQ(run(blind), 0) << said();
}

TEST_F(Fuzz, ARealDriverIsMissed) {
  const std::vector<const char*> arguments = {"fuzz", "--backend", "cuda", "--cases", "1"};
  const int status = fuzz_command(static_cast<int>(arguments.size()), arguments.data(), out_, err_, {});
  if (status == 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_EQ(status, 77);
  EXPECT_NE(err_.str().find("no GPU"), std::string::npos);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Fuzz, AFolderThatCannotBeMadeIsSaid) {
  std::ofstream(folder_ + "/failures") << "in the way";
  EXPECT_EQ(run(no_trust), 70);
  EXPECT_NE(err_.str().find("failures"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::props
