// RapidCheck over whole programs: its draws and its search for a minimum, our decoder and our steps. Independent of the
// fuzz engine's own drawing and shrinking, and slower; it is here so that neither has to be trusted alone.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "props/campaign.hpp"
#include "props/candidates.hpp"
#include "props/generator.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {

// Found by RapidCheck when it shows a counterexample.
void showValue(const Program& program, std::ostream& out) {
  out << '\n';
  write_program(out, program);
}

}  // namespace taintgraph::traces

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Program;

// A sequence as RapidCheck wants it: a copyable function that gives the next one.
class SimplerPrograms {
 public:
  explicit SimplerPrograms(const Program& program) : candidates_(program) {}

  rc::Maybe<Program> operator()() {
    std::optional<Program> next = candidates_.next();
    if (!next) return rc::Nothing;
    return std::move(*next);
  }

 private:
  Candidates candidates_;
};

rc::Shrinkable<Program> shrinkable(Program program) {
  return rc::shrinkable::shrinkRecur(std::move(program),
                                     [](const Program& value) { return rc::makeSeq<SimplerPrograms>(value); });
}

// RapidCheck's own sizes, up to 100, are small programs to programs of a few hundred operations.
rc::Gen<Program> programs() {
  return [](const rc::Random& random, int size) {
    rc::Random mine = random;
    const std::uint64_t seed = mine.next();
    const GeneratorOptions options{.operations = 4 + 2 * static_cast<std::uint32_t>(size)};
    return shrinkable(generate(seed, 0, options));
  };
}

TEST(RuntimeProperty, EveryProgramDoesWhatTheModelSays) {
  const auto held = rc::check("runtime and model agree", [] {
    const Program program = *programs();
    Campaign campaign({}, check);
    const Verdict verdict = campaign.check_alone(program, {});
    if (verdict.disagreement) {
      RC_LOG() << verdict.disagreement->property << " at step " << verdict.disagreement->step << "\nexpected "
               << verdict.disagreement->expected << "\nfound " << verdict.disagreement->found << '\n';
    }
    RC_ASSERT(!verdict.disagreement);
  });
  EXPECT_TRUE(held);
}

// An operation that fails to write a buffer, and a read of that buffer while the same reservation lives.
bool reads_what_failed(const Program& program) {
  std::map<traces::NameId, bool> failed;  // of live buffers
  for (const Operation& operation : program.operations) {
    if (operation.kind == OpKind::alloc) failed.emplace(operation.buffer, false);
    if (operation.kind == OpKind::free) failed.erase(operation.buffer);
    for (const traces::Ref& ref : operation.reads) {
      const auto found = failed.find(ref.buffer);
      if (operation.kind == OpKind::read && found != failed.end() && found->second) return true;
    }
    for (const traces::Ref& ref : operation.writes) {
      const auto found = failed.find(ref.buffer);
      if (operation.fault && found != failed.end()) found->second = true;
    }
  }
  return false;
}

TEST(RuntimeProperty, RapidChecksSearchReachesTheMinimumByOurSteps) {
  const rc::Gen<Program> generator = programs();
  int shrunk = 0;
  for (std::uint64_t seed = 0; seed < 200 && shrunk < 20; ++seed) {
    const rc::Shrinkable<Program> drawn = generator(rc::Random(seed), 100);
    if (!reads_what_failed(drawn.value())) continue;
    ++shrunk;
    const auto [smallest, path] = rc::shrinkable::findLocalMin(drawn, reads_what_failed);
    EXPECT_EQ(smallest.operations.size(), 3U);
    EXPECT_EQ(smallest.header.device.streams, 1U);
  }
  EXPECT_EQ(shrunk, 20);
}

TEST(Candidates, AreAllDifferentAndComeToAnEnd) {
  const Program program = generate(3, 0, {.operations = 12});
  const auto text = [](const Program& each) {
    std::ostringstream out;
    traces::write_program(out, each);
    return out.str();
  };
  Candidates candidates(program);
  std::size_t count = 0;
  while (const std::optional<Program> simpler = candidates.next()) {
    EXPECT_NE(text(*simpler), text(program));
    ASSERT_LT(++count, 10'000U);
  }
  EXPECT_GT(count, 20U);
}

TEST(Candidates, OfNothingAreFewAndHarmless) {
  Candidates candidates(Program{});
  while (const std::optional<Program> simpler = candidates.next()) EXPECT_TRUE(simpler->operations.empty());
}

}  // namespace
}  // namespace taintgraph::props
