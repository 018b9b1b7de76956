// The model by hand: bytes and their claims (B1-B3, W2-W5), and what is rejected (R4).
#include <gtest/gtest.h>

#include "props/model_replay.hpp"

namespace taintgraph::props {
namespace {

constexpr const char* kDistrust = R"({"init":"unwritten"})";

TEST(ModelBytes, FailureClaimsExactlyWhatItWasToWrite) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":16}
{"op":"launch","id":"P","kernel":"iota","writes":[["X",3,5],["X",9,9],["X",10,11]],"fault":"launch_out_of_resources","expect":{"outcome":"failed","roots":["P"],"error":"launch_out_of_resources"}}
{"op":"check","clean":[["X",0,3],["X",5,10],["X",11,16]],"claimed":[[["X",3,5],"P"],[["X",10,11],"P"]],"failures":1,"tags":1}
)"),
            "");
}

TEST(ModelBytes, LastFailureTakesTheBytesOver) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"write","id":"P","to":"X","fill":1,"fault":"invalid_value","expect":{"outcome":"failed","roots":["P"]}}
{"op":"write","id":"Q","to":["X",2,4],"fill":1,"fault":"invalid_value","expect":{"outcome":"failed","roots":["Q"]}}
{"op":"check","claimed":[[["X",0,2],"P"],[["X",2,4],"Q"],[["X",4,8],"P"]],"failures":2,"tags":2}
{"op":"write","id":"R","to":"X","fill":1,"fault":"invalid_value"}
{"op":"check","claimed":[["X","R"]],"failures":1,"tags":1}
)"),
            "");
}

TEST(ModelBytes, WriteReleasesNoMoreThanItCovers) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"launch","kernel":"fill","writes":[["X",1,2],["X",6,7]],"args":{"value":9},"expect":{"outcome":"ok"}}
{"op":"check","clean":[["X",1,2],["X",6,7]],"claimed":[[["X",0,1],"P"],[["X",2,6],"P"],[["X",7,8],"P"]]}
{"op":"read","from":["X",6,7],"expect":{"outcome":"ok","bytes":"09"}}
)"),
            "");
}

TEST(ModelBytes, EmptyRangesClaimNothing) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"P","kernel":"noop","writes":[["X",4,4]],"fault":"launch_out_of_resources","expect":{"outcome":"failed","roots":["P"],"error":"launch_out_of_resources"}}
{"op":"check","clean":["X"],"failures":0,"tags":0}
)"),
            "");
}

TEST(ModelBytes, EmptyWriteCopyAndReadIgnoreTheirFaults) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"write","to":["X",3,3],"fill":1,"fault":"invalid_value","expect":{"outcome":"ok"}}
{"op":"write","to":["X",8,8],"bytes":"","fault":"illegal_address","expect":{"outcome":"ok"}}
{"op":"copy","from":["X",0,0],"to":["X",8,8],"fault":"illegal_address","expect":{"outcome":"ok"}}
{"op":"read","from":[["X",0,0],["X",5,5]],"fault":"invalid_value","expect":{"outcome":"ok"}}
{"op":"sync","expect":{"outcome":"ok"}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelBytes, EmptyBufferHasNoBytesToClaim) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"E","size":0,"expect":{"outcome":"ok"}}
{"op":"write","to":"E","fill":1,"fault":"invalid_value","expect":{"outcome":"ok"}}
{"op":"launch","id":"P","kernel":"iota","writes":["E"],"fault":"launch_out_of_resources","expect":{"outcome":"failed","roots":["P"]}}
{"op":"read","from":"E","expect":{"outcome":"ok","bytes":""}}
{"op":"check","failures":0,"tags":0}
{"op":"free","buffer":"E","expect":{"outcome":"ok"}}
)"),
            "");
}

