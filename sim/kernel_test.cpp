// Every kernel of gpu/kernels/ as the simulator runs it, against plain loops: what it computes, and how often it loads
// and stores, over sizes and grids that divide nothing evenly.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/launch_packet.hpp"
#include "sim/access_checker.hpp"
#include "sim/compiled_kernel.hpp"
#include "sim/device_memory.hpp"

namespace taintgraph::sim {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Ranges = std::vector<Bytes>;

constexpr std::uint64_t kBy = 7;  // what `fill` writes and `scale` multiplies by

std::uint64_t total(const Ranges& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Bytes& each) { return sum + each.size(); });
}

Bytes pattern(std::size_t size, std::size_t salt) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + salt * 101 + i / 256);
  return bytes;
}

// One launch: what it reads, how long what it writes is, and what must be there then.
struct KernelWork {
  Ranges reads;
  Ranges results;  // of each written range
  std::uint64_t scalar = 0;
  std::uint64_t loads = 0;  // of declared bytes, all threads together
};

// Of about `n` bytes. Every kernel that ends and does not fault has one.
const std::map<std::string, std::function<KernelWork(std::size_t n)>>& works() {
  static const std::map<std::string, std::function<KernelWork(std::size_t)>> kWorks = {
      {"fill",
       [](std::size_t n) {
         return KernelWork{{}, {Bytes(n, kBy), Bytes(n / 2 + 1, kBy), Bytes(1, kBy)}, kBy, 0};
       }},
      {"iota",
       [](std::size_t n) {
         KernelWork work{{}, {Bytes(n), Bytes(n / 3 + 1)}, 0, 0};
         for (Bytes& each : work.results)
           for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::uint8_t>(i);
         return work;
       }},
      {"copy",
       [](std::size_t n) {
         return KernelWork{{pattern(n, 1)}, {pattern(n, 1)}, 0, n};
       }},
      {"scale",
       [](std::size_t n) {
         KernelWork work{{pattern(n, 2)}, {pattern(n, 2)}, kBy, n};
         for (std::uint8_t& byte : work.results[0]) byte = static_cast<std::uint8_t>(byte * kBy);
         return work;
       }},
      {"add",
       [](std::size_t n) {
         KernelWork work{{}, {Bytes(n)}, 0, 5 * n};
         for (std::size_t r = 0; r < 5; ++r) {
           work.reads.push_back(pattern(n, r));
           for (std::size_t i = 0; i < n; ++i)
             work.results[0][i] = static_cast<std::uint8_t>(work.results[0][i] + work.reads[r][i]);
         }
         return work;
       }},
      {"gather",
       [](std::size_t n) {
         KernelWork work{{pattern(n / 2 + 1, 3), pattern(n, 4)}, {Bytes(n)}, 0, 2 * n};
         for (std::size_t i = 0; i < n; ++i) work.results[0][i] = work.reads[0][work.reads[1][i] % (n / 2 + 1)];
         return work;
       }},
      {"reduce",
       [](std::size_t n) {
         KernelWork work{{pattern(n, 5), pattern(n / 2, 6), pattern(3, 7)}, {Bytes(n)}, 0, n + n / 2 + 3};
         for (const Bytes& read : work.reads)
           for (const std::uint8_t byte : read)
             work.results[0][0] = static_cast<std::uint8_t>(work.results[0][0] + byte);
         return work;
       }},
      {"matmul",
       [](std::size_t about) {
         std::size_t n = 1;
         while ((n + 1) * (n + 1) <= about) ++n;
         KernelWork work{{pattern(n * n, 8), pattern(n * n, 9)}, {Bytes(n * n)}, n, 2 * n * n * n};
         for (std::size_t row = 0; row < n; ++row)
           for (std::size_t column = 0; column < n; ++column)
             for (std::size_t k = 0; k < n; ++k)
               work.results[0][row * n + column] = static_cast<std::uint8_t>(
                   work.results[0][row * n + column] + work.reads[0][row * n + k] * work.reads[1][k * n + column]);
         return work;
       }},
      {"noop",
       [](std::size_t n) {
         return KernelWork{{pattern(n, 10)}, {}, 0, 0};
       }},
  };
  return kWorks;
}

const CompiledKernel& kernel_named(std::string_view name) {
  for (const CompiledKernel* each : compiled_kernels())
    if (each->name == name) return *each;
  throw std::logic_error("no kernel is called " + std::string(name));
}

// A launch of its own memory, each range in an allocation that ends where the range does: one byte further is a fault.
class Launch {
 public:
  static constexpr std::uint8_t kUntouched = 0xA7;

