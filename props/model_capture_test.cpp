// The model by hand: captures, graphs and replays (G1-G3).
#include <gtest/gtest.h>

#include <string>

#include "props/model_replay.hpp"

namespace taintgraph::props {
namespace {

// X holds 1s, Y is claimed by P, Z holds 3s, and stream 1 is to be captured.
constexpr const char* kThreeBuffers = R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"alloc","buffer":"Z","size":4}
{"op":"write","to":"X","fill":1}
{"op":"write","to":"Z","fill":3}
{"op":"launch","id":"P","kernel":"iota","writes":["Y"],"fault":"launch_out_of_resources"}
)";

std::string with_three_buffers(const std::string& operations) {
  return mismatches_of_model(kThreeBuffers + operations);
}

TEST(ModelCapture, RecordingExecutesNothingAndClaimsNothing) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"fill","writes":["Y"],"args":{"value":9},"stream":1,"expect":{"outcome":"ok"}}
{"op":"copy","from":"X","to":"Z","stream":1,"expect":{"outcome":"ok"}}
{"op":"read","from":"Z","expect":{"outcome":"ok","fill":3}}
{"op":"check","claimed":[["Y","P"]],"failures":1,"tags":1}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"check","claimed":[["Y","P"]],"clean":["Z"]}
)"),
            "");
}

TEST(ModelCapture, WhatAGraphWritesBeforeReadingIsNotJudged) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"fill","writes":["Y"],"args":{"value":4},"stream":1}
{"op":"launch","kernel":"add","reads":["Y","X"],"writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","id":"r","graph":"g","stream":2,"expect":{"outcome":"ok","roots":[]}}
{"op":"read","from":"Z","expect":{"outcome":"ok","fill":5}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelCapture, BytesThatOnlyPartlyComeFromTheGraphAreJudged) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"fill","writes":[["Y",0,3]],"args":{"value":4},"stream":1}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["P"],"error":"launch_out_of_resources"}}
{"op":"check","claimed":[["Y","P"],["Z","P"]],"failures":1,"tags":2}
{"op":"read","from":"Z","expect":{"outcome":"unwritten","roots":["P"],"via":["r"]}}
{"op":"write","to":["Y",3,4],"fill":4}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"read","from":"Z","expect":{"outcome":"ok","fill":4}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelCapture, SkippedReplayClaimsWhatEveryNodeWrites) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"alloc","buffer":"W","size":4}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"fill","writes":["X"],"args":{"value":4},"stream":1}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["W"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"check","claimed":[["X","P"],["W","P"]],"clean":["Z"],"failures":1,"tags":3}
{"op":"read","from":"X","expect":{"roots":["P"],"via":["r"]}}
)"),
            "");
}

TEST(ModelCapture, ClaimedInputsAreFoundNodeByNodeReadsFirst) {
  // Node 1 writes the unallocated B, node 2 reads the claimed Y: the first node decides.
  EXPECT_EQ(with_three_buffers(R"(
{"op":"alloc","id":"B","buffer":"B","size":4,"fault":"out_of_memory"}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["B"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["B"]}}
{"op":"read","from":"Z","expect":{"roots":["B"],"via":["r"]}}
{"op":"free","buffer":"B","expect":{"outcome":"ok"}}
{"op":"write","to":"Z","fill":1}
{"op":"check","failures":2,"tags":2}
{"op":"destroy","graph":"g","expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

TEST(ModelCapture, FailedReplayClaimsAndTheNextOneHeals) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2},"stream":1}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","id":"r1","graph":"g","stream":1,"fault":"out_of_memory","expect":{"outcome":"failed","roots":["r1"],"error":"out_of_memory"}}
{"op":"check","claimed":[["X","r1"],["Z","r1"]],"failures":2,"tags":3}
{"op":"replay","id":"r2","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["r1"]}}
{"op":"write","to":"X","fill":5}
{"op":"replay","id":"r3","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"read","from":"Z","expect":{"outcome":"ok","fill":10}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

TEST(ModelCapture, FaultWhileRecordingDoomsTheWindow) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","id":"D1","kernel":"iota","writes":["X"],"stream":1,"fault":"compile_error","expect":{"outcome":"failed","roots":["D1"],"error":"compile_error"}}
{"op":"check","clean":["X"],"failures":1,"tags":1}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"copy","id":"D2","from":"X","to":"Z","stream":1,"fault":"invalid_value","expect":{"outcome":"failed","roots":["D2"]}}
{"op":"capture_end","id":"end","stream":1,"graph":"g","expect":{"outcome":"failed","roots":["D1"],"error":"compile_error"}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"rejected"}}
{"op":"check","clean":["X","Z"],"failures":1,"tags":1}
{"op":"write","to":"X","fill":2,"stream":1,"expect":{"outcome":"ok"}}
{"op":"capture_begin","stream":1,"expect":{"outcome":"ok"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"ok"}}
)"),
            "");
}

TEST(ModelCapture, WhatFailedToBeRecordedHoldsNothing) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1,"fault":"launch_out_of_resources","expect":{"outcome":"failed"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"failed"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
)"),
            "");
}

