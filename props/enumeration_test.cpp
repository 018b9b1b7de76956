#include "props/enumeration.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>
#include <string>

#include "props/every_fault.hpp"
#include "props/fuzz_for_tests.hpp"
#include "props/order_search.hpp"
#include "props/small_programs.hpp"
#include "traces/reader.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;

class Enumerate : public Fuzz {
 protected:
  Enumerate() {
    options_.enumerate = true;
    options_.operations = 1;
    options_.jobs = 2;
  }
  int run(const Judge& judge) { return enumerate(options_, judge, out_, err_, {}); }
  [[nodiscard]] std::string shrunk() const { return options_.out + "/enumerate/0/shrunk.jsonl"; }
};

// Whether the program holds an operation of this kind that a fault of this kind strikes.
bool is_struck(const traces::Program& program, OpKind op, gpu::Call call, gpu::FaultKind kind) {
  for (const traces::Operation& each : program.operations) {
    if (each.kind != op || !each.annotations) continue;
    for (const sim::CallFault& fired : each.annotations->fired)
      if (fired.call == call && fired.fault.kind == kind) return true;
  }
  return false;
}

traces::Program program_of(const std::string& operations) {
  auto program = traces::parse_program(
      "{\"format\":\"taintgraph-trace\",\"version\":1,\"device\":{\"streams\":2,\"page\":64}}\n" + operations);
  EXPECT_TRUE(program.has_value());
  return std::move(*program);
}

TEST_F(Enumerate, RunsEverythingAndCounts) {
  std::uint64_t runs = 0;
  std::uint64_t faults = 0;
  const SmallPrograms programs(1);
  for (std::uint64_t i = 0; i < programs.size(); ++i) {
    const std::uint64_t of_program = single_faults_of(check, programs.program(i)).size();
    faults += of_program;
    runs += 1 + of_program;  // so short a program has one order
  }
  EXPECT_EQ(run(check), 0) << said();
  EXPECT_EQ(last_line().substr(0, 19), "PASSED enumerate=1 ");
  EXPECT_EQ(field("programs"), "14/14");
  EXPECT_EQ(field("faults"), std::to_string(faults));
  EXPECT_EQ(field("runs"), std::to_string(runs));
  EXPECT_EQ(field("orders"), "0");
}

TEST_F(Enumerate, DoesNotDependOnTheWorkers) {
  options_.operations = 2;
  EXPECT_EQ(run(check), 0) << said();
  const std::string counted = field("runs") + field("ops") + field("fingerprint");
  options_.jobs = 1;
  EXPECT_EQ(run(check), 0);
  EXPECT_EQ(field("runs") + field("ops") + field("fingerprint"), counted);
}

// A slip that shows in one program with one fault only is found, shrunk to that, and written so that it replays.
TEST_F(Enumerate, FindsTheOneFaultThatFails) {
  const Judge judge = [](const traces::Program& program, const CheckOptions& options) {
    CheckedRun run = check(program, options);
    if (is_struck(program, OpKind::wait, gpu::Call::cuStreamWaitEvent, gpu::FaultKind::invalid_handle))
      plant(run, program, OpKind::wait, "planted");
    return run;
  };
  EXPECT_EQ(run(judge), 1);
  EXPECT_EQ(last_line().substr(0, 19), "FAILED enumerate=1 ");
  const auto written = traces::load_program(shrunk());
  ASSERT_TRUE(written.has_value()) << said();
  EXPECT_TRUE(is_struck(*written, OpKind::wait, gpu::Call::cuStreamWaitEvent, gpu::FaultKind::invalid_handle));
  EXPECT_EQ(written->operations.size(), 1U);
  EXPECT_NE(out_.str().find("reproduce: taintgraph fuzz --enumerate --ops 1"), std::string::npos);
}

TEST_F(Enumerate, ACrashIsAFindingAndTheRestIsStillRun) {
  const Judge judge = [](const traces::Program& program, const CheckOptions& options) {
    const bool strikes = is_struck(program, OpKind::wait, gpu::Call::cuStreamWaitEvent, gpu::FaultKind::invalid_handle);
    CheckOptions watched = options;
    watched.before_step = [&](std::uint64_t ordinal) {
      if (options.before_step) options.before_step(ordinal);
      if (strikes && ordinal == *first_of(program, OpKind::wait) + 1) std::raise(SIGKILL);
    };
    return check(program, watched);
  };
  options_.keep_going = true;
  EXPECT_EQ(run(judge), 1);
  EXPECT_NE(out_.str().find("crash"), std::string::npos) << said();
  EXPECT_EQ(field("programs"), "14/14");
}

