// SPDX-License-Identifier: BSL-1.0
// The number of workers changes all the time, under load and during a shutdown: every message is
// handled.
#include "tactor/core/actor/context.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include "all_memory.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

struct step {
  std::uint32_t left;
};

void ignore(const log_record& /*what*/) noexcept {}

// A ring of actors: each step is passed on until it has none left.
std::vector<actor_ref<step>> spawn_ring(const actor_system& system, std::size_t actors,
                                        std::vector<actor_ref<step>>& all,
                                        std::atomic<std::uint64_t>& handled) {
  for (std::size_t i = 0; i < actors; ++i)
    all[i] = system.spawn("", [&all, &handled, i](context&, const step& s) {
      handled.fetch_add(1, std::memory_order_relaxed);
      if (s.left != 0) all[(i * 7 + s.left) % all.size()].tell(step{s.left - 1});
    });
  return all;
}

// spec: D6 D7
TEST(resize_stress, no_message_is_lost_while_the_number_of_workers_changes) {
  constexpr std::size_t actors = 64;
  constexpr std::uint32_t steps = 50;
  std::atomic<std::uint64_t> handled = 0;
  std::uint64_t sent = 0;
  std::uint64_t resizes = 0;
  std::vector<actor_ref<step>> all(actors);
  {
    actor_system system{{.workers = 2, .log = {.sink = ignore}}};
    (void)spawn_ring(system, actors, all, handled);
    std::atomic<bool> over = false;
    std::thread resizer{[&] {
      for (std::uint32_t turn = 0; !over; ++turn) {
        EXPECT_TRUE(system.resize(1 + turn * 5 % 7));
        ++resizes;
        std::this_thread::yield();
      }
    }};
    for (const time_box time; time.open();) {
      for (std::size_t i = 0; i < 16; ++i, ++sent)
        all[sent % actors].tell(step{steps - 1});
      // Now and then everything comes to rest: a lost wake-up would be seen here.
      if (sent % 64 == 0)
        while (handled != sent * steps)
          std::this_thread::yield();
    }
    while (handled != sent * steps)
      std::this_thread::yield();
    over = true;
    resizer.join();
    const worker_counts now = system.workers();
    EXPECT_GT(resizes, 0u);
    EXPECT_GE(now.running + now.spawned, 1u);
    EXPECT_TRUE(system.shutdown(60s).complete);
    EXPECT_EQ(system.metrics().all_dead_letters(), 0u);
  }
  expect_all_memory_is_back();
}

// spec: D6 D4
TEST(resize_stress, a_shutdown_ends_every_thread_while_the_number_of_workers_changes) {
  for (const time_box time; time.open();) {
    std::atomic<std::uint64_t> handled = 0;
    std::vector<actor_ref<step>> all(8);
    {
      actor_system system{{.workers = 2, .log = {.sink = ignore}}};
      (void)spawn_ring(system, all.size(), all, handled);
      std::thread resizer{[&] {
        for (std::uint32_t turn = 0; system.resize(1 + turn % 4); ++turn) {
        }
      }};
      for (std::size_t i = 0; i < 64; ++i)
        all[i % all.size()].tell(step{3});
      EXPECT_TRUE(system.shutdown(60s).complete);
      resizer.join();
      const worker_counts now = system.workers();
      EXPECT_EQ(now.spawned + now.running + now.draining, 0u);
    }
    wait_for_threads_to_end();
  }
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
