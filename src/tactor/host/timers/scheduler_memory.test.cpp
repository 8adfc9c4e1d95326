// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/scheduler_memory.hpp"

#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// Each test has a size of its own, so that it meets no block of another.
scheduler_config config_with(std::size_t quota) {
  scheduler_config config;
  config.system_quota = quota;
  config.timing.overflow_capacity = quota;
  return config;
}

std::size_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// A scheduler in such memory, looked at by hand.
struct world {
  explicit world(std::size_t quota)
      : memory(*scheduler_memory::acquire(config_with(quota))),
        timers(config_with(quota), memory.parts(clock, dispatcher, nullptr)) {}

  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  scheduler_memory memory;
  scheduler timers;
};

timer_store* store_of_next(std::size_t quota) {
  const auto memory = scheduler_memory::acquire(config_with(quota));
  return memory ? &memory->store() : nullptr;
}

TEST(scheduler_memory, has_more_records_than_timers_may_live) {
  EXPECT_EQ(scheduler_memory::records_for(1), 4097u);
  EXPECT_EQ(scheduler_memory::records_for(10'000), 20'000u);
}

TEST(scheduler_memory, ten_million_timers_that_do_not_exist_cost_nothing) {
  const std::size_t before = resident_bytes();

  const auto memory = scheduler_memory::acquire(config_with(10'000'000));

  ASSERT_TRUE(memory.has_value());
  EXPECT_LT(resident_bytes() - before, std::size_t{1} << 20);
}

// Has `count` timers live at once, one of eight as far as a delay may be, the others near; then
// lets the near ones fall due. Returns: how much memory they needed.
std::size_t hold_and_fire(const scheduler_config& config, std::uint64_t count) {
  static std::uint64_t ran = 0;
  ran = 0;
  const std::size_t before = resident_bytes();
  testkit::manual_clock clock;
  testkit::queue_dispatcher dispatcher;
  auto memory = scheduler_memory::acquire(config);
  EXPECT_TRUE(memory.has_value());
  scheduler timers{config, memory->parts(clock, dispatcher, nullptr)};
  constexpr std::uint64_t near_ticks = 1000;
  constexpr std::uint64_t most_ticks = 0x7FFF'FFFF;
  std::uint64_t accepted = 0;
  for (std::uint64_t each = 0; each < count; ++each) {
    const std::uint64_t spread = each * 2'654'435'761U;
    const std::uint64_t ticks = each % 8 != 0 ? 1 + spread % near_ticks
                                              : most_ticks - spread % (most_ticks - 2 * near_ticks);
    const auto delay = std::chrono::milliseconds{static_cast<std::int64_t>(10 * ticks)};
    accepted += timers.schedule_once(delay, [] { ++ran; }).has_value() ? 1U : 0U;
  }
  (void)timers.poll();
  EXPECT_EQ(accepted, count);
  EXPECT_EQ(timers.schedule_once(10ms, [] {}).error(), scheduler_error::quota_exceeded);
  EXPECT_EQ(timers.metrics().active_total, count);
  const std::size_t bytes = resident_bytes() - before;
  clock.advance(10ms * near_ticks);
  (void)timers.poll();
  (void)dispatcher.run_all();
  EXPECT_EQ(ran, count - count / 8);
  EXPECT_EQ(timers.metrics().active_total, count / 8);
  return bytes;
}

// Sanitizers have shadow memory of their own.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool memory_is_instrumented = true;
#elif defined(__has_feature)
constexpr bool memory_is_instrumented =
    __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool memory_is_instrumented = false;
#endif

// spec: S9 S14
TEST(scheduler_memory, by_default_a_million_timers_live_and_no_more) {
  const std::size_t bytes = hold_and_fire({}, 1'000'000);
  if (!memory_is_instrumented) {
    EXPECT_LT(bytes, std::size_t{150'000'000});
  }
}

// spec: S14
TEST(scheduler_memory, ten_million_timers_live_in_less_than_one_and_a_half_gigabytes) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  const std::uint64_t count = std::getenv("TACTOR_SOAK") != nullptr ? 10'000'000 : 100'000;
  const std::size_t bytes = hold_and_fire(config_with(count), count);
  if (!memory_is_instrumented) {
    EXPECT_LT(bytes, 150 * count);
  }
}

TEST(scheduler_memory, a_quota_beyond_all_bounds_is_refused) {
  const auto memory = scheduler_memory::acquire(config_with(std::size_t{1} << 40));

  ASSERT_FALSE(memory.has_value());
  EXPECT_STREQ(memory.error().setting, "system_quota");
}

