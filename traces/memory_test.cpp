// Memory as programs meet it: when a full device finds room after all, what is kept and given back, what moves. Each
// trace runs on every kind of pool and allocator and under several seeds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::traces {
namespace {

struct Kind {
  PoolKind pool = PoolKind::sliced;
  Allocator allocator = Allocator::context;
};

std::string text_of(const Kind& kind) {
  return std::string(kind.pool == PoolKind::sliced ? "Sliced" : "Exclusive") +
         (kind.allocator == Allocator::context ? "" : "StreamOrdered");
}

class MemoryTrace : public ::testing::TestWithParam<Kind> {
 protected:
  // What does not hold, one line each.
  static std::vector<std::string> wrong(const Program& program) {
    std::vector<std::string> lines;
    SessionOptions options;
    options.validate = true;
    Replayer replayer(program.header, program.names, options,
                      [&](const Operation&, const StepResult&, const std::vector<Mismatch>& mismatches) {
                        for (const Mismatch& each : mismatches) lines.push_back(to_string(each));
                      });
    for (const Operation& operation : program.operations) replayer.execute(operation);
    replayer.finish();
    for (const Mismatch& each : replayer.whole_run()) lines.push_back(to_string(each));
    return lines;
  }
  static void holds(const std::string& device, const std::string& operations) {
    const std::string header =
        R"({"format":"taintgraph-trace","version":1,"device":{)" + device + R"(},"name":"memory"})";
    auto program = parse_program(header + "\n" + operations);
    ASSERT_TRUE(program) << to_string(program.error().front(), "trace");
    program->header.device.pool = GetParam().pool;
    program->header.device.allocator = GetParam().allocator;
    for (program->header.seed = 1; program->header.seed <= 5; ++program->header.seed)
      EXPECT_EQ(wrong(*program), std::vector<std::string>()) << "seed " << program->header.seed;
  }
};

TEST_P(MemoryTrace, AReservationStillOnItsWayKeepsFreedMemoryInUse) {
  // The failed read left its stream waiting for the reservation, so that nobody knows yet that the stream is done.
  const std::string operations = R"({"op":"alloc","buffer":"A","size":1}
{"op":"read","from":["A"],"fault":"context_is_destroyed","expect":{"outcome":"failed"}}
{"op":"free","buffer":"A"}
{"op":"cleanup","expect":{"outcome":"ok"}}
{"op":"sync"}
{"op":"cleanup"}
{"op":"check","pages":0}
)";
  holds(R"("streams":2)", operations);
}

TEST_P(MemoryTrace, AFullDeviceWaitsForWhatWasFreedWhileInUse) {
  holds(R"("memory":4096,"page":1024,"streams":3)", R"({"op":"alloc","buffer":"A","size":1024}
{"op":"alloc","buffer":"B","size":1024}
{"op":"alloc","buffer":"C","size":1024}
{"op":"alloc","buffer":"D","size":1024}
{"op":"launch","kernel":"fill","writes":["A"],"args":{"value":1}}
{"op":"launch","kernel":"copy","reads":["A"],"writes":["B"],"stream":1}
{"op":"launch","kernel":"copy","reads":["B"],"writes":["C"],"stream":2}
{"op":"free","buffer":"A"}
{"op":"free","buffer":"B"}
{"op":"free","buffer":"C"}
{"op":"alloc","buffer":"E","size":3072,"expect":{"outcome":"ok"}}
{"op":"check","pages":2,"bytes_in_use":4096}
{"op":"launch","kernel":"fill","writes":["E"],"args":{"value":9},"stream":2}
{"op":"read","from":["E"],"stream":1,"expect":{"fill":9}}
)");
}

