// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/memory_source.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/lifo_slot_ref.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/port/port.hpp"

#include "model_futex.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

// Workers that fall asleep, and threads that have work for them: the real pool, on a kernel without
// spurious wake-ups. A lost wake-up is a deadlock.
namespace tactor::model {

using namespace tactor::internal;

namespace {

constexpr invoke_result completed{};
constexpr invoke_result yielded{.how = invoke_result::outcome::yielded};

// Something to run, by one worker at a time.
struct task : ready_cell {
  port::plain<unsigned> content;
  unsigned runs = 0;

  void run() {
    content.set(content.get() + 1);
    ++runs;
  }
};

// A pool inside a scenario.
template <std::uint32_t Workers,
          tactor::internal::pool_kind Kind = tactor::internal::pool_kind::computing>
struct pool_bench {
  class pages final : public page_source {
  public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) noexcept override {
      if (bytes != sizeof(tactor::internal::pool_worker)) return nullptr;  // no ring grows here
      require(used_ < Workers, "more workers than there are");
      return storage_[used_++];
    }

  private:
    alignas(tactor::internal::pool_worker)
        std::byte storage_[Workers][sizeof(tactor::internal::pool_worker)];
    std::size_t used_ = 0;
  };

  tactor::internal::work_stealing_coordinator pool;
  pages storage;
  std::array<model_futex, 2> futexes;
  std::uint64_t now_ns = 0;
  unsigned naps = 0;  // how many sleeps end by themselves
  port::atomic<unsigned> left_to_run;

  static inline pool_bench* current = nullptr;

  static tactor::internal::wait_result sleep(const port::atomic<std::uint32_t>& wake_word,
                                             std::uint32_t seen,
                                             std::optional<std::uint64_t> until_ns) noexcept {
    if (until_ns && current->naps > 0) {
      --current->naps;
      return tactor::internal::wait_result::timed_out;
    }
    current->futexes[number_of(wake_word)].sleep(wake_word, seen);
    return tactor::internal::wait_result::woken;
  }
  static void wake(port::atomic<std::uint32_t>& wake_word) noexcept {
    current->futexes[number_of(wake_word)].wake_one();
  }
  static std::size_t number_of(const port::atomic<std::uint32_t>& wake_word) {
    return &current->pool.worker(0).wake_word == &wake_word ? 0 : 1;
  }
  // Each call advances the clock by a second, which is longer than any timeout here.
  static std::uint64_t now() noexcept { return current->now_ns += 1'000'000'000; }

  // There is one processor only.
  static std::uint32_t processor_here() noexcept { return 0; }
  static void leave_processor(std::uint32_t processor) noexcept {
    require(processor == 0, "a processor that no worker woke it from");
  }

  void before() {
    current = this;
    for (model_futex& each : futexes)
      each.open();
    require(pool.open({.workers = Workers,
                       .kind = Kind,
                       .pages = &storage,
                       .waiting = {.sleep = sleep,
                                   .wake = wake,
                                   .now_ns = now,
                                   .processor_here = processor_here,
                                   .leave_processor = leave_processor}}),
            "there was capacity");
  }
  void after() {
    require(pool.injected() == 0, "something was left");
    pool.close();
    for (std::uint32_t i = 0; i < Workers; ++i)
      std::destroy_at(const_cast<tactor::internal::pool_worker*>(&pool.worker(i)));
    for (model_futex& each : futexes)
      each.close();
  }

  // Like a thread of a pool. `run` runs a turn of a cell.
  template <class Run>
  void work(std::uint32_t number, Run run) {
    tactor::internal::pool_worker& here = pool.attach(number);
    do {
      while (ready_cell* const next = pool.next_for(here)) {
        auto& each = static_cast<task&>(*next);
        const bool some_wait = here.ring.size() != 0 || here.lifo_slot.load(relaxed) != nullptr;
        require(!here.unwatched || !some_wait, "nothing watches a cell that waits behind a turn");
        run(here, each);
        pool.report(here, each, completed);
      }
    } while (pool.wait(here));
    pool.detach(here);
  }
  // The last worker shuts down.
  void one_is_done() {
    if (left_to_run.fetch_sub(1, acq_rel) == 1) pool.shut_down();
  }
};

template <std::size_t Count>
void require_each_ran_once(const std::array<task, Count>& tasks) {
  for (const task& each : tasks)
    require(each.runs == 1, "a cell was lost, or ran twice");
}

// Threads inject one cell each; the last cell to run ends the scenario.
template <std::uint32_t Workers, unsigned Injectors,
          tactor::internal::pool_kind Kind = tactor::internal::pool_kind::computing>
struct inject_against_falling_asleep : pool_bench<Workers, Kind> {
  static constexpr unsigned threads = Workers + Injectors;
  std::array<task, Injectors> tasks;

