// Small programs on which runtime and model are easily of two minds, each with the answer that is right: both must give
// it. Kept apart from the drawn programs, which come upon such things only by chance.
#include <gtest/gtest.h>

#include <string>

#include "props/differences_for_tests.hpp"

namespace taintgraph::props {
namespace {

// Where an earlier call of the operation fails for good, its own fault never gets to strike.
TEST(Agreement, ARelocationFailsWithWhatFailedFirst) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"relocate","id":"M","buffer":"X","fault":"invalid_handle","expect":{"outcome":"failed","roots":["M"],"error":"invalid_context"}})",
                        R"("faults":[{"call":"cuMemAlloc","op":"M","kind":"invalid_context"}])"),
            "");
}

// Waiting for the host's sake may fail an operation before its own fault does.
TEST(Agreement, ARelocationThatCannotBeOrderedFailsForThat) {
  EXPECT_EQ(
      differences(
          R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"noop","writes":["X"],"stream":2}
{"op":"relocate","id":"M","buffer":"X","fault":"host_exception","expect":{"outcome":"failed","roots":["M"],"error":"invalid_handle"}})",
          R"("faults":[{"call":"cuEventRecord","op":"M","kind":"capture_isolation"},{"call":"cuStreamSynchronize","op":"M","kind":"invalid_handle","when":"after"}])"),
      "");
}

TEST(Agreement, AnEmptyBuffersRelocationFailsWithoutACopy) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":0}
{"op":"relocate","id":"M","buffer":"X","fault":"invalid_handle","expect":{"outcome":"failed","roots":["M"],"error":"invalid_handle"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}})"),
            "");
}

TEST(Agreement, WithEveryStreamCapturingNothingIsRelocated) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"capture_begin","stream":0}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"capture_begin","stream":1}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"capture_end","stream":0,"graph":"g"}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}})",
                        R"("device":{"streams":2})"),
            "");
}

// An error of capturing spoils the window for all that follows, which is no failure of theirs.
TEST(Agreement, AnInvalidatedCaptureIsNewsOnlyOnce) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"Y","size":8}
{"op":"capture_begin"}
{"op":"launch","id":"D","kernel":"noop","fault":"capture_invalidated","expect":{"outcome":"failed","roots":["D"]}}
{"op":"copy","from":"X","to":"Y","expect":{"outcome":"ok"}}
{"op":"launch","kernel":"noop","expect":{"outcome":"ok"}}
{"op":"launch","id":"E","kernel":"noop","fault":"launch_out_of_resources","expect":{"outcome":"failed","roots":["E"]}}
{"op":"capture_end","graph":"g","expect":{"outcome":"failed","roots":["D"],"error":"capture_invalidated"}}
{"op":"launch","kernel":"fill","writes":["Y"],"args":{"value":1},"expect":{"outcome":"ok"}})"),
            "");
}

// What another operation did to the capture, the next one inside learns of; or else its end does.
TEST(Agreement, ACaptureInvalidatedFromOutside) {
  const std::string spoiled = R"({"op":"alloc","buffer":"X","size":8}
{"op":"capture_begin"}
{"op":"alloc","buffer":"B","size":8,"fault":"capture_unsupported","expect":{"outcome":"failed"}}
)";
  EXPECT_EQ(
      differences(
          spoiled +
          R"({"op":"copy","id":"C","from":["X",0,4],"to":["X",4,8],"fault":"host_exception","expect":{"outcome":"failed","roots":["C"],"error":"capture_invalidated"}}
{"op":"launch","kernel":"noop","expect":{"outcome":"ok"}}
{"op":"capture_end","graph":"g","expect":{"outcome":"failed","roots":["C"]}})"),
      "");
  EXPECT_EQ(
      differences(
          spoiled +
          R"({"op":"capture_end","id":"E","graph":"g","fault":"not_permitted","expect":{"outcome":"failed","roots":["E"],"error":"capture_invalidated"}})"),
      "");
}

