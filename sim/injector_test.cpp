// The injector over a simulated driver that has no faults of its own.
#include "sim/injector.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/compiled_kernel.hpp"
#include "sim/driver_types.hpp"
#include "sim/kernel_image.hpp"

namespace taintgraph::sim {
namespace {

using Objects = std::vector<std::string>;

class InjectorTest : public testing::Test {
 protected:
  InjectorTest() { inject_with(ErrorSurfacing::strict); }

  void inject_with(ErrorSurfacing surfacing) {
    injector = std::make_unique<Injector>(driver.driver(), driver.compiler(), surfacing, plan);
    cu = injector->driver();
    nvrtc = injector->compiler();
  }

  void open() {
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    for (CUstream& stream : streams) ASSERT_EQ(cu.cuStreamCreate(&stream, gpu::kStreamNonBlocking), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuMemAlloc(&memory, 64), CUDA_SUCCESS);
  }

  // Strikes `call` of operation `ordinal`, which begins now.
  void strike(std::uint64_t ordinal, Call call, const Fault& fault) {
    const Call calls[] = {call};
    begin(ordinal);
    plan.strike(calls, fault);
  }
  void begin(std::uint64_t ordinal) {
    plan.begin_operation(ordinal, {});
    none.begin_operation(ordinal, {});
  }
  CUresult copy(CUstream stream) { return cu.cuMemcpyDtoDAsync(memory, memory + 32, 16, stream); }

  [[nodiscard]] std::string findings() {
    std::string lines;
    for (const Finding& finding : driver.take_findings()) lines += finding.what + "\n";
    return lines;
  }