TEST(ModelBytes, EmptyRangesOfUnallocatedBuffersAreNotRefused) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","id":"B","buffer":"B","size":8,"fault":"out_of_memory","expect":{"outcome":"failed","roots":["B"],"error":"out_of_memory"}}
{"op":"read","from":["B",4,4],"expect":{"outcome":"ok"}}
{"op":"write","to":["B",0,0],"fill":1,"expect":{"outcome":"ok"}}
{"op":"trust","to":["B",8,8],"note":"nothing","expect":{"outcome":"ok"}}
{"op":"launch","kernel":"noop","reads":[["B",0,0]],"writes":[["B",2,2]],"expect":{"outcome":"ok"}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

TEST(ModelBytes, EmptyBufferWhoseReservationFailedIsARecordAllTheSame) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","id":"E","buffer":"E","size":0,"fault":"out_of_memory","expect":{"outcome":"failed","roots":["E"]}}
{"op":"check","failures":1,"tags":1}
{"op":"read","from":"E","expect":{"outcome":"ok","bytes":""}}
{"op":"free","buffer":"E","expect":{"outcome":"ok"}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelBytes, UnallocatedBufferRefusesWritesAndTrust) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","id":"B","buffer":"B","size":8,"fault":"out_of_memory"}
{"op":"write","to":["B",7,8],"fill":1,"expect":{"outcome":"unwritten","roots":["B"]}}
{"op":"trust","to":"B","note":"no","expect":{"outcome":"unwritten","roots":["B"]}}
{"op":"read","from":["B",7,8],"expect":{"outcome":"unwritten","roots":["B"],"via":[],"error":"out_of_memory"}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

TEST(ModelBytes, ReusedNameIsANewBuffer) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"alloc","buffer":"X","size":4,"expect":{"outcome":"rejected"}}
{"op":"free","buffer":"X","expect":{"outcome":"ok"}}
{"op":"free","buffer":"X","expect":{"outcome":"rejected"}}
{"op":"read","from":"X","expect":{"outcome":"rejected","roots":[]}}
{"op":"alloc","buffer":"X","size":4,"expect":{"outcome":"ok"}}
{"op":"check","clean":["X"],"failures":0,"tags":0}
{"op":"read","from":["X",0,8],"expect":{"outcome":"rejected"}}
{"op":"read","from":["X",0,4],"expect":{"outcome":"ok"}}
)"),
            "");
}

TEST(ModelBytes, WriteOfTheWrongLengthIsRejected) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","bytes":"01020304","expect":{"outcome":"ok"}}
{"op":"write","to":"X","bytes":"010203","expect":{"outcome":"rejected"}}
{"op":"copy","from":["X",0,2],"to":["X",2,3],"expect":{"outcome":"rejected"}}
{"op":"read","from":"X","expect":{"bytes":"01020304"}}
{"op":"copy","from":["X",0,2],"to":["X",2,4],"expect":{"outcome":"ok"}}
{"op":"read","from":"X","expect":{"bytes":"01020102"}}
)"),
            "");
}

TEST(ModelBytes, UnwrittenMemoryNamesItsAllocation) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","id":"A","buffer":"X","size":8,"expect":{"outcome":"ok","roots":[]}}
{"op":"alloc","id":"B","buffer":"E","size":0,"expect":{"outcome":"ok"}}
{"op":"check","claimed":[["X","A"]],"failures":1,"tags":1}
{"op":"launch","id":"K","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2},"expect":{"outcome":"skipped","roots":["A"]}}
{"op":"write","to":["X",0,4],"fill":5,"expect":{"outcome":"ok"}}
{"op":"read","from":"X","expect":{"outcome":"unwritten","roots":["A"],"via":["K"]}}
{"op":"trust","to":["X",4,8],"note":"padding","expect":{"outcome":"ok"}}
{"op":"check","clean":["X"],"failures":0,"tags":0}
)",
                                kDistrust),
            "");
}

