#include "props/generator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "gpu/kernel_info.hpp"
#include "props/operation_faults.hpp"
#include "props/profile.hpp"
#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;
using traces::Program;

TEST(Generator, SeedAndCaseDecideEverything) {
  for (std::uint64_t case_number = 0; case_number < 50; ++case_number) {
    EXPECT_EQ(text_of(generate(5, case_number, {})), text_of(generate(5, case_number, {})));
  }
}

TEST(Generator, CasesAndSeedsDiffer) {
  std::set<std::string> texts;
  for (std::uint64_t case_number = 0; case_number < 50; ++case_number)
    texts.insert(text_of(generate(5, case_number, {})));
  texts.insert(text_of(generate(6, 0, {})));
  EXPECT_EQ(texts.size(), 51U);
}

TEST(Generator, LengthIsAboutWhatWasAskedFor) {
  std::uint64_t sum = 0;
  for (std::uint64_t case_number = 0; case_number < 400; ++case_number) {
    const std::size_t length = generate(1, case_number, {.operations = 100}).operations.size();
    EXPECT_GE(length, 50U);
    EXPECT_LE(length, 150U + kMaxSlots);  // buffers that nothing else allocates
    sum += length;
  }
  EXPECT_NEAR(static_cast<double>(sum) / 400, 100, 5);
}

TEST(Generator, OneOperationIsPossible) { EXPECT_FALSE(generate(1, 0, {.operations = 1}).operations.empty()); }

// Whatever is drawn can be written to a file and read back: a failing case must survive being a trace.
TEST(Generator, EveryProgramIsAGoodTrace) {
  for (std::uint64_t case_number = 0; case_number < 500; ++case_number) {
    const std::string text = text_of(generate(2, case_number, {}));
    const auto parsed = traces::parse_program(text);
    ASSERT_TRUE(parsed) << traces::to_string(parsed.error()[0], "case") << "\n" << text;
    EXPECT_EQ(text_of(*parsed), text);
  }
}

TEST(Generator, DrawsEveryKindOfOperationAndKernelAndFault) {
  std::set<OpKind> kinds;
  std::set<std::uint16_t> kernels;
  std::set<gpu::FaultKind> sticky;
  std::array<std::set<gpu::FaultKind>, traces::kOpKindCount> faults;
  for (std::uint64_t case_number = 0; case_number < 2000; ++case_number) {
    for (const traces::Operation& operation : generate(3, case_number, {}).operations) {
      kinds.insert(operation.kind);
      if (operation.kind == OpKind::launch) kernels.insert(operation.kernel);
      if (!operation.fault) continue;
      const bool poisons = gpu::row(operation.fault->kind).sticky;
      (poisons ? sticky : faults[static_cast<std::size_t>(operation.kind)]).insert(operation.fault->kind);
    }
  }
  EXPECT_EQ(kinds.size(), traces::kOpKindCount - 1);  // all but check
  EXPECT_EQ(kernels.size(), kShapeCount);
  EXPECT_GT(sticky.size(), 10U);
  for (std::size_t kind = 0; kind < traces::kOpKindCount; ++kind) {
    EXPECT_EQ(faults[kind].size(), faults_for(static_cast<OpKind>(kind)).size())
        << traces::to_string(static_cast<OpKind>(kind));
  }
}

// A program is not poisoned for good before its last part, whatever it goes through until then.
TEST(Generator, LosesTheDeviceForGoodOnlyLate) {
  std::size_t fatal = 0;
  for (std::uint64_t case_number = 0; case_number < 2000; ++case_number) {
    const Program program = generate(8, case_number, {});
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const std::optional<sim::Fault>& fault = program.operations[i].fault;
      if (!fault || gpu::row(fault->kind).recovery != gpu::FaultRecovery::process) continue;
      ++fatal;
      EXPECT_GE(i, program.operations.size() / 2) << case_number;
    }
  }
  EXPECT_GT(fatal, 50U);
}

// More ranges than a kernel's parameters have room for, and more claims than one block of them holds.
TEST(Generator, DrawsWideLaunches) {
  std::size_t wide_reads = 0;
  std::size_t wide_writes = 0;
  for (std::uint64_t case_number = 0; case_number < 1000; ++case_number) {
    for (const traces::Operation& operation : generate(6, case_number, {}).operations) {
      if (operation.kind != OpKind::launch) continue;
      wide_reads += operation.reads.size() > 32 ? 1 : 0;
      wide_writes += operation.writes.size() > 128 ? 1 : 0;
    }
  }
  EXPECT_GT(wide_reads, 50U);
  EXPECT_GT(wide_writes, 50U);
}