  FaultPlan none;
  Driver driver{{.seed = 3, .memory_bytes = 1U << 16}, none};
  FaultPlan plan;
  std::unique_ptr<Injector> injector;
  gpu::DriverApi cu;
  gpu::CompilerApi nvrtc;
  CUcontext context = nullptr;
  CUstream streams[2] = {};
  CUdeviceptr memory = 0;
};

TEST_F(InjectorTest, BeforeMeansThatTheCallIsNotMade) {
  open();
  strike(1, Call::cuMemAlloc, {.kind = FaultKind::out_of_memory});
  const std::uint64_t calls = none.calls();
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(none.calls(), calls);
  ASSERT_EQ(plan.fired().size(), 2U);
  const FiredFault& second = plan.fired()[1];
  EXPECT_EQ(second.call, Call::cuMemAlloc);
  EXPECT_EQ(second.nth, 2U);
  EXPECT_EQ(second.operation, 1U);
  EXPECT_EQ(second.call_ordinal, 7U);  // init, context, two streams, memory, the first try
  EXPECT_EQ(second.kind, FaultKind::out_of_memory);
  EXPECT_EQ(second.code, CUDA_ERROR_OUT_OF_MEMORY);
  begin(2);
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_SUCCESS);
}

TEST_F(InjectorTest, AfterMeansThatItIsMadeAndWhatItMadeIsGivenBack) {
  open();
  const Objects live = driver.live_objects();
  const Fault lie = {.kind = FaultKind::invalid_value, .when = FaultWhen::after};
  begin(1);
  std::size_t before = 0;
  std::size_t total = 0;
  ASSERT_EQ(cu.cuMemGetInfo(&before, &total), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  void* host = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUmodule module = nullptr;
  CUcontext other = nullptr;
  nvrtcProgram program = nullptr;
  const std::string image = make_image(0);
  const std::pair<Call, std::function<int()>> creations[] = {
      {Call::cuMemAlloc, [&] { return cu.cuMemAlloc(&address, 64); }},
      {Call::cuMemAllocAsync, [&] { return cu.cuMemAllocAsync(&address, 64, streams[0]); }},
      {Call::cuMemAllocHost, [&] { return cu.cuMemAllocHost(&host, 64); }},
      {Call::cuStreamCreate, [&] { return cu.cuStreamCreate(&stream, gpu::kStreamNonBlocking); }},
      {Call::cuEventCreate, [&] { return cu.cuEventCreate(&event, 0); }},
      {Call::cuModuleLoadData, [&] { return cu.cuModuleLoadData(&module, image.c_str()); }},
      {Call::cuDevicePrimaryCtxRetain, [&] { return cu.cuDevicePrimaryCtxRetain(&other, 0); }},
      {Call::cuCtxCreate, [&] { return cu.cuCtxCreate(&other, 0, 0); }},
      {Call::nvrtcCreateProgram,
       [&] { return nvrtc.nvrtcCreateProgram(&program, "", "fill.cu", 0, nullptr, nullptr); }},
  };
  std::uint64_t ordinal = 1;
  for (const auto& [call, create] : creations) {
    const std::uint64_t calls = none.calls();
    strike(++ordinal, call, lie);
    EXPECT_EQ(create(), 1) << gpu::to_string(call);
    EXPECT_EQ(none.calls(), calls + 2) << "made, and undone: " << gpu::to_string(call);
  }
  EXPECT_EQ(host, nullptr);
  EXPECT_EQ(stream, nullptr);
  begin(++ordinal);
  ASSERT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(driver.live_objects(), live);
  std::size_t after = 0;
  ASSERT_EQ(cu.cuMemGetInfo(&after, &total), CUDA_SUCCESS);
  EXPECT_EQ(after, before);
  EXPECT_EQ(findings(), "");
}

TEST_F(InjectorTest, WhatACallEndsIsGoneWhateverItSays) {
  open();
  strike(1, Call::cuStreamDestroy, {.kind = FaultKind::invalid_handle});
  EXPECT_EQ(cu.cuStreamDestroy(streams[1]), CUDA_ERROR_INVALID_HANDLE);
  strike(2, Call::cuMemFree, {.kind = FaultKind::invalid_value});
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.live_objects(), (Objects{"context", "stream"}));
  // The place of the stream that is gone is free again.
  CUstream again = nullptr;
  PlannedFault planned;
  planned.call = Call::cuStreamSynchronize;
  planned.stream = 1;
  plan = FaultPlan(0, {planned});
  ASSERT_EQ(cu.cuStreamCreate(&again, gpu::kStreamNonBlocking), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(again), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InjectorTest, AsyncErrorsSurfaceInALaterOperationOrAtAWait) {
  open();
  const Fault fault = {.kind = FaultKind::illegal_address};
  strike(1, Call::cuMemcpyDtoDAsync, fault);
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory + 48, memory + 16, 16, streams[1]), CUDA_SUCCESS)
      << "its own operation has been told that all is well";
  begin(2);
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(driver.busy_streams().empty()) << "a context that is lost runs nothing more";
  EXPECT_EQ(findings(), "");
}

TEST_F(InjectorTest, AWaitInTheSameOperationSaysIt) {
  open();
  strike(1, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::illegal_address});
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS) << "another stream's work";
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(InjectorTest, DelayedErrorsSkipCallsThatDoNotWait) {
  open();
  CUevent event = nullptr;
  ASSERT_EQ(cu.cuEventCreate(&event, gpu::kEventDisableTiming), CUDA_SUCCESS);
  strike(1, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::unknown, .surface_after_calls = 8});
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  begin(2);
  EXPECT_EQ(cu.cuEventRecord(event, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS) << "a good wait proves its own stream and no other";
  EXPECT_EQ(cu.cuStreamWaitEvent(streams[1], event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_UNKNOWN) << "and what that had waited for";
}

TEST_F(InjectorTest, ADelayEnds) {
  open();
  strike(1, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::unknown, .surface_after_calls = 3});
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  begin(2);
  std::size_t size = 0;
  EXPECT_EQ(cu.cuMemGetInfo(&size, &size), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemGetInfo(&size, &size), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemGetInfo(&size, &size), CUDA_ERROR_UNKNOWN);
}

