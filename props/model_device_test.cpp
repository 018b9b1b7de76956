// The model by hand: asynchronous faults, poison and reset (D1-D3), strict surfacing.
#include <gtest/gtest.h>

#include <string>

#include "props/model_replay.hpp"

namespace taintgraph::props {
namespace {

// X holds 1s, Y is claimed by F, Z holds nothing known, E is empty; B is unallocated because of B.
constexpr const char* kFiveBuffers = R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"alloc","buffer":"Z","size":4}
{"op":"alloc","buffer":"E","size":0}
{"op":"alloc","id":"B","buffer":"B","size":4,"fault":"out_of_memory"}
{"op":"write","to":"X","fill":1}
{"op":"launch","id":"F","kernel":"iota","writes":["Y"],"fault":"launch_out_of_resources"}
)";

std::string with_five_buffers(const std::string& operations) { return mismatches_of_model(kFiveBuffers + operations); }

// The same after a kernel on stream 3 has faulted and nobody has noticed.
std::string with_pending_fault(const std::string& operations) {
  return with_five_buffers(R"({"op":"launch","id":"T","kernel":"device_assert","stream":3,"expect":{"outcome":"ok"}})"
                           "\n" +
                           operations);
}

// The same after a sync has noticed.
std::string with_poison(const std::string& operations) {
  return with_pending_fault(R"({"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"],"error":"assert"}})"
                            "\n" +
                            operations);
}

TEST(ModelDevice, AsynchronousFaultCountsAsWrittenUntilItSurfaces) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"launch","id":"T","kernel":"trap","writes":["Y"],"expect":{"outcome":"ok","roots":[]}}
{"op":"check","clean":["Y"],"failures":1,"tags":1}
{"op":"sync","id":"S","stream":1,"expect":{"outcome":"failed","roots":["S"],"error":"launch_failed"}}
{"op":"check","clean":["Y"],"failures":2,"tags":1}
)"),
            "");
}

TEST(ModelDevice, FaultSurfacesAtALaunchWhichClaimsItsWrites) {
  EXPECT_EQ(with_pending_fault(R"(
{"op":"launch","id":"L","kernel":"iota","writes":["Z"],"expect":{"outcome":"failed","roots":["L"],"error":"assert"}}
{"op":"check","claimed":[["Z","L"]],"failures":3,"tags":3}
{"op":"sync","expect":{"outcome":"poisoned","roots":["L"]}}
)"),
            "");
}

TEST(ModelDevice, LaunchOfNothingSubmitsWorkAllTheSame) {
  EXPECT_EQ(
      with_pending_fault(R"({"op":"launch","id":"L","kernel":"noop","expect":{"outcome":"failed","roots":["L"]}})"),
      "");
}

TEST(ModelDevice, FaultSurfacesAtWriteCopyReadAndWait) {
  for (const char* operation : {
           R"({"op":"write","id":"L","to":["Z",0,1],"fill":1)",
           R"({"op":"copy","id":"L","from":["X",0,1],"to":["Z",0,1])",
           R"({"op":"read","id":"L","from":"X")",
           R"({"op":"wait","id":"L","stream":0,"on":1)",
           R"({"op":"sync","id":"L","stream":0)",
       }) {
    EXPECT_EQ(with_pending_fault(std::string(operation) +
                                 R"(,"expect":{"outcome":"failed","roots":["L"],"error":"assert"}})"),
              "")
        << operation;
  }
}

TEST(ModelDevice, FailedReadThatSurfacesClaimsNothing) {
  EXPECT_EQ(with_pending_fault(R"(
{"op":"read","id":"L","from":"X","expect":{"outcome":"failed"}}
{"op":"check","clean":["X"],"failures":3,"tags":2}
)"),
            "");
}

TEST(ModelDevice, FaultSurfacesAtARecordedLaunchWhichClaimsNothing) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"device_assert","stream":3,"expect":{"outcome":"ok"}}
{"op":"launch","id":"L","kernel":"iota","writes":["Z"],"stream":1,"expect":{"outcome":"failed","roots":["L"],"error":"assert"}}
{"op":"check","clean":["Z"],"failures":3,"tags":2}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"poisoned","roots":["L"]}}
)"),
            "");
}

TEST(ModelDevice, FaultSurfacesAtAReplayWhichClaimsItsWrites) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"iota","writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"launch","kernel":"out_of_bounds","stream":3}
{"op":"replay","id":"L","graph":"g","stream":1,"expect":{"outcome":"failed","roots":["L"],"error":"illegal_address"}}
{"op":"check","claimed":[["Z","L"]],"failures":3,"tags":3}
)"),
            "");
}