  explicit Launch(const KernelWork& work) {
    for (const Bytes& bytes : work.reads) place(bytes, false);
    for (const Bytes& bytes : work.results) place(Bytes(bytes.size(), kUntouched), true);
    packed_.reads = static_cast<std::uint32_t>(work.reads.size());
    packed_.writes = static_cast<std::uint32_t>(work.results.size());
    const std::vector<gpu::PackedOperand> operands = packed();
    if (operands.size() <= gpu::kInlineOperands) {
      std::copy(operands.begin(), operands.end(), packed_.inlined);
    } else {
      Bytes table(operands.size() * sizeof(gpu::PackedOperand));
      std::memcpy(table.data(), operands.data(), table.size());
      place(table, false);
      packed_.table = ranges_.back().address;
      ranges_.pop_back();
    }
    scalar_ = work.scalar;
  }

  void declare_all() { checker_.declare(declared_, ~std::uint64_t{0}); }
  void declare_without_effect() { checker_.declare_without_effect(); }
  void declare_nothing() { checker_.declare({}, 0); }

  [[nodiscard]] std::optional<FaultKind> run(const CompiledKernel& kernel, unsigned grid, unsigned block) {
    std::vector<std::byte> parameters(sizeof packed_ + sizeof scalar_);
    std::memcpy(parameters.data(), &packed_, sizeof packed_);
    std::memcpy(parameters.data() + sizeof packed_, &scalar_, sizeof scalar_);
    return kernel.run({{grid, 1, 1}, {block, 1, 1}}, parameters.data(), checker_);
  }

  [[nodiscard]] const UndeclaredAccesses& undeclared() const { return checker_.undeclared(); }
  [[nodiscard]] Bytes bytes(std::size_t operand) {
    const gpu::DeclaredAccess& at = ranges_[operand];
    Bytes bytes(at.size_bytes);
    if (at.size_bytes != 0)
      std::memcpy(bytes.data(), memory_.bytes(*memory_.find(at.address), at.address, at.size_bytes), bytes.size());
    return bytes;
  }

 private:
  void place(const Bytes& bytes, bool writes) {
    if (bytes.empty()) {
      ranges_.push_back({0, 0, writes});
      return;
    }
    Allocation* const made = memory_.allocate(bytes.size(), 1, AllocationKind::context, false);
    std::memcpy(memory_.bytes(*made, made->address, bytes.size()), bytes.data(), bytes.size());
    ranges_.push_back({made->address, bytes.size(), writes});
    declared_.push_back(ranges_.back());
  }

  [[nodiscard]] std::vector<gpu::PackedOperand> packed() const {
    std::vector<gpu::PackedOperand> operands;
    std::uint64_t reads_end = 0;
    std::uint64_t writes_end = 0;
    for (const gpu::DeclaredAccess& range : ranges_) {
      std::uint64_t& end = range.writes ? writes_end : reads_end;
      operands.push_back({range.address, end += range.size_bytes});
    }
    return operands;
  }

  DeviceMemory memory_{7, 1U << 24, 256};
  AccessChecker checker_{memory_};
  std::vector<gpu::DeclaredAccess> ranges_;  // as the operands go, empty ones too
  std::vector<gpu::DeclaredAccess> declared_;
  gpu::PackedOperands packed_;
  std::uint64_t scalar_ = 0;
};

constexpr std::size_t kSizes[] = {1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, 97, 127, 255, 256, 257, 509};
constexpr unsigned kBlocks[] = {1, 3, 32, 100, 256};

unsigned blocks_for(std::uint64_t threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

class KernelTest : public testing::TestWithParam<std::string> {
 protected:
  const CompiledKernel& kernel_ = kernel_named(GetParam());
  [[nodiscard]] KernelWork work(std::size_t n) const { return works().at(GetParam())(n); }
};

TEST_P(KernelTest, ComputesWhatPlainLoopsDoWhateverTheGrid) {
  for (const std::size_t n : kSizes) {
    const KernelWork work = this->work(n);
    for (const unsigned block : kBlocks) {
      for (const unsigned more : {0U, 1U, 4U}) {
        Launch launch(work);
        launch.declare_all();
        const unsigned grid = std::max(1U, blocks_for(total(work.results), block)) + more;
        SCOPED_TRACE(std::to_string(n) + " bytes, grid " + std::to_string(grid) + ", block " + std::to_string(block));
        ASSERT_FALSE(launch.run(kernel_, grid, block));
        EXPECT_EQ(launch.undeclared().loads + launch.undeclared().stores, 0U);
        for (std::size_t i = 0; i < work.reads.size(); ++i) ASSERT_EQ(launch.bytes(i), work.reads[i]);
        for (std::size_t i = 0; i < work.results.size(); ++i)
          ASSERT_EQ(launch.bytes(work.reads.size() + i), work.results[i]);
      }
    }
  }
}

// What the missing threads were to write stays as it was, and all else is right.
TEST_P(KernelTest, AGridThatIsTooSmallLeavesTheEndUnwritten) {
  for (const std::size_t n : kSizes) {
    const KernelWork work = this->work(n);
    for (const unsigned block : kBlocks) {
      const unsigned enough = blocks_for(total(work.results), block);
      if (enough < 2) continue;
      Launch launch(work);
      launch.declare_all();
      SCOPED_TRACE(std::to_string(n) + " bytes, block " + std::to_string(block));
      ASSERT_FALSE(launch.run(kernel_, enough - 1, block));
      std::uint64_t threads = std::uint64_t{enough - 1} * block;
      for (std::size_t i = 0; i < work.results.size(); ++i) {
        Bytes expected = work.results[i];
        const std::size_t written = std::min<std::uint64_t>(threads, expected.size());
        std::fill(expected.begin() + static_cast<std::ptrdiff_t>(written), expected.end(), Launch::kUntouched);
        ASSERT_EQ(launch.bytes(work.reads.size() + i), expected) << "range " << i;
        threads -= written;
      }
    }
  }
}

// Where nothing is declared every access counts, and no store is made.
TEST_P(KernelTest, LoadsAndStoresAsOftenAsItMust) {
  for (const std::size_t n : kSizes) {
    const KernelWork work = this->work(n);
    Launch launch(work);
    launch.declare_nothing();
    ASSERT_FALSE(launch.run(kernel_, std::max(1U, blocks_for(total(work.results), 32)) + 1, 32));
    EXPECT_EQ(launch.undeclared().loads, work.loads) << n << " bytes";
    EXPECT_EQ(launch.undeclared().stores, total(work.results)) << n << " bytes";
    for (std::size_t i = 0; i < work.results.size(); ++i)
      EXPECT_EQ(launch.bytes(work.reads.size() + i), Bytes(work.results[i].size(), Launch::kUntouched));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, work] : works()) names.push_back(name);
  return names;
}

