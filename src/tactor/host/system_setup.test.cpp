// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/system_setup.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/log_sink.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/port/port.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <set>
#include <string>
#include <thread>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// spec: V1
TEST(system_setup, gives_each_system_a_seed_of_its_own) {
  EXPECT_NE(internal::with_defaults({}).seed, internal::with_defaults({}).seed);
  EXPECT_EQ(internal::with_defaults({.seed = 7}).seed, 7u);
}

// spec: K1
TEST(system_setup, uses_no_random_seed_with_a_manual_clock) {
  const testkit::manual_clock clock;
  const system_config config{.clock = {.source = &clock, .use = clock_use::test}};
  EXPECT_EQ(internal::with_defaults(config).seed, 0u);
}

// spec: D5
TEST(system_setup, tells_threads_apart_by_their_numbers) {
  std::set<std::string> names;
  for (const std::uint32_t number : {1U, 9U, 10U, 19U, 100U, 255U}) {
    std::thread{[&] {
      internal::set_up_thread("worker", number);
      char name[16] = {};
      (void)::pthread_getname_np(::pthread_self(), name, sizeof name);
      names.insert(name);
    }}.join();
  }
  EXPECT_EQ(names.size(), 6u);
  EXPECT_TRUE(names.contains("tactor-worker-9"));
  EXPECT_TRUE(names.contains("tactor-work-255"));
}

struct letter {};

/// A log that waits for a thread that sends an undeliverable message, as a log with a lock might.
struct slow_log {
  static void take(void* self, const log_record& /*record*/) noexcept {
    auto& log = *static_cast<slow_log*>(self);
    if (log.lines++ != 0) return;
    auto other = std::async(std::launch::async, [&log] { log.to.tell(letter{}); });
    log.came_back = other.wait_for(20s) == std::future_status::ready;
  }
  std::atomic<int> lines = 0;
  std::atomic<bool> came_back = false;
  actor_ref<letter> to;
};

// spec: O6
TEST(system_setup, holds_no_lock_while_it_logs_what_a_foreign_thread_has_lost) {
  slow_log log;
  actor_system system{{.workers = 1, .log = {.sink = {slow_log::take, &log}}}};
  log.to = system.spawn("gone", [](context& /*ctx*/, const letter& /*l*/) {});
  system.stop(log.to);
  while (system.live() != 0)
    std::this_thread::yield();
  EXPECT_EQ(log.to.tell(letter{}), tell_result::closed);
  EXPECT_TRUE(log.came_back);
  EXPECT_EQ(log.lines, 2);
  EXPECT_EQ(system.metrics().all_dead_letters(), 2u);
}

// Sleeps as the host does, and says so.
struct noted_sleep {
  static bool sleep(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                    std::uint64_t until_ns) noexcept {
    if (sleeps++ == 0) asleep.set_value();
    return program_memory.waiting()->sleep(word, seen, until_ns);
  }
  static void wake(port::atomic<std::uint32_t>& word) noexcept {
    program_memory.waiting()->wake(word);
  }
  static constexpr thread_waiting waiting{
      .sleep = sleep, .wake = wake, .now_ns = nullptr, .give_way = nullptr};
  static inline std::atomic<int> sleeps = 0;
  static inline std::promise<void> asleep;
};

// What runs inside may be a log or a destructor of the user's, and take long.
TEST(system_setup, the_end_of_a_system_sleeps_while_a_foreign_thread_is_inside) {
  provide_memory();
  alignas(std::max_align_t) std::byte place[1];
  auto& services = reinterpret_cast<system_services&>(place);  // only its address is used
  system_gate gate;
  gate.open(services, &noted_sleep::waiting);
  std::jthread closes;
  auto came = std::future_status::timeout;
  gate.enter(this_thread(), [&](system_services&) {
    closes = std::jthread{[&] { gate.close(); }};
    came = noted_sleep::asleep.get_future().wait_for(20s);
  });
  EXPECT_EQ(came, std::future_status::ready) << "it polls";
  closes.join();
  EXPECT_LE(noted_sleep::sleeps, 2) << "it is woken once, by the last thread inside";
}

}  // namespace
}  // namespace tactor
