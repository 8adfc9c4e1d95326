// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_decision.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

constexpr adaptive_workers from_two_to_eight{.least = 2, .most = 8, .long_wait = 1ms};
constexpr std::uint64_t ms = 1'000'000;

pool_decision decide(const pool_load& seen) {
  return decide_workers(seen, from_two_to_eight);
}

// spec: D6
TEST(worker_decision, long_waits_add_half_as_many_up_to_the_most) {
  EXPECT_EQ(decide({.workers = 2, .queued = 1, .wait_ns = ms}).workers, 3u);
  EXPECT_EQ(decide({.workers = 3, .queued = 50, .wait_ns = 9 * ms}).workers, 5u);
  EXPECT_EQ(decide({.workers = 5, .queued = 50, .wait_ns = 9 * ms}).workers, 8u);
  EXPECT_EQ(decide({.workers = 8, .queued = 50, .wait_ns = 9 * ms}).workers, 8u);
  constexpr adaptive_workers any{};
  EXPECT_EQ(decide_workers({.workers = 1, .queued = 1, .wait_ns = ms}, any).workers, 2u);
}

// spec: D6
TEST(worker_decision, a_queue_that_moves_is_no_reason) {
  EXPECT_EQ(decide({.workers = 4, .queued = 1'000, .wait_ns = ms - 1, .quiet = 7}),
            (pool_decision{.workers = 4, .quiet = 0}));
}

// spec: D6
TEST(worker_decision, a_quiet_while_takes_one_away_down_to_the_least) {
  pool_load seen{.workers = 4};
  for (std::uint32_t sample = 1; sample < quiet_samples; ++sample) {
    const pool_decision said = decide(seen);
    EXPECT_EQ(said, (pool_decision{.workers = 4, .quiet = sample}));
    seen.quiet = said.quiet;
  }
  EXPECT_EQ(decide(seen), (pool_decision{.workers = 3, .quiet = 0}));
  EXPECT_EQ(decide({.workers = 2, .quiet = 10 * quiet_samples}).workers, 2u);
}

TEST(worker_decision, a_number_outside_of_the_range_is_corrected) {
  EXPECT_EQ(decide({.workers = 1}).workers, 2u);
  EXPECT_EQ(decide({.workers = 20}).workers, 8u);
}

TEST(worker_decision, the_wait_follows_from_what_was_done) {
  EXPECT_EQ(expected_wait_ns(10, 100, 10 * ms), ms);
  EXPECT_EQ(expected_wait_ns(10, 0, 10 * ms), 100 * ms) << "nothing was done: it takes long";
  EXPECT_EQ(expected_wait_ns(0, 0, 10 * ms), 0u);
}

}  // namespace
}  // namespace tactor
