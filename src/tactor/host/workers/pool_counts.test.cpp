// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/pool_counts.hpp"

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

// What messages cost in a pool of 1 to 16 workers, in events that make workers wait for each other.
// All workers are on the thread of the test and take turns, so each count is the same in every run.
// docs/design/scaling.md derives from these counts what to expect of 64 processors.
namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

static_assert(counts_pool_events, "this program is built with TACTOR_POOL_COUNTS");

constexpr invoke_result handled_one{.messages = 1};

struct counted_pool {
  explicit counted_pool(std::uint32_t workers) {
    // The clock stands: no worker seems to take long for a message.
    EXPECT_TRUE(subject.open(
        {.workers = workers, .pages = &pages, .waiting = {.now_ns = []() noexcept -> std::uint64_t {
                                                return 1;
                                              }}}));
    for (std::uint32_t number = 0; number < workers; ++number)
      attached.push_back(&subject.attach(number));
    before = count_of_pool_events();
  }
  counted_pool(const counted_pool&) = delete;
  counted_pool& operator=(const counted_pool&) = delete;
  ~counted_pool() {
    for (pool_worker* const each : attached)
      subject.detach(*each);
    subject.close();
  }

  // Events for 1 000 messages.
  [[nodiscard]] double per_1000(pool_event what, std::size_t messages) const {
    const auto which = std::to_underlying(what);
    const std::uint64_t count = count_of_pool_events()[which] - before[which];
    return 1000.0 * static_cast<double>(count) / static_cast<double>(messages);
  }
  // Each worker in turn runs one cell or, if it has none, `searches`, until there is nothing to run.
  // `run` is what a cell does. Returns: how many ran.
  template <class Run>
  std::size_t run_all(Run run, bool searches = true) {
    std::size_t ran = 0;
    for (bool some = true; some;) {
      some = false;
      for (pool_worker* const here : attached) {
        ready_cell* const next = subject.next_for(*here);
        if (next == nullptr) {
          some |= searches && subject.search_once(*here);
          continue;
        }
        some = true;
        ++ran;
        run(*here, *next);
        subject.report(*here, *next, handled_one);
      }
    }
    return ran;
  }

  mapped_pages pages;
  work_stealing_coordinator subject;
  std::vector<pool_worker*> attached;
  pool_event_counts before{};
};

struct costs {
  double locks = 0;
  double failed_exchanges = 0;
  double hand_overs = 0;
  double wakes = 0;
};

costs costs_of(const counted_pool& p, std::size_t messages) {
  using enum pool_event;
  return {.locks = p.per_1000(lock, messages),
          .failed_exchanges = p.per_1000(failed_exchange, messages),
          .hand_overs = p.per_1000(hand_over, messages),
          .wakes = p.per_1000(wake, messages)};
}

void report(const char* what, std::uint32_t workers, const costs& each) {
  std::printf("%s, %u workers: locks %.2f, failed exchanges %.2f, hand-overs %.2f, wakes %.2f\n",
              what, workers, each.locks, each.failed_exchanges, each.hand_overs, each.wakes);
}

// Every worker has 100 cells that make each other ready.
costs of_own_messages(std::uint32_t workers) {
  constexpr std::size_t each_has = 100;
  constexpr std::size_t rounds = 100;
  std::vector<ready_cell> cells(each_has * workers);
  std::vector<std::size_t> left(cells.size(), rounds);
  counted_pool p{workers};
  for (std::size_t i = 0; i < cells.size(); ++i)
    p.subject.register_ready(*p.attached[i / each_has], cells[i]);
  const std::size_t ran = p.run_all([&](pool_worker& here, ready_cell& cell) {
    const auto number = static_cast<std::size_t>(&cell - cells.data());
    if (--left[number] != 0) p.subject.register_ready(here, cell);
  });
  EXPECT_EQ(ran, rounds * cells.size());
  return costs_of(p, ran);
}

// Other threads make 500 cells ready for each worker, again and again. The workers do not steal.
costs of_foreign_messages(std::uint32_t workers) {
  constexpr std::size_t rounds = 20;
  std::vector<ready_cell> cells(std::size_t{500} * workers);
  counted_pool p{workers};
  std::size_t ran = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (ready_cell& each : cells)
      p.subject.inject(each);
    ran += p.run_all([](pool_worker&, ready_cell&) {}, false);
  }
  EXPECT_EQ(ran, rounds * cells.size());
  return costs_of(p, ran);
}

// One actor hands out 500 jobs for each worker, again and again.
costs of_jobs_of_one_actor(std::uint32_t workers) {
  constexpr std::size_t rounds = 20;
  std::vector<ready_cell> cells(std::size_t{500} * workers);
  counted_pool p{workers};
  std::size_t ran = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (ready_cell& each : cells)
      p.subject.register_ready(*p.attached[0], each);
    ran += p.run_all([](pool_worker&, ready_cell&) {});
  }
  EXPECT_EQ(ran, rounds * cells.size());
  return costs_of(p, ran);
}

void expect_no_growth(const costs& two, const costs& sixteen) {
  EXPECT_LE(sixteen.locks, 1.05 * two.locks);
  EXPECT_LE(sixteen.failed_exchanges, 1.05 * two.failed_exchanges);
  EXPECT_LE(sixteen.wakes, 1.05 * two.wakes);
}

TEST(pool_counts, messages_between_actors_of_a_worker_cost_nothing_that_is_shared) {
  for (const std::uint32_t workers : {1u, 2u, 4u, 8u, 16u}) {
    const costs each = of_own_messages(workers);
    report("own messages", workers, each);
    EXPECT_LE(each.locks, 0.1) << "one search of each worker when all is done";
    EXPECT_EQ(each.failed_exchanges, 0);
    EXPECT_EQ(each.hand_overs, 0);
    EXPECT_EQ(each.wakes, 0);
  }
}

TEST(pool_counts, foreign_messages_cost_no_more_with_16_workers_than_with_2) {
  for (const std::uint32_t workers : {1u, 2u, 4u, 8u, 16u})
    report("foreign messages", workers, of_foreign_messages(workers));
  const costs two = of_foreign_messages(2);
  EXPECT_LE(two.locks, 10) << "for 1 000 messages";
  expect_no_growth(two, of_foreign_messages(16));
}

TEST(pool_counts, other_threads_take_no_lock_while_a_worker_is_awake) {
  std::array<ready_cell, 1000> cells;
  counted_pool p{2};
  for (ready_cell& each : cells)
    p.subject.inject(each);
  EXPECT_EQ(p.per_1000(pool_event::lock, cells.size()), 0);
  (void)p.run_all([](pool_worker&, ready_cell&) {});
}

// The locks are those of workers that search, one for each theft.
TEST(pool_counts, jobs_of_one_actor_cost_a_lock_for_many_cells_and_at_most_one_hand_over_each) {
  for (const std::uint32_t workers : {1u, 2u, 4u, 8u, 16u})
    report("jobs of one actor", workers, of_jobs_of_one_actor(workers));
  const costs sixteen = of_jobs_of_one_actor(16);
  EXPECT_LE(sixteen.locks, 25) << "for 1 000 messages";
  EXPECT_EQ(sixteen.failed_exchanges, 0);
  EXPECT_LE(sixteen.hand_overs, 1000);
}

}  // namespace
}  // namespace tactor::inline v0::host