TEST(ModelCapture, RecordingsAndGraphsCountLikeHandles) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"stream":1}
{"op":"free","buffer":"Y","expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"check","failures":1,"tags":1}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["P"]}}
{"op":"check","failures":1,"tags":2}
{"op":"destroy","graph":"g","expect":{"outcome":"ok"}}
{"op":"check","claimed":[["Z","P"]],"failures":1,"tags":1}
{"op":"destroy","graph":"g","expect":{"outcome":"rejected"}}
)"),
            "");
}

TEST(ModelCapture, DroppedRecordingLetsGo) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"stream":1}
{"op":"free","buffer":"Y"}
{"op":"capture_end","stream":1,"graph":"g","fault":"out_of_memory","id":"end","expect":{"outcome":"failed","roots":["end"],"error":"out_of_memory"}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelCapture, RecordedEmptyRangesHoldTheirBuffer) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"copy","from":["X",0,0],"to":["Y",4,4],"stream":1,"fault":"invalid_value","expect":{"outcome":"ok"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"free","buffer":"Y"}
{"op":"check","failures":1,"tags":1}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"destroy","graph":"g"}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelCapture, WhatAWindowBarsIsRejectedAndDoomsNothing) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":2}
{"op":"capture_end","stream":2,"graph":"h"}
{"op":"capture_begin","stream":1}
{"op":"capture_begin","stream":1,"expect":{"outcome":"rejected"}}
{"op":"write","to":"X","fill":9,"stream":1,"fault":"invalid_value","expect":{"outcome":"rejected"}}
{"op":"write","to":["X",1,1],"fill":9,"stream":1,"expect":{"outcome":"rejected"}}
{"op":"read","from":"X","stream":1,"expect":{"outcome":"rejected"}}
{"op":"read","from":"Y","stream":1,"expect":{"outcome":"rejected","roots":[]}}
{"op":"sync","stream":1,"expect":{"outcome":"rejected"}}
{"op":"sync","expect":{"outcome":"rejected"}}
{"op":"sync","stream":2,"expect":{"outcome":"ok"}}
{"op":"wait","stream":1,"on":2,"expect":{"outcome":"rejected"}}
{"op":"wait","stream":2,"on":1,"expect":{"outcome":"rejected"}}
{"op":"wait","stream":1,"on":1,"expect":{"outcome":"rejected"}}
{"op":"wait","stream":2,"on":3,"expect":{"outcome":"ok"}}
{"op":"replay","graph":"h","stream":1,"expect":{"outcome":"rejected"}}
{"op":"replay","graph":"h","stream":2,"expect":{"outcome":"ok"}}
{"op":"capture_end","stream":2,"graph":"g","expect":{"outcome":"rejected"}}
{"op":"capture_end","stream":1,"graph":"h","expect":{"outcome":"rejected"}}
{"op":"launch","kernel":"iota","writes":["Z"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"read","from":"Z","stream":1,"expect":{"outcome":"ok","fill":3}}
{"op":"sync","expect":{"outcome":"ok"}}
)"),
            "");
}

TEST(ModelCapture, OtherWorkGoesOnDuringAWindow) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["Z"],"stream":1}
{"op":"alloc","id":"N","buffer":"N","size":4,"fault":"out_of_memory","expect":{"outcome":"failed","roots":["N"]}}
{"op":"launch","id":"F","kernel":"iota","writes":["X"],"stream":2,"fault":"launch_out_of_resources","expect":{"outcome":"failed"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"skipped","roots":["F"]}}
)"),
            "");
}

TEST(ModelCapture, FailedBeginLeavesTheStreamAsItWas) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","id":"C","stream":1,"fault":"not_supported","expect":{"outcome":"failed","roots":["C"],"error":"not_supported"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"rejected"}}
{"op":"write","to":"X","fill":2,"stream":1,"expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

TEST(ModelCapture, StickyFaultOfARecordedLaunchStrikesAtEachReplay) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","id":"K","kernel":"iota","writes":["X"],"stream":1,"fault":"illegal_address","expect":{"outcome":"ok"}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"ok"}}
{"op":"sync","expect":{"outcome":"ok"}}
{"op":"replay","id":"r","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"check","clean":["X"]}
{"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"],"error":"illegal_address"}}
)"),
            "");
}

TEST(ModelCapture, FaultingKernelFaultsWhenItIsReplayed) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"device_assert","writes":["X"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"sync","stream":1,"expect":{"outcome":"ok"}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"read","id":"S","from":"Z","expect":{"outcome":"failed","roots":["S"],"error":"assert"}}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"rejected"}}
)"),
            "");
}

TEST(ModelCapture, StickyFaultBeforeTheCallPoisonsWhileRecording) {
  EXPECT_EQ(with_three_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","id":"K","kernel":"iota","writes":["X"],"stream":1,"fault":{"kind":"illegal_address","when":"before"},"expect":{"outcome":"failed","roots":["K"]}}
{"op":"check","clean":["X"],"failures":2,"tags":1}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"poisoned","roots":["K"]}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"rejected"}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"rejected"}}
)"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
