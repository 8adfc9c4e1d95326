// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/pool_sizer.hpp"

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t ms = 1'000'000;

// A pool whose workers are all acted by the thread of the test, and its sizer.
struct sized_pool {
  explicit sized_pool(std::uint32_t workers, const adaptive_workers& how) : sizer(how) {
    EXPECT_TRUE(pool.open({.workers = workers, .pages = &pages}));
    for (std::uint32_t number = 0; number < workers; ++number)
      attached.push_back(&pool.attach(number));
  }
  sized_pool(const sized_pool&) = delete;
  sized_pool& operator=(const sized_pool&) = delete;
  ~sized_pool() {
    for (pool_worker* const each : attached)
      pool.detach(*each);
    std::array<ready_cell*, 8> left{};
    std::thread{[&] {
      while (pool.drain_ready_cycle(left) != 0) {
      }
    }}.join();
    pool.close();
  }

  // The number of workers that a look advises after `passed_ns`.
  std::uint32_t look_after(std::uint64_t passed_ns) {
    now_ns += passed_ns;
    const auto found = sizer.look(pool, wanted, now_ns);
    next_ns = found.next_ns;
    return wanted = found.workers;
  }
  // A worker begins a turn of the next cell.
  void begin_turn(std::uint32_t worker) { (void)pool.next_for(*attached[worker]); }

  mapped_pages pages;
  work_stealing_coordinator pool;
  pool_sizer sizer;
  std::vector<pool_worker*> attached;
  std::uint64_t now_ns = 7 * ms;
  std::uint64_t next_ns = 0;
  std::uint32_t wanted = 1;
};

constexpr adaptive_workers up_to_sixteen{.least = 1, .most = 16, .every = 10ms, .long_wait = 1ms};

// spec: D6
TEST(pool_sizer, one_message_after_a_silence_is_no_reason_for_more_workers) {
  std::array<ready_cell, 1> cells;
  sized_pool p{1, up_to_sixteen};
  for (int message = 0; message < 100; ++message) {
    p.pool.inject(cells[0]);
    EXPECT_EQ(p.look_after(100 * ms), 1u) << "it waits, but not for long yet";
    p.begin_turn(0);
    EXPECT_EQ(p.look_after(ms), 1u) << "it was taken";
  }
}

// spec: D6
TEST(pool_sizer, cells_that_wait_long_add_half_as_many_workers_up_to_the_most) {
  std::array<ready_cell, 2> cells;
  sized_pool p{1, {.least = 1, .most = 4, .every = 10ms, .long_wait = 1ms}};
  p.pool.inject(cells[0]);
  p.begin_turn(0);
  p.pool.inject(cells[1]);
  for (const std::uint32_t workers : {2u, 3u, 4u, 4u}) {
    (void)p.look_after(10 * ms);
    EXPECT_EQ(p.look_after(ms), workers);
  }
}

// spec: D6
TEST(pool_sizer, a_cell_behind_a_long_turn_waits_wherever_it_is) {
  std::array<ready_cell, 3> cells;
  for (const bool in_ring : {false, true}) {
    sized_pool p{1, up_to_sixteen};
    pool_worker& busy = *p.attached[0];
    p.pool.register_ready(busy, cells[0]);
    p.begin_turn(0);
    p.pool.register_ready(busy, cells[1]);               // in the LIFO slot
    if (in_ring) p.pool.register_ready(busy, cells[2]);  // in the ring
    (void)p.look_after(10 * ms);
    EXPECT_EQ(p.look_after(ms), 2u);
    while (p.pool.next_for(busy) != nullptr) {
    }
  }
}

// spec: D6
TEST(pool_sizer, a_queue_that_moves_is_no_reason) {
  std::array<ready_cell, 4> cells;
  sized_pool p{1, up_to_sixteen};
  pool_worker& busy = *p.attached[0];
  for (int round = 0; round < 100; ++round) {
    for (ready_cell& each : cells)
      p.pool.register_ready(busy, each);
    EXPECT_EQ(p.look_after(10 * ms), 1u);
    for (std::size_t i = 0; i < cells.size(); ++i)
      p.begin_turn(0);
    for (ready_cell& each : cells)
      p.pool.register_ready(busy, each);
    EXPECT_EQ(p.look_after(ms), 1u) << "these are others, which have come since";
    for (std::size_t i = 0; i < cells.size(); ++i)
      p.begin_turn(0);
  }
}

// spec: D6
TEST(pool_sizer, it_looks_again_only_when_a_wait_would_be_long) {
  std::array<ready_cell, 1> cells;
  sized_pool p{1, up_to_sixteen};
  p.pool.inject(cells[0]);
  (void)p.look_after(10 * ms);
  EXPECT_EQ(p.next_ns, p.now_ns + ms);
  EXPECT_EQ(p.look_after(ms - 1), 1u) << "too early";
  EXPECT_EQ(p.look_after(1), 2u);
  EXPECT_EQ(p.next_ns, p.now_ns + 10 * ms);
}

// spec: D6
TEST(pool_sizer, workers_that_sleep_become_fewer_down_to_the_least) {
  sized_pool p{1, {.least = 2, .most = 8, .every = 10ms, .long_wait = 1ms}};
  work_stealing_coordinator& pool = p.pool;
  std::thread sleeper{[&] {
    ASSERT_TRUE(pool.grow(2));
    pool.expect_attach(1);
    pool_worker& here = pool.attach(1);
    while (pool.wait(here)) {
    }
    pool.detach(here);
  }};
  while (pool.sleeping() == 0)
    std::this_thread::yield();
  p.wanted = 4;
  for (const std::uint32_t workers : {4u, 3u, 2u, 2u}) {
    for (std::uint32_t look = 1; look < pool_sizer::quiet_looks; ++look)
      EXPECT_EQ(p.look_after(10 * ms), p.wanted);
    EXPECT_EQ(p.wanted, workers);
    (void)p.look_after(10 * ms);
  }
  pool.shut_down();
  sleeper.join();
}

// spec: D6
TEST(pool_sizer, busy_workers_without_a_queue_stay) {
  sized_pool p{2, up_to_sixteen};
  p.wanted = 2;
  for (std::uint32_t look = 0; look < 3 * pool_sizer::quiet_looks; ++look)
    EXPECT_EQ(p.look_after(10 * ms), 2u);
}

TEST(pool_sizer, a_number_outside_of_the_range_is_corrected) {
  sized_pool p{1, {.least = 2, .most = 8}};
  EXPECT_EQ(p.look_after(10 * ms), 2u);
  p.wanted = 20;
  EXPECT_EQ(p.look_after(10 * ms), 8u);
}

}  // namespace
}  // namespace tactor