// spec: A4
TEST(scheduler_memory, a_quota_that_no_error_can_hold_is_reported_as_the_largest_number) {
  const auto memory =
      scheduler_memory::acquire(config_with(std::numeric_limits<std::size_t>::max()));
  ASSERT_FALSE(memory.has_value());
  EXPECT_EQ(memory.error().value, std::numeric_limits<std::int64_t>::max());
  EXPECT_STREQ(memory.error().allowed, "from 1 to 2^26");
}

TEST(scheduler_memory, of_the_largest_quota_every_record_finds_its_store) {
  const auto memory = scheduler_memory::acquire(config_with(std::size_t{1} << 26));

  ASSERT_TRUE(memory.has_value());  // or a panic: the store checks it
  EXPECT_FALSE(scheduler_memory::acquire(config_with((std::size_t{1} << 26) + 1)).has_value());
}

TEST(scheduler_memory, is_used_again_and_counts_from_zero) {
  constexpr std::size_t quota = 20'001;
  timer_store* first = nullptr;
  {
    world w{quota};
    first = &w.memory.store();
    ASSERT_TRUE(w.timers.schedule_once(10ms, [] {}).has_value());
    ASSERT_FALSE(w.timers.schedule_once(0ms, [] {}).has_value());
  }
  world w{quota};
  EXPECT_EQ(&w.memory.store(), first);
  EXPECT_EQ(w.timers.metrics().scheduled_total, 0u);
  EXPECT_EQ(w.timers.metrics().cancelled_total, 0u);
  EXPECT_EQ(w.timers.metrics().refused_total, 0u);
}

// spec: S3
TEST(scheduler_memory, a_kept_handle_keeps_its_record_but_not_the_block) {
  constexpr std::size_t quota = 20'002;
  cancellable kept;
  timer_store* first = nullptr;
  {
    world w{quota};
    first = &w.memory.store();
    kept = *w.timers.schedule_once(10ms, [] {});
  }
  EXPECT_TRUE(kept.is_cancelled());
  const auto id = kept.id();

  world w{quota};
  ASSERT_EQ(&w.memory.store(), first);
  for (int other = 0; other < 100; ++other) {
    auto timer = w.timers.schedule_once(10ms, [] {});
    ASSERT_TRUE(timer.has_value());
    ASSERT_FALSE(*timer == kept);
    timer->cancel();
  }
  EXPECT_EQ(kept.id(), id);
  EXPECT_TRUE(kept.is_cancelled());
  EXPECT_FALSE(kept.cancel());
  EXPECT_EQ(w.timers.metrics().cancelled_total, 100u);
  kept = {};
  EXPECT_EQ(w.timers.metrics().active_total, 0u);
}

TEST(scheduler_memory, a_job_in_a_dispatcher_keeps_the_block_from_being_used_again) {
  constexpr std::size_t quota = 20'003;
  testkit::queue_dispatcher other;
  timer_store* first = nullptr;
  {
    world w{quota};
    first = &w.memory.store();
    ASSERT_TRUE(w.timers.schedule_once(10ms, [] {}, {.dispatcher = &other}).has_value());
    w.clock.advance(10ms);
    (void)w.timers.poll();
  }
  EXPECT_EQ(other.size(), 1u);
  EXPECT_NE(store_of_next(quota), first);

  other.run_all();
  std::optional<scheduler_memory> a{*scheduler_memory::acquire(config_with(quota))};
  std::optional<scheduler_memory> b{*scheduler_memory::acquire(config_with(quota))};
  EXPECT_TRUE(&a->store() == first || &b->store() == first);
}

TEST(scheduler_memory, a_listener_keeps_the_block_from_being_used_again) {
  constexpr std::size_t quota = 20'004;
  std::array<scheduler_event, 4> storage{};
  std::optional<diagnostics_subscription> listener;
  timer_store* first = nullptr;
  {
    world w{quota};
    first = &w.memory.store();
    listener.emplace(w.timers.events(), storage);
  }
  EXPECT_NE(store_of_next(quota), first);
  listener.reset();
}

// A payload larger than a record has room for comes from the heap and goes back there.
TEST(scheduler_memory, large_payloads_have_blocks_of_their_own) {
  world w{20'005};
  const std::array<std::byte, 500> large{};
  int runs = 0;
  ASSERT_TRUE(w.timers.schedule_once(10ms, [large, &runs] { runs += large.size() == 500; }));
  w.clock.advance(10ms);
  (void)w.timers.poll();
  w.dispatcher.run_all();

  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace tactor::inline v0::host
