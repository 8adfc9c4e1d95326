// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_threads.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/base/slab.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/metrics/worker_figures.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/workers/blocked_worker_watch.hpp"
#include "tactor/host/workers/worker_loop.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

/// Coordinators are reused and never freed: a sender may be about to wake a worker when the system
/// has ended.
stable_store<work_stealing_coordinator>& coordinators() noexcept {
  static stable_store<work_stealing_coordinator> all{mapped_pages::of_program()};
  static_assert(std::is_trivially_destructible_v<decltype(all)>, "it is used after main, too");
  return all;
}

/// Returns the record of this thread. Not inline, so that its address is kept and not computed
/// again for each turn.
[[gnu::noinline]] thread_record& own_record() noexcept {
  return this_thread();
}

/// Gives unused memory back to the system until the worker is woken.
class discard_until_woken final : public page_discarder {
public:
  discard_until_woken(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen) noexcept
      : wake_word_(wake_word), seen_(seen) {}
  void discard(void* start, std::size_t bytes) noexcept override {
    mapped_pages::discard(start, bytes);
  }
  [[nodiscard]] bool is_interrupted() noexcept override {
    return wake_word_.load(relaxed) != seen_;  // relaxed: the worker loads it again
  }

private:
  const port::atomic<std::uint32_t>& wake_word_;
  std::uint32_t seen_;
};
void give_back_memory(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen) noexcept {
  discard_until_woken by{wake_word, seen};
  program_memory.envelopes.trim(by);
}

}  // namespace

struct worker_threads::shared {
  shared(std::uint32_t most, std::string_view called, std::uint32_t first)
      : role(called), first_number(first), records(most), states(most) {
    threads.reserve(most);
    figures.resize(most);
  }
  ~shared() {
    if (coordinator == nullptr) return;
    coordinator->close();
    coordinators().give_back(*coordinator);
  }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;

  void open(const pool_settings& settings) {
    work_stealing_coordinator* const taken = coordinators().take();
    if (taken == nullptr) throw std::bad_alloc{};
    if (!taken->open(settings)) {
      coordinators().give_back(*taken);
      throw std::bad_alloc{};
    }
    coordinator = taken;
  }

  void run(std::uint32_t number, system_core& system, worker_hub& hub) {
    thread_record& here = own_record();
    worker_figures& its = *figures[number];
    system.hub().attach(its.counters);
    hub.attach(its, system.now_ns());
    here.services = &system;
    here.counters = &its.counters;
    show(number, &here);
    pool_worker& worker = coordinator->attach(number);
    change_state(number, worker_state::spawned, worker_state::running);
    worker_loop{system, hub, its, here, *coordinator, worker}.run(watch);
    coordinator->detach(worker);
    show(number, nullptr);
    here.sender = {};
    here.services = nullptr;
    here.counters = nullptr;
    here.trace.recorder = nullptr;
    end_counting_sends(here);
    hub.detach(its);
    system.hub().detach(its.counters);
    program_memory.take_back(here);
  }

  /// Under the lock: a record ends with its thread.
  void show(std::uint32_t number, const thread_record* record) {
    const std::scoped_lock lock{mutex};
    records[number] = record;
  }

  void change_state(std::uint32_t number, worker_state from, worker_state to) {
    const std::scoped_lock lock{mutex};
    if (states[number] == from) states[number] = to;
  }

  /// Counts a thread before it is made, so that it can change its state at once. Returns: the state
  /// of the worker before, for `uncount_thread`.
  std::optional<worker_state> count_thread(std::uint32_t number) {
    const std::scoped_lock lock{mutex};
    ++running;
    return std::exchange(states[number], worker_state::spawned);
  }
  void uncount_thread(std::uint32_t number, std::optional<worker_state> before) {
    const std::scoped_lock lock{mutex};
    --running;
    states[number] = before;
  }