TEST(Agreement, ARecordedCopyThatMakesNoCallCannotFail) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"U","size":8,"fault":"out_of_memory"}
{"op":"alloc","buffer":"V","size":8,"fault":"out_of_memory"}
{"op":"capture_begin"}
{"op":"copy","from":["X",0,0],"to":["X",8,8],"fault":"host_exception","expect":{"outcome":"ok"}}
{"op":"copy","from":"U","to":"U","fault":"invalid_value","expect":{"outcome":"ok"}}
{"op":"copy","from":"U","to":"V","fault":"host_exception","expect":{"outcome":"ok"}}
{"op":"capture_end","graph":"g","expect":{"outcome":"ok"}}
{"op":"replay","graph":"g","expect":{"outcome":"skipped","roots":["#2"]}})"),
            "");
}

// The operand table of a recorded launch of many ranges is copied to the device while it is recorded. Where the host
// cannot learn that the copy is done, the table is not given back with the window.
TEST(Agreement, ATableThatMayStillBeWrittenIsNotFreed) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin"}
{"op":"launch","id":"L","kernel":"noop","writes":["X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X"],"expect":{"outcome":"failed","roots":["L"]}}
{"op":"capture_end","graph":"g","expect":{"outcome":"failed","roots":["L"]}})",
                        R"("faults":[{"call":"cuStreamSynchronize","op":"L","kind":"not_permitted"}])"),
            "");
}

// Its operand tables may be given back only when its last replay is done; the stream of that may capture by now.
TEST(Agreement, AGraphIsDestroyedWhileTheStreamItRanOnCaptures) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin"}
{"op":"launch","kernel":"noop","writes":["X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X"]}
{"op":"capture_end","graph":"g"}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"ok"}}
{"op":"capture_begin","stream":1}
{"op":"destroy","graph":"g","expect":{"outcome":"ok"}}
{"op":"capture_end","stream":1,"graph":"h","expect":{"outcome":"ok"}})"),
            "");
}

// A window waits for its stream before it opens.
TEST(Agreement, ACaptureBeginsWithAWait) {
  EXPECT_EQ(
      differences(
          R"({"op":"capture_begin","id":"B","fault":"invalid_value","expect":{"outcome":"failed","roots":["B"],"error":"not_permitted"}})",
          R"("faults":[{"call":"cuStreamSynchronize","op":"B","kind":"not_permitted"}])"),
      "");
}

// A graph that the driver does not take back is gone, and its operation says so under its own name.
TEST(Agreement, AGraphThatCannotBeDestroyedIsGoneAllTheSame) {
  EXPECT_EQ(differences(R"({"op":"capture_begin"}
{"op":"capture_end","graph":"g"}
{"op":"destroy","id":"D","graph":"g","expect":{"outcome":"failed","roots":["D"],"error":"context_is_destroyed"}}
{"op":"destroy","graph":"g","expect":{"outcome":"rejected"}})",
                        R"("faults":[{"call":"cuGraphExecDestroy","op":"D","kind":"context_is_destroyed"}])"),
            "");
  EXPECT_EQ(differences(R"({"op":"capture_begin"}
{"op":"capture_end","id":"E","graph":"g","fault":"host_exception","expect":{"outcome":"failed","roots":["E"],"error":"invalid_handle"}}
{"op":"replay","graph":"g","expect":{"outcome":"rejected"}})",
                        R"("faults":[{"call":"cuGraphDestroy","op":"E","kind":"invalid_handle"}])"),
            "");
}

// Whether the window ever opened, nobody can ask on a poisoned context.
TEST(Agreement, ACaptureThatPoisonsTheDeviceAsItBegins) {
  for (const char* when : {"before", "after"}) {
    EXPECT_EQ(differences(std::string(R"({"op":"capture_begin","id":"B","fault":{"kind":"assert","when":")") + when +
                          R"("},"expect":{"outcome":"failed","roots":["B"]}}
{"op":"capture_end","graph":"g","expect":{"outcome":"rejected"}}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"capture_begin","expect":{"outcome":"ok"}}
{"op":"capture_end","graph":"g","expect":{"outcome":"ok"}})"),
              "")
        << when;
  }
}

