// SPDX-License-Identifier: BSL-1.0
// A random supervision tree on virtual time: whatever the seed, at the end each actor answers or
// has ended, no actor is suspended, nothing is leaked, and each watcher was told once.
#include "supervision_tree.hpp"

#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tactor::wild {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

struct totals {
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t watched = 0;
  std::uint64_t most_alive = 0;
};

void run(std::uint64_t seed, std::size_t most, int steps, totals& sum) {
  forest trees{seed, most};
  {
    testkit::simulation world{testkit::seed{seed}, {.seed = seed, .log = {.sink = say_nothing}}};
    dice chance{seed * 77};
    for (int step = 0; step < steps; ++step) {
      disturb(world, trees, chance);
      if (chance.one_in(3)) (void)world.run_one();
      if (chance.one_in(40)) world.run_for(1ms);
      if (world.live() > sum.most_alive) sum.most_alive = world.live();
    }
    expect_calm(world, trees);
    sum.failures += trees.failures;
    sum.watched += trees.watched;
    world.begin_stop();
    world.run_to_idle();
    sum.restarts += world.metrics().restarts;
    EXPECT_EQ(world.live(), 0u);
    EXPECT_EQ(world.metrics().actors_started, world.metrics().actors_stopped);
    world.run_for(1ms);  // the timers take away what was cancelled
    EXPECT_EQ(world.timers().metrics().active_total, 0u);
  }
  EXPECT_EQ(trees.instances, 0);
}

bool soaks() {
  return std::getenv("TACTOR_SOAK") != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
}

// spec: V1 V3 P1 P2 I3
TEST(a_random_supervision_tree, ends_well_whatever_the_seed) {
  totals sum;
  const std::uint64_t seeds = soaks() ? 5'000 : 1'000;
  for (std::uint64_t i = 1; i <= seeds; ++i) {
    run(i, 40, 400, sum);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << i;
  }
  // It is worth something only if all that happened.
  EXPECT_GT(sum.failures, 20 * seeds);
  EXPECT_GT(sum.restarts, 10 * seeds);
  EXPECT_GT(sum.watched, 10 * seeds);
}

// spec: V1 V3 P1 P2 I3
TEST(a_random_supervision_tree, of_500_actors_ends_well) {
  totals sum;
  const std::uint64_t seeds = soaks() ? 1'000 : 20;
  for (std::uint64_t i = 1; i <= seeds; ++i) {
    run(1'000'000 + i, 500, 20'000, sum);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << i;
  }
  EXPECT_GE(sum.most_alive, 500u);
}

// spec: V1 M6
TEST(a_random_supervision_tree, takes_no_more_memory_when_it_is_grown_again) {
  totals sum;
  for (const std::uint64_t seed : {3U, 14U, 159U}) {
    std::size_t blocks = 0;
    std::size_t cells = 0;
    for (int round = 0; round < 100; ++round) {
      run(seed, 20, 200, sum);
      std::size_t made = 0;
      for (unsigned each = 0; each < envelope_size_classes; ++each)
        made += program_memory.envelopes.blocks_made(each);
      if (round == 5) {
        blocks = made;
        cells = program_memory.cells.made();
      }
      if (round < 5) continue;
      ASSERT_EQ(made, blocks) << "round " << round;
      ASSERT_EQ(program_memory.cells.made(), cells);
    }
  }
}

}  // namespace
}  // namespace tactor::wild
