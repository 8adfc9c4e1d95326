// SPDX-License-Identifier: BSL-1.0
// The random supervision tree on worker threads, disturbed by two others: at the end everybody answers
// or is gone, nobody is suspended, nothing is leaked, and each watcher was told once.
#include "tactor/core/actor/runtime_memory.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include "../simulation/supervision_tree.hpp"
#include "instrumented.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::wild {
namespace {

void say_nothing(const log_record& /*what*/) noexcept {}

struct totals {
  std::uint64_t rounds = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t suspensions = 0;
};

void run(std::uint64_t seed, std::size_t most, int steps, totals& sum) {
  forest trees{seed, most};
  {
    actor_system system{{.workers = 3, .seed = seed, .log = {.sink = say_nothing}}};
    {
      std::vector<std::jthread> drivers;
      for (std::uint64_t driver = 1; driver <= 2; ++driver) {
        drivers.emplace_back([&, driver] {
          dice chance{seed * 77 + driver};
          for (int step = 0; step < steps; ++step)
            disturb(system, trees, chance);
        });
      }
    }
    expect_calm(system, trees);
    ASSERT_FALSE(::testing::Test::HasFailure());
    const metrics_snapshot counted = system.metrics();
    EXPECT_EQ(counted.suspensions >= counted.resumes, true);
    sum.failures += trees.failures;
    sum.restarts += counted.restarts;
    sum.suspensions += counted.suspensions;
    ++sum.rounds;
    EXPECT_TRUE(system.shutdown(30s).complete);
    EXPECT_FALSE(system.core().cause().has_value());
    EXPECT_EQ(system.live(), 0u);
    EXPECT_EQ(system.metrics().actors_started, system.metrics().actors_stopped);
    EXPECT_EQ(system.timers().metrics().active_total, 0u);
  }
  EXPECT_EQ(trees.instances, 0);
}

// spec: V1 V2 V3 P1 P2 P4 I3
TEST(a_random_supervision_tree_on_threads, ends_well) {
  totals sum;
  const stress::time_box box;
  for (std::uint64_t round = 1; box.open() || round <= 8; ++round) {
    const bool large = round % 8 == 0;
    run(round, large ? 500 : 30, large ? 10'000 : 1'000, sum);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
  }
  EXPECT_GT(sum.failures, 20 * sum.rounds);
  EXPECT_GT(sum.restarts, 10 * sum.rounds);
  EXPECT_GT(sum.suspensions, 10 * sum.rounds);
}

std::size_t blocks_made() {
  std::size_t made = 0;
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    made += program_memory.envelopes.blocks_made(each);
  return made;
}

// spec: V1 V2 M6
TEST(a_random_supervision_tree_on_threads, is_grown_again_in_the_same_memory) {
  totals sum;
  const stress::time_box box;
  std::size_t blocks = 0;
  std::size_t cells = 0;
  std::uint64_t round = 1;
  for (; box.open() || round <= 40; ++round) {
    run(round, 30, 500, sum);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
    if (round == 20) {
      blocks = blocks_made();
      cells = program_memory.cells.made();
    }
  }
  // What happens is another thing each time, but it does not grow with the rounds.
  EXPECT_LE(blocks_made(), 2 * blocks) << round << " rounds";
  EXPECT_LE(program_memory.cells.made(), 2 * cells) << round << " rounds";
}

}  // namespace
}  // namespace tactor::wild