TEST(ModelBytes, TrustedBytesHoldWhatIsReallyThere) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","bytes":"01020304"}
{"op":"launch","id":"P","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":3},"fault":{"kind":"launch_out_of_resources","bytes_done":2},"expect":{"outcome":"failed"}}
{"op":"trust","to":"X","note":"by eye"}
{"op":"read","from":"X","expect":{"outcome":"ok","bytes":"03060304"}}
{"op":"launch","id":"Q","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2},"fault":{"kind":"launch_out_of_resources","when":"after"},"expect":{"outcome":"failed"}}
{"op":"trust","to":"X","note":"by eye"}
{"op":"read","from":"X","expect":{"bytes":"060c0608"}}
{"op":"copy","id":"R","from":["X",0,2],"to":["X",2,4],"fault":"invalid_value","expect":{"outcome":"failed"}}
{"op":"launch","kernel":"scale","reads":["X"],"writes":["X"],"args":{"by":2},"expect":{"outcome":"skipped","roots":["R"]}}
{"op":"trust","to":"X","note":"by eye"}
{"op":"read","from":"X","expect":{"bytes":"060c0608"}}
)"),
            "");
}

TEST(ModelBytes, NoopWritesWithoutTouching) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","bytes":"01020304"}
{"op":"launch","id":"P","kernel":"noop","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"check","claimed":[["X","P"]]}
{"op":"launch","kernel":"noop","writes":["X"],"expect":{"outcome":"ok"}}
{"op":"read","from":"X","expect":{"outcome":"ok","bytes":"01020304"}}
{"op":"check","failures":0,"tags":0}
)"),
            "");
}

TEST(ModelBytes, HostExceptionTearsTheScopeDown) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"write","id":"P","to":["X",0,2],"fill":1,"fault":"host_exception","expect":{"outcome":"failed","roots":["P"],"error":"host_exception"}}
{"op":"check","claimed":[[["X",0,2],"P"]],"clean":[["X",2,4]],"failures":1,"tags":1}
)"),
            "");
}

TEST(ModelBytes, FailedReadSyncAndWaitClaimNothing) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"read","id":"R","from":"X","fault":"invalid_value","expect":{"outcome":"failed","roots":["R"],"error":"invalid_value"}}
{"op":"sync","id":"S","fault":"invalid_handle","expect":{"outcome":"failed","roots":["S"]}}
{"op":"wait","id":"W","stream":1,"on":2,"fault":"invalid_handle","expect":{"outcome":"failed","roots":["W"]}}
{"op":"wait","stream":1,"on":1,"fault":"invalid_handle","expect":{"outcome":"ok"}}
{"op":"check","clean":["X"],"failures":0,"tags":0}
)"),
            "");
}

TEST(ModelBytes, MovedBufferTakesItsClaimsAlongAndAFailedMoveChangesNothing) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","bytes":"01020304"}
{"op":"launch","id":"P","kernel":"iota","writes":[["X",1,2]],"fault":"launch_out_of_resources"}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"relocate","id":"M","buffer":"X","fault":"out_of_memory","expect":{"outcome":"failed","roots":["M"],"error":"out_of_memory"}}
{"op":"check","claimed":[[["X",1,2],"P"]],"clean":[["X",2,4]],"failures":1,"tags":1}
{"op":"read","from":["X",2,4],"expect":{"bytes":"0304"}}
{"op":"alloc","id":"B","buffer":"B","size":8,"fault":"out_of_memory"}
{"op":"relocate","buffer":"B","expect":{"outcome":"rejected"}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"free","buffer":"X"}
{"op":"relocate","buffer":"X","expect":{"outcome":"rejected"}}
)"),
            "");
}

TEST(ModelBytes, RejectedChangesNothing) {
  EXPECT_EQ(mismatches_of_model(R"(
{"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"write","to":"Y","fill":7}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"launch","kernel":"copy","reads":["X"],"writes":[["Y",0,5]],"fault":"launch_out_of_resources","expect":{"outcome":"rejected","roots":[]}}
{"op":"launch","kernel":"copy","reads":["X"],"writes":[["Y",0,3]],"expect":{"outcome":"rejected"}}
{"op":"read","from":["Y",["X",0,5]],"expect":{"outcome":"rejected"}}
{"op":"destroy","graph":"never","expect":{"outcome":"rejected"}}
{"op":"replay","graph":"never","stream":0,"expect":{"outcome":"rejected"}}
{"op":"read","from":"Y","expect":{"outcome":"ok","fill":7}}
{"op":"check","failures":1,"tags":1}
)"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