  work_stealing_coordinator* coordinator = nullptr;  // null: not open
  // Written by: any thread. Read by: the workers. Publishes: nothing; it was there before them.
  // Null: no thread watches.
  port::atomic<blocked_worker_watch*> watch;
  std::string role;
  std::uint32_t first_number;
  std::vector<std::thread> threads;                      // the owner's
  std::vector<std::unique_ptr<worker_figures>> figures;  // of each thread; null: there was none

  std::mutex mutex;
  std::condition_variable changed;
  // protected by mutex
  std::vector<const thread_record*> records;  // null: the thread has not started, or has ended
  std::vector<std::optional<worker_state>> states;  // nothing: there was no thread
  std::size_t running = 0;
};

worker_threads::worker_threads(std::uint32_t threads, pool_kind kind, std::string_view role,
                               std::uint32_t first_number, std::uint32_t most)
    : wanted_(threads),
      samples_(threads),
      shared_(std::make_shared<shared>(std::max(threads, most), role, first_number)) {
  pool_settings settings{.workers = threads,
                         .kind = kind,
                         .pages = &mapped_pages::of_program(),
                         .waiting = {.at_rest = give_back_memory}};
  if (kind == pool_kind::computing) settings.waiting.leave_processor = leave_processor;
  shared_->open(settings);
}

worker_threads::~worker_threads() = default;

work_stealing_coordinator& worker_threads::coordinator() const noexcept {
  return *shared_->coordinator;
}

void worker_threads::start(system_core& system, worker_hub& hub, std::shared_ptr<const void> keep,
                           const signal_set& mask, bool on_one_processor_each) {
  system_ = &system;
  hub_ = &hub;
  mask_ = mask;
  if (on_one_processor_each) processors_ = usable_processor_numbers();
  for (std::uint32_t number = 0; number < wanted_; ++number)
    start_thread(number, keep);
}

/// Requires: the worker has no thread. Throws: std::system_error or std::bad_alloc, and nothing has
/// changed.
void worker_threads::start_thread(std::uint32_t number, std::shared_ptr<const void> keep) {
  std::optional<std::uint32_t> processor;
  if (!processors_.empty()) processor = processors_[number % processors_.size()];
  // New ones: what an earlier thread of this number has counted is part of the sums already.
  shared_->figures[number] = std::make_unique<worker_figures>(
      shared_->role + "-" + std::to_string(shared_->first_number + number));
  if (number == shared_->threads.size()) shared_->threads.emplace_back();
  const auto before = shared_->count_thread(number);
  try {
    shared_->threads[number] =
        std::thread{[workers = shared_, system = system_, hub = hub_, keep = std::move(keep),
                     mask = mask_, number, processor]() mutable {
          set_signal_mask(mask);
          set_up_thread(workers->role, workers->first_number + number);
          if (processor) (void)stay_on_processor(*processor);
          workers->run(number, *system, *hub);
          keep.reset();
          workers->uncount_thread(number, worker_state::stopped);
          workers->changed.notify_all();
        }};
  } catch (...) {
    shared_->uncount_thread(number, before);
    throw;
  }
}

