#include "props/libfuzzer/budget.hpp"

#include <gtest/gtest.h>

#include <string>

#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

traces::Program program_of(const std::string& operations, const std::string& header = "") {
  const std::string first =
      R"({"format":"taintgraph-trace","version":1)" + (header.empty() ? "" : "," + header) + "}\n";
  auto program = traces::parse_program(first + operations);
  EXPECT_TRUE(program) << traces::to_string(program.error().front(), "text");
  return program ? *program : traces::Program{};
}

std::string times(std::size_t count, const std::string& line) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += line + '\n';
  return all;
}

TEST(Budget, IsOfOperations) {
  const auto program = program_of(times(kMaxFuzzedOperations + 3, R"({"op":"sync"})"));
  EXPECT_EQ(operations_within_budget(program), kMaxFuzzedOperations);
  EXPECT_EQ(operations_within_budget(program_of(times(3, R"({"op":"sync"})"))), 3U);
}

TEST(Budget, IsOfReservedBytesTogether) {
  const std::string half = R"({"op":"alloc","buffer":"X","size":8192})";
  EXPECT_EQ(operations_within_budget(program_of(times(2, half))), 2U);
  EXPECT_EQ(operations_within_budget(program_of(times(2, half) + R"({"op":"alloc","buffer":"Y","size":1})")), 2U);
}

TEST(Budget, CountsNoReservationThatCannotBeHad) {
  EXPECT_EQ(operations_within_budget(program_of(times(40, R"({"op":"alloc","buffer":"X","size":99999999999})"))), 40U);
}

TEST(Budget, IsOfWork) {
  const std::string setup = R"({"op":"alloc","buffer":"X","size":4096}
{"op":"alloc","buffer":"Y","size":4096}
{"op":"alloc","buffer":"Z","size":4096}
)";
  const std::string product = R"({"op":"launch","kernel":"matmul","reads":["X","Y"],"writes":["Z"],"args":{"n":64}})";
  const std::string sum = R"({"op":"launch","kernel":"add","reads":["X","Y"],"writes":["Z"]})";
  EXPECT_EQ(operations_within_budget(program_of(setup + times(9, product))), 3U + 1U);
  EXPECT_EQ(operations_within_budget(program_of(setup + times(80, sum))), 3U + 80U);
}

TEST(Budget, CountsReplaysAsTheWorkBeforeThem) {
  const std::string setup = R"({"op":"alloc","buffer":"X","size":8192}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"fill","writes":["X"],"args":{"value":1},"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
)";
  const std::string replay = R"({"op":"replay","graph":"g"})";
  const std::size_t kept = operations_within_budget(program_of(setup + times(kMaxFuzzedOperations - 1, replay)));
  EXPECT_EQ(kept, kMaxFuzzedOperations);
  const std::string more = R"({"op":"launch","kernel":"fill","writes":["X"],"args":{"value":1}})";
  EXPECT_LT(operations_within_budget(program_of(setup + times(4, more) + times(100, replay))), 50U);
}

TEST(Budget, IsOfTheDevice) {
  EXPECT_TRUE(device_within_budget({}));
  EXPECT_FALSE(device_within_budget(program_of("", R"("device":{"streams":1000})").header));
  EXPECT_FALSE(device_within_budget(program_of("", R"("device":{"memory":1099511627776})").header));
  EXPECT_FALSE(device_within_budget(program_of("", R"("device":{"page":1048576})").header));
  traces::Header header;
  header.faults.resize(100);
  EXPECT_FALSE(device_within_budget(header));
}

TEST(Budget, CutsWhatIsBehindItAndTheEnd) {
  auto program = program_of(times(kMaxFuzzedOperations, R"({"op":"sync"})"));
  program.end.emplace();
  cut_to_budget(program);
  EXPECT_EQ(program.operations.size(), kMaxFuzzedOperations);
  EXPECT_TRUE(program.end);
  program.operations.push_back(program.operations.front());
  cut_to_budget(program);
  EXPECT_EQ(program.operations.size(), kMaxFuzzedOperations);
  EXPECT_FALSE(program.end);
}

}  // namespace
}  // namespace taintgraph::props
