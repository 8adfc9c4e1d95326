// SPDX-License-Identifier: BSL-1.0
// A thread outside the system that sends without end gives the workers the processor before memory
// grows.
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <latch>
#include <thread>

namespace {
thread_local std::uint32_t yields_here = 0;
}  // namespace

// Instead of the C library's.
extern "C" int sched_yield() {
  ++yields_here;
  return static_cast<int>(::syscall(SYS_sched_yield));
}

namespace tactor {
namespace {

struct note {
  std::uint64_t number;
};
struct flood {};

constexpr std::uint32_t many = 100'000;
constexpr std::uint32_t run_of_blocks = 63;

/// Yields of a thread that sends `count` messages to `to`.
std::uint32_t yields_of_sending(const actor_ref<note>& to, std::uint32_t count) {
  std::uint32_t yields = 0;
  std::jthread{[&] {
    for (std::uint32_t i = 0; i < count; ++i)
      to.tell(note{i});
    yields = yields_here;
  }}.join();
  return yields;
}

// spec: Q2
TEST(foreign_flood, a_foreign_thread_yields_before_memory_grows) {
  std::latch begun{1};
  std::latch go_on{1};
  std::latch handled{2 * many};
  std::uint32_t yields_of_worker = 0;
  actor_system system{{.workers = 1}};
  const auto to = system.spawn("to", [&](context&, const note&) { handled.count_down(); });
  const auto busy = system.spawn("busy", [&](context&, flood) {
    begun.count_down();
    go_on.wait();
    const std::uint32_t before = yields_here;
    for (std::uint32_t i = 0; i < many; ++i)
      to.tell(note{i});
    yields_of_worker = yields_here - before;
  });
  busy.tell(flood{});
  begun.wait();  // the only worker is busy: no envelope comes back

  const std::uint32_t yields = yields_of_sending(to, many);
  EXPECT_GE(yields, many / run_of_blocks / 2) << "memory grew without a yield";
  EXPECT_LE(yields, 2 * many / run_of_blocks) << "once for each run of blocks";

  go_on.count_down();
  handled.wait();
  system.shutdown(std::chrono::seconds{10});
  EXPECT_EQ(yields_of_worker, 0U) << "a worker never yields for memory";
}

// spec: Q2
TEST(foreign_flood, without_growth_nothing_yields) {
  struct stay {
    std::latch* begun;
    std::latch* go_on;
  };
  std::latch first{many};
  std::deque<std::latch> rounds;
  std::latch* counts = &first;
  actor_system system{{.workers = 1}};
  const auto to = system.spawn("to", [&](context&, const note&) { counts->count_down(); });
  const auto busy = system.spawn("busy", [](context&, stay s) {
    s.begun->count_down();
    s.go_on->wait();
  });
  // Sends while the only worker is busy. It would take free envelopes for a moment when it is idle,
  // to give memory back.
  const auto yields_while_busy = [&](std::uint32_t count) {
    std::latch begun{1};
    std::latch go_on{1};
    busy.tell(stay{.begun = &begun, .go_on = &go_on});
    begun.wait();
    const std::uint32_t yields = yields_of_sending(to, count);
    go_on.count_down();
    counts->wait();  // nothing is on its way
    return yields;
  };
  (void)yields_while_busy(many);  // so that so many envelopes are in use at once
  // The machine may leave the worker idle between two rounds, and then memory grows again.
  std::array<std::uint32_t, 5> yields{};
  for (std::uint32_t& each : yields) {
    counts = &rounds.emplace_back(1000);
    each = yields_while_busy(1000);
  }
  std::ranges::sort(yields);
  EXPECT_EQ(yields[yields.size() / 2], 0U) << "there are free envelopes";
}

}  // namespace
}  // namespace tactor