TEST(EveryFault, StrikesEachCallWithEachKindOnce) {
  const traces::Program program = program_of(R"({"op":"alloc","buffer":"X","size":3}
{"op":"write","id":"W","to":"X","fill":1}
)");
  std::map<gpu::Call, std::set<gpu::FaultKind>> kinds;
  for (const SingleFault& each : single_faults_of(check, program)) {
    EXPECT_EQ(each.operation, 1U) << "only what has an id is struck";
    EXPECT_EQ(each.fault.nth, 1U);
    EXPECT_TRUE(kinds[each.fault.call].insert(each.fault.fault.kind).second);
    if (each.fault.call == gpu::Call::none) continue;
    const CheckedRun run = check(with_single_fault(program, each), {});
    EXPECT_EQ(run.faults, 1U) << "it strikes";
  }
  EXPECT_EQ(kinds.count(gpu::Call::cuMemcpyHtoDAsync), 1U);
  EXPECT_EQ(kinds[gpu::Call::none], std::set<gpu::FaultKind>{gpu::FaultKind::host_exception});
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    const bool wanted = row.injectable && gpu::may_return(gpu::Call::cuMemcpyHtoDAsync, row.kind);
    EXPECT_EQ(kinds[gpu::Call::cuMemcpyHtoDAsync].count(row.kind), wanted ? 1U : 0U) << row.name;
  }
}

// A freed buffer whose last use may or may not be over when the next allocation asks.
constexpr const char* kAsks = R"({"op":"alloc","buffer":"X","size":3}
{"op":"alloc","buffer":"Y","size":3}
{"op":"write","to":"X","fill":1}
{"op":"free","buffer":"X"}
{"op":"alloc","buffer":"Z","size":3}
)";

TEST(OrderSearch, TriesBothAnswersToAQuestion) {
  std::set<std::vector<std::uint32_t>> during_alloc;
  const CheckedRun run = judge_every_order(
      [&](const traces::Program& program, const CheckOptions& options) {
        CheckOptions watched = options;
        watched.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
          if (ordinal == 5) during_alloc.insert(result.schedule);
          options.after_step(ordinal, result);
        };
        return check(program, watched);
      },
      program_of(kAsks), {});
  EXPECT_FALSE(run.disagreement);
  EXPECT_EQ(run.runs, 2U);
  EXPECT_EQ(run.orders, 2U);
  EXPECT_EQ(during_alloc, (std::set<std::vector<std::uint32_t>>{{}, {0}}));
}

TEST(OrderSearch, IndependentWorkHasOneOrder) {
  const CheckedRun run = judge_every_order(check, program_of(R"({"op":"alloc","buffer":"X","size":3}
{"op":"alloc","buffer":"Y","size":3}
{"op":"write","to":"X","fill":1,"stream":0}
{"op":"write","to":"Y","fill":2,"stream":1}
{"op":"sync"}
)"),
                                           {});
  EXPECT_FALSE(run.disagreement);
  EXPECT_EQ(run.runs, 1U);
  EXPECT_EQ(run.orders, 0U);
}

// What fails in one order only is found in that order, and the trace holds it.
TEST(OrderSearch, TheScheduleOfAFailureReplays) {
  const traces::Program program = program_of(kAsks);
  const Judge judge = [](const traces::Program& given, const CheckOptions& options) {
    CheckOptions watched = options;
    bool ran = false;
    watched.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
      if (ordinal == 5) ran = !result.schedule.empty();
      if (options.after_step) options.after_step(ordinal, result);
    };
    CheckedRun run = check(given, watched);
    if (ran) plant(run, given, OpKind::free, "planted");
    return run;
  };
  const CheckedRun failed = judge_every_order(judge, program, {});
  ASSERT_TRUE(failed.disagreement);
  EXPECT_EQ(failed.runs, 2U);
  EXPECT_TRUE(judge(with_schedules(program, failed.schedules), {}).disagreement);
}

}  // namespace
}  // namespace taintgraph::props
