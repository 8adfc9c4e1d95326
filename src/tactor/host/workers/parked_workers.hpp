// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/worker_set.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Wakes workers after the lock of their pool was released. Keeps copies of all it needs: by then
/// the pool may belong to another system.
class deferred_wakes {
public:
  /// `by`: the worker on whose thread this is; null: none of the pool.
  explicit deferred_wakes(const pool_worker* by) noexcept : by_a_worker_(by != nullptr) {}
  deferred_wakes(const deferred_wakes&) = delete;
  deferred_wakes& operator=(const deferred_wakes&) = delete;
  ~deferred_wakes() {
    for (std::size_t i = 0; i < count_; ++i)
      wake_(*wake_words_[i]);
  }
  [[nodiscard]] bool by_a_worker() const noexcept { return by_a_worker_; }
  void add(pool_worker& whom, const pool_waiting& how) noexcept {
    wake_ = how.wake;
    wake_words_[count_++] = &whom.wake_word;
  }

private:
  bool by_a_worker_;
  std::array<port::atomic<std::uint32_t>*, 2> wake_words_{};
  std::size_t count_ = 0;
  void (*wake_)(port::atomic<std::uint32_t>&) noexcept = nullptr;
};

/// The workers of a pool that sleep, the one among them that watches the others, and the one that
/// searches the others.
///
/// Thread safety: the holder of the pool's lock, unless the context says otherwise.
///
/// inv 1  A worker searches only if `searching_` was false when it, or the thread that woke it for
///        that, set it: so at most one does.
/// inv 2  The watcher is asleep, with a timeout, or between two checks.
class parked_workers {
public:
  using all_workers = std::array<pool_worker*, worker_set::most>;

  /// Requires: `all` outlives it; each worker is at the place of its number.
  explicit parked_workers(const all_workers& all) noexcept : workers_(all) {}
  parked_workers(const parked_workers&) = delete;
  parked_workers& operator=(const parked_workers&) = delete;
  ~parked_workers() = default;

  /// From now on workers sleep and wake with these functions. Requires: none is attached.
  void open(const pool_waiting& how) noexcept { how_ = how; }
  /// The functions with which workers sleep and wake. Context: also an attached worker.
  [[nodiscard]] const pool_waiting& how() const noexcept { return how_; }

  // Who sleeps.

  // Values of a worker's wake word.
  static constexpr std::uint32_t wake_word_asleep = 0;
  static constexpr std::uint32_t wake_word_awake = 1;

  [[nodiscard]] std::uint32_t size() const noexcept { return asleep_.size(); }
  [[nodiscard]] bool contains(const pool_worker& who) const noexcept {
    return asleep_.contains(who.number);
  }
  /// Returns the number of sleeping workers. A hint. Context: any thread.
  [[nodiscard]] std::uint32_t seen() const noexcept {
    return sleeping_hint_.load(relaxed);  // relaxed: a hint
  }
  /// Returns true if a worker sleeps that may not have seen a cell which this thread has injected
  /// before: see inv 1 of the pool. Context: any thread.
  [[nodiscard]] bool may_have_missed() const noexcept {
    // seq_cst: tied to the intake of the pool
    return sleeping_hint_.load(seq_cst) != 0;  // pairs: pool.asleep
  }

  /// The worker is about to sleep; it becomes the watcher if there is none and one of the
  /// `attached` workers runs.
  void fall_asleep(pool_worker& here, std::uint32_t attached) noexcept;
  /// The worker does not sleep after all, or wakes up by itself.
  void stay_awake(pool_worker& here) noexcept;
  /// Sleeps until the worker is woken, or `nap_ns` are over. Returns: whether it was woken.
  /// Context: the worker, without the lock.
  [[nodiscard]] bool sleep(pool_worker& here, std::optional<std::uint64_t> nap_ns) const noexcept;
  /// The worker was woken, maybe by a worker that goes on running on the same processor: then it
  /// moves to another. Context: the worker, without the lock.
  void make_way(pool_worker& here) const noexcept;

  /// Wakes a worker that sleeps.
  void wake(pool_worker& whom, deferred_wakes& calls) noexcept;
  /// Wakes any worker, if one sleeps.
  void wake_one(deferred_wakes& calls) noexcept;
  /// Ends the sleep of any worker, whose thread the caller then wakes. Returns: null if none
  /// sleeps.
  [[nodiscard]] pool_worker* end_a_sleep() noexcept;

  // Who searches.

  /// Returns true if a worker searches. A hint. Context: any thread.
  [[nodiscard]] bool is_searched() const noexcept {
    return searching_.load(relaxed);  // relaxed: a hint
  }
  /// Returns true if a worker searches that will see a cell which this thread has injected before:
  /// see inv 2 of the pool. Context: any thread.
  [[nodiscard]] bool search_will_see() const noexcept {
    // seq_cst: tied to the intake of the pool
    return searching_.load(seq_cst);  // pairs: pool.search
  }
  /// Makes the worker the searching one. Returns: false if there is another. Context: the worker.
  [[nodiscard]] bool begin_search(pool_worker& here) noexcept;
  /// Ends what `begin_search` began, if it did. The caller checks afterwards for cells that were
  /// injected without a wake.
  void stop_search(pool_worker& here) noexcept;
  /// Wakes a worker to search, unless one searches.
  void wake_to_search(deferred_wakes& calls) noexcept;

  // Who watches.

  [[nodiscard]] bool has_watcher() const noexcept { return watcher_.get() != nullptr; }
  /// The worker watches no longer. Returns: whether it did.
  bool stop_watching(pool_worker& here) noexcept;
  /// Makes a sleeping worker the watcher: wakes it so that it sleeps again with a timeout;
  /// `and_search`: after a search.
  void appoint_watcher(deferred_wakes& calls, bool and_search = false) noexcept;

private:
  [[nodiscard]] pool_worker* sleeper() noexcept;
  void wake_up(pool_worker& whom) noexcept;
  void show() noexcept;

  const all_workers& workers_;
  pool_waiting how_{
      .sleep = nullptr, .wake = nullptr, .now_ns = nullptr, .processor_here = nullptr};
  // Written by: the holder of the lock. Read by: any. Publishes: nothing; tied to the intake of the
  // pool.
  alignas(pool_worker::apart) port::atomic<std::uint32_t> sleeping_hint_;
  // Written by: a worker that begins to search; under the lock, a worker that stops searching and a
  // thread that wakes a worker to search. Read by: any. Publishes: `pool_worker::seen` of all; tied
  // to the intake of the pool.
  port::atomic<bool> searching_;
  worker_set asleep_;
  port::plain<pool_worker*> watcher_;  // asleep, or between two checks
};

}  // namespace tactor::inline v0::internal