// As it is looked at ahead of its time: it may touch what it will touch then, and leaves no trace.
TEST_P(KernelTest, LeavesMemoryAloneWhereItIsToHaveNoEffect) {
  const KernelWork work = this->work(300);  // further than one window reaches
  Launch launch(work);
  launch.declare_without_effect();
  EXPECT_FALSE(launch.run(kernel_, std::max(1U, blocks_for(total(work.results), 32)), 32));
  EXPECT_EQ(launch.undeclared().loads + launch.undeclared().stores, 0U);
  for (std::size_t i = 0; i < work.results.size(); ++i) {
    EXPECT_EQ(launch.bytes(work.reads.size() + i), Bytes(work.results[i].size(), Launch::kUntouched)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelTest, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& each) { return each.param; });

// Beyond what fits into the parameters the operands come from a table in device memory.
TEST(KernelOperandsTest, ATableOfOperandsIsReadLikeInlineOnes) {
  for (const std::size_t count : {15U, 16U, 17U, 40U}) {
    KernelWork work{{}, {Bytes(33)}, 0, 0};
    for (std::size_t r = 0; r < count; ++r) {
      work.reads.push_back(pattern(33, r));
      for (std::size_t i = 0; i < 33; ++i)
        work.results[0][i] = static_cast<std::uint8_t>(work.results[0][i] + work.reads[r][i]);
    }
    Launch launch(work);
    launch.declare_all();
    ASSERT_FALSE(launch.run(kernel_named("add"), 2, 32));
    EXPECT_EQ(launch.undeclared().loads, 0U);
    EXPECT_EQ(launch.bytes(count), work.results[0]) << count;
  }
}

// Empty ranges among them, of which no byte may be looked for; and found without going through all of them.
TEST(KernelOperandsTest, AThreadFindsItsByteAmongManyRanges) {
  for (const std::size_t count : {16U, 17U, 300U}) {
    KernelWork work{{}, {}, 0x5C, 0};
    for (std::size_t w = 0; w < count; ++w) work.results.push_back(Bytes(w % 4, 0x5C));
    const auto threads = static_cast<unsigned>(total(work.results));
    Launch launch(work);
    launch.declare_all();
    ASSERT_FALSE(launch.run(kernel_named("fill"), threads / 32 + 2, 32));
    EXPECT_EQ(launch.undeclared().loads + launch.undeclared().stores, 0U);
    for (std::size_t w = 0; w < count; ++w) ASSERT_EQ(launch.bytes(w), work.results[w]) << w << " of " << count;

    Launch counted(work);
    counted.declare_nothing();
    ASSERT_FALSE(counted.run(kernel_named("fill"), threads, 1));
    EXPECT_LE(counted.undeclared().loads, threads * (std::bit_width(count) + 1) * sizeof(gpu::PackedOperand));
  }
}

// A kernel without a reference would be one that nobody looks at.
TEST(KernelCoverageTest, EveryKernelIsHereOrEndsInAFault) {
  for (const CompiledKernel* each : compiled_kernels()) {
    if (works().count(std::string(each->name)) != 0 || each->endless) continue;
    Launch launch({{Bytes(4)}, {Bytes(4)}, 0, 0});
    launch.declare_all();
    EXPECT_TRUE(launch.run(*each, 1, 1)) << each->name << " has no reference and does not fault";
    EXPECT_EQ(launch.bytes(1), Bytes(4, Launch::kUntouched)) << each->name;
  }
}

}  // namespace
}  // namespace taintgraph::sim
