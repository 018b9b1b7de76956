// What a graph reads before it writes, where its writes touch one another (G2).
#include <gtest/gtest.h>

#include "props/differences_for_tests.hpp"

namespace taintgraph::props {
namespace {

TEST(AgreementOnGraphs, AWriteBehindAnotherIsWrittenToo) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":16}
{"op":"alloc","buffer":"Y","size":16}
{"op":"capture_begin"}
{"op":"launch","kernel":"fill","writes":[["X",0,8]],"args":{"value":1}}
{"op":"launch","kernel":"fill","writes":[["X",8,16]],"args":{"value":2}}
{"op":"copy","from":["X",8,16],"to":["Y",0,8]}
{"op":"copy","from":["X",0,8],"to":["Y",8,16]}
{"op":"capture_end","graph":"g"}
{"op":"launch","id":"F","kernel":"fill","writes":["X"],"args":{"value":9},"fault":"launch_out_of_resources"}
{"op":"replay","graph":"g","expect":{"outcome":"ok"}}
{"op":"read","from":"Y","expect":{"bytes":"02020202020202020101010101010101"}})"),
            "");
}

TEST(AgreementOnGraphs, AWriteBeforeAnotherHidesNothingBehindBoth) {
  EXPECT_EQ(differences(R"({"op":"alloc","buffer":"X","size":24}
{"op":"alloc","buffer":"Y","size":24}
{"op":"capture_begin"}
{"op":"launch","kernel":"fill","writes":[["X",8,16]],"args":{"value":1}}
{"op":"launch","kernel":"fill","writes":[["X",0,8]],"args":{"value":2}}
{"op":"copy","from":"X","to":"Y"}
{"op":"capture_end","graph":"g"}
{"op":"launch","id":"F","kernel":"fill","writes":["X"],"args":{"value":9},"fault":"launch_out_of_resources"}
{"op":"replay","graph":"g","expect":{"outcome":"skipped","roots":["F"]}})"),
            "");
}

}  // namespace
}  // namespace taintgraph::props
