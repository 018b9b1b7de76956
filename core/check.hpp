// Assertions, in two of the three tiers: CHECK is always on and cheap; DCHECK is on in debug builds only. (The third
// tier is a validate() on each structure.) They are for errors of our own and for preconditions that a docstring states
// ("Requires"): what the environment, or a program that a runtime runs, can cause is a result, never a CHECK; but for a
// destructor, which has nobody to tell.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace taintgraph::core::internal {

[[noreturn]] inline void check_failed(const char* condition, const char* rule, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s (%s)\n", file, line, condition, rule);
  std::abort();
}

}  // namespace taintgraph::core::internal

// `rule` says which rule of the design, or which precondition, is broken.
#define TAINTGRAPH_CHECK(condition, rule)              \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::taintgraph::core::internal::check_failed(#condition, rule, __FILE__, __LINE__))

#ifdef NDEBUG
#define TAINTGRAPH_DCHECK(condition, rule) static_cast<void>(0)
#else
#define TAINTGRAPH_DCHECK(condition, rule) TAINTGRAPH_CHECK(condition, rule)
#endif
