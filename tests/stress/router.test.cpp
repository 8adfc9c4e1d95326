// SPDX-License-Identifier: BSL-1.0
// Asks through a pool whose workers are coroutines that fail, stop and are replaced while the pool
// is resized.
#include "tactor/coroutine.hpp"
#include "tactor/host.hpp"
#include "tactor/patterns/patterns.hpp"

#include "all_memory.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

struct sum {
  int number = 0;
  using reply = int;
};

class clerk : public actor<sum> {
public:
  reentrant_task<int> receive(context& ctx, sum s) {
    if (s.number % 3 == 0) co_await ctx.sleep(1ms);
    if (s.number % 50 == 7) co_await ctx.fail("at random");
    if (s.number % 70 == 9) ctx.stop();
    co_return s.number;
  }
};

// spec: A7 A3 K3
TEST(router_stress, every_ask_of_a_pool_that_changes_ends_once_and_without_a_timeout) {
  for (const time_box box; box.open();) {
    std::atomic<std::uint64_t> ended = 0;
    std::atomic<std::uint64_t> answered = 0;
    std::atomic<std::uint64_t> asked = 0;
    actor_system system{{.workers = 3, .log = {.sink = ignore_records}}};
    const auto pool = patterns::spawn_pool<clerk>(system, {.workers = 4, .replace_after = 1ms},
                                                  patterns::least_queued{});
    {
      std::vector<std::jthread> askers;
      for (int each = 0; each < 3; ++each)
        askers.emplace_back([&, each] {
          for (int i = 0; i < 200; ++i) {
            ++asked;
            system.ask(pool, sum{i}, 60s).then([&, i](const auto& got) {
              if (got) {
                EXPECT_EQ(*got, i);
              } else {
                EXPECT_NE(got.error().kind, ask_failure::timed_out);
              }
              answered += got ? 1 : 0;
              ++ended;
            });
            if (i % 20 == 0)
              pool.tell(patterns::resize_pool{static_cast<std::size_t>(1 + (i + each) % 6)});
          }
        });
    }
    while (ended != asked)
      std::this_thread::yield();
    EXPECT_GT(answered, 0u);
    EXPECT_TRUE(system.shutdown(30s).complete);
  }
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
