#include "props/signature.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "props/failure_groups.hpp"

namespace taintgraph::props {
namespace {

Disagreement disagreement(std::string property, std::string found, std::uint64_t step = 3) {
  Disagreement result;
  result.property = std::move(property);
  result.kind = traces::OpKind::read;
  result.step = step;
  result.found = std::move(found);
  return result;
}

std::string signature(std::string property, std::string found) {
  return signature_of(disagreement(std::move(property), std::move(found)));
}

TEST(Signature, ValuesOfTheProgramAreNoPartOfIt) {
  EXPECT_EQ(signature("R1 bytes", "from byte 3: 00 01"), "R1 bytes / read");
  EXPECT_EQ(signature("C2 tags", "3 tags"), "C2 tags / read");
  EXPECT_EQ(signature("race", "race: launch 7 writes [0, 16)"), "race / read");
}

TEST(Signature, ErrorsAre) {
  EXPECT_EQ(signature("R1 outcome", "failed, roots #3, #12 (out_of_memory)"),
            "R1 outcome / read / failed (out_of_memory)");
  EXPECT_EQ(signature("W2 outcome", "ok"), "W2 outcome / read / ok");
  EXPECT_EQ(signature("R2 error", "launch_failed"), "R2 error / read / launch_failed");
  EXPECT_NE(signature("crash", "killed by signal 11 (Segmentation fault)"),
            signature("crash", "killed by signal 6 (Aborted)"));
}

TEST(Signature, OfACrashNumbersAddressesAndNamesAreLeftOut) {
  EXPECT_EQ(signature("crash", "ended with status 1: ==12==ERROR: on address 0x60e4 at 'b7'\n"),
            "crash / read / ended with status N: ==N==ERROR: on address N at ''");
  EXPECT_EQ(signature("exception", "can't read \x01"), "exception / read / can't read");
  EXPECT_LT(signature("exception", std::string(100'000, 'x')).size(), 200U);
}

TEST(Signature, KnownOnesAreReadFromAFile) {
  std::string path = testing::TempDir() + "/known_XXXXXX";
  const int file = ::mkstemp(path.data());
  ASSERT_GE(file, 0);
  std::ofstream(path) << "# a comment\n\n  R1 bytes / read\t\r\nrace / copy";
  const auto known = load_known_signatures(path);
  ASSERT_TRUE(known) << known.error();
  EXPECT_EQ(*known, (std::set<std::string>{"R1 bytes / read", "race / copy"}));
  std::remove(path.c_str());
  EXPECT_FALSE(load_known_signatures(path));
  EXPECT_FALSE(load_known_signatures(testing::TempDir()));  // a directory
}

// Whoever adds them, and in which order: the same groups.
TEST(FailureGroups, OrderDoesNotMatter) {
  const std::vector<std::pair<std::uint64_t, Disagreement>> cases = {{9, disagreement("race", "x", 4)},
                                                                     {4, disagreement("race", "y", 4)},
                                                                     {2, disagreement("race", "z", 7)},
                                                                     {3, disagreement("check", "x", 2)}};
  FailureGroups forward;
  FailureGroups parts[2];
  for (std::size_t i = 0; i < cases.size(); ++i) {
    forward.add(cases[i].first, cases[i].second);
    parts[i % 2].add(cases[i].first, cases[i].second);
  }
  FailureGroups joined;
  joined.add(parts[1]);
  joined.add(parts[0]);
  for (const FailureGroups* groups : {&forward, &joined}) {
    const auto order = groups->in_order();
    ASSERT_EQ(order.size(), 2U);
    EXPECT_EQ(order[0]->disagreement.property, "race");
    EXPECT_EQ(order[0]->cases, 3U);
    EXPECT_EQ(order[0]->first_case, 2U);
    EXPECT_EQ(order[0]->shortest_case, 4U);
    EXPECT_EQ(order[0]->disagreement.found, "y");
    EXPECT_EQ(order[1]->first_case, 3U);
  }
  Packer packer;
  forward.put(packer);
  const std::string bytes = packer.take();
  Unpacker unpacker(bytes);
  FailureGroups again;
  again.get(unpacker);
  ASSERT_TRUE(unpacker.ok());
  EXPECT_EQ(again.by_signature().at("race / read").disagreement.found, "y");
  EXPECT_EQ(again.by_signature().at("race / read").cases, 3U);
}

}  // namespace
}  // namespace taintgraph::props
