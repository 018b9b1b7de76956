// One seed and one sequence of calls give one run: the same schedule, bytes, results, findings and virtual time.
#include <gtest/gtest.h>

#include "sim/machine_fixture.hpp"
#include "sim/seeded_draw.hpp"

namespace taintgraph::sim {
namespace {

// A machine that makes many calls, drawn from `program`, and keeps all that could be seen of them.
class BusyMachine : public MachineFixture {
 public:
  BusyMachine(std::uint64_t seed, std::uint64_t program) : MachineFixture(seed), program_(program) {}

  std::string observations() {
    PlannedFault planned;
    planned.fault.kind = FaultKind::launch_out_of_resources;
    planned.call_class = CallClass::launch;
    planned.one_in = 5;
    planned.persistent = true;
    for (CUdeviceptr& each : memory_) each = allocate(64);
    fill_ = function("fill");
    copy_ = function("copy");
    mark_ = event();
    plan = FaultPlan(program_, {planned});
    for (std::uint64_t step = 0; step < 200; ++step) one_call(step);
    for (const CUdeviceptr each : memory_) {
      for (const unsigned char byte : read(0, each, 64)) seen_ += std::to_string(byte) + " ";
    }
    for (const std::uint32_t each : driver.take_schedule()) seen_ += std::to_string(each);
    return seen_ + findings() + std::to_string(driver.now_nanoseconds());
  }

 private:
  void TestBody() override {}

  void one_call(std::uint64_t step) {
    const auto choose = [&](std::uint64_t which, std::uint64_t below) {
      return draw(program_, Draw::planned_fault, step, which) % below;
    };
    const auto stream = static_cast<unsigned>(choose(0, 2));
    const CUdeviceptr to = memory_[choose(1, 4)] + choose(2, 32);
    const CUdeviceptr from = memory_[choose(3, 4)] + choose(4, 32);
    CUresult result = CUDA_SUCCESS;
    switch (choose(5, 6)) {
      case 0:
        result = launch(fill_, stream, 32, {{to, 32, true}}, step % 256);
        break;
      case 1:
        result = launch(copy_, stream, 32, {{from, 32, false}, {to, 32, true}});
        break;
      case 2:
        result = cu.cuMemcpyDtoDAsync(to, from, 16, streams[stream]);
        break;
      case 3:
        result = cu.cuEventRecord(mark_, streams[stream]);
        break;
      case 4:
        result = cu.cuStreamWaitEvent(streams[stream], mark_, 0);
        break;
      default:
        result = cu.cuStreamQuery(streams[stream]);
        break;
    }
    seen_ += std::to_string(result) + " ";
  }

  std::uint64_t program_;
  CUdeviceptr memory_[4] = {};
  CUfunction fill_ = nullptr;
  CUfunction copy_ = nullptr;
  CUevent mark_ = nullptr;
  std::string seen_;
};

TEST(DeterminismTest, TheSameSeedAndCallsGiveTheSameRun) {
  for (std::uint64_t program = 0; program < 20; ++program) {
    const std::string first = BusyMachine(1, program).observations();
    // Another driver at the same time, so that places, host addresses and handles differ.
    FaultPlan other_plan;
    const Driver other({}, other_plan);
    const auto shift = std::make_unique<char[]>(12345);
    EXPECT_EQ(BusyMachine(1, program).observations(), first) << program;
    EXPECT_NE(BusyMachine(2, program).observations(), first) << program;
  }
}

}  // namespace
}  // namespace taintgraph::sim