// That a capture is invalid is news once; what the host's own code throws afterwards is not hidden by it.
TEST(Agreement, HostCodeThrowsBehindAnErrorThatIsNoNews) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin","stream":1}
{"op":"alloc","buffer":"Y","size":1,"fault":"capture_unsupported"}
{"op":"launch","kernel":"noop","stream":1,"expect":{"outcome":"failed","error":"capture_invalidated"}}
{"op":"copy","id":"C","to":"X","from":"X","stream":1,"fault":"host_exception","expect":{"outcome":"failed","error":"host_exception"}})",
                        R"("faults":[{"call":"cuMemcpyDtoDAsync","op":"C","kind":"capture_invalidated"}])"),
            "");
}

// A write longer than what is staged at once waits for its own beginning.
TEST(Agreement, ALongWriteMayMeetItsOwnFault) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1025}
{"op":"write","to":"X","fill":0,"fault":"assert"}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"read","from":"X","expect":{"outcome":"unwritten"}})"),
            "");
}

TEST(Agreement, ALongWriteThatFailsHalfWayMayHaveCausedItsFault) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1025}
{"op":"write","id":"W","to":"X","fill":0,"fault":"assert","expect":{"outcome":"failed","roots":["W"],"error":"not_supported"}}
{"op":"write","id":"V","to":"X","fill":0,"expect":{"outcome":"failed","roots":["V"],"error":"assert"}})",
                        R"("faults":[{"call":"cuStreamQuery","op":"W","kind":"not_supported"}])"),
            "");
}

// Its wait asks first, and so does not come to the call that would fail.
TEST(Agreement, ALongWriteMeetsItsFaultBeforeItsWaitCanFail) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1025}
{"op":"write","id":"W","to":"X","fill":0,"fault":"assert","expect":{"outcome":"failed","roots":["W"],"error":"assert"}}
{"op":"write","id":"V","to":"X","fill":0,"expect":{"outcome":"poisoned","roots":["W"]}})",
                        R"("faults":[{"call":"cuStreamSynchronize","op":"W","kind":"not_supported"}])"),
            "");
}

TEST(Agreement, AFaultingKernelFaultsThoughItsLaunchWasSaidToFail) {
  EXPECT_EQ(
      differences(
          R"({"op":"launch","kernel":"device_assert","fault":{"kind":"invalid_value","when":"after"},"expect":{"outcome":"failed"}}
{"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"],"error":"assert"}})"),
      "");
  EXPECT_EQ(
      differences(R"({"op":"launch","kernel":"device_assert","fault":"host_exception","expect":{"outcome":"failed"}}
{"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"],"error":"assert"}})"),
      "");
  EXPECT_EQ(
      differences(R"({"op":"launch","kernel":"device_assert","fault":"invalid_value","expect":{"outcome":"failed"}}
{"op":"sync","expect":{"outcome":"ok"}})"),
      "");
}

// A stream is asked whether it is done before it is waited for, and the answer is the error.
TEST(Agreement, ALateFaultSurfacesInASyncThatWouldFailByItself) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"noop","fault":"assert"}
{"op":"sync","id":"S","stream":0,"fault":"invalid_value","expect":{"outcome":"failed","error":"assert"}}
{"op":"sync","stream":0,"expect":{"outcome":"poisoned","roots":["S"]}})",
                        R"("device":{"surfacing":"documented"})"),
            "");
}

