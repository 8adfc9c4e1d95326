// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/dispatch/worker_executor.hpp"

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor {
namespace {

// Gives each cell as many turns as it was told, three messages in each.
struct counting_runner {
  std::array<ready_cell, 3> cells;
  std::array<unsigned, 3> left{};
  unsigned order = 0;  // as digits

  invoke_result run(ready_cell& cell) noexcept {
    const auto which = static_cast<std::size_t>(&cell - cells.data());
    order = order * 10 + static_cast<unsigned>(which) + 1;
    const bool more = --left[which] > 0;
    using outcome = invoke_result::outcome;
    return {.how = more ? outcome::yielded : outcome::completed, .messages = 3};
  }
};

// spec: D2
TEST(worker_executor, drains_runs_and_reports_until_nothing_is_ready) {
  single_thread_coordinator ready;
  counting_runner runner;
  worker_executor executor{ready, runner};
  EXPECT_FALSE(executor.run_one());
  runner.left = {3, 1, 2};
  for (ready_cell& each : runner.cells)
    ready.register_ready(each);

  EXPECT_EQ(executor.run(100), 6u);
  EXPECT_EQ(runner.order, 123131u);
  EXPECT_EQ(executor.turns(), 6u);
  EXPECT_EQ(executor.handled(), 18u);
  EXPECT_EQ(ready.poll_wait_signal(), wait_signal::pending);
}

// spec: D2
TEST(worker_executor, gives_no_more_turns_than_it_is_asked_for) {
  single_thread_coordinator ready;
  counting_runner runner;
  worker_executor executor{ready, runner};
  runner.left = {9, 9, 9};
  ready.register_ready(runner.cells[0]);

  EXPECT_EQ(executor.run(2), 2u);
  EXPECT_EQ(executor.run(0), 0u);
  EXPECT_EQ(ready.poll_wait_signal(), wait_signal::ready);
}

}  // namespace
}  // namespace tactor