TEST_P(MemoryTrace, OutOfMemoryIsTheLastWord) {
  holds(R"("memory":4096,"page":1024)", R"({"op":"alloc","buffer":"A","size":2048}
{"op":"alloc","buffer":"B","size":1024}
{"op":"launch","kernel":"fill","writes":["B"],"args":{"value":1}}
{"op":"free","buffer":"B"}
{"op":"alloc","id":"F","buffer":"C","size":3072,"expect":{"outcome":"failed","error":"out_of_memory"}}
{"op":"check","failures":1,"pages":1,"bytes_in_use":2048}
{"op":"alloc","buffer":"D","size":2048,"expect":{"outcome":"ok"}}
{"op":"write","to":"C","fill":1,"expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"free","buffer":"C"}
{"op":"check","failures":0}
{"op":"alloc","id":"N","buffer":"E","size":4097,"expect":{"outcome":"failed","error":"out_of_memory"}}
{"op":"alloc","buffer":"G","size":18446744073709551615,"expect":{"outcome":"failed","error":"out_of_memory"}}
)");
}

TEST_P(MemoryTrace, AnOperationsOwnFaultStrikesWhateverItsSize) {
  holds(
      R"("memory":4096)",
      R"({"op":"alloc","buffer":"A","size":5000,"fault":"invalid_value","expect":{"outcome":"failed","error":"invalid_value"}}
{"op":"alloc","buffer":"B","size":0,"fault":"invalid_value","expect":{"outcome":"failed","error":"invalid_value"}}
{"op":"alloc","buffer":"C","size":64,"fault":"out_of_memory","expect":{"outcome":"failed","error":"out_of_memory"}}
{"op":"check","pages":0,"failures":3,"tags":3}
)");
}

TEST_P(MemoryTrace, PeriodicCleanupGivesBackWhatStayedEmpty) {
  holds(R"("memory":65536,"page":1024)", R"({"op":"alloc","buffer":"A","size":1024}
{"op":"alloc","buffer":"B","size":1024}
{"op":"free","buffer":"A"}
{"op":"check","pages":2}
{"op":"cleanup","mode":"periodic"}
{"op":"check","pages":2}
{"op":"alloc","buffer":"A","size":1024}
{"op":"free","buffer":"A"}
{"op":"cleanup","mode":"periodic"}
{"op":"check","pages":2}
{"op":"cleanup","mode":"periodic"}
{"op":"check","pages":1}
{"op":"free","buffer":"B"}
{"op":"check","pages":1}
{"op":"cleanup"}
{"op":"check","pages":0}
)");
}

TEST_P(MemoryTrace, ExplicitCleanupGivesBackWhatIsEmptyNow) {
  holds(R"("memory":65536,"page":1024)", R"({"op":"alloc","buffer":"A","size":1024}
{"op":"alloc","buffer":"B","size":1024}
{"op":"launch","kernel":"fill","writes":["A"],"args":{"value":1}}
{"op":"sync"}
{"op":"free","buffer":"A"}
{"op":"cleanup","mode":"explicit"}
{"op":"check","pages":1}
{"op":"alloc","buffer":"C","size":1024}
{"op":"launch","kernel":"fill","writes":["C"],"args":{"value":3},"stream":3}
{"op":"read","from":["C"],"stream":2,"expect":{"fill":3}}
)");
}

TEST_P(MemoryTrace, ABufferMovesWithItsBytesAndClaims) {
  holds(R"("memory":65536,"page":1024,"init":"unwritten")", R"({"op":"alloc","id":"X","buffer":"A","size":96}
{"op":"alloc","id":"Y","buffer":"B","size":64}
{"op":"alloc","buffer":"Z","size":0}
{"op":"launch","kernel":"iota","writes":[["A",0,64]]}
{"op":"launch","id":"P","kernel":"fill","writes":[["A",8,16]],"args":{"value":1},"fault":"launch_out_of_resources"}
{"op":"relocate","buffer":"A","stream":2,"expect":{"outcome":"ok"}}
{"op":"relocate","buffer":"Z","expect":{"outcome":"ok"}}
{"op":"launch","kernel":"fill","writes":[["A",16,17]],"args":{"value":5},"stream":3}
{"op":"check","failures":3,"tags":3,"clean":[["A",0,8],["A",16,64]],"claimed":[[["A",8,16],"P"],[["A",64,96],"X"],["B","Y"]]}
{"op":"relocate","buffer":"A","fault":"out_of_memory","expect":{"outcome":"failed"}}
{"op":"relocate","buffer":"A","fault":"host_exception","expect":{"outcome":"failed"}}
{"op":"relocate","buffer":"A","fault":"invalid_handle","expect":{"outcome":"failed"}}
{"op":"check","failures":3,"tags":3,"bytes_in_use":160}
{"op":"read","from":[["A",0,8]],"expect":{"bytes":"0001020304050607"}}
{"op":"read","from":[["A",16,20]],"expect":{"bytes":"05111213"}}
{"op":"read","from":[["A",8,9]],"expect":{"outcome":"unwritten","roots":["P"]}}
)");
}

TEST_P(MemoryTrace, AResetLeavesNoMemoryBehind) {
  holds(R"("memory":4096,"page":1024)", R"({"op":"alloc","buffer":"A","size":1024}
{"op":"alloc","buffer":"B","size":1024}
{"op":"launch","kernel":"fill","writes":["A"],"args":{"value":1}}
{"op":"free","buffer":"B"}
{"op":"launch","id":"P","kernel":"device_assert","stream":1}
{"op":"sync","expect":{"outcome":"failed"}}
{"op":"reset","expect":{"outcome":"ok"}}
{"op":"check","pages":0,"bytes_in_use":0}
{"op":"alloc","buffer":"C","size":4096,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"fill","writes":["C"],"args":{"value":2},"stream":2}
{"op":"read","from":["C"],"expect":{"fill":2}}
)");
}

TEST_P(MemoryTrace, AGraphUsesMemoryThatCameWhileItWasRecorded) {
  holds(R"("memory":65536,"page":1024)", R"({"op":"alloc","buffer":"A","size":64}
{"op":"launch","kernel":"fill","writes":["A"],"args":{"value":1}}
{"op":"capture_begin","stream":1}
{"op":"alloc","buffer":"B","size":2048}
{"op":"launch","kernel":"fill","writes":["B"],"args":{"value":4},"stream":1}
{"op":"launch","kernel":"copy","reads":[["B",0,64]],"writes":["A"],"stream":1}
{"op":"capture_end","stream":1,"graph":"G"}
{"op":"replay","graph":"G","stream":2}
{"op":"read","from":["A"],"stream":3,"expect":{"fill":4}}
{"op":"destroy","graph":"G"}
)");
}

INSTANTIATE_TEST_SUITE_P(Kinds, MemoryTrace,
                         ::testing::Values(Kind{}, Kind{PoolKind::exclusive, Allocator::context},
                                           Kind{PoolKind::sliced, Allocator::stream_ordered},
                                           Kind{PoolKind::exclusive, Allocator::stream_ordered}),
                         [](const auto& kind) { return text_of(kind.param); });

}  // namespace
}  // namespace taintgraph::traces
