#include "props/libfuzzer/program_mutation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "props/generator.hpp"
#include "props/libfuzzer/operation_mutation.hpp"
#include "props/libfuzzer/splice.hpp"

namespace taintgraph::props {
namespace {

using traces::DeviceConfig;
using traces::Operation;
using traces::Program;

constexpr std::uint32_t kDrawnOperations = 12;
constexpr std::uint64_t kLongestRun = 4;  // operations dropped or repeated at once
constexpr std::uint64_t kLongestInsertion = 6;

enum class ProgramChange : std::uint8_t { drop, repeat, exchange, insert, alter, device };
constexpr std::array<std::uint16_t, 6> kProgramChangeWeights = {4, 2, 3, 5, 12, 1};

class ProgramMutation {
 public:
  ProgramMutation(Random& random, Program& program) : random_(random), program_(program) {}

  void apply() {
    const auto change = static_cast<ProgramChange>(random_.weighted(kProgramChangeWeights));
    if (change == ProgramChange::device) return change_device();
    if (change == ProgramChange::insert || program_.operations.empty()) return insert();
    switch (change) {
      case ProgramChange::drop:
        return drop();
      case ProgramChange::repeat:
        return repeat();
      case ProgramChange::exchange:
        return exchange();
      default:
        return mutate_operation(random_, program_, draw_index());
    }
  }

 private:
  std::size_t draw_index() { return static_cast<std::size_t>(random_.below(program_.operations.size())); }

  // Some neighbours, as iterators.
  auto draw_run() {
    const std::size_t begin = draw_index();
    const std::size_t left = program_.operations.size() - begin;
    const std::size_t count = std::min(left, static_cast<std::size_t>(random_.between(1, kLongestRun)));
    const auto first = program_.operations.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::pair{first, first + static_cast<std::ptrdiff_t>(count)};
  }

  void drop() {
    const auto [begin, end] = draw_run();
    if (begin == program_.operations.begin() && end == program_.operations.end())
      return insert();  // one without is none
    program_.operations.erase(begin, end);
  }

  void repeat() {
    const auto [begin, end] = draw_run();
    std::vector<Operation> again(begin, end);
    for (Operation& operation : again) operation.id = traces::NameId::none;
    const std::size_t at = random_.one_in(2) ? draw_index() : program_.operations.size();
    program_.operations.insert(program_.operations.begin() + static_cast<std::ptrdiff_t>(at), again.begin(),
                               again.end());
  }

  void exchange() {
    const std::size_t first = draw_index();
    const std::size_t second = random_.one_in(2) ? draw_index() : std::min(first + 1, program_.operations.size() - 1);
    std::swap(program_.operations[first], program_.operations[second]);
  }

  void insert() {
    const Program drawn = draw_small_program(random_);
    const auto begin = static_cast<std::size_t>(random_.below(drawn.operations.size()));
    const std::size_t end =
        std::min(begin + static_cast<std::size_t>(random_.between(1, kLongestInsertion)), drawn.operations.size());
    const auto at = static_cast<std::size_t>(random_.below(program_.operations.size() + 1));
    splice(random_, program_, at, drawn, begin, end);
  }

  // One setting from another program's device, which are drawn to go together but need not.
  void change_device() {
    const traces::Header drawn = draw_small_program(random_).header;
    DeviceConfig& device = program_.header.device;
    switch (random_.below(7)) {
      case 0:
        device.streams = drawn.device.streams;
        break;
      case 1:
        device.alignment_bytes = drawn.device.alignment_bytes;
        break;
      case 2:
        device.pool = drawn.device.pool;
        device.page_bytes = drawn.device.page_bytes;
        break;
      case 3:
        device.init = drawn.device.init;
        break;
      case 4:
        device.surfacing = drawn.device.surfacing;
        break;
      case 5:
        device.allocator = drawn.device.allocator;
        break;
      default:
        program_.header.seed = drawn.seed;
        break;
    }
  }

  Random& random_;
  Program& program_;
};

}  // namespace

void mutate_program(Random& random, Program& program) { ProgramMutation(random, program).apply(); }

Program draw_small_program(Random& random) { return generate(random, {.operations = kDrawnOperations}); }

}  // namespace taintgraph::props