  void before() {
    pool_bench<Workers, Kind>::before();
    this->left_to_run.store(Injectors, relaxed);
  }
  void thread(unsigned index) {
    if (index >= Workers) {
      task& mine = tasks[index - Workers];
      mine.content.set(0);
      return this->pool.inject(mine);
    }
    this->work(index, [this](tactor::internal::pool_worker&, task& each) {
      each.run();
      this->one_is_done();
    });
  }
  void after() {
    pool_bench<Workers, Kind>::after();
    require_each_ran_once(tasks);
  }
};

// A cell makes others ready, more than a worker's own queue holds.
template <std::size_t Others>
struct surplus_against_falling_asleep : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, Others + 1> tasks;

  void before() {
    pool_bench::before();
    left_to_run.store(Others + 1, relaxed);
    naps = 1;
    tasks[0].content.set(0);
    pool.inject(tasks[0]);
  }
  void thread(unsigned index) {
    work(index, [this](tactor::internal::pool_worker& here, task& each) {
      each.run();
      if (&each == tasks.data()) {
        for (std::size_t i = 1; i <= Others; ++i) {
          tasks[i].content.set(0);
          pool.register_ready(here, tasks[i]);
        }
      }
      one_is_done();
    });
  }
  void after() {
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// A cell goes into the inbox of a worker that may be about to sleep, or to leave.
struct mail_against_falling_asleep : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, 1> tasks;
  task overload_target;

  void before() {
    pool_bench::before();
    left_to_run.store(1, relaxed);
    overload_target.last_worker.store(1, relaxed);
    tasks[0].content.set(0);
  }
  void thread(unsigned index) {
    tactor::internal::pool_worker& here = pool.attach(index);
    if (index == 0) pool.go_on_later(here, tasks[0], &overload_target);
    do {
      while (ready_cell* const next = pool.next_for(here)) {
        static_cast<task*>(next)->run();
        one_is_done();
      }
    } while (pool.wait(here));
    pool.detach(here);
  }
  void after() {
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// A worker that runs wakes one whose nap ends.
struct mail_against_the_end_of_a_nap : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, 1> tasks;
  task overload_target;

  void before() {
    pool_bench::before();
    naps = 1;
    overload_target.last_worker.store(1, relaxed);
    tasks[0].content.set(0);
    for (std::uint32_t number = 0; number < 2; ++number)
      (void)pool.attach(number);
  }
  tactor::internal::pool_worker& worker(std::uint32_t number) {
    return const_cast<tactor::internal::pool_worker&>(pool.worker(number));
  }
  void thread(unsigned index) {
    if (index == 0) return pool.go_on_later(worker(0), tasks[0], &overload_target);
    ready_cell* next = nullptr;
    while (next == nullptr) {
      require(pool.wait(worker(1)), "no thread ends it");
      next = pool.next_for(worker(1));
    }
    static_cast<task*>(next)->run();
  }
  void after() {
    for (std::uint32_t number = 0; number < 2; ++number)
      pool.detach(worker(number));
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// A cell goes into the inbox of a worker that leaves.
struct mail_against_leaving : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, 1> tasks;
  task overload_target;

  void before() {
    pool_bench::before();
    overload_target.last_worker.store(1, relaxed);
    tasks[0].content.set(0);
  }
  void thread(unsigned index) {
    tactor::internal::pool_worker& here = pool.attach(index);
    if (index == 0) {
      pool.go_on_later(here, tasks[0], &overload_target);
      ready_cell* next = pool.next_for(here);
      for (; next == nullptr; next = pool.next_for(here))
        require(pool.wait(here), "no thread ends it");
      static_cast<task*>(next)->run();
    }
    pool.detach(here);
  }
  void after() {
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// Nothing to do but to end.
template <std::uint32_t Workers>
struct shut_down_against_falling_asleep : pool_bench<Workers> {
  static constexpr unsigned threads = Workers + 1;
  void thread(unsigned index) {
    if (index == Workers) return this->pool.shut_down();
    this->work(index, [](tactor::internal::pool_worker&, task&) {});
  }
};

// Worker 1 is told to leave while a cell is injected; worker 0 stays.
struct drain_against_inject : pool_bench<2> {
  static constexpr unsigned threads = 4;
  std::array<task, 1> tasks;

  void before() {
    pool_bench::before();
    left_to_run.store(1, relaxed);
    tasks[0].content.set(0);
  }
  void thread(unsigned index) {
    if (index == 2) return pool.inject(tasks[0]);
    if (index == 3) return pool.drain_worker(1);
    work(index, [this](tactor::internal::pool_worker&, task& each) {
      each.run();
      one_is_done();
    });
  }
  void after() {
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// Worker 1 has queued cells, and leaves them to worker 0.
struct drain_with_cells : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, 2> tasks;

  void before() {
    pool_bench::before();
    left_to_run.store(2, relaxed);
    for (task& each : tasks)
      each.content.set(0);
  }
  void thread(unsigned index) {
    const auto run = [this](tactor::internal::pool_worker&, task& each) {
      each.run();
      one_is_done();
    };
    if (index == 0) return work(index, run);
    tactor::internal::pool_worker& here = pool.attach(index);
    pool.drain_worker(1);
    for (task& each : tasks)
      pool.register_ready(here, each);
    require(!pool.wait(here), "it was told to leave");
    pool.detach(here);
  }
  void after() {
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// The drain is cancelled while the worker may be leaving; then only the worker that stays, or a new
// thread for it, runs the cell.
struct kept_against_leaving : pool_bench<1> {
  static constexpr unsigned threads = 2;
  std::array<task, 1> tasks;
  bool kept = false;

  void before() {
    pool_bench::before();
    left_to_run.store(1, relaxed);
    tasks[0].content.set(0);
  }
  void thread(unsigned index) {
    if (index == 0)
      return work(0, [this](tactor::internal::pool_worker&, task& each) {
        each.run();
        one_is_done();
      });
    pool.drain_worker(0);
    kept = pool.cancel_drain(0);
    if (kept) pool.inject(tasks[0]);
  }
  void after() {
    pool_bench::after();
    require(!kept || tasks[0].runs == 1, "it was kept, and left all the same");
  }
};

// The one that makes a cell ready: the coordinator, or the sender itself.
enum class made_ready_by : std::uint8_t { coordinator, sender };

// A worker's cell is next after a turn; another worker searches, and finds that the turn lasts.
template <made_ready_by By>
struct slot_against_a_searcher : pool_bench<2> {
  static constexpr unsigned threads = 2;
  std::array<task, 2> tasks;

  void thread(unsigned index) {
    tactor::internal::pool_worker& here = this->pool.attach(index);
    if (index == 0) {
      for (task& each : tasks) {
        each.content.set(0);
        make_ready(here, each);
      }
    } else {
      (void)this->pool.search_once(here);
      (void)this->pool.search_once(here);
    }
    run_own(here);
    this->pool.detach(here);
  }
  void make_ready(tactor::internal::pool_worker& here, task& each) {
    lifo_slot_ref place{.queue = &this->pool, .slot = &here.lifo_slot};
    const bool done = By == made_ready_by::sender && place.put(each, &pool);
    if (!done) pool.register_ready(here, each);
  }
  void run_own(tactor::internal::pool_worker& here) {
    while (ready_cell* const next = pool.next_for(here))
      static_cast<task*>(next)->run();
  }
  void after() {
    run_own(pool.attach(0));
    pool.detach(const_cast<tactor::internal::pool_worker&>(pool.worker(0)));
    pool_bench::after();
    require_each_ran_once(tasks);
  }
};

// Two workers search the same worker, one after the other.
struct two_searchers : pool_bench<3> {
  static constexpr unsigned threads = 3;
  task cell;

  void before() {
    pool_bench::before();
    cell.content.set(0);
    for (std::uint32_t number = 0; number < 3; ++number)
      (void)pool.attach(number);
    pool.register_ready(worker(0), cell);
  }
  tactor::internal::pool_worker& worker(std::uint32_t number) {
    return const_cast<tactor::internal::pool_worker&>(pool.worker(number));
  }
  void thread(unsigned index) {
    if (index != 0) (void)pool.search_once(worker(index));
    if (ready_cell* const next = pool.next_for(worker(index))) static_cast<task*>(next)->run();
  }
  void after() {
    for (std::uint32_t number = 0; number < 3; ++number)
      pool.detach(worker(number));
    require(cell.runs == 1, "a cell was lost, or ran twice");
    pool_bench::after();
  }
};

// A cell is unregistered and registered again while a worker reaches it.
struct taken_out_and_back_against_a_drain : pool_bench<1> {
  static constexpr unsigned threads = 2;
  task cell;

  void before() {
    pool_bench::before();
    cell.content.set(0);
    pool.inject(cell);
  }
  void thread(unsigned index) {
    if (index == 1) {
      pool.unregister(cell);
      pool.inject(cell);
      return;
    }
    tactor::internal::pool_worker& here = pool.attach(0);
    run_own(here);
    pool.detach(here);
  }
  void run_own(tactor::internal::pool_worker& here) {
    while (ready_cell* const next = pool.next_for(here))
      static_cast<task*>(next)->run();
  }
  void after() {
    tactor::internal::pool_worker& here = pool.attach(0);
    run_own(here);
    pool.detach(here);
    require(cell.runs == 1 || cell.runs == 2, "a cell that came back was lost");
    require(cell.ready.load(relaxed) == ready_cell::mark::out, "it stands somewhere else, too");
    pool_bench::after();
  }
};

// A cell is unregistered, and reused for something else once it has been skipped.
struct taken_out_for_something_else : taken_out_and_back_against_a_drain {
  void thread(unsigned index) {
    if (index == 0) return taken_out_and_back_against_a_drain::thread(index);
    pool.unregister(cell);
    while (cell.ready.load(acquire) != ready_cell::mark::out)
      port::cpu_relax();
    cell.next.set(nullptr);
  }
  void after() { pool_bench::after(); }
};

// A cell is only unregistered.
struct taken_out_against_a_drain : taken_out_and_back_against_a_drain {
  void thread(unsigned index) {
    if (index == 1) return pool.unregister(cell);
    taken_out_and_back_against_a_drain::thread(index);
  }
  void after() {
    const unsigned runs = cell.runs;
    tactor::internal::pool_worker& here = pool.attach(0);
    require(pool.next_for(here) == nullptr, "it is drained after it was taken out");
    pool.detach(here);
    require(runs <= 1, "it ran twice");
    pool.inject(cell);
    pool.unregister(cell);
    require(pool.next_for(pool.attach(0)) == nullptr, "it is drained though it was taken out");
    pool.detach(here);
    require(cell.ready.load(relaxed) == ready_cell::mark::out, "it stands somewhere else, too");
    pool_bench::after();
  }
};

// spec: K3 D7
TEST(pool_model, what_is_injected_is_never_slept_through) {
  EXPECT_TRUE(passes(explore<inject_against_falling_asleep<1, 1>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<inject_against_falling_asleep<1, 2>>(preemptions(2))));
}

// spec: K3 D7
TEST(pool_model, workers_always_see_the_shutdown) {
  EXPECT_TRUE(passes(explore<shut_down_against_falling_asleep<1>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<shut_down_against_falling_asleep<2>>(preemptions(2))));
}

// spec: K3 D6 D7
TEST(pool_model, a_dismissed_worker_leaves_and_nothing_is_slept_through) {
  EXPECT_TRUE(passes(explore<drain_with_cells>(preemptions(2))));
  EXPECT_TRUE(passes(explore<kept_against_leaving>(preemptions(4))));
  EXPECT_TRUE(passes(explore<drain_against_inject>(preemptions(1))));
}

// spec: K3 D1
TEST(pool_model, an_unregistered_cell_is_drained_before_or_not_at_all) {
  EXPECT_TRUE(passes(explore<taken_out_against_a_drain>(preemptions(4))));
  EXPECT_TRUE(passes(explore<taken_out_and_back_against_a_drain>(preemptions(4))));
  EXPECT_TRUE(passes(explore<taken_out_for_something_else>(preemptions(3))));
}

// spec: K3 D1
TEST(pool_model, only_one_worker_searches_at_a_time) {
  EXPECT_TRUE(passes(explore<two_searchers>(preemptions(2))));
}

// spec: K3 D1
TEST(pool_model, what_is_next_is_run_by_its_worker_or_by_a_searching_worker) {
  using enum made_ready_by;
  EXPECT_TRUE(passes(explore<slot_against_a_searcher<coordinator>>(preemptions(2))));
  EXPECT_TRUE(passes(explore<slot_against_a_searcher<sender>>(preemptions(2))));
}

// spec: K3 D7
TEST(pool_model, an_inbox_is_never_slept_through) {
  EXPECT_TRUE(passes(explore<mail_against_the_end_of_a_nap>(preemptions(3))));
  EXPECT_TRUE(passes(explore<mail_against_leaving>(preemptions(2))));
  EXPECT_TRUE(passes(explore<mail_against_falling_asleep>(preemptions(2))));
}

// spec: K3 D7
TEST(pool_model, what_is_injected_is_never_slept_through_by_all) {
  EXPECT_TRUE(passes(explore<inject_against_falling_asleep<2, 1>>(preemptions(2))));
  EXPECT_TRUE(passes(explore<inject_against_falling_asleep<2, 2>>(preemptions(1))));
}

// spec: K3 D7
TEST(pool_model, a_blocking_pool_sleeps_through_nothing) {
  constexpr auto blocking = tactor::internal::pool_kind::blocking;
  EXPECT_TRUE(passes(explore<inject_against_falling_asleep<2, 2, blocking>>(preemptions(1))));
}

// spec: K3 D1 D7
TEST(pool_model, each_cell_of_a_surplus_runs_once) {
  EXPECT_TRUE(passes(explore<surplus_against_falling_asleep<1>>(preemptions(2))));
  EXPECT_TRUE(passes(explore<surplus_against_falling_asleep<3>>(preemptions(1))));
}

}  // namespace
}  // namespace tactor::model
