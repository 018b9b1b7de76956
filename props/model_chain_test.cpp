// The model by hand: skips, roots and the chain that a read is told (W1, R1, R2).
#include <gtest/gtest.h>

#include <string>

#include "props/model_replay.hpp"

namespace taintgraph::props {
namespace {

constexpr const char* kTwoRoots = R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"Y","size":8}
{"op":"alloc","buffer":"Z","size":8}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"launch","id":"Q","kernel":"iota","writes":["Y"],"fault":"compile_error"}
)";

std::string after_two_roots(const std::string& operations) { return mismatches_of_model(kTwoRoots + operations); }

TEST(ModelChain, FirstClaimedArgumentDecides) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"R","kernel":"add","reads":["Z","Y","X"],"writes":["Z"],"expect":{"outcome":"skipped","roots":["Q"],"error":"compile_error"}}
{"op":"check","claimed":[["Z","Q"]],"failures":2,"tags":3}
)"),
            "");
}

TEST(ModelChain, LowestByteOfARangeDecides) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"S","kernel":"iota","writes":[["X",0,2]],"fault":"invalid_value"}
{"op":"launch","id":"R","kernel":"copy","reads":[["X",1,8]],"writes":[["Z",0,7]],"expect":{"outcome":"skipped","roots":["S"]}}
{"op":"launch","id":"T","kernel":"copy","reads":[["X",2,8]],"writes":[["Z",2,8]],"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"read","from":["Z"],"expect":{"outcome":"unwritten","roots":["S","P"],"via":["R"]}}
)"),
            "");
}

TEST(ModelChain, SkipMintsNoFailureAndTakesBytesOver) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"R","kernel":"copy","reads":["X"],"writes":["Y"],"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"check","claimed":[["Y","P"]],"failures":1,"tags":2}
)"),
            "");
}

TEST(ModelChain, ReadNamesEachRootOnceInOrder) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"copy","from":["X",0,4],"to":["Z",4,8],"id":"C","expect":{"outcome":"skipped","roots":["P"]}}
{"op":"read","from":["Y",["Z",0,8],"X"],"expect":{"outcome":"unwritten","roots":["Q","P"],"via":[],"error":"compile_error"}}
{"op":"read","from":["Z","Y","X"],"expect":{"roots":["P","Q"],"via":["C"],"error":"launch_out_of_resources"}}
)"),
            "");
}

TEST(ModelChain, ViaStartsAtTheRefThatTheFirstRootClaims) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"R","kernel":"copy","reads":["X"],"writes":["Z"],"expect":{"outcome":"skipped"}}
{"op":"alloc","buffer":"W","size":8}
{"op":"read","from":["W",["Z",4,8],"X"],"expect":{"roots":["P"],"via":["R"]}}
{"op":"read","from":["X","Z"],"expect":{"roots":["P"],"via":[]}}
)"),
            "");
}

TEST(ModelChain, UnallocatedWritesComeAfterTheReads) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"alloc","id":"B","buffer":"B","size":8,"fault":"out_of_memory"}
{"op":"launch","id":"R","kernel":"noop","reads":["Z","X"],"writes":["B","Z"],"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"read","from":"Z","expect":{"roots":["P"],"via":["R"]}}
{"op":"write","to":"Z","fill":1}
{"op":"launch","id":"S","kernel":"fill","writes":["Z","B"],"args":{"value":1},"expect":{"outcome":"skipped","roots":["B"]}}
{"op":"read","from":"Z","expect":{"outcome":"unwritten","roots":["B"],"via":["S"]}}
{"op":"read","from":"B","expect":{"outcome":"unwritten","roots":["B"],"via":[]}}
{"op":"check","failures":3,"tags":4}
)"),
            "");
}

TEST(ModelChain, HopsGoBackInTime) {
  // Y is written by K1 before K2 reads it and by K3 after: only K1 can be how Z's failure came.
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"K1","kernel":"copy","reads":["X"],"writes":["Y"]}
{"op":"launch","id":"K2","kernel":"copy","reads":["Y"],"writes":["Z"]}
{"op":"launch","id":"K3","kernel":"copy","reads":["Z"],"writes":["Y"]}
{"op":"read","from":"Z","expect":{"roots":["P"],"via":["K2","K1"]}}
{"op":"read","from":"Y","expect":{"roots":["P"],"via":["K3","K2","K1"]}}
)"),
            "");
}

