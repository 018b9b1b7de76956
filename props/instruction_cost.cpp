// Draws cases 0 to N-1 of seed 1 and checks them in this process, for instruction_cost.cmake to count instructions
// under valgrind: of two numbers of cases, the difference is what the operations between them cost.
//
// Prints the number of operations checked. Exit codes: 0, 1 a case failed, 64 wrong usage.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <string_view>

#include "props/checker.hpp"
#include "props/generator.hpp"

int main(int argc, char** argv) {
  using namespace taintgraph;
  const std::string_view text = argc == 2 ? argv[1] : "";
  std::uint64_t cases = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), cases);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    std::cerr << "usage: instruction_cost CASES\n";
    return 64;
  }
  std::uint64_t operations = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const props::CheckedRun run = props::check(props::generate(1, number, {}), {});
    operations += run.operations;
    if (!run.disagreement) continue;
    std::cerr << "case " << number << " fails: " << run.disagreement->property << '\n';
    return 1;
  }
  std::cout << operations << '\n';
}
