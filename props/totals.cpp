#include "props/totals.hpp"

#include "props/random.hpp"

namespace taintgraph::props {

void Totals::add(std::uint64_t case_number, const CheckedRun& run) {
  ++cases;
  operations += run.operations;
  faults += run.faults;
  runs += run.runs;
  orders += run.orders;
  fingerprint += mix(case_number, run.fingerprint);
  features.add(run.features);
  cells.add(run.cells);
  shape.add(run.shape);
}

void Totals::add(const Totals& other) {
  cases += other.cases;
  operations += other.operations;
  faults += other.faults;
  runs += other.runs;
  orders += other.orders;
  fingerprint += other.fingerprint;
  features.add(other.features);
  cells.add(other.cells);
  shape.add(other.shape);
}

}  // namespace taintgraph::props
