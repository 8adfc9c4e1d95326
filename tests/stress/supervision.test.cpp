// SPDX-License-Identifier: BSL-1.0
// The random supervision tree on worker threads, disturbed by two others: at the end every actor
// answers or is gone, none is suspended, nothing is leaked, and each watcher was notified once.
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include "../simulation/supervision_tree.hpp"
#include "all_memory.hpp"
#include "instrumented.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
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
    // The disturbing threads do not run ahead of the workers, which would find all actors calm.
    const auto pacemaker = system.spawn("", [](context&, query) { return 1; });
    {
      std::vector<std::jthread> drivers;
      for (std::uint64_t driver = 1; driver <= 2; ++driver) {
        drivers.emplace_back([&, driver] {
          dice chance{seed * 77 + driver};
          for (int step = 0; step < steps; ++step) {
            disturb(system, trees, chance);
            if (step % 16 == 0) (void)system.ask(pacemaker, query{}, 1h).get();
          }
        });
      }
    }
    system.stop(pacemaker);
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

// spec: V1 V3 P1 P2 P4 I3
TEST(a_random_supervision_tree_on_threads, ends_well) {
  totals sum;
  const stress::time_box box;
  // However busy the machine is: until enough has happened.
  const auto enough = [&sum] {
    return sum.failures > 160 && sum.restarts > 80 && sum.suspensions > 80;
  };
  for (std::uint64_t round = 1; box.open() || round <= 8 || !enough(); ++round) {
    const bool large = round % 8 == 0;
    run(round, large ? 500 : 30, large ? 10'000 : 1'000, sum);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
  }
  std::printf("%lu rounds: %lu failures, %lu restarts, %lu suspensions\n", sum.rounds, sum.failures,
              sum.restarts, sum.suspensions);
}

// spec: V1 M6
TEST(a_random_supervision_tree_on_threads, is_grown_again_in_the_same_memory) {
  totals sum;
  const stress::time_box box;
  for (std::uint64_t round = 1; box.open() || round <= 40; ++round) {
    run(round, 30, 500, sum);
    // Something else happens each time, and needs more or less; but all of it comes back.
    stress::expect_all_memory_is_back();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
  }
}

}  // namespace
}  // namespace tactor::wild