// Kernels that hang, in few programs, and waits too short for any work, for some and for none that ends.
TEST(Generator, DrawsHangsAndDeadlines) {
  const std::uint16_t spin = gpu::kernel_index("spin");
  std::size_t hanging = 0;
  std::size_t at_once = 0;
  std::size_t for_some = 0;
  std::size_t long_enough = 0;
  for (std::uint64_t case_number = 0; case_number < 1000; ++case_number) {
    bool hangs = false;
    for (const traces::Operation& operation : generate(9, case_number, {}).operations) {
      hangs |= operation.kind == OpKind::launch && operation.kernel == spin;
      if (!operation.deadline) continue;
      EXPECT_EQ(operation.kind, OpKind::sync);
      ++(*operation.deadline == 0 ? at_once : *operation.deadline <= 20'000 ? for_some : long_enough);
    }
    hanging += hangs ? 1 : 0;
  }
  EXPECT_GT(hanging, 60U);
  EXPECT_LT(hanging, 250U);
  EXPECT_GT(at_once, 50U);
  EXPECT_GT(for_some, 50U);
  EXPECT_GT(long_enough, 30U);
}

TEST(Generator, PlansFaultsThatLeaveNoOrderAtAll) {
  std::size_t both = 0;
  for (std::uint64_t case_number = 0; case_number < 4000; ++case_number) {
    std::set<std::string> unordered;
    std::set<std::string> not_waited_for;
    for (const sim::PlannedFault& planned : generate(7, case_number, {}).header.faults) {
      if (planned.call == gpu::Call::cuEventRecord) unordered.insert(planned.operation);
      if (planned.call == gpu::Call::cuStreamSynchronize) not_waited_for.insert(planned.operation);
    }
    for (const std::string& operation : unordered) both += not_waited_for.count(operation);
  }
  EXPECT_GT(both, 20U);
}

// Calls that put work in order, beside a fault of the operation's own and behind one that keeps quiet; windows that
// nobody knows of.
TEST(Generator, DrawsDisorder) {
  std::size_t behind_a_quiet_fault = 0;
  std::size_t skipping = 0;
  std::size_t in_doubt = 0;
  for (std::uint64_t case_number = 0; case_number < 2000; ++case_number) {
    const Program program = generate(10, case_number, {});
    std::set<std::string> disordered;
    std::set<std::string> not_told;
    for (const sim::PlannedFault& planned : program.header.faults) {
      if (planned.call == gpu::Call::cuEventRecord) disordered.insert(planned.operation);
      if (planned.call == gpu::Call::cuStreamIsCapturing && planned.count > 1) not_told.insert(planned.operation);
      skipping += planned.skip > 0 ? 1 : 0;
    }
    bool quiet = false;
    for (const traces::Operation& operation : program.operations) {
      quiet = quiet || (operation.fault && operation.fault->surface_after_calls);
      if (operation.kind == OpKind::reset) quiet = false;
      if (operation.id == traces::NameId::none) continue;
      const std::string name = program.names.text(operation.id);
      behind_a_quiet_fault += quiet && operation.fault && disordered.count(name) != 0 ? 1 : 0;
      const bool begins =
          operation.kind == OpKind::capture_begin && operation.fault && operation.fault->when == gpu::FaultWhen::after;
      in_doubt += begins && not_told.count(name) != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(behind_a_quiet_fault, 50U);
  EXPECT_GT(skipping, 100U);
  EXPECT_GT(in_doubt, 10U);
}

TEST(Generator, KeepsToItsStreamsAndKernelsArguments) {
  for (std::uint64_t case_number = 0; case_number < 500; ++case_number) {
    const Program program = generate(4, case_number, {});
    for (const traces::Operation& operation : program.operations) {
      EXPECT_LT(operation.stream, program.header.device.streams);
      EXPECT_LT(operation.on, program.header.device.streams);
      if (operation.kind != OpKind::launch) continue;
      const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation.kernel];
      EXPECT_LE(operation.scalar, kernel.scalar.empty() ? 0 : kernel.scalar_max);
    }
  }
}

}  // namespace
}  // namespace taintgraph::props