TEST(ModelChain, RangesAreTheDeclaredOnesClaimedOrNot) {
  // K2's bytes were written since, yet the ref that is read holds them; and K2 is the newer record.
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"K1","kernel":"copy","reads":[["X",0,4]],"writes":[["Z",0,4]]}
{"op":"launch","id":"K2","kernel":"copy","reads":[["X",4,8]],"writes":[["Z",4,8]]}
{"op":"write","to":["Z",4,8],"fill":1}
{"op":"read","from":"Z","expect":{"roots":["P"],"via":["K2"]}}
{"op":"read","from":["Z",0,4],"expect":{"roots":["P"],"via":["K1"]}}
)"),
            "");
}

TEST(ModelChain, NextHopIsTheFirstClaimedInputNotTheFirstInput) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"alloc","buffer":"W","size":8}
{"op":"launch","id":"K1","kernel":"copy","reads":["X"],"writes":["Z"]}
{"op":"launch","id":"K2","kernel":"noop","reads":["W","Z","X"],"writes":["W"],"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"read","from":"W","expect":{"roots":["P"],"via":["K2","K1"]}}
)"),
            "");
}

TEST(ModelChain, LinksThatAreGoneStillExplain) {
  // The name Y comes back as another buffer, which the old record does not speak of.
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"K1","kernel":"copy","reads":["X"],"writes":["Y"]}
{"op":"launch","id":"K2","kernel":"copy","reads":["Y"],"writes":["Z"]}
{"op":"free","buffer":"Y"}
{"op":"free","buffer":"X"}
{"op":"alloc","buffer":"Y","size":8}
{"op":"copy","id":"K3","from":"Z","to":"Y","expect":{"outcome":"skipped","roots":["P"]}}
{"op":"read","from":"Z","expect":{"roots":["P"],"via":["K2","K1"]}}
{"op":"read","from":"Y","expect":{"roots":["P"],"via":["K3","K2","K1"]}}
{"op":"check","failures":1,"tags":2}
)"),
            "");
}

TEST(ModelChain, SkipInPlaceIsOneHop) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"K1","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2},"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"launch","id":"K2","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2}}
{"op":"read","from":"X","expect":{"roots":["P"],"via":["K2","K1"]}}
)"),
            "");
}

std::string skips_into(const std::string& writes, int count, int first) {
  std::string operations;
  for (int i = first; i < first + count; ++i) {
    operations += R"({"op":"launch","id":"k)" + std::to_string(i) + R"(","kernel":"noop","reads":["X"],"writes":[)" +
                  writes + R"(],"expect":{"outcome":"skipped","roots":["P"]}})" + "\n";
  }
  return operations;
}

TEST(ModelChain, SeventeenthSkipDropsTheFirst) {
  const std::string read_first = R"({"op":"read","from":["Z",0,1],"expect":{"roots":["P"],"via":["k0"]}})";
  const std::string read_last = R"({"op":"read","from":["Z",1,2],"expect":{"roots":["P"],"via":["k16"]}})";
  const std::string lost = R"({"op":"read","from":["Z",0,1],"expect":{"outcome":"unwritten","roots":["P"],"via":[]}})";
  EXPECT_EQ(after_two_roots(skips_into(R"(["Z",0,1])", 1, 0) + skips_into(R"(["Z",1,2])", 15, 1) + read_first + "\n" +
                            skips_into(R"(["Z",1,2])", 1, 16) + lost + "\n" + read_last),
            "");
}

TEST(ModelChain, SkipsWithoutOutputsCountAmongTheSixteen) {
  const std::string lost = R"({"op":"read","from":["Z",0,1],"expect":{"outcome":"unwritten","roots":["P"],"via":[]}})";
  EXPECT_EQ(after_two_roots(skips_into(R"(["Z",0,1])", 1, 0) + skips_into("", 16, 1) + lost), "");
}

TEST(ModelChain, RecordsGoWithTheirFailure) {
  EXPECT_EQ(after_two_roots(R"(
{"op":"launch","id":"K","kernel":"copy","reads":["X"],"writes":["Z"]}
{"op":"free","buffer":"X"}
{"op":"check","failures":2,"tags":2}
{"op":"launch","kernel":"fill","writes":["Z"],"args":{"value":1},"expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1,"claimed":[["Y","Q"]]}
)"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
