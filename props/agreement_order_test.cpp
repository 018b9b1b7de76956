// Programs on which runtime and model are easily of two minds about what comes after a fault that has not shown yet.
#include <gtest/gtest.h>

#include <string>

#include "props/differences_for_tests.hpp"

namespace taintgraph::props {
namespace {

// A relocation only reads the old memory, and the new one is nobody's yet: neither comes after a fault that read.
TEST(Agreement, ARelocationIsNotOrderedAfterOtherReaders) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"alloc","buffer":"Y","size":1}
{"op":"copy","to":"Y","from":"X","stream":2,"fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"relocate","buffer":"X","expect":{"outcome":"ok"}}
{"op":"sync","stream":0,"expect":{"outcome":"ok"}}
{"op":"write","to":"X","fill":1,"stream":1,"expect":{"outcome":"ok"}}
{"op":"sync","stream":1,"expect":{"outcome":"ok"}}
{"op":"sync","stream":2,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

TEST(Agreement, ARelocationCarriesTheOrderAfterAFaultToTheNewMemory) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"fill","args":{"value":1},"writes":["X"],"stream":2,"fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"relocate","buffer":"X","stream":0,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"fill","args":{"value":2},"writes":["X"],"stream":1,"expect":{"outcome":"ok"}}
{"op":"sync","stream":1,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

// An error may come to light before the stream has been waited for, or after it: then its work is not to blame.
TEST(Agreement, WhatACaptureHasWaitedForIsNotToBlame) {
  for (int quiet = 0; quiet < 24; ++quiet) {
    EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"read","from":"X","stream":2,"fault":"invalid_value"}
{"op":"write","to":"X","fill":0,"stream":3,"fault":{"kind":"assert","surface":{"after_calls":)" +
                          std::to_string(quiet) + R"(}}}
{"op":"capture_begin","stream":2})"),
              "")
        << quiet;
  }
}

// It runs on another stream than the one that captures.
TEST(Agreement, ARelocationBesideACaptureIsOrderedOnItsOwnStream) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin","stream":0}
{"op":"launch","kernel":"fill","args":{"value":1},"writes":["X"],"stream":2,"fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"relocate","buffer":"X","stream":0,"expect":{"outcome":"ok"}}
{"op":"sync","stream":1,"expect":{"outcome":"failed","error":"assert"}})"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
