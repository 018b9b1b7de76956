#include "props/fuzz_options.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace taintgraph::props {
namespace {

using std::chrono::milliseconds;

TEST(FuzzOptions, Seeds) {
  EXPECT_EQ(parse_seed("0"), 0U);
  EXPECT_EQ(parse_seed("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_seed("0x1F"), 31U);
  EXPECT_EQ(parse_seed("0123456789abcdef0123456789abcdef01234567"), 0x0123456789abcdefU);
  EXPECT_EQ(parse_seed("1111111111111111111111111111111111111111"), 0x1111111111111111U);
  for (const char* bad : {"", "-1", "1.5", "0x", "0x1g", "18446744073709551616", "0x10000000000000000", "abc", " 1",
                          "0123456789abcdef0123456789abcdef0123456g"}) {
    EXPECT_FALSE(parse_seed(bad)) << bad;
  }
}

TEST(FuzzOptions, Durations) {
  EXPECT_EQ(parse_duration("60s"), milliseconds(60'000));
  EXPECT_EQ(parse_duration("60"), milliseconds(60'000));
  EXPECT_EQ(parse_duration("5m"), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  for (const char* bad : {"", "s", "0s", "-1s", "1.5s", "1d", "1s ", "99999999999999999999s", "99999999h"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(FuzzOptions, Cases) {
  EXPECT_EQ(parse_cases("7"), (CaseRange{0, 7}));
  EXPECT_EQ(parse_cases("3..7"), (CaseRange{3, 7}));
  for (const char* bad : {"", "0", "7..7", "7..3", "..3", "3..", "a..b", "1...3", "-1"})
    EXPECT_FALSE(parse_cases(bad)) << bad;
}

TEST(FuzzOptions, Shards) {
  EXPECT_EQ(parse_shard("1/1"), (Shard{1, 1}));
  EXPECT_EQ(parse_shard("3/12"), (Shard{3, 12}));
  for (const char* bad : {"", "1", "/", "1/", "/2", "0/2", "3/2", "-1/2", "1/0", "1/2/3", "a/b", "1/9999999"})
    EXPECT_FALSE(parse_shard(bad)) << bad;
}

struct Parsed {
  FuzzCommandLine line;
  std::string out;
  std::string err;
};

Parsed parse_arguments(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fuzz");
  std::ostringstream out;
  std::ostringstream err;
  Parsed parsed;
  parsed.line = parse_fuzz_command_line(static_cast<int>(arguments.size()), arguments.data(), out, err);
  parsed.out = out.str();
  parsed.err = err.str();
  return parsed;
}

TEST(FuzzOptions, DefaultsDrawASeed) {
  const Parsed parsed = parse_arguments({});
  EXPECT_FALSE(parsed.line.exit_status);
  EXPECT_FALSE(parsed.line.options.seed);
  EXPECT_EQ(parsed.line.options.first_case, 0U);
  EXPECT_EQ(parsed.line.options.end_case, kDefaultCases);
  EXPECT_GE(parsed.line.options.jobs, 1U);
  EXPECT_FALSE(parsed.line.options.keep_summary);
}

TEST(FuzzOptions, EverythingGiven) {
  const Parsed parsed = parse_arguments(
      {"--seed",  "0x10", "--cases",       "5..9",     "--ops",         "7",       "--out", "there",  "-q",
       "--jobs",  "3",    "--shard",       "2/5",      "--keep-going",  "--known", "k",     "--json", "j",
       "--junit", "u",    "--regressions", "checkout", "--regressions", "mine"});
  ASSERT_FALSE(parsed.line.exit_status);
  EXPECT_EQ(parsed.line.options.seed, 16U);
  EXPECT_EQ(parsed.line.options.first_case, 5U);
  EXPECT_EQ(parsed.line.options.end_case, 9U);
  EXPECT_EQ(parsed.line.options.operations, 7U);
  EXPECT_EQ(parsed.line.options.out, "there");
  EXPECT_TRUE(parsed.line.options.quiet);
  EXPECT_EQ(parsed.line.options.jobs, 3U);
  EXPECT_EQ(parsed.line.options.shard, (Shard{2, 5}));
  EXPECT_TRUE(parsed.line.options.keep_going);
  EXPECT_EQ(parsed.line.options.known, "k");
  EXPECT_EQ(parsed.line.options.json, "j");
  EXPECT_EQ(parsed.line.options.junit, "u");
  EXPECT_EQ(parsed.line.options.regressions, "mine");
  EXPECT_TRUE(parsed.line.options.keep_summary);
}

TEST(FuzzOptions, WhichDriver) {
  EXPECT_EQ(parse_arguments({}).line.options.backend, traces::Backend::sim);
  const Parsed real = parse_arguments({"--backend", "cuda", "--device", "3"});
  ASSERT_FALSE(real.line.exit_status);
  EXPECT_EQ(real.line.options.backend, traces::Backend::cuda);
  EXPECT_EQ(real.line.options.device, 3);
  EXPECT_EQ(parse_arguments({"--backend", "opencl"}).line.exit_status, 64);
  EXPECT_EQ(parse_arguments({"--backend", "cuda", "--device", "-1"}).line.exit_status, 64);
  EXPECT_EQ(parse_arguments({"--device", "1"}).line.exit_status, 64) << "the simulated driver has one device";
}

TEST(FuzzOptions, ARefusalNamesTheBoundThatWasCrossed) {
  const auto complaint = [](std::vector<const char*> arguments) {
    const Parsed parsed = parse_arguments(std::move(arguments));
    EXPECT_EQ(parsed.line.exit_status, 64);
    return parsed.err.substr(0, parsed.err.find('\n'));
  };
  EXPECT_EQ(parse_cases("4611686018427387903..4611686018427387904"), (CaseRange{kMaxCase - 1, kMaxCase}));
  EXPECT_NE(complaint({"--cases", "4611686018427387904..4611686018427387905"}).find("A < B <= 4611686018427387904"),
            std::string::npos);
  EXPECT_NE(complaint({"--shard", "1/1000001"}).find("I <= N <= 1000000"), std::string::npos);
  EXPECT_EQ(parse_duration("596h"), std::chrono::hours(596));
  EXPECT_NE(complaint({"--time", "597h"}).find("1ms to 596h"), std::string::npos);
  for (const char* device : {"-1", "1024"}) {
    const std::string text = complaint({"--device", device});
    EXPECT_NE(text.find("1023"), std::string::npos) << text;
    EXPECT_LT(text.size(), 100U) << text;
  }
}

TEST(FuzzOptions, AnEmptyNameIsASlip) {
  for (const char* option : {"--out", "--json", "--junit", "--known"}) {
    const Parsed parsed = parse_arguments({option, ""});
    EXPECT_EQ(parsed.line.exit_status, 64) << option;
    EXPECT_NE(parsed.err.find(std::string(option) + ": the name is empty"), std::string::npos) << parsed.err;
  }
  EXPECT_FALSE(parse_arguments({"--regressions", "checkout", "--regressions", ""}).line.exit_status) << "means none";
}

TEST(FuzzOptions, HelpIsAResultAndComplaintsAreNot) {
  const Parsed help = parse_arguments({"--help"});
  EXPECT_EQ(help.line.exit_status, 0);
  EXPECT_NE(help.out.find("--seed"), std::string::npos);
  EXPECT_TRUE(help.err.empty());
  const std::vector<std::vector<const char*>> bad = {
      {"--seed", "x"},    {"--cases", "0"}, {"--time", "soon"}, {"--ops", "0"},
      {"--ops"},          {"--frobnicate"}, {"extra"},          {"--cases", "5", "--time", "1s"},
      {"--ops", "-3"},    {"--ops", "1.5"}, {"--jobs", "0"},    {"--jobs", "x"},
      {"--shard", "2/1"}, {"--known"}};
  for (const auto& arguments : bad) {
    const Parsed parsed = parse_arguments(arguments);
    EXPECT_EQ(parsed.line.exit_status, 64) << arguments[0];
    EXPECT_TRUE(parsed.out.empty());
    EXPECT_FALSE(parsed.err.empty());
  }
}

TEST(FuzzOptions, WhatDrawsProgramsHasNoMeaningWhereAllAreRun) {
  const Parsed all = parse_arguments({"--enumerate"});
  ASSERT_FALSE(all.line.exit_status);
  EXPECT_TRUE(all.line.options.enumerate);
  EXPECT_EQ(all.line.options.operations, kDefaultEnumeratedOperations);
  const Parsed few =
      parse_arguments({"--enumerate", "--ops", "2", "--jobs", "3", "--keep-going", "--out", "there", "-q"});
  ASSERT_FALSE(few.line.exit_status);
  EXPECT_EQ(few.line.options.operations, 2U);
  const std::vector<std::vector<const char*>> bad = {
      {"--seed", "1"},  {"--cases", "5"}, {"--time", "1s"},  {"--shard", "1/2"},   {"--known", "k"}, {"--json", "j"},
      {"--junit", "u"}, {"--matrix"},     {"--device", "0"}, {"--backend", "sim"}, {"--ops", "6"}};
  for (std::vector<const char*> arguments : bad) {
    arguments.push_back("--enumerate");
    const Parsed parsed = parse_arguments(arguments);
    EXPECT_EQ(parsed.line.exit_status, 64) << arguments[0];
    EXPECT_NE(parsed.err.find("--enumerate"), std::string::npos) << parsed.err;
  }
}

TEST(FuzzOptions, TheMatrixIsShownAndNothingRun) {
  std::ostringstream out;
  std::ostringstream err;
  const char* const arguments[] = {"fuzz", "--matrix"};
  const FuzzCommandLine line = parse_fuzz_command_line(2, arguments, out, err);
  EXPECT_EQ(line.exit_status, 0);
  EXPECT_NE(out.str().find("in reach, by call"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::props
