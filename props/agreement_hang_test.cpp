// Programs in which something hangs, on which runtime and model are easily of two minds.
#include <gtest/gtest.h>

#include <string>

#include "props/differences_for_tests.hpp"

namespace taintgraph::props {
namespace {

// Sixty-five operands are more than staging memory takes at once, and their stream comes after the hang only because of
// what this launch writes.
TEST(AgreementOnHangs, AWideLaunchWaitsBehindWhatItIsOrderedAfter) {
  std::string writes = R"("X")";
  for (int i = 0; i < 64; ++i) writes += R"(,["X",1,1])";
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"spin","reads":["X"]}
{"op":"launch","kernel":"noop","writes":[)" +
                        writes + R"(],"stream":1,"expect":{"outcome":"failed"}}
{"op":"read","from":"X","stream":2,"expect":{"outcome":"unwritten"}})"),
            "");
}

TEST(AgreementOnHangs, ALongWriteWaitsBehindWhatItIsOrderedAfter) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1025}
{"op":"launch","kernel":"spin","reads":["X"]}
{"op":"write","to":"X","fill":1,"stream":1,"expect":{"outcome":"failed"}})"),
            "");
}

// A wait for every stream goes on behind the one that hangs, and an error counts for more than giving up.
TEST(AgreementOnHangs, AnErrorOfOneStreamIsNotHiddenByTheHangOfAnother) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"sync","fault":"invalid_handle","expect":{"outcome":"failed","error":"invalid_handle"}}
{"op":"sync","deadline":9,"fault":"invalid_handle","expect":{"outcome":"failed","error":"invalid_handle"}}
{"op":"sync","stream":0,"fault":"invalid_handle","expect":{"outcome":"timeout"}})"),
            "");
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"sync","fault":"invalid_handle","expect":{"outcome":"timeout"}}
{"op":"sync","fault":"host_exception","expect":{"outcome":"timeout"}})",
                        R"("device":{"streams":1})"),
            "");
}

TEST(AgreementOnHangs, AFaultLeftByTheWaitForAnotherStreamSurfaces) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"sync","fault":"assert","expect":{"outcome":"timeout"}}
{"op":"sync","id":"S","stream":1,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"sync","stream":0,"fault":"assert","expect":{"outcome":"timeout"}}
{"op":"sync","stream":1,"expect":{"outcome":"ok"}})"),
            "");
}

// Where an event cannot be used the host waits in its place; where that is in vain there is no order, and no work.
TEST(AgreementOnHangs, WorkThatNeitherEventNorWaitCanOrderFails) {
  for (
      const char* work :
      {R"({"op":"read","id":"S","from":"X","expect":{"outcome":"failed","error":"invalid_handle"}})",
       R"({"op":"launch","id":"S","kernel":"noop","reads":["X"],"expect":{"outcome":"failed","error":"invalid_handle"}})",
       R"({"op":"copy","id":"S","from":"X","to":"Y","expect":{"outcome":"failed","error":"invalid_handle"}})",
       R"({"op":"relocate","id":"S","buffer":"X","expect":{"outcome":"failed","error":"invalid_handle"}})",
       R"({"op":"wait","id":"S","stream":0,"on":1,"expect":{"outcome":"failed","error":"invalid_handle"}})"}) {
    EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"alloc","buffer":"Y","size":1}
{"op":"launch","kernel":"spin","writes":["X"],"stream":1}
)" + std::string(work),
                          R"("faults":[{"call":"cuEventRecord","op":"S","kind":"invalid_handle"}])"),
              "")
        << work;
  }
}

// An order that is made though its call says that it failed holds the stream up, and whatever comes after it.
TEST(AgreementOnHangs, AnOrderThatLiesHoldsUpAllTheSame) {
  const std::string operations = R"({"op":"launch","kernel":"spin","stream":1}
{"op":"wait","id":"W","stream":0,"on":1,"expect":{"outcome":"failed","error":"invalid_handle"}}
{"op":"wait","stream":2,"on":0}
)";
  const auto plan = [](const std::string& when) {
    return R"("faults":[{"call":"cuStreamWaitEvent","op":"W","kind":"invalid_handle","when":")" + when + "\"}]";
  };
  EXPECT_EQ(differences(operations + R"({"op":"sync","stream":0,"expect":{"outcome":"timeout"}}
{"op":"sync","stream":2,"expect":{"outcome":"timeout"}})",
                        plan("after")),
            "");
  EXPECT_EQ(differences(operations + R"({"op":"sync","stream":0,"expect":{"outcome":"ok"}}
{"op":"sync","stream":2,"expect":{"outcome":"ok"}})",
                        plan("before")),
            "");
}

// The copy of a read never runs then, and so never strikes.
TEST(AgreementOnHangs, AReadBehindAHangDoesNotMeetItsOwnFault) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"spin"}
{"op":"read","from":"X","fault":"assert","expect":{"outcome":"timeout"}}
{"op":"read","from":"X","fault":"invalid_handle","stream":1,"expect":{"outcome":"failed","error":"invalid_handle"}})"),
            "");
}

TEST(AgreementOnHangs, AWaitThatCannotBeginFails) {
  EXPECT_EQ(
      differences(
          R"({"op":"launch","kernel":"spin"}
{"op":"sync","id":"S","stream":0,"expect":{"outcome":"failed","error":"invalid_value"}})",
          R"("faults":[{"call":"cuCtxGetCurrent","op":"S","kind":"invalid_value"},{"call":"cuCtxSetCurrent","op":"S","kind":"invalid_value"}])"),
      "");
}

// There is no work that would have to run first.
TEST(AgreementOnHangs, AReplayOfNothingFaultsBehindAHang) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":0}
{"op":"capture_begin","stream":3}
{"op":"copy","to":"X","from":"X","stream":3}
{"op":"capture_end","stream":3,"graph":"g"}
{"op":"launch","kernel":"spin","stream":2}
{"op":"replay","stream":2,"graph":"g","fault":"assert","expect":{"outcome":"ok"}}
{"op":"sync","stream":0,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

// Asking whether a stream is done may fail too.
TEST(AgreementOnHangs, AQuestionThatFailsEndsTheWait) {
  const std::string plan = R"("faults":[{"call":"cuStreamQuery","op":"S","kind":"invalid_handle"}])";
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"sync","id":"S","stream":0,"expect":{"outcome":"failed","error":"invalid_handle"}})",
                        plan),
            "");
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"spin"}
{"op":"capture_begin","id":"S","stream":0,"expect":{"outcome":"failed","error":"invalid_handle"}})",
                        plan),
            "");
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"spin"}
{"op":"read","id":"S","from":"X","stream":0,"expect":{"outcome":"failed","error":"invalid_handle"}})",
                        plan),
            "");
}

}  // namespace
}  // namespace taintgraph::props