TEST(Agreement, AFaultGivenToAReplayTakesThePlaceOfItsKernels) {
  EXPECT_EQ(differences(R"({"op":"capture_begin"}
{"op":"launch","kernel":"device_assert"}
{"op":"capture_end","graph":"g"}
{"op":"replay","graph":"g","fault":{"kind":"assert","surface":{"after_calls":100}},"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"noop","stream":1,"expect":{"outcome":"ok"}}
{"op":"sync","expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

// What comes after faulted work never runs, and so never faults itself.
TEST(Agreement, WorkBehindAFaultCannotFaultAnyMore) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"noop","fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"launch","kernel":"device_assert","expect":{"outcome":"ok"}}
{"op":"wait","stream":0,"on":1,"expect":{"outcome":"ok"}}
{"op":"sync","stream":0,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

// D1: the window was doomed already, but the loss of the device is not to be hidden behind that.
TEST(Agreement, ADoomedWindowMayEndInTheLossOfTheDevice) {
  EXPECT_EQ(differences(R"({"op":"capture_begin"}
{"op":"launch","kernel":"noop","fault":"invalid_value"}
{"op":"capture_end","id":"E","graph":"g","fault":{"kind":"assert","when":"before"},"expect":{"outcome":"failed","roots":["E"],"error":"assert"}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["E"]}})"),
            "");
}

// An earlier fault surfaces before the operation's own, also where that one is made to load its kernel again.
TEST(Agreement, AnEarlierFaultSurfacesBeforeOneOfLoading) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"noop","fault":"assert"}
{"op":"launch","id":"L","kernel":"noop","fault":"compile_error","expect":{"outcome":"failed","roots":["L"],"error":"assert"}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["L"]}})"),
            "");
}

// Whether a window opened though beginning it failed is asked again where it matters.
TEST(Agreement, ABeginThatFailsAndCannotBeAskedAbout) {
  const std::string plan = R"("faults":[{"call":"cuStreamIsCapturing","op":"B","kind":"invalid_value"}])";
  for (const char* when : {"before", "after"}) {
    const std::string unsure =
        std::string(R"({"op":"capture_begin","id":"B","fault":{"kind":"not_permitted","when":")") + when +
        R"("},"expect":{"outcome":"failed","roots":["B"],"error":"not_permitted"}}
)";
    EXPECT_EQ(differences(unsure, plan), "") << when;
    EXPECT_EQ(differences(unsure + R"({"op":"capture_begin","expect":{"outcome":"ok"}}
{"op":"capture_end","graph":"g","expect":{"outcome":"ok"}})",
                          plan),
              "")
        << when;
  }
}

TEST(Agreement, ARelocationThatFailsOrdersNothing) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"copy","from":"X","to":"X","stream":1,"fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"relocate","buffer":"X","fault":"invalid_value","expect":{"outcome":"failed"}}
{"op":"sync","stream":0,"expect":{"outcome":"ok"}}
{"op":"sync","stream":1,"expect":{"outcome":"failed"}})"),
            "");
}

// A reset that finds no new context leaves the device as lost as it was, and may be tried again.
TEST(Agreement, AResetThatCannotMakeAContext) {
  const std::string poisoned = R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"P","kernel":"noop","fault":{"kind":"assert","when":"before"}}
{"op":"reset","id":"R","expect":{"outcome":"failed","roots":["P"],"error":"assert"}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["P"]}}
{"op":"cleanup","expect":{"outcome":"ok"}}
)";
  for (const char* call :
       {"cuInit", "cuDeviceGet", "cuCtxCreate", "cuStreamCreate", "cuEventCreate", "cuMemAllocHost"}) {
    const std::string plan = std::string(R"("faults":[{"call":")") + call + R"(","op":"R","kind":"invalid_value"}])";
    EXPECT_EQ(differences(poisoned + R"({"op":"reset","expect":{"outcome":"ok"}}
{"op":"read","from":"X","expect":{"outcome":"unwritten","roots":["P"]}})",
                          plan),
              "")
        << call;
    EXPECT_EQ(differences(poisoned, plan), "") << call;  // and teardown goes through
  }
}

TEST(Agreement, WhatTheOldContextSaysAtItsEndKeepsNoNewOneAway) {
  EXPECT_EQ(differences(R"({"op":"launch","kernel":"noop","fault":{"kind":"assert","when":"before"}}
{"op":"reset","id":"R","expect":{"outcome":"ok"}}
{"op":"sync","expect":{"outcome":"ok"}})",
                        R"("faults":[{"call":"cuCtxDestroy","op":"R","kind":"invalid_value"}])"),
            "");
}

