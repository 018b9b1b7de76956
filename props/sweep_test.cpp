// How cases are dealt, and what workers hand back.
#include "props/sweep.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>

namespace taintgraph::props {
namespace {

using std::chrono::milliseconds;

TEST(CaseDeal, ShardsPartTheRange) {
  for (const std::uint64_t first : {0U, 1U, 5U, 17U}) {
    for (std::uint64_t count = 1; count <= 7; ++count) {
      for (const std::uint64_t cases : {1U, 2U, 6U, 20U}) {
        std::multiset<std::uint64_t> numbers;
        for (std::uint64_t index = 1; index <= count; ++index) {
          const CaseDeal deal(first, first + cases, {index, count});
          for (std::uint64_t i = 0; i < deal.size(); ++i) {
            numbers.insert(deal.number(i));
            EXPECT_EQ(deal.position(deal.number(i)), i);
            // What a shard runs does not hang on where the range begins.
            EXPECT_EQ(deal.number(i) % count, index - 1);
          }
        }
        ASSERT_EQ(numbers.size(), cases);
        EXPECT_EQ(*numbers.begin(), first);
        EXPECT_EQ(*numbers.rbegin(), first + cases - 1);
        EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), cases);
      }
    }
  }
}

TEST(CaseDeal, WithoutAnEndThereAreAlwaysMore) {
  const CaseDeal deal(0, std::nullopt, {2, 3});
  EXPECT_GT(deal.size(), std::uint64_t{1} << 60);
  EXPECT_EQ(deal.number(5), 16U);
}

TEST(WorkerPool, SeveralAreAtWorkAtATime) {
  WorkerPool pool(3, {});
  for (std::uint64_t ticket = 0; ticket < 3; ++ticket) {
    pool.start(ticket, ticket, [ticket](SharedProgress& progress) {
      progress.set_step(ticket + 10);
      ::usleep(200'000);
      return std::to_string(ticket);
    });
  }
  EXPECT_EQ(pool.busy(), 3U);
  const auto began = std::chrono::steady_clock::now();
  std::set<std::uint64_t> seen;
  while (pool.busy() > 0) {
    for (const WorkerPool::Ended& each : pool.wait()) {
      EXPECT_EQ(each.outcome.value(), std::to_string(each.ticket));
      EXPECT_EQ(each.step, each.ticket + 10);
      seen.insert(each.ticket);
    }
  }
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(590)) << "one after the other";
}

TEST(WorkerPool, OfThoseDroppedNothingIsHeard) {
  WorkerPool pool(2, {});
  pool.start(1, 0, [](SharedProgress&) { return std::string("kept"); });
  pool.start(2, 0, [](SharedProgress&) -> std::string {
    for (;;) ::pause();
  });
  pool.drop_from(2);
  std::vector<std::uint64_t> tickets;
  while (pool.busy() > 0) {
    for (const WorkerPool::Ended& each : pool.wait()) tickets.push_back(each.ticket);
  }
  EXPECT_EQ(tickets, std::vector<std::uint64_t>{1});
}

// A worker whose case is of no interest any more, because a lower one failed, is not waited for.
TEST(Sweep, WhatComesAfterAFailureIsNotWaitedFor) {
  CampaignOptions options;
  options.generator.operations = 5;
  const Campaign campaign(options, [](const traces::Program& program, const CheckOptions&) -> CheckedRun {
    static const traces::Program second = generate(0, 1, {.operations = 5});
    const bool is_second =
        program.header.seed == second.header.seed && program.operations.size() == second.operations.size();
    if (is_second) {
      for (;;) ::pause();
    }
    CheckedRun run;
    run.disagreement.emplace().property = "planted";
    return run;
  });
  SweepOptions sweep_options;
  sweep_options.workers = 2;
  Sweep sweep(campaign, CaseDeal(0, 2, {}), std::move(sweep_options));
  const SweepResult result = sweep.run();
  EXPECT_EQ(result.end, SweepResult::End::stopped_by_failure);
  EXPECT_EQ(result.totals.cases, 1U);
}

}  // namespace
}  // namespace taintgraph::props
