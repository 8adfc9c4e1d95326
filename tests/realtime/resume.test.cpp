// SPDX-License-Identifier: BSL-1.0
// The time from a resume until the actor handles messages again.
#include "tactor/host/actor_system.hpp"

#include "core_wait.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace tactor::realtime {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct note {};

// spec: P6
TEST(resume, an_actor_handles_its_mail_within_a_millisecond) {
  constexpr std::size_t cycles = 2000;
  std::atomic<std::uint32_t> handled = 0;
  actor_system system{{.workers = 1}};
  const auto who = system.spawn("who", [&](context&, const note&) {
    ++handled;
    handled.notify_one();
  });
  std::vector<steady_clock::duration> took;
  for (std::uint32_t i = 0; i < cycles; ++i) {
    ASSERT_TRUE(system.suspend(who).has_value());
    while (system.metrics().suspensions != i + 1)
      std::this_thread::yield();
    who.tell(note{});
    const auto waited = core_wait_of({"tactor-worker"});
    const auto begun = steady_clock::now();
    ASSERT_TRUE(system.resume(who).has_value());
    handled.wait(i);
    const auto all = steady_clock::now() - begun;
    took.push_back(all - (core_wait_of({"tactor-worker"}) - waited));
  }
  std::ranges::sort(took);
  const auto us = [&](std::size_t at) {
    return std::chrono::duration_cast<std::chrono::microseconds>(took[at]).count();
  };
  std::printf("resumed: p50 %ld us, p99 %ld us, worst %ld us\n", us(cycles / 2),
              us(cycles * 99 / 100), us(cycles - 1));
  EXPECT_LT(took[cycles / 2], 1ms);
}

}  // namespace
}  // namespace tactor::realtime