TEST(Agreement, AGraphThatCannotBeDestroyedKeepsNoNewContextAway) {
  for (const char* kind : {"invalid_context", "unknown"}) {
    EXPECT_EQ(differences(R"({"op":"capture_begin"}
{"op":"capture_end","graph":"G"}
{"op":"launch","kernel":"noop","fault":{"kind":"assert","when":"before"}}
{"op":"reset","id":"R"}
{"op":"sync"})",
                          std::string(R"("device":{"surfacing":"documented"},"faults":[)") +
                              R"({"call":"cuGraphExecDestroy","op":"R","kind":")" + kind + R"("}])"),
              "")
        << kind;
  }
}

// D1: whichever call says it, also one that only undoes what failed before.
TEST(Agreement, TheLossOfTheDeviceIsNeverPassedOver) {
  EXPECT_EQ(
      differences(
          R"({"op":"wait","id":"W","stream":0,"on":1,"expect":{"outcome":"failed","roots":["W"],"error":"unknown"}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["W"]}})",
          R"("faults":[{"call":"cuEventRecord","op":"W","kind":"unknown","when":"before"}])"),
      "");
  EXPECT_EQ(
      differences(
          R"({"op":"capture_begin","id":"B","fault":"invalid_value","expect":{"outcome":"failed","roots":["B"],"error":"unknown"}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["B"]}})",
          R"("faults":[{"call":"cuStreamIsCapturing","op":"B","kind":"unknown","when":"before"}])"),
      "");
}

// The recorded work is as good as it was; the device is not.
TEST(Agreement, AFaultBesideRecordedWorkIsNoneOfIt) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin"}
{"op":"launch","id":"L","kernel":"noop","writes":["X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X","X"],"expect":{"outcome":"ok"}}
{"op":"sync","stream":1,"id":"S","expect":{"outcome":"failed","roots":["S"],"error":"unknown"}})",
                        R"("faults":[{"call":"cuMemFreeHost","op":"L","kind":"unknown","when":"async"}])"),
            "");
}

// D1: only a good wait proves work; the one before a window is no exception.
TEST(Agreement, AWindowThatCouldNotWaitForItsStreamProvesNothing) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"write","to":"X","fill":0}
{"op":"capture_begin","id":"B","expect":{"outcome":"failed","roots":["B"],"error":"not_supported"}}
{"op":"write","to":"X","fill":0,"fault":"assert"}
{"op":"read","id":"R","from":"X","expect":{"outcome":"failed","roots":["R"],"error":"assert"}})",
                        R"("faults":[{"call":"cuStreamSynchronize","op":"B","kind":"not_supported"}])"),
            "");
}

// A fault of another stream may show behind the wait, and the wait was good then. The seed decides where it shows.
// Waiting for all streams of the program waits for none of the device's own.
TEST(Agreement, AFaultOfMemoryGivenBackMayStayHiddenFromASync) {
  EXPECT_EQ(
      differences(
          R"({"op":"alloc","buffer":"A","size":1}
{"op":"free","buffer":"A"}
{"op":"cleanup"}
{"op":"sync"})",
          R"("device":{"streams":1,"allocator":"stream_ordered"},"faults":[)"
          R"({"id":"f","call":"cuMemFreeAsync","kind":"unknown","when":"async","surface":{"after_calls":100000}}])"),
      "");
}

// Two readers of the same bytes: the stream that moves them need not wait for the other, nor meet its fault.
TEST(Agreement, ARelocationComesBehindNoReader) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"A","size":1}
{"op":"alloc","buffer":"B","size":1}
{"op":"copy","to":"A","from":"B","stream":1,"fault":{"kind":"assert","surface":{"after_calls":10}}}
{"op":"relocate","buffer":"B"}
{"op":"sync","stream":0})",
                        R"("device":{"streams":2})"),
            "");
}

TEST(Agreement, AFaultThatShowsWhileAWindowOpens) {
  for (int seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(differences(R"({"op":"launch","kernel":"noop"}
{"op":"launch","kernel":"device_assert","stream":1}
{"op":"capture_begin","fault":{"kind":"invalid_value","when":"after"}})",
                          R"("seed":)" + std::to_string(seed) + R"(,"device":{"surfacing":"documented"})"),
              "")
        << seed;
  }
}

}  // namespace
}  // namespace taintgraph::props
