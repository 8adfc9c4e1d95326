// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/memory_ahead.hpp"

#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/host/timers/timer_driver.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// Each test has a size of its own, so that it meets no block of another.
scheduler_config config_with(std::size_t quota) {
  scheduler_config config;
  config.system_quota = quota;
  return config;
}

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Whether all small pages of a large one are in memory.
bool is_ready(std::uintptr_t large_page) {
  std::vector<unsigned char> states(memory_ahead::large_page / page_size());
  void* const start = reinterpret_cast<void*>(large_page);  // NOLINT(performance-no-int-to-ptr)
  if (::mincore(start, memory_ahead::large_page, states.data()) != 0) return false;
  return std::ranges::all_of(states, [](unsigned char state) { return (state & 1) != 0; });
}

/// Kernels before 5.14 cannot: there callers touch their pages first.
bool system_can_prepare() {
  void* const page =
      ::mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can = ::madvise(page, page_size(), 23) == 0;  // MADV_POPULATE_WRITE
  (void)::munmap(page, page_size());
  return can;
}

struct world {
  explicit world(std::size_t quota, const monotonic_clock& clock, timer_poller* driver = nullptr)
      : memory(*scheduler_memory::acquire(config_with(quota))),
        timers(config_with(quota), memory.parts(clock, dispatcher, driver)) {}

  /// Until `count` records have been used.
  void use_records(std::size_t count) {
    while (store().used_records().size() < count)
      ASSERT_TRUE(timers.schedule_once(1h, [] {}).has_value());
  }
  [[nodiscard]] timer_store& store() const { return memory.store(); }
  /// The first address that no job has used.
  [[nodiscard]] std::uintptr_t unused() const {
    const auto used = store().used_records();
    return reinterpret_cast<std::uintptr_t>(used.data() + used.size());
  }
  [[nodiscard]] std::uintptr_t next_large_page() const {
    constexpr std::size_t size = memory_ahead::large_page;
    return (unused() + size - 1) / size * size;
  }

  testkit::queue_dispatcher dispatcher;
  scheduler_memory memory;
  scheduler timers;
};

void prepare_what_is_asked_for(timer_store& store) {
  memory_ahead ahead;
  ahead.look(store);
  while (store.growth.has_request())
    std::this_thread::yield();
  ahead.stop();  // waits for what it has begun
}

TEST(memory_ahead, a_store_with_few_records_asks_for_nothing) {
  const testkit::manual_clock clock;
  world w{100'001, clock};
  w.use_records(memory_ahead::first_records);
  EXPECT_FALSE(w.store().growth.has_request());
  EXPECT_FALSE(is_ready(w.next_large_page()));
}

TEST(memory_ahead, the_next_large_page_is_ready_before_a_job_reaches_it) {
  const testkit::manual_clock clock;
  world w{100'002, clock};
  w.use_records(memory_ahead::first_records + 1);
  ASSERT_TRUE(w.store().growth.has_request());
  const std::uintptr_t next = w.next_large_page();

  prepare_what_is_asked_for(w.store());

  EXPECT_EQ(is_ready(next), system_can_prepare());
  EXPECT_FALSE(is_ready(next + memory_ahead::large_page)) << "only one";
  EXPECT_FALSE(w.store().growth.has_request());
}

TEST(memory_ahead, the_page_after_it_is_asked_for_when_a_job_has_reached_its_middle) {
  if (!system_can_prepare()) return;
  const testkit::manual_clock clock;
  world w{100'003, clock};
  w.use_records(memory_ahead::first_records + 1);
  const std::uintptr_t next = w.next_large_page();
  prepare_what_is_asked_for(w.store());
  constexpr std::size_t half = memory_ahead::large_page / 2;
  const std::size_t to_middle = (next + half - w.unused()) / sizeof(timer_record);
  const std::size_t used = w.store().used_records().size();

  w.use_records(used + to_middle - 1);
  EXPECT_FALSE(w.store().growth.has_request());
  w.use_records(used + to_middle + 2);
  EXPECT_TRUE(w.store().growth.has_request());
  prepare_what_is_asked_for(w.store());
  EXPECT_TRUE(is_ready(next + memory_ahead::large_page));
}

TEST(memory_ahead, jobs_in_prepared_memory_are_as_others) {
  const testkit::manual_clock clock;
  world w{100'004, clock};
  w.use_records(memory_ahead::first_records + 1);
  prepare_what_is_asked_for(w.store());
  w.use_records(memory_ahead::first_records + 2 * memory_ahead::large_page / sizeof(timer_record));
  const std::size_t count = w.store().used_records().size();
  EXPECT_EQ(w.timers.metrics().active_total, count);
  for (timer_record& record : w.store().used_records())
    EXPECT_TRUE(record.cancel());
  (void)w.timers.poll();
  EXPECT_EQ(w.timers.metrics().active_total, 0u);
}

TEST(memory_ahead, a_driver_prepares_it) {
  if (!system_can_prepare()) return;
  const steady_clock clock;
  timer_driver driver;
  world w{100'005, clock, &driver};
  driver.attach(w.timers, clock);
  driver.start(&w);
  w.use_records(memory_ahead::first_records + 1);
  const std::uintptr_t next = w.next_large_page();
  while (!is_ready(next) || !w.store().growth.is_watching())
    std::this_thread::yield();
  // The thread that sleeps now, or is about to, is woken for the next one.
  w.use_records((next + memory_ahead::large_page - 1 -
                 reinterpret_cast<std::uintptr_t>(w.store().all_records().data())) /
                sizeof(timer_record));
  while (!is_ready(next + memory_ahead::large_page))
    std::this_thread::yield();
  driver.stop();
  EXPECT_FALSE(w.store().growth.is_served.load(relaxed)) << "its thread has not ended";
}

}  // namespace
}  // namespace tactor::inline v0::host
