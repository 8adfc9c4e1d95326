// SPDX-License-Identifier: BSL-1.0
// The thread that looks for blocked workers samples the cell that runs while new cells are made.
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

struct greeting {};

void ignore(const log_record& /*what*/) noexcept {}

TEST(blocked_worker_watch_stress, samples_actors_whose_cells_are_new) {
  std::atomic<std::uint64_t> handled = 0;
  std::uint64_t sent = 0;
  {
    actor_system system{
        {.workers = 2, .dispatch = {.blocked_after = 1us}, .log = {.sink = ignore}}};
    for (const time_box box; box.open() && sent < 200'000; ++sent)
      system.spawn("", [&handled](context&, greeting) { ++handled; }).tell(greeting{});
    EXPECT_TRUE(system.shutdown(30s).complete);
  }
  EXPECT_EQ(handled, sent);
}

}  // namespace
}  // namespace tactor::stress