TEST(ModelDevice, FaultDoesNotSurfaceWhereNothingIsSubmitted) {
  EXPECT_EQ(with_pending_fault(R"(
{"op":"write","to":["X",2,2],"fill":1,"expect":{"outcome":"ok"}}
{"op":"copy","from":["X",2,2],"to":["Z",2,2],"expect":{"outcome":"ok"}}
{"op":"read","from":["X",2,2],"expect":{"outcome":"ok"}}
{"op":"read","from":"Y","expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"write","to":"B","fill":1,"expect":{"outcome":"unwritten","roots":["B"]}}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"expect":{"outcome":"skipped","roots":["F"]}}
{"op":"wait","stream":3,"on":3,"expect":{"outcome":"ok"}}
{"op":"trust","to":"Z","note":"no","expect":{"outcome":"ok"}}
{"op":"free","buffer":"E","expect":{"outcome":"ok"}}
{"op":"read","from":"E","expect":{"outcome":"rejected"}}
{"op":"reset","expect":{"outcome":"rejected"}}
{"op":"check","failures":2,"tags":2}
{"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"]}}
)"),
            "");
}

TEST(ModelDevice, EarlierFaultComesBeforeTheOperationsOwn) {
  EXPECT_EQ(with_pending_fault(R"(
{"op":"launch","id":"L","kernel":"iota","writes":["Z"],"fault":"launch_out_of_resources","expect":{"outcome":"failed","roots":["L"],"error":"assert"}}
{"op":"read","from":"Z","expect":{"outcome":"poisoned","roots":["L"],"error":"assert"}}
)"),
            "");
}

TEST(ModelDevice, StickyFaultBeforeTheCallPoisonsAtOnce) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"write","id":"W","to":["X",0,2],"fill":9,"fault":{"kind":"ecc_uncorrectable","when":"before"},"expect":{"outcome":"failed","roots":["W"],"error":"ecc_uncorrectable"}}
{"op":"check","claimed":[[["X",0,2],"W"]],"failures":3,"tags":3}
{"op":"sync","expect":{"outcome":"poisoned","roots":["W"],"error":"ecc_uncorrectable"}}
)"),
            "");
}

TEST(ModelDevice, StickyFaultOfAnOperationSurfacesLater) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"copy","id":"C","from":"X","to":"Y","fault":"illegal_address","expect":{"outcome":"ok"}}
{"op":"check","clean":["Y"],"failures":1,"tags":1}
{"op":"launch","id":"K","kernel":"copy","reads":["X"],"writes":["Z"],"expect":{"outcome":"failed","roots":["K"],"error":"illegal_address"}}
)"),
            "");
}

TEST(ModelDevice, RefusedWorkIsClaimedByThePoison) {
  EXPECT_EQ(with_poison(R"(
{"op":"check","failures":3,"tags":2}
{"op":"launch","kernel":"copy","reads":["Y"],"writes":["Z"],"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"write","to":["Y",0,2],"fill":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"copy","from":["X",0,1],"to":["X",1,2],"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"check","claimed":[["Z","S"],[["Y",0,2],"S"],[["Y",2,4],"F"],[["X",1,2],"S"]],"failures":3,"tags":5}
{"op":"write","to":"B","fill":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"write","to":["X",0,0],"fill":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"check","failures":3,"tags":5}
)"),
            "");
}

TEST(ModelDevice, PoisonedReadNamesTheBytesOwnFailuresFirst) {
  EXPECT_EQ(with_poison(R"(
{"op":"read","from":"X","expect":{"outcome":"poisoned","roots":["S"],"error":"assert"}}
{"op":"read","from":["X",0,0],"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"read","from":["B","X","Y"],"expect":{"outcome":"poisoned","roots":["B","F","S"],"via":[],"error":"out_of_memory"}}
{"op":"write","to":["Y",0,2],"fill":1}
{"op":"read","from":"Y","expect":{"outcome":"poisoned","roots":["F","S"]}}
)"),
            "");
}

TEST(ModelDevice, PoisonRefusesEveryDeviceOperation) {
  EXPECT_EQ(with_poison(R"(
{"op":"alloc","id":"N","buffer":"N","size":4,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"alloc","buffer":"N","size":4,"expect":{"outcome":"rejected"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"sync","stream":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"wait","stream":1,"on":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"capture_begin","stream":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"capture_end","stream":1,"graph":"g","expect":{"outcome":"rejected"}}
{"op":"check","failures":3,"tags":3}
)"),
            "");
}

TEST(ModelDevice, HostBookkeepingWorksUnderPoison) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"iota","writes":["Z"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"capture_begin","stream":2}
{"op":"launch","kernel":"iota","writes":["X"],"stream":2}
{"op":"launch","kernel":"device_assert","stream":3}
{"op":"wait","id":"S","stream":0,"on":3,"expect":{"outcome":"failed","roots":["S"]}}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"check","claimed":[["Z","S"]],"failures":3,"tags":3}
{"op":"trust","to":"Z","note":"no","expect":{"outcome":"ok"}}
{"op":"trust","to":"B","note":"no","expect":{"outcome":"unwritten","roots":["B"]}}
{"op":"cleanup","expect":{"outcome":"ok"}}
{"op":"destroy","graph":"g","expect":{"outcome":"ok"}}
{"op":"capture_end","stream":2,"graph":"h","expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"replay","graph":"h","stream":2,"expect":{"outcome":"rejected"}}
{"op":"free","buffer":"Y","expect":{"outcome":"ok"}}
{"op":"free","buffer":"B","expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":0}
)"),
            "");
}

