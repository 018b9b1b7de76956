// What the cases run so far add up to. Sums and maxima over cases, so the order in which they ran, and who ran them,
// does not show; the fingerprint is a sum as well.
#pragma once

#include <cstdint>

#include "props/checker.hpp"

namespace taintgraph::props {

struct Totals {
  std::uint64_t cases = 0;  // one that crashed or hung counts, and adds nothing else
  std::uint64_t operations = 0;
  std::uint64_t faults = 0;
  std::uint64_t runs = 0;         // of programs; a case takes one, unless it stands for several
  std::uint64_t orders = 0;       // of those, runs of a program that has several orders
  std::uint64_t fingerprint = 0;  // sum of mix(case, its fingerprint)
  FeatureCounts features;
  CellCoverage cells;
  RunShape shape;

  void add(std::uint64_t case_number, const CheckedRun& run);
  void add(const Totals& other);
};

}  // namespace taintgraph::props