TEST_F(InjectorTest, AFaultOfACallThatNeedsNoContextBefallsTheOneThereIs) {
  open();
  strike(1, Call::cuDeviceGetAttribute, {.kind = FaultKind::unknown, .when = FaultWhen::async});
  int value = 0;
  EXPECT_EQ(cu.cuDeviceGetAttribute(&value, static_cast<gpu::CUdevice_attribute>(75), 0), CUDA_SUCCESS);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_UNKNOWN);
}

TEST_F(InjectorTest, NotReadyIsAnAnswerAndTheFaultComesAllTheSame) {
  open();
  CUevent event = nullptr;
  ASSERT_EQ(cu.cuEventCreate(&event, gpu::kEventDisableTiming), CUDA_SUCCESS);
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventRecord(event, streams[0]), CUDA_SUCCESS);
  strike(1, Call::cuEventQuery, {.kind = FaultKind::unknown, .when = FaultWhen::async});
  EXPECT_EQ(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_UNKNOWN);
}

TEST_F(InjectorTest, DocumentedSurfacingLeavesOutTheOtherCalls) {
  inject_with(ErrorSurfacing::documented);
  open();
  CUevent event = nullptr;
  ASSERT_EQ(cu.cuEventCreate(&event, gpu::kEventDisableTiming), CUDA_SUCCESS);
  strike(1, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::illegal_address});
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  begin(2);
  EXPECT_EQ(cu.cuEventRecord(event, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(copy(streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.cuEventRecord(event, streams[0]), CUDA_SUCCESS);
}

TEST_F(InjectorTest, ANewContextEndsOnlyWhatAContextEnds) {
  for (const FaultKind kind : {FaultKind::assert_, FaultKind::launch_failed}) {
    open();
    strike(1, Call::cuStreamSynchronize, {.kind = kind, .when = FaultWhen::before});
    EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), code_of(kind));
    EXPECT_EQ(copy(streams[0]), code_of(kind));
    begin(2);
    EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
    EXPECT_EQ(driver.live_objects(), Objects());
    const bool ends = gpu::row(kind).recovery == gpu::FaultRecovery::context;
    EXPECT_EQ(cu.cuCtxCreate(&context, 0, 0), ends ? CUDA_SUCCESS : code_of(kind));
    if (ends) {
      EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
    }
    EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), ends ? CUDA_SUCCESS : code_of(kind));
    if (ends) {
      EXPECT_EQ(cu.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    }
  }
}

