#include "traces/fingerprint.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "traces/reader.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {
namespace {

std::uint64_t of(const std::vector<std::uint64_t>& values) {
  Fingerprint fingerprint;
  for (const std::uint64_t value : values) fingerprint.add(value);
  return fingerprint.value();
}

std::uint64_t of_bytes(const std::vector<std::uint8_t>& bytes) {
  Fingerprint fingerprint;
  fingerprint.add(std::span(bytes));
  return fingerprint.value();
}

TEST(Fingerprint, EveryValueAndItsPlaceCount) {
  EXPECT_EQ(of({1, 2, 3}), of({1, 2, 3}));
  const std::set<std::uint64_t> different = {of({}), of({0}), of({0, 0}), of({1, 2, 3}), of({3, 2, 1}), of({1, 2, 4})};
  EXPECT_EQ(different.size(), 6U);
}

TEST(Fingerprint, EveryByteAndTheirNumberCount) {
  std::set<std::uint64_t> different;
  for (std::size_t length = 0; length < 20; ++length) different.insert(of_bytes(std::vector<std::uint8_t>(length)));
  for (std::size_t at = 0; at < 20; ++at) {
    std::vector<std::uint8_t> bytes(20);
    bytes[at] = 1;
    different.insert(of_bytes(bytes));
  }
  EXPECT_EQ(different.size(), 40U);
}

std::uint64_t of_trace(const std::string& operations) {
  const auto program = parse_program(R"({"format":"taintgraph-trace","version":1})"
                                     "\n" +
                                     operations);
  EXPECT_TRUE(program);
  Session session(program->header, program->names);
  for (const Operation& operation : program->operations) static_cast<void>(session.execute(operation));
  return session.fingerprint();
}

TEST(Fingerprint, ChangesWithEachOutcomeOfARun) {
  const auto run = [](const std::string& fill, const std::string& fault, const std::string& read) {
    return of_trace(R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"A","kernel":"fill","writes":["X"],"args":{"value":)" +
                    fill + "}" + fault + R"(}
{"op":"read","from":)" +
                    read + "}\n");
  };
  const std::string failing = R"(,"fault":"invalid_value")";
  const std::set<std::uint64_t> different = {run("1", "", R"("X")"),        // what is read
                                             run("2", "", R"("X")"),        // other bytes
                                             run("1", "", R"(["X",0,7])"),  // fewer bytes
                                             run("1", failing, R"("X")"),   // a failure and its roots
                                             run("1", failing, R"(["X",0,0])")};
  EXPECT_EQ(different.size(), 5U);
  EXPECT_EQ(run("1", "", R"("X")"), run("1", "", R"("X")"));
}

}  // namespace
}  // namespace taintgraph::traces