TEST(ModelDevice, ResetLosesEveryLiveBuffer) {
  EXPECT_EQ(with_poison(R"(
{"op":"reset","expect":{"outcome":"ok","roots":[]}}
{"op":"check","claimed":[["X","S"],["Y","S"],["Z","S"],["B","S"]],"failures":1,"tags":5}
{"op":"read","from":["X","Y"],"expect":{"outcome":"unwritten","roots":["S"],"via":[],"error":"assert"}}
{"op":"read","from":"E","expect":{"outcome":"ok","bytes":""}}
{"op":"write","to":"X","fill":1,"expect":{"outcome":"unwritten","roots":["S"]}}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"alloc","buffer":"N","size":4,"expect":{"outcome":"ok"}}
{"op":"launch","id":"K","kernel":"copy","reads":["X"],"writes":["N"],"expect":{"outcome":"skipped","roots":["S"]}}
{"op":"read","from":"N","expect":{"roots":["S"],"via":["K"]}}
{"op":"launch","kernel":"fill","writes":["N"],"args":{"value":6},"expect":{"outcome":"ok"}}
{"op":"read","from":"N","expect":{"outcome":"ok","fill":6}}
{"op":"free","buffer":"X"}
{"op":"free","buffer":"Y"}
{"op":"free","buffer":"Z"}
{"op":"free","buffer":"B"}
{"op":"check","failures":1,"tags":1}
{"op":"free","buffer":"E"}
{"op":"check","failures":0,"tags":0}
{"op":"reset","expect":{"outcome":"rejected"}}
)"),
            "");
}

TEST(ModelDevice, ResetDropsGraphsAndWindowsFirst) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"capture_begin","stream":2}
{"op":"launch","kernel":"iota","writes":["Y"],"stream":2}
{"op":"free","buffer":"X"}
{"op":"free","buffer":"Y"}
{"op":"launch","kernel":"device_assert"}
{"op":"sync","stream":0,"id":"S","expect":{"outcome":"failed"}}
{"op":"check","failures":1,"tags":0}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"check","failures":0,"tags":0}
{"op":"replay","graph":"g","stream":1,"expect":{"outcome":"rejected"}}
{"op":"sync","stream":2,"expect":{"outcome":"ok"}}
{"op":"capture_end","stream":2,"graph":"h","expect":{"outcome":"rejected"}}
)"),
            "");
}

TEST(ModelDevice, ResetThatCannotHelpChangesNothing) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"launch","kernel":"trap"}
{"op":"sync","id":"S","expect":{"outcome":"failed","roots":["S"]}}
{"op":"reset","id":"R","expect":{"outcome":"failed","roots":["S"],"error":"launch_failed"}}
{"op":"check","claimed":[["Y","F"],["B","B"]],"failures":3,"tags":2}
{"op":"read","from":"X","expect":{"outcome":"poisoned","roots":["S"]}}
)"),
            "");
}

TEST(ModelDevice, SecondPoisonIsAFailureOfItsOwn) {
  EXPECT_EQ(with_poison(R"(
{"op":"reset"}
{"op":"launch","kernel":"device_assert"}
{"op":"sync","id":"S2","expect":{"outcome":"failed","roots":["S2"]}}
{"op":"read","from":"X","expect":{"outcome":"poisoned","roots":["S","S2"]}}
{"op":"check","failures":2,"tags":5}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"check","claimed":[["X","S2"]],"failures":1,"tags":5}
)"),
            "");
}

TEST(ModelDevice, ProgramErrorsComeBeforePoisonAndPoisonBeforeCapture) {
  EXPECT_EQ(with_five_buffers(R"(
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"device_assert"}
{"op":"sync","stream":0,"id":"S","expect":{"outcome":"failed"}}
{"op":"write","to":["X",0,5],"fill":1,"expect":{"outcome":"rejected"}}
{"op":"launch","kernel":"copy","reads":["X"],"writes":[["Z",0,1]],"expect":{"outcome":"rejected"}}
{"op":"capture_begin","stream":1,"expect":{"outcome":"rejected"}}
{"op":"write","to":"X","fill":1,"stream":1,"expect":{"outcome":"poisoned","roots":["S"]}}
{"op":"sync","expect":{"outcome":"poisoned","roots":["S"]}}
)"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