bool worker_threads::resize(std::uint32_t threads,
                            const std::shared_ptr<const void>& keep) noexcept {
  work_stealing_coordinator& pool = coordinator();
  while (wanted_ > threads) {
    pool.drain_worker(--wanted_);
    const std::scoped_lock lock{shared_->mutex};
    std::optional<worker_state>& state = shared_->states[wanted_];
    if (state != worker_state::stopped) state = worker_state::draining;
  }
  try {
    samples_.grow(threads);  // before the pool: each of its workers has a sample
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (!pool.grow(threads)) return false;
  for (; wanted_ < threads; ++wanted_) {
    const bool exists = wanted_ < shared_->threads.size();
    if (exists && pool.cancel_drain(wanted_)) {
      shared_->change_state(wanted_, worker_state::draining, worker_state::running);
      continue;
    }
    if (exists && shared_->threads[wanted_].joinable()) shared_->threads[wanted_].join();
    pool.expect_attach(wanted_);
    try {
      start_thread(wanted_, keep);
    } catch (const std::exception&) {
      pool.cancel_attach(wanted_);
      return false;
    }
  }
  return true;
}

worker_counts worker_threads::counts() const noexcept {
  const std::scoped_lock lock{shared_->mutex};
  const auto in = [this](worker_state wanted) {
    return static_cast<std::uint32_t>(std::ranges::count(shared_->states, std::optional{wanted}));
  };
  return {.spawned = in(worker_state::spawned),
          .running = in(worker_state::running),
          .draining = in(worker_state::draining),
          .stopped = in(worker_state::stopped)};
}

void worker_threads::shut_down() noexcept {
  shared_->coordinator->shut_down();
}

bool worker_threads::join(std::chrono::steady_clock::time_point until) noexcept {
  // A thread that has left holds the lock no more, so joining it under the lock does not block.
  std::unique_lock lock{shared_->mutex};
  shared_->changed.wait_until(lock, until, [&] { return shared_->running == 0; });
  bool all = true;
  for (std::size_t number = 0; number < shared_->threads.size(); ++number) {
    if (!shared_->threads[number].joinable()) continue;
    if (shared_->states[number] == worker_state::stopped) {
      shared_->threads[number].join();
    } else {
      shared_->threads[number].detach();
      all = false;
    }
  }
  shared_->threads.clear();
  return all;
}

bool worker_threads::ended() const noexcept {
  const std::scoped_lock lock{shared_->mutex};
  return shared_->running == 0;
}

bool worker_threads::run_what_is_left(system_core& system) noexcept {
  thread_record& here = this_thread();
  const origin sender = here.sender;
  system_services* const services = std::exchange(here.services, &system);
  worker_counters* const counters = std::exchange(here.counters, nullptr);
  work_stealing_coordinator& queue = *shared_->coordinator;
  bool some = false;
  ready_cell* next = nullptr;
  while (queue.drain_ready_cycle({&next, 1}) != 0) {
    queue.handle_invoke_result(*next, system.run(*next));
    some = true;
  }
  here.sender = sender;
  here.services = services;
  here.counters = counters;
  return some;
}

bool worker_threads::is_idle() const noexcept {
  return ended() || shared_->coordinator->all_asleep();
}

std::uint64_t worker_threads::turns() const noexcept {
  std::uint64_t all = 0;
  for (std::uint32_t number = 0; number < shared_->coordinator->workers(); ++number)
    all += shared_->coordinator->worker(number).progress.value();
  return all;
}

void worker_threads::sample(busy_worker_sampler::time_point now) noexcept {
  for (std::uint32_t number = 0; number < shared_->coordinator->workers(); ++number)
    samples_.sample(number, activity(number), now);
}

std::size_t worker_threads::size() const noexcept {
  return coordinator().workers();
}

std::size_t worker_threads::most() const noexcept {
  return shared_->records.size();
}

void worker_threads::watch_with(blocked_worker_watch& watch) noexcept {
  shared_->watch.store(&watch, relaxed);  // relaxed: it was there before the threads
}

worker_activity worker_threads::activity(std::size_t worker) const noexcept {
  const pool_worker& at = shared_->coordinator->worker(static_cast<std::uint32_t>(worker));
  const std::scoped_lock lock{shared_->mutex};
  const thread_record* const record = shared_->records[worker];
  // no mutant: as for its release in `begin_turn`
  const auto* const runs =
      static_cast<const cell*>(at.running.load(acquire));  // pairs: pool.running
  if (record == nullptr || runs == nullptr) return {};
  return {.who = {.slot = runs->slot, .generation = runs->generation()},
          .what = record->handling.load(relaxed),  // relaxed: a hint
          .turn = at.progress.value()};
}

}  // namespace tactor::inline v0::internal