TEST_F(InjectorTest, ADriverThatIsLostByItselfIsLeftToAnswer) {
  open();
  begin(1);
  CUmodule module = nullptr;
  CUfunction trap = nullptr;
  ASSERT_EQ(cu.cuModuleLoadData(&module, make_image(*find_kernel_by_name("trap")).c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleGetFunction(&trap, module, "trap"), CUDA_SUCCESS);
  std::vector<std::byte> operands(512);
  void* parameters[] = {operands.data(), operands.data()};
  ASSERT_EQ(cu.cuLaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
  strike(2, Call::cuMemAlloc, {.kind = FaultKind::out_of_memory});
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(plan.fired().empty());
}

TEST_F(InjectorTest, ARecordedFaultStrikesAtEachReplay) {
  open();
  begin(1);
  ASSERT_EQ(cu.cuStreamBeginCapture(streams[0], gpu::CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  strike(2, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::assert_, .when = FaultWhen::async});
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  begin(3);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS) << "nothing has run yet";
  EXPECT_EQ(cu.cuGraphLaunch(exec, streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_ASSERT);
}

TEST_F(InjectorTest, AnErrorOfCapturingBreaksTheCapture) {
  open();
  begin(1);
  ASSERT_EQ(cu.cuStreamBeginCapture(streams[0], gpu::CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS);
  CUstreamCaptureStatus status = gpu::CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(cu.cuStreamIsCapturing(streams[0], &status), CUDA_SUCCESS);
  EXPECT_EQ(status, gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  strike(2, Call::cuMemcpyDtoDAsync, {.kind = FaultKind::capture_implicit});
  EXPECT_EQ(copy(streams[0]), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  begin(3);
  EXPECT_EQ(cu.cuStreamIsCapturing(streams[0], &status), CUDA_SUCCESS);
  EXPECT_EQ(status, gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(copy(streams[0]), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(copy(streams[1]), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(copy(streams[0]), CUDA_SUCCESS) << "the stream is usable again";
  EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_EQ(driver.live_objects(), Objects());
}

TEST_F(InjectorTest, KernelsAreKnownByNameAtEveryCallThatIsAboutOne) {
  const CompiledKernel& kernel = *compiled_kernels()[0];
  const std::string name(kernel.name);
  const std::string file = name + ".cu";
  const std::string header(compiled_kernel_header());
  const char* const headers[] = {header.c_str()};
  const char* const header_names[] = {"kernel.cuh"};
  open();
  PlannedFault planned;
  planned.kernel = name;
  planned.persistent = true;
  planned.fault.when = FaultWhen::after;
  plan = FaultPlan(0, {planned});  // invalid_value, of every call of the driver that is about this kernel
  nvrtcProgram program = nullptr;
  const std::string source(kernel.source);
  ASSERT_EQ(nvrtc.nvrtcCreateProgram(&program, source.c_str(), file.c_str(), 1, headers, header_names), NVRTC_SUCCESS);
  ASSERT_EQ(nvrtc.nvrtcCompileProgram(program, 0, nullptr), NVRTC_SUCCESS);
  const std::string image = make_image(*find_kernel_by_name(name));
  CUmodule module = nullptr;
  EXPECT_EQ(cu.cuModuleLoadData(&module, image.c_str()), CUDA_ERROR_INVALID_VALUE);
  plan.sleep(true);
  ASSERT_EQ(cu.cuModuleLoadData(&module, image.c_str()), CUDA_SUCCESS);
  plan.sleep(false);
  CUfunction function = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&function, module, name.c_str()), CUDA_ERROR_INVALID_VALUE);
  plan.sleep(true);
  ASSERT_EQ(cu.cuModuleGetFunction(&function, module, name.c_str()), CUDA_SUCCESS);
  plan.sleep(false);
  EXPECT_EQ(cu.cuFuncLoad(function), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, streams[0], nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuModuleUnload(module), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);

  planned.fault = {.kind = FaultKind::compile_error};
  planned.call = Call::nvrtcCompileProgram;
  plan = FaultPlan(0, {planned});
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(program, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(nvrtc.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

TEST_F(InjectorTest, TheObserverHearsOnlyOfLaunchesThatAreMade) {
  open();
  const gpu::LaunchObserver observer = injector->observer(driver.observer());
  CUmodule module = nullptr;
  CUfunction noop = nullptr;
  ASSERT_EQ(cu.cuModuleLoadData(&module, make_image(*find_kernel_by_name("noop")).c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleGetFunction(&noop, module, "noop"), CUDA_SUCCESS);
  std::vector<std::byte> operands(512);
  void* parameters[] = {operands.data(), operands.data()};
  const auto launch = [&] {
    observer.declare(observer.self, streams[0], nullptr, 0);
    return cu.cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr);
  };
  strike(1, Call::cuLaunchKernel, {.kind = FaultKind::launch_out_of_resources});
  EXPECT_EQ(launch(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  begin(2);
  EXPECT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST(Injectors, AreFewAndTheirPlacesComeBack) {
  FaultPlan none;
  Driver driver({}, none);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<Injector>> injectors;
    const auto add = [&] {
      injectors.push_back(std::make_unique<Injector>(driver.driver(), driver.compiler(), ErrorSurfacing::strict, none));
    };
    for (int i = 0; i < 16; ++i) add();
    EXPECT_THROW(add(), std::runtime_error);
  }
}

}  // namespace
}  // namespace taintgraph::sim
