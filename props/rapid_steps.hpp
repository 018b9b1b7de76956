// RapidCheck over programs of plain steps, for structures that can be driven without a whole runtime.
//
// A step is a number for what to do and a few small numbers to do it with; what they mean is the test's business, and
// every number means something, so any subsequence and any smaller numbers are a program too: shrinking removes steps,
// then makes numbers smaller. Each case runs in a child process, because a CHECK that fails ends its process.
#pragma once

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "props/isolation.hpp"

namespace taintgraph::props {

struct Step {
  std::uint64_t what = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{" << step.what << ", " << step.a << ", " << step.b << ", " << step.c << "}";
}

inline rc::Gen<std::vector<Step>> programs() {
  const auto number = [](int end) { return rc::gen::inRange<std::uint64_t>(0, static_cast<std::uint64_t>(end)); };
  return rc::gen::container<std::vector<Step>>(
      rc::gen::build<Step>(rc::gen::set(&Step::what, number(64)), rc::gen::set(&Step::a, number(64)),
                           rc::gen::set(&Step::b, number(64)), rc::gen::set(&Step::c, number(64))));
}

// True if `run` finds nothing wrong ("") with any program. The seed is fixed, so that a failure in CI is one at home;
// RC_PARAMS in the environment says otherwise.
inline bool holds(const std::string& property, const std::function<std::string(const std::vector<Step>&)>& run) {
  setenv("RC_PARAMS", "seed=20260101 max_success=300 max_size=80", 0);
  return rc::check(property, [&] {
    const std::vector<Step> program = *programs();
    const SharedProgress progress;
    const auto result = run_isolated([&] { return run(program); }, progress, std::chrono::seconds(60));
    const std::string verdict = result ? *result : result.error().text() + "\n" + result.error().stderr_tail;
    if (!verdict.empty()) RC_FAIL(verdict);
  });
}

}  // namespace taintgraph::props
