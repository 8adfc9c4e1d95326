// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/coordinator_suite.test.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/host/workers/message_cost.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

constexpr invoke_result yielded{.how = invoke_result::outcome::yielded};
constexpr invoke_result completed{};
constexpr invoke_result handled_one{.messages = 1};
constexpr auto surplus = work_stealing_coordinator::surplus;

// The system's ways to wait, watched; and two clocks of the test's own.
struct watched {
  static wait_result sleep(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen,
                           std::optional<std::uint64_t> until_ns) noexcept {
    if (until_ns) {
      timed.fetch_add(1);
      const std::uint64_t now = monotonic_ns();
      last_nap_ns = *until_ns > now ? *until_ns - now : 0;
      if (sleeps_well) until_ns = {};
    } else {
      untimed.fetch_add(1);
    }
    return wait_on_word(wake_word, seen, until_ns);
  }
  static void wake(port::atomic<std::uint32_t>& wake_word) noexcept {
    const int before = wakes.fetch_add(1);
    if (before_wake) before_wake(before);
    wake_waiter(wake_word);
  }
  static std::uint64_t now() noexcept { return stands_at.load(); }
  static std::uint64_t step() noexcept { return stands_at.fetch_add(1'000); }
  static void at_rest(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen) noexcept {
    rests.fetch_add(1);
    while (uses_rests && wake_word.load(relaxed) == seen)
      std::this_thread::yield();
  }

  static void start_over() {
    wakes = timed = untimed = rests = 0;
    uses_rests = sleeps_well = false;
    last_nap_ns = 0;
    before_wake = nullptr;
    stands_at = 1'000'000'000;
  }

  static inline std::atomic<std::uint64_t> stands_at{0};
  static inline std::atomic<int> wakes{0};
  static inline std::atomic<int> timed{0};
  static inline std::atomic<int> untimed{0};
  static inline std::atomic<int> rests{0};
  static inline std::atomic<bool> uses_rests{false};
  static inline std::atomic<bool> sleeps_well{false};       // a timeout has no effect
  static inline std::atomic<std::uint64_t> last_nap_ns{0};  // by the system's clock
  // Called before a worker is woken, with the number of wakes so far.
  static inline std::function<void(int)> before_wake;
};

// `stepping`: a microsecond passes with each reading, however busy the machine is.
enum class clock_choice : std::uint8_t { standing, stepping, of_system };

// A pool. The thread of the test may act as all of its workers.
struct pool {
  explicit pool(std::uint32_t workers, pool_kind kind = pool_kind::computing,
                clock_choice clock = clock_choice::standing,
                std::size_t memory = std::numeric_limits<std::size_t>::max())
      : pages(memory) {
    watched::start_over();
    pool_waiting waiting{
        .sleep = watched::sleep, .wake = watched::wake, .at_rest = watched::at_rest};
    if (clock == clock_choice::standing) waiting.now_ns = watched::now;
    if (clock == clock_choice::stepping) waiting.now_ns = watched::step;
    EXPECT_TRUE(
        subject.open({.workers = workers, .kind = kind, .pages = &pages, .waiting = waiting}));
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    for (pool_worker* const each : attached)
      subject.detach(*each);
    (void)drain_injected();
    subject.close();
  }

  pool_worker& attach(std::uint32_t number) {
    attached.push_back(&subject.attach(number));
    return *attached.back();
  }
  // The cells as they come, as digits of their numbers from 1; a worker's, or those injected.
  template <class Cells>
  unsigned drain(pool_worker& of, Cells& cells) {
    unsigned digits = 0;
    while (const ready_cell* const each = subject.next_for(of))
      digits = digits * 10 + static_cast<unsigned>(each - cells.data()) + 1;
    return digits;
  }
  std::size_t drain_injected() {
    std::size_t count = 0;
    std::array<ready_cell*, 8> some{};
    while (const std::size_t drained = drain_on_another_thread(some))
      count += drained;
    return count;
  }
  std::size_t drain_on_another_thread(std::span<ready_cell*> out) {
    std::size_t count = 0;
    std::thread{[&] { count = subject.drain_ready_cycle(out); }}.join();
    return count;
  }
  void pass_time(std::uint64_t ns) { watched::stands_at += ns; }

  mapped_pages pages;
  work_stealing_coordinator subject;
  std::vector<pool_worker*> attached;
};

// A thread that is a worker until the pool shuts down. `run` gives a cell its turn.
class worker_thread {
public:
  worker_thread(work_stealing_coordinator& in, std::uint32_t number,
                std::function<invoke_result(ready_cell&)> run)
      : thread_([&in, number, run = std::move(run)] {
          pool_worker& here = in.attach(number);
          do {
            while (ready_cell* const next = in.next_for(here))
              in.report(here, *next, run(*next));
          } while (in.wait(here));
          in.detach(here);
        }) {}
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;
  ~worker_thread() { thread_.join(); }

private:
  std::thread thread_;
};

void wait_until_asleep(const work_stealing_coordinator& pool, std::uint32_t workers) {
  while (pool.sleeping() != workers)
    std::this_thread::yield();
}

// What every coordinator does, on a thread that is no worker: first come, first served.

// spec: D1
// case: RQ-01 RQ-02 RQ-03 RQ-04 RQ-05 RQ-06
TEST(work_stealing_coordinator, serves_other_threads_as_every_coordinator_does) {
  using suite_test = void (*)(ready_queue_coordinator&);
  const std::array<suite_test, 9> suite{
      coordinator_suite::a_registered_cell_is_drained_once,
      coordinator_suite::a_cell_that_is_registered_twice_is_drained_once,
      coordinator_suite::a_drain_takes_as_many_as_it_may_first_come_first_served,
      coordinator_suite::an_unregistered_cell_is_not_drained,
      coordinator_suite::an_unregistered_cell_that_is_registered_again_is_drained_once,
      coordinator_suite::a_skipped_cell_does_not_count_in_a_drain,
      coordinator_suite::a_result_queues_the_cell_again_if_there_is_more_to_do,
      coordinator_suite::a_cell_that_yields_waits_behind_queued_cells,
      coordinator_suite::the_signal_says_whether_there_is_something_to_drain,
  };
  for (const suite_test each : suite) {
    pool p{1};
    each(p.subject);
  }
}

// On a worker's thread, where the newest may come first: all but the two whose order is another.

// spec: D1
// case: RQ-01 RQ-02 RQ-04 RQ-05 RQ-06
TEST(work_stealing_coordinator, serves_a_worker_as_every_coordinator_does) {
  using suite_test = void (*)(ready_queue_coordinator&);
  const std::array<suite_test, 7> suite{
      coordinator_suite::a_registered_cell_is_drained_once,
      coordinator_suite::a_cell_that_is_registered_twice_is_drained_once,
      coordinator_suite::an_unregistered_cell_is_not_drained,
      coordinator_suite::an_unregistered_cell_that_is_registered_again_is_drained_once,
      coordinator_suite::a_skipped_cell_does_not_count_in_a_drain,
      coordinator_suite::a_result_queues_the_cell_again_if_there_is_more_to_do,
      coordinator_suite::the_signal_says_whether_there_is_something_to_drain,
  };
  for (const suite_test each : suite) {
    pool p{1};
    p.attach(0);
    each(p.subject);
  }
}

// case: RQ-03
TEST(work_stealing_coordinator, a_worker_drains_as_many_as_it_may_and_what_is_next_first) {
  coordinator_suite::cells some;
  pool p{1};
  p.attach(0);
  for (unsigned i = 1; i <= 5; ++i)
    p.subject.register_ready(some[i]);
  EXPECT_EQ(some.drain(p.subject, 0), 0u);
  EXPECT_EQ(some.drain(p.subject, 3), 123u);
  p.subject.register_ready(some[1]);  // the slot is empty: it is next
  EXPECT_EQ(some.drain(p.subject, 10), 145u);
}

// spec: D3
TEST(work_stealing_coordinator, a_workers_cell_that_yields_waits_behind_the_queued_cells) {
  coordinator_suite::cells some;
  pool p{1};
  p.attach(0);
  p.subject.register_ready(some[1]);
  p.subject.register_ready(some[2]);
  EXPECT_EQ(some.drain(p.subject, 1), 1u);
  p.subject.register_ready(some[3]);
  p.subject.handle_invoke_result(some[1], yielded);
  EXPECT_EQ(some.drain(p.subject, 10), 321u);
}

// A worker's places.

TEST(work_stealing_coordinator, the_first_goes_into_the_slot_and_the_others_into_the_ring) {
  std::array<ready_cell, 3> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  for (ready_cell& each : cells)
    p.subject.register_ready(each);
  EXPECT_EQ(here.lifo_slot.load(relaxed), &cells[0]);
  EXPECT_EQ(here.ring.size(), 2u);
  EXPECT_EQ(p.subject.injected(), 0u);
  EXPECT_EQ(p.drain(here, cells), 123u);
}

TEST(work_stealing_coordinator, reports_what_each_worker_runs) {
  ready_cell cell;
  pool p{2};
  p.attach(0);
  pool_worker& here = p.attach(1);
  p.subject.register_ready(here, cell);
  EXPECT_EQ(here.running.load(relaxed), nullptr);
  EXPECT_EQ(p.subject.next_for(here), &cell);
  EXPECT_EQ(p.subject.worker(1).running.load(relaxed), &cell);
  EXPECT_EQ(p.subject.worker(1).progress.value(), 1u);
  p.subject.report(here, cell, completed);
  EXPECT_EQ(p.subject.next_for(here), nullptr);
  EXPECT_EQ(here.running.load(relaxed), nullptr);
  EXPECT_EQ(p.subject.worker(0).progress.value(), 0u);
  EXPECT_EQ(p.subject.workers(), 2u);
}

// spec: D3
TEST(work_stealing_coordinator, two_that_wake_each_other_do_not_starve_a_third) {
  std::array<ready_cell, 3> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.register_ready(cells[2]);  // in the ring
  unsigned turns = 0;
  for (ready_cell* next = p.subject.next_for(here); next != &cells[2]; ++turns) {
    ASSERT_LE(turns, 100u);
    p.subject.register_ready(next == cells.data() ? cells[1] : cells[0]);
    p.subject.report(here, *next, handled_one);
    next = p.subject.next_for(here);
  }
  EXPECT_EQ(turns, work_stealing_coordinator::slot_budget / 2) << "a turn and a message each";
}

// spec: D3
TEST(work_stealing_coordinator, a_turn_of_many_messages_uses_up_the_budget_of_the_slot) {
  constexpr invoke_result many{.messages = work_stealing_coordinator::slot_budget};
  std::array<ready_cell, 3> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.register_ready(cells[2]);  // in the ring
  EXPECT_EQ(p.subject.next_for(here), &cells[0]);
  p.subject.register_ready(cells[1]);  // in the slot
  p.subject.report(here, cells[0], many);
  EXPECT_EQ(p.subject.next_for(here), &cells[2]);
  EXPECT_EQ(p.subject.next_for(here), &cells[1]);
}

// spec: D3
TEST(work_stealing_coordinator,
     two_that_wake_each_other_starve_neither_the_ring_nor_what_is_injected) {
  constexpr invoke_result many{.messages = work_stealing_coordinator::slot_budget};
  std::array<ready_cell, 4> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.register_ready(cells[2]);  // in the ring
  std::array<unsigned, 4> turns{};
  for (unsigned i = 0; i < 100; ++i) {
    p.subject.inject(cells[3]);  // again and again
    ready_cell* const next = p.subject.next_for(here);
    ASSERT_NE(next, nullptr);
    ++turns[static_cast<std::size_t>(next - cells.data())];
    if (next == &cells[0]) p.subject.register_ready(cells[1]);
    if (next == &cells[1]) p.subject.register_ready(cells[0]);
    p.subject.report(here, *next, next == &cells[2] ? yielded : many);
  }
  for (const unsigned each : turns)
    EXPECT_GE(each, 10u);
}

// spec: D3
TEST(work_stealing_coordinator, what_is_injected_waits_no_longer_than_64_turns) {
  std::array<ready_cell, 2> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.inject(cells[1]);
  unsigned turns = 0;
  for (ready_cell* next = p.subject.next_for(here); next != &cells[1]; ++turns) {
    ASSERT_LE(turns, 100u);
    p.subject.report(here, *next, yielded);
    next = p.subject.next_for(here);
  }
  EXPECT_LT(turns, 64u);
}

TEST(work_stealing_coordinator, a_full_ring_grows) {
  constexpr std::size_t capacity = pool_worker::first_ring_capacity;
  std::vector<ready_cell> cells(10 * capacity);
  pool p{1};
  pool_worker& here = p.attach(0);
  for (ready_cell& each : cells)
    p.subject.register_ready(each);
  EXPECT_EQ(p.subject.injected(), 0u);
  EXPECT_EQ(here.ring.size(), cells.size() - 1);
  for (ready_cell& each : cells)
    EXPECT_EQ(p.subject.next_for(here), &each);
  EXPECT_EQ(p.subject.next_for(here), nullptr);
}

TEST(work_stealing_coordinator, a_full_ring_that_cannot_grow_gives_half_to_all) {
  constexpr std::size_t capacity = pool_worker::first_ring_capacity;
  std::vector<ready_cell> cells(capacity + 2);
  pool p{1, pool_kind::computing, clock_choice::standing, sizeof(pool_worker)};
  pool_worker& here = p.attach(0);
  for (std::size_t i = 0; i <= capacity; ++i)
    p.subject.register_ready(cells[i]);
  EXPECT_EQ(here.ring.size(), capacity);
  EXPECT_EQ(p.subject.injected(), 0u);
  p.subject.register_ready(cells.back());
  EXPECT_EQ(here.ring.size(), capacity / 2);
  EXPECT_EQ(p.subject.injected(), capacity / 2 + 1);
  std::size_t count = 0;
  while (p.subject.next_for(here) != nullptr)
    ++count;
  EXPECT_EQ(count, capacity + 2);
}

TEST(work_stealing_coordinator, a_worker_takes_its_share_of_what_was_injected) {
  std::array<ready_cell, 10> cells;
  pool p{2};
  pool_worker& first = p.attach(0);
  p.attach(1);
  for (ready_cell& each : cells)
    p.subject.inject(each);
  EXPECT_EQ(p.subject.next_for(first), cells.data());
  EXPECT_EQ(first.ring.size(), 4u) << "with one that it runs: half of them";
  EXPECT_EQ(p.subject.injected(), 5u);
}

TEST(work_stealing_coordinator, a_worker_takes_no_more_than_half_a_ring_of_what_was_injected) {
  std::vector<ready_cell> cells(1000);
  pool p{1};
  pool_worker& here = p.attach(0);
  for (ready_cell& each : cells)
    p.subject.inject(each);
  EXPECT_EQ(p.subject.next_for(here), cells.data());
  EXPECT_EQ(here.ring.size(), pool_worker::ring_type::most_at_once - 1);
}

// Otherwise the number of times that workers take the lock would grow with their number.
TEST(work_stealing_coordinator, each_worker_takes_as_many_while_what_was_injected_gets_less) {
  std::vector<ready_cell> cells(400);
  pool p{4};
  for (std::uint32_t number = 0; number < 4; ++number)
    p.attach(number);
  for (ready_cell& each : cells)
    p.subject.inject(each);
  for (const std::size_t left : {300u, 225u, 150u, 75u}) {
    EXPECT_NE(p.subject.next_for(*p.attached[(300 - left) / 75]), nullptr);
    EXPECT_EQ(p.subject.injected(), left);
  }
}

TEST(work_stealing_coordinator, a_worker_of_another_pool_is_a_foreign_thread) {
  ready_cell cell;
  pool p{1};
  pool other{1};
  pool_worker& here = p.attach(0);
  EXPECT_EQ(p.subject.here(), &here);
  EXPECT_EQ(other.subject.here(), nullptr);
  other.subject.register_ready(cell);
  EXPECT_EQ(other.subject.injected(), 1u);
}

// Taking out.

// Puts cell 1 somewhere, with cell 2 behind it.
struct place {
  const char* name;
  void (*put)(pool& p, pool_worker& here, std::array<ready_cell, 3>& cells);
};
constexpr std::array<place, 4> places{{
    {"slot",
     [](pool& p, pool_worker& here, std::array<ready_cell, 3>& cells) {
       p.subject.register_ready(here, cells[0]);
       p.subject.register_ready(here, cells[1]);
     }},
    {"ring",
     [](pool& p, pool_worker& here, std::array<ready_cell, 3>& cells) {
       p.subject.go_on_later(here, cells[0], nullptr);
       p.subject.go_on_later(here, cells[1], nullptr);
     }},
    {"injected",
     [](pool& p, pool_worker&, std::array<ready_cell, 3>& cells) {
       p.subject.inject(cells[0]);
       p.subject.inject(cells[1]);
     }},
    {"inbox",
     [](pool& p, pool_worker& here, std::array<ready_cell, 3>& cells) {
       pool_worker& other = *p.attached[1];
       cells[2].last_worker.store(static_cast<std::uint16_t>(here.number), relaxed);
       p.subject.go_on_later(other, cells[0], &cells[2]);
       p.subject.go_on_later(other, cells[1], &cells[2]);
     }},
}};

// spec: D1
// case: RQ-04
TEST(work_stealing_coordinator, a_cell_is_removed_from_any_queue) {
  for (const place& each : places) {
    SCOPED_TRACE(each.name);
    std::array<ready_cell, 3> cells;
    pool p{2};
    pool_worker& here = p.attach(0);
    p.attach(1);
    each.put(p, here, cells);
    p.subject.unregister(cells[0]);
    p.subject.unregister(cells[0]);
    EXPECT_EQ(p.drain(here, cells), 2u);
    EXPECT_EQ(cells[0].ready.load(relaxed), ready_cell::mark::out);

    p.subject.register_ready(here, cells[0]);
    EXPECT_EQ(p.drain(here, cells), 1u);
  }
}

// case: RQ-04
TEST(work_stealing_coordinator, a_cell_that_is_registered_again_keeps_its_position) {
  for (const place& each : places) {
    SCOPED_TRACE(each.name);
    std::array<ready_cell, 3> cells;
    pool p{2};
    pool_worker& here = p.attach(0);
    p.attach(1);
    each.put(p, here, cells);
    p.subject.unregister(cells[0]);
    p.subject.register_ready(here, cells[0]);
    p.subject.register_ready(here, cells[0]);
    EXPECT_EQ(p.drain(here, cells), 12u);
  }
}

// case: RQ-06
TEST(work_stealing_coordinator, the_last_check_skips_removed_cells) {
  for (const place& each : places) {
    SCOPED_TRACE(each.name);
    std::array<ready_cell, 3> cells;
    pool p{2};
    pool_worker& here = p.attach(0);
    p.attach(1);
    each.put(p, here, cells);
    EXPECT_TRUE(p.subject.anything_for(&here));
    p.subject.unregister(cells[0]);
    EXPECT_TRUE(p.subject.anything_for(&here));
    p.subject.unregister(cells[1]);
    EXPECT_FALSE(p.subject.anything_for(&here));
    EXPECT_EQ(cells[0].ready.load(relaxed), ready_cell::mark::out);
    EXPECT_EQ(p.drain(here, cells), 0u);
  }
}

TEST(work_stealing_coordinator, a_queued_cell_is_not_queued_twice_by_a_report) {
  std::array<ready_cell, 1> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.report(here, cells[0], yielded);
  EXPECT_EQ(p.drain(here, cells), 1u);
}

// Stealing.

TEST(work_stealing_coordinator, a_searching_worker_takes_half_of_a_surplus_at_once) {
  std::array<ready_cell, surplus> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  pool_worker& idle = p.attach(1);
  for (ready_cell& each : cells)
    p.subject.go_on_later(busy, each, nullptr);
  EXPECT_TRUE(p.subject.search_once(idle));
  EXPECT_EQ(busy.ring.size(), surplus / 2);
  EXPECT_EQ(idle.ring.size(), surplus / 2);
  EXPECT_EQ(p.subject.next_for(idle), cells.data()) << "the older half";
}

TEST(work_stealing_coordinator, a_searching_worker_leaves_cells_that_the_victim_will_reach) {
  std::array<ready_cell, surplus> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  pool_worker& idle = p.attach(1);
  for (ready_cell& each : std::span{cells}.first(surplus - 1))
    p.subject.go_on_later(busy, each, nullptr);
  for (int look = 0; look < 10; ++look) {
    EXPECT_FALSE(p.subject.search_once(idle));
    p.pass_time(work_stealing_coordinator::ring_steal_after_ns - 1);
    for (int turn = 0; turn < 20; ++turn)
      p.subject.go_on_later(busy, *p.subject.next_for(busy), nullptr);
  }
  EXPECT_FALSE(p.subject.search_once(idle));
  p.pass_time(work_stealing_coordinator::ring_steal_after_ns);
  EXPECT_TRUE(p.subject.search_once(idle)) << "it does not come to it";
  EXPECT_EQ(idle.ring.size(), surplus / 2);
}

TEST(work_stealing_coordinator, a_searching_worker_takes_even_one_cell_where_turns_are_long) {
  std::array<ready_cell, 2> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  pool_worker& idle = p.attach(1);
  p.subject.register_ready(busy, cells[0]);
  EXPECT_EQ(p.subject.next_for(busy), &cells[0]);
  EXPECT_FALSE(p.subject.search_once(idle));
  p.pass_time(long_message_ns);
  EXPECT_FALSE(p.subject.search_once(idle)) << "nothing is queued behind that turn";
  EXPECT_EQ(busy.message_ns.load(relaxed), long_message_ns);
  p.subject.go_on_later(busy, cells[1], nullptr);
  EXPECT_TRUE(p.subject.search_once(idle)) << "it does not have to wait first";
  EXPECT_EQ(p.drain(idle, cells), 2u);

  for (int turn = 0; turn < 100; ++turn) {  // short turns from now on
    p.subject.register_ready(busy, cells[0]);
    EXPECT_EQ(p.subject.next_for(busy), &cells[0]);
  }
  p.pass_time(message_cost::window_ns);
  p.subject.go_on_later(busy, cells[1], nullptr);
  EXPECT_FALSE(p.subject.search_once(idle));
  EXPECT_LT(busy.message_ns.load(relaxed), long_message_ns);
}

TEST(work_stealing_coordinator, a_searching_worker_takes_the_lifo_slot_only_behind_a_long_turn) {
  std::array<ready_cell, 2> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  pool_worker& idle = p.attach(1);
  p.subject.register_ready(busy, cells[0]);
  for (int look = 0; look < 10; ++look) {
    EXPECT_FALSE(p.subject.search_once(idle));
    p.pass_time(2 * work_stealing_coordinator::slot_steal_after_ns);
    ASSERT_EQ(p.subject.next_for(busy), &cells[0]);
    p.subject.register_ready(busy, cells[0]);  // the same one again, but in another turn
  }
  EXPECT_FALSE(p.subject.search_once(idle));
  p.pass_time(work_stealing_coordinator::slot_steal_after_ns);
  EXPECT_TRUE(p.subject.search_once(idle));
  EXPECT_EQ(p.drain(idle, cells), 1u);
  EXPECT_EQ(p.subject.next_for(busy), nullptr);
}

TEST(work_stealing_coordinator, a_new_cell_is_not_mistaken_for_a_waiting_one) {
  std::array<ready_cell, 2> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  pool_worker& idle = p.attach(1);
  EXPECT_FALSE(p.subject.search_once(idle));
  p.pass_time(1'000'000'000);
  p.subject.register_ready(busy, cells[0]);
  p.subject.register_ready(busy, cells[1]);
  EXPECT_FALSE(p.subject.search_once(idle));
}

TEST(work_stealing_coordinator, a_drain_steals_when_the_worker_has_nothing_left) {
  std::array<ready_cell, surplus> cells;
  pool p{2};
  pool_worker& busy = p.attach(0);
  p.attach(1);  // this worker drains here
  for (ready_cell& each : cells)
    p.subject.go_on_later(busy, each, nullptr);
  std::array<ready_cell*, 16> out{};
  EXPECT_EQ(p.subject.drain_ready_cycle(out), surplus / 2);
  EXPECT_EQ(out[0], cells.data());
}

// A cell that overloads another moves to the worker that runs it.

TEST(work_stealing_coordinator, a_cell_that_overloads_another_continues_on_its_worker) {
  std::array<ready_cell, 2> cells;
  pool p{2};
  pool_worker& here = p.attach(0);
  pool_worker& there = p.attach(1);
  cells[1].last_worker.store(1, relaxed);
  p.subject.go_on_later(here, cells[0], &cells[1]);
  EXPECT_TRUE(there.inbox_filled.load(relaxed));
  EXPECT_EQ(p.drain(here, cells), 0u);
  EXPECT_EQ(p.drain(there, cells), 1u);
  EXPECT_FALSE(there.inbox_filled.load(relaxed));
}

TEST(work_stealing_coordinator, the_overload_is_read_from_the_thread_and_cleared) {
  pool p{2};
  pool_worker& there = p.attach(1);
  pool_worker& here = p.attach(0);
  ready_cell overload_target;
  ready_cell overload_source;
  overload_target.last_worker.store(1, relaxed);
  overload_target.coordinator.store(&p.subject, relaxed);
  const auto flood_by = [&](std::uint32_t slot) {
    this_thread().sender = origin::of_actor(7, 1);
    this_thread().overload.target = &overload_target;
    this_thread().overload.source = origin::of_actor(slot, 1);
  };
  flood_by(7);
  p.subject.handle_invoke_result(overload_source, yielded);
  EXPECT_EQ(this_thread().overload.target, nullptr);
  EXPECT_EQ(p.subject.next_for(there), &overload_source);

  flood_by(8);
  p.subject.report(here, overload_source, yielded);
  EXPECT_EQ(p.subject.next_for(here), &overload_source) << "that was another cell";

  pool other{1};
  overload_target.coordinator.store(&other.subject, relaxed);
  flood_by(7);
  p.subject.report(here, overload_source, yielded);
  EXPECT_EQ(p.subject.next_for(here), &overload_source) << "the overloaded cell runs elsewhere";
  this_thread().sender = {};
}

TEST(work_stealing_coordinator, a_cell_that_overloads_another_here_or_on_no_worker_stays) {
  std::array<ready_cell, 2> cells;
  pool p{3};
  pool_worker& here = p.attach(0);
  for (const unsigned nobody : {0u, 2u, 3u, 65'535u}) {
    cells[1].last_worker.store(static_cast<std::uint16_t>(nobody), relaxed);
    p.subject.go_on_later(here, cells[0], &cells[1]);
    EXPECT_EQ(p.drain(here, cells), 1u) << nobody;
  }
}

TEST(work_stealing_coordinator, mail_behind_a_long_turn_is_taken_by_a_searching_worker) {
  std::array<ready_cell, 2> cells;
  pool p{3};
  pool_worker& here = p.attach(0);
  p.attach(1);
  pool_worker& idle = p.attach(2);
  cells[1].last_worker.store(1, relaxed);
  p.subject.go_on_later(here, cells[0], &cells[1]);
  EXPECT_FALSE(p.subject.search_once(idle));
  p.pass_time(work_stealing_coordinator::ring_steal_after_ns);
  EXPECT_TRUE(p.subject.search_once(idle));
  EXPECT_EQ(p.drain(idle, cells), 1u);
}

// Ends.

TEST(work_stealing_coordinator, a_detached_worker_leaves_its_cells_to_the_others) {
  std::array<ready_cell, 4> cells;
  pool p{2};
  pool_worker& other = p.attach(1);
  pool_worker& leaving = p.subject.attach(0);
  cells[3].last_worker.store(0, relaxed);
  p.subject.register_ready(leaving, cells[0]);
  p.subject.register_ready(leaving, cells[1]);
  p.subject.go_on_later(other, cells[2], &cells[3]);
  p.subject.detach(leaving);
  EXPECT_EQ(p.subject.injected(), 3u);
  EXPECT_EQ(p.subject.here(), nullptr);
  EXPECT_EQ(p.drain(other, cells), 312u);
}

// spec: D4
TEST(work_stealing_coordinator, a_pool_that_shuts_down_runs_what_is_queued_first) {
  std::array<ready_cell, 3> cells;
  pool p{1};
  pool_worker& here = p.attach(0);
  p.subject.register_ready(cells[0]);
  p.subject.inject(cells[1]);
  p.subject.shut_down();
  EXPECT_TRUE(p.subject.wait(here));
  EXPECT_EQ(p.drain(here, cells), 12u);
  EXPECT_FALSE(p.subject.wait(here));
  p.subject.inject(cells[2]);
  EXPECT_TRUE(p.subject.wait(here)) << "cells may still be made ready";
  EXPECT_EQ(p.drain(here, cells), 3u);
  EXPECT_FALSE(p.subject.wait(here));
}

TEST(work_stealing_coordinator, is_used_again_with_the_same_workers) {
  mapped_pages pages;
  work_stealing_coordinator subject;
  const pool_worker* before = nullptr;
  for (const std::uint32_t workers : {2u, 1u, 2u}) {
    ASSERT_TRUE(subject.open({.workers = workers, .pages = &pages}));
    EXPECT_EQ(subject.workers(), workers);
    pool_worker& here = subject.attach(0);
    EXPECT_TRUE(before == nullptr || before == &here);
    before = &here;
    ready_cell cell;
    subject.register_ready(cell);
    EXPECT_EQ(subject.next_for(here), &cell);
    subject.shut_down();
    EXPECT_FALSE(subject.wait(here));
    subject.detach(here);
    subject.close();
  }
  EXPECT_LT(pages.given_out(), 3 * sizeof(pool_worker));
}

TEST(work_stealing_coordinator, a_pool_for_which_there_is_no_memory_is_not_opened) {
  mapped_pages few{2 * sizeof(pool_worker)};
  mapped_pages enough;
  work_stealing_coordinator subject;
  EXPECT_FALSE(subject.open({.workers = 3, .pages = &few}));
  EXPECT_EQ(subject.workers(), 0u);
  EXPECT_TRUE(subject.open({.workers = 3, .pages = &enough}));
  EXPECT_EQ(enough.given_out(), sizeof(pool_worker)) << "the two it has are used";
  subject.close();
}

TEST(work_stealing_coordinator, a_pool_may_have_256_workers) {
  mapped_pages pages;
  work_stealing_coordinator subject;
  ASSERT_TRUE(subject.open({.workers = 256, .pages = &pages}));
  pool_worker& last = subject.attach(255);
  ready_cell cell;
  subject.register_ready(cell);
  EXPECT_EQ(subject.next_for(last), &cell);
  subject.report(last, cell, yielded);
  EXPECT_EQ(cell.last_worker.load(relaxed), 255u);
  EXPECT_EQ(subject.next_for(last), &cell);
  subject.detach(last);
  subject.close();
}

TEST(work_stealing_coordinator_death, a_pool_has_1_to_256_workers) {
  mapped_pages pages;
  work_stealing_coordinator subject;
  EXPECT_DEATH((void)subject.open({.workers = 0, .pages = &pages}), "1 to 256 workers");
  EXPECT_DEATH((void)subject.open({.workers = 257, .pages = &pages}), "1 to 256 workers");
}

TEST(work_stealing_coordinator_death, each_worker_is_attached_once) {
  pool p{2};
  p.attach(0);
  EXPECT_DEATH((void)p.subject.attach(0), "attached once");
  EXPECT_DEATH((void)p.subject.attach(2), "attached once");
}

TEST(work_stealing_coordinator_death, a_pool_in_use_is_neither_opened_nor_closed) {
  ready_cell cell;
  pool p{1};
  EXPECT_DEATH((void)p.subject.open({.workers = 1, .pages = &p.pages}), "are detached");
  p.attach(0);
  EXPECT_DEATH(p.subject.close(), "are detached");
  p.subject.detach(*p.attached[0]);
  p.attached.clear();
  p.subject.inject(cell);
  EXPECT_DEATH(p.subject.close(), "drained");
  EXPECT_EQ(p.drain_injected(), 1u);
}

// Threads.

// spec: D7
TEST(work_stealing_coordinator, an_injected_cell_wakes_a_sleeping_worker) {
  ready_cell cell;
  pool p{2, pool_kind::computing, clock_choice::of_system};
  std::latch ran{1};
  const auto run = [&](ready_cell&) {
    ran.count_down();
    return completed;
  };
  const worker_thread first{p.subject, 0, run};
  const worker_thread second{p.subject, 1, run};
  wait_until_asleep(p.subject, 2);
  EXPECT_EQ(watched::wakes, 0);
  p.subject.register_ready(cell);
  ran.wait();
  EXPECT_EQ(watched::wakes, 1);
  p.subject.shut_down();
}

// spec: D7
TEST(work_stealing_coordinator, no_worker_sleeps_with_a_timeout_when_all_sleep) {
  ready_cell cell;
  pool p{4, pool_kind::computing, clock_choice::of_system};
  std::latch ran{1};
  const auto run = [&](ready_cell&) {
    ran.count_down();
    return completed;
  };
  {
    const worker_thread w0{p.subject, 0, run};
    const worker_thread w1{p.subject, 1, run};
    const worker_thread w2{p.subject, 2, run};
    const worker_thread w3{p.subject, 3, run};
    wait_until_asleep(p.subject, 4);
    p.subject.register_ready(cell);
    ran.wait();
    // The watcher gives up its timeout at its next check; then all four sleep for good.
    while (watched::untimed < 4 || p.subject.sleeping() != 4)
      std::this_thread::yield();
    p.subject.shut_down();
  }
}

TEST(work_stealing_coordinator,
     the_worker_that_falls_asleep_last_may_use_the_time_until_it_is_woken) {
  std::array<ready_cell, 100> cells;
  for (const pool_kind kind : {pool_kind::computing, pool_kind::blocking}) {
    pool p{2, kind, clock_choice::of_system};
    watched::uses_rests = true;
    std::latch ran{cells.size()};
    const auto run = [&](ready_cell&) {
      ran.count_down();
      return completed;
    };
    const worker_thread first{p.subject, 0, run};
    const worker_thread second{p.subject, 1, run};
    for (ready_cell& each : cells) {
      while (watched::rests == 0 || p.subject.sleeping() != 2)
        std::this_thread::yield();
      p.subject.register_ready(each);
    }
    ran.wait();
    p.subject.shut_down();
  }
}

TEST(work_stealing_coordinator, a_worker_that_falls_asleep_while_others_run_does_nothing_else) {
  pool p{2, pool_kind::computing, clock_choice::of_system};
  (void)p.attach(0);
  {
    const worker_thread other{p.subject, 1, [](ready_cell&) { return completed; }};
    wait_until_asleep(p.subject, 1);
    p.subject.shut_down();
  }
  EXPECT_EQ(watched::rests, 0);
}

TEST(work_stealing_coordinator, a_cell_in_the_empty_slot_wakes_only_a_watcher) {
  std::array<ready_cell, 2> cells;
  pool p{2};
  const worker_thread other{p.subject, 1, [](ready_cell&) { return completed; }};
  wait_until_asleep(p.subject, 1);
  pool_worker& here = p.attach(0);
  here.message_ns.store(long_message_ns - 1, relaxed);  // so that it does not search
  p.subject.register_ready(cells[0]);
  EXPECT_EQ(watched::wakes, 1) << "there was no watcher";
  wait_until_asleep(p.subject, 1);
  for (int turn = 0; turn < 1000; ++turn) {
    ready_cell* const next = p.subject.next_for(here);
    ASSERT_NE(next, nullptr);
    p.subject.register_ready(next == cells.data() ? cells[1] : cells[0]);
    p.subject.report(here, *next, completed);
  }
  EXPECT_EQ(watched::wakes, 1);
  EXPECT_EQ(here.ring.size(), 0u);
  while (p.subject.next_for(here) != nullptr) {
  }
  p.subject.detach(*std::exchange(p.attached, {})[0]);
  p.subject.shut_down();
}

TEST(work_stealing_coordinator, a_surplus_wakes_one_worker_and_no_more_while_it_searches) {
  std::array<ready_cell, surplus> cells;
  pool p{3};
  const auto run = [](ready_cell&) { return completed; };
  const worker_thread second{p.subject, 1, run};
  const worker_thread third{p.subject, 2, run};
  wait_until_asleep(p.subject, 2);
  pool_worker& here = p.attach(0);
  here.unwatched = false;  // so that no worker is woken for it
  for (ready_cell& each : std::span{cells}.first(surplus - 1))
    p.subject.go_on_later(here, each, nullptr);
  EXPECT_EQ(watched::wakes, 0);
  p.subject.go_on_later(here, cells.back(), nullptr);
  EXPECT_GE(watched::wakes, 1);
  // The woken worker takes it, or it is left: all run once.
  while (p.subject.next_for(here) != nullptr) {
  }
  p.subject.detach(*std::exchange(p.attached, {})[0]);
  p.subject.shut_down();
}

TEST(work_stealing_coordinator,
     one_cell_behind_long_turns_wakes_a_worker_two_behind_shorter_ones_none) {
  for (const bool is_long : {false, true}) {
    std::array<ready_cell, 2> cells;
    pool p{2};
    const worker_thread other{p.subject, 1, [](ready_cell&) { return completed; }};
    wait_until_asleep(p.subject, 1);
    pool_worker& here = p.attach(0);
    here.unwatched = false;  // so that no worker is woken for it
    const std::uint64_t message_ns = is_long ? worth_waking_ns / 2 : worth_waking_ns / 4 - 1;
    here.message_ns.store(static_cast<std::uint32_t>(message_ns), relaxed);
    p.subject.go_on_later(here, cells[0], nullptr);
    if (!is_long) p.subject.go_on_later(here, cells[1], nullptr);
    EXPECT_EQ(watched::wakes, is_long ? 1 : 0);
    while (p.subject.next_for(here) != nullptr) {
    }
    p.subject.detach(*std::exchange(p.attached, {})[0]);
    p.subject.shut_down();
  }
}

// As long as nothing is known about the turns, they may be long, too.
TEST(work_stealing_coordinator, a_watcher_that_is_woken_behind_long_turns_searches_first) {
  for (const std::uint32_t message_ns : {long_message_ns, 0U}) {
    std::array<ready_cell, 2> cells;
    pool p{2, pool_kind::computing, clock_choice::stepping};
    watched::sleeps_well = true;  // no nap ends
    std::latch ran{1};
    const worker_thread other{p.subject, 1, [&](ready_cell&) {
                                ran.count_down();
                                return completed;
                              }};
    wait_until_asleep(p.subject, 1);
    pool_worker& here = p.attach(0);
    ASSERT_TRUE(here.unwatched);
    here.message_ns.store(message_ns, relaxed);
    here.running.store(&cells[1], relaxed);
    p.subject.go_on_later(here, cells[0], nullptr);
    ran.wait();
    here.running.store(nullptr, relaxed);
    p.subject.detach(*std::exchange(p.attached, {})[0]);
    p.subject.shut_down();
  }
}

TEST(work_stealing_coordinator, a_watcher_that_is_woken_begins_with_a_short_nap) {
  std::array<ready_cell, 1> cells;
  pool p{2, pool_kind::computing, clock_choice::of_system};
  pool_worker& here = p.attach(0);
  const worker_thread other{p.subject, 1, [](ready_cell&) { return completed; }};
  while (watched::last_nap_ns <= 2 * work_stealing_coordinator::first_nap_ns)
    std::this_thread::yield();
  p.subject.detach(here);
  wait_until_asleep(p.subject, 1);
  while (watched::untimed == 0)
    std::this_thread::yield();
  watched::last_nap_ns = 0;
  watched::sleeps_well = true;
  p.subject.expect_attach(0);
  (void)p.subject.attach(0);
  here.message_ns.store(long_message_ns - 1, relaxed);  // so that it does not search
  p.subject.register_ready(cells[0]);
  while (watched::last_nap_ns == 0)
    std::this_thread::yield();
  EXPECT_LE(watched::last_nap_ns, work_stealing_coordinator::first_nap_ns);
  while (p.subject.next_for(here) != nullptr) {
  }
  p.subject.detach(*std::exchange(p.attached, {})[0]);
  p.subject.shut_down();
}

// Processors.

// All threads of a test seem to run on processor 7.
struct placed {
  static std::uint32_t here() noexcept { return 7; }
  static std::uint64_t now() noexcept { return watched::stands_at += 10'000; }  // each is seen soon
  static void leave(std::uint32_t processor) noexcept {
    EXPECT_EQ(processor, 7u);
    ++moves;
  }

  static inline std::atomic<int> moves{0};
};

// A pool with one thread beside the thread of the test, which wakes it.
struct placed_pool : pool {
  placed_pool() : pool(2) {
    subject.close();
    placed::moves = 0;
    EXPECT_TRUE(subject.open({.workers = 2,
                              .pages = &pages,
                              .waiting = {.sleep = watched::sleep,
                                          .wake = watched::wake,
                                          .now_ns = placed::now,
                                          .processor_here = placed::here,
                                          .leave_processor = placed::leave}}));
  }
  void wait_until_run(int times) {
    while (runs != times)
      std::this_thread::yield();
    wait_until_asleep(subject, 1);
  }
  std::atomic<int> runs{0};
};

TEST(work_stealing_coordinator, a_worker_that_another_one_wakes_leaves_the_processor_of_that_one) {
  ready_cell cell;
  ready_cell target;
  target.last_worker.store(1, relaxed);
  placed_pool p;
  watched::sleeps_well = true;
  pool_worker& here = p.attach(0);
  const worker_thread other{p.subject, 1, [&](ready_cell&) {
                              EXPECT_EQ(placed::moves, p.runs + 1) << "it has moved before it runs";
                              ++p.runs;
                              return completed;
                            }};
  wait_until_asleep(p.subject, 1);
  for (int times = 1; times <= 3; ++times) {
    p.subject.go_on_later(here, cell, &target);
    p.wait_until_run(times);
    EXPECT_EQ(placed::moves, times);
  }
  p.subject.detach(*std::exchange(p.attached, {})[0]);
  p.subject.shut_down();
}

TEST(work_stealing_coordinator, a_worker_that_a_foreign_thread_wakes_stays_where_it_is) {
  ready_cell cell;
  placed_pool p;
  const worker_thread other{p.subject, 1, [&](ready_cell&) {
                              ++p.runs;
                              return completed;
                            }};
  wait_until_asleep(p.subject, 1);
  p.subject.inject(cell);
  p.wait_until_run(1);
  EXPECT_EQ(placed::moves, 0);
  p.subject.shut_down();
}

TEST(work_stealing_coordinator, a_blocking_pool_wakes_one_for_each_cell) {
  constexpr std::uint32_t workers = 4;
  std::array<ready_cell, workers> cells;
  pool p{workers, pool_kind::blocking};
  std::latch all_at_once{workers + 1};
  const auto run = [&](ready_cell&) {
    all_at_once.arrive_and_wait();
    return completed;
  };
  {
    const worker_thread w0{p.subject, 0, run};
    const worker_thread w1{p.subject, 1, run};
    const worker_thread w2{p.subject, 2, run};
    const worker_thread w3{p.subject, 3, run};
    for (ready_cell& each : cells)
      p.subject.register_ready(each);
    all_at_once.arrive_and_wait();
    p.subject.shut_down();
  }
  EXPECT_EQ(watched::timed, 0);
}

TEST(work_stealing_coordinator, a_blocking_pools_cells_go_to_others_also_from_a_worker) {
  std::array<ready_cell, 2> cells;
  pool p{2, pool_kind::blocking};
  std::latch behind_it{1};
  const auto run = [&](ready_cell& cell) {
    if (&cell == cells.data()) {
      p.subject.register_ready(cells[1]);
      behind_it.wait();
    } else {
      behind_it.count_down();
    }
    return completed;
  };
  const worker_thread w0{p.subject, 0, run};
  const worker_thread w1{p.subject, 1, run};
  p.subject.register_ready(cells[0]);
  behind_it.wait();
  p.subject.shut_down();
}

// Runs a cell that makes others ready and then waits until they ran.
void expect_that_others_run_what_stands_behind(std::size_t others, std::uint32_t workers) {
  std::vector<ready_cell> cells(others + 1);
  pool p{workers, pool_kind::computing, clock_choice::of_system};
  std::latch behind_it{static_cast<std::ptrdiff_t>(others)};
  std::latch all_done{1};
  const auto run = [&](ready_cell& cell) {
    if (&cell != cells.data()) {
      behind_it.count_down();
      return completed;
    }
    for (ready_cell& each : std::span{cells}.subspan(1))
      p.subject.register_ready(each);
    behind_it.wait();
    all_done.count_down();
    return completed;
  };
  std::vector<std::unique_ptr<worker_thread>> threads;
  for (std::uint32_t number = 0; number < workers; ++number)
    threads.push_back(std::make_unique<worker_thread>(p.subject, number, run));
  wait_until_asleep(p.subject, workers);
  p.subject.register_ready(cells[0]);
  all_done.wait();
  p.subject.shut_down();
  threads.clear();
}

// spec: D3
// case: RQ-10
TEST(work_stealing_coordinator, what_is_next_behind_a_long_turn_runs_on_another_worker) {
  expect_that_others_run_what_stands_behind(1, 2);
  expect_that_others_run_what_stands_behind(1, 4);
}

// spec: D3
// case: RQ-10
TEST(work_stealing_coordinator, a_ring_behind_a_long_turn_runs_on_other_workers) {
  expect_that_others_run_what_stands_behind(4, 2);
  expect_that_others_run_what_stands_behind(100, 3);
  expect_that_others_run_what_stands_behind(1000, 2);
}

// What was injected together is taken together; the first of them must not keep the others.
TEST(work_stealing_coordinator, what_came_along_behind_a_long_turn_runs_on_another_worker) {
  std::array<ready_cell, 4> cells;
  pool p{2, pool_kind::computing, clock_choice::of_system};
  std::latch behind_it{3};
  const auto run = [&](ready_cell& cell) {
    if (&cell == cells.data()) {
      behind_it.wait();
    } else {
      behind_it.count_down();
    }
    return completed;
  };
  for (ready_cell& each : cells)
    p.subject.register_ready(each);
  const worker_thread w0{p.subject, 0, run};
  const worker_thread w1{p.subject, 1, run};
  behind_it.wait();
  p.subject.shut_down();
}

// Workers that run share what was injected, and one sleeps without a timeout: nothing but a cell
// behind a long turn makes one of them wake it.
// spec: D3 D7
TEST(work_stealing_coordinator, what_a_searching_worker_took_along_does_not_wait_for_its_turn) {
  std::array<ready_cell, 4> cells;
  pool p{3, pool_kind::computing, clock_choice::of_system};
  std::latch behind_it{1};
  const auto run = [&](ready_cell& cell) {
    if (&cell == &cells[1]) {
      behind_it.count_down();
    } else {
      behind_it.wait();
    }
    return completed;
  };
  const worker_thread w0{p.subject, 0, run};
  const worker_thread w1{p.subject, 1, run};
  const worker_thread w2{p.subject, 2, run};
  wait_until_asleep(p.subject, 3);
  watched::before_wake = [&](int wakes) {
    if (wakes == 0) {  // the first worker finds all cells, and leaves two to the others
      for (ready_cell& each : std::span{cells}.subspan(1))
        p.subject.inject(each);
    } else if (wakes == 1) {  // the second finds only one of these
      std::array<ready_cell*, 1> taken{};
      EXPECT_EQ(p.drain_on_another_thread(taken), 1u);
    }
  };
  p.subject.inject(cells[0]);
  behind_it.wait();
  p.subject.shut_down();
}

// spec: D3 D7
TEST(work_stealing_coordinator,
     mail_behind_a_long_turn_wakes_a_worker_that_sleeps_without_a_timeout) {
  std::array<ready_cell, 2> cells;
  pool p{3, pool_kind::computing, clock_choice::of_system};
  std::latch ran{1};
  std::latch is_attached{1};
  const auto run = [&](ready_cell&) {
    ran.count_down();
    return completed;
  };
  const worker_thread sleeper{p.subject, 2, run};
  wait_until_asleep(p.subject, 1);
  std::thread busy{[&] {
    pool_worker& here = p.subject.attach(1);
    is_attached.count_down();
    ran.wait();
    p.subject.detach(here);
  }};
  is_attached.wait();
  pool_worker& here = p.attach(0);
  cells[1].last_worker.store(1, relaxed);
  p.subject.go_on_later(here, cells[0], &cells[1]);
  ran.wait();
  busy.join();
  p.subject.shut_down();
}

TEST(work_stealing_coordinator, mail_wakes_its_worker) {
  std::array<ready_cell, 2> cells;
  pool p{2, pool_kind::computing, clock_choice::of_system};
  std::latch ran{1};
  const worker_thread other{p.subject, 1, [&](ready_cell&) {
                              ran.count_down();
                              return completed;
                            }};
  wait_until_asleep(p.subject, 1);
  pool_worker& here = p.attach(0);
  cells[1].last_worker.store(1, relaxed);
  p.subject.go_on_later(here, cells[0], &cells[1]);
  ran.wait();
  p.subject.shut_down();
}

// case: RQ-07
TEST(work_stealing_coordinator, each_of_8000_cells_that_8_threads_register_runs_once) {
  constexpr std::size_t threads = 8;
  constexpr std::size_t each_has = 1000;
  std::vector<ready_cell> cells(threads * each_has);
  pool p{2, pool_kind::computing, clock_choice::of_system};
  std::vector<std::atomic<int>> runs(cells.size());
  std::latch all{static_cast<std::ptrdiff_t>(cells.size())};
  const auto run = [&](ready_cell& cell) {
    runs[static_cast<std::size_t>(&cell - cells.data())].fetch_add(1);
    all.count_down();
    return completed;
  };
  {
    const worker_thread w0{p.subject, 0, run};
    const worker_thread w1{p.subject, 1, run};
    std::vector<std::jthread> registrars;
    for (std::size_t i = 0; i < threads; ++i)
      registrars.emplace_back([&, i] {
        for (ready_cell& each : std::span{cells}.subspan(i * each_has, each_has))
          p.subject.register_ready(each);
      });
    all.wait();
    p.subject.shut_down();
  }
  for (const std::atomic<int>& each : runs)
    EXPECT_EQ(each.load(), 1);
}

}  // namespace
}  // namespace tactor::inline v0::host
