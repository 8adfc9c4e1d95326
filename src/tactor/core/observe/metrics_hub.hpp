// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// Collects all measurements. Threads count in blocks of their own; `scrape` reads the blocks while
/// the threads continue.
///
/// Thread safety: everything from any thread. The lock keeps the list of blocks; counting never
/// takes it.
///
/// inv 1  `*ended_`, if there is memory for it, holds the counts of the blocks that were detached.
class metrics_hub {
public:
  /// With level `off`.
  metrics_hub() noexcept = default;
  /// `ended`: for the counts of blocks that are detached, which are lost if it is null. Requires:
  /// it outlives the hub.
  explicit metrics_hub(metrics_level level, metrics_snapshot* ended = nullptr) noexcept
      : level_(level), ended_(ended) {}
  metrics_hub(const metrics_hub&) = delete;
  metrics_hub& operator=(const metrics_hub&) = delete;
  ~metrics_hub() = default;

  /// Counting code reads it from time to time.
  [[nodiscard]] metrics_level level() const noexcept {
    return level_.load(relaxed);  // relaxed: a setting
  }
  /// Changes it for all threads, soon.
  void set_level(metrics_level level) noexcept {
    level_.store(level, relaxed);  // relaxed: a setting
  }

  /// From now on `block` is part of the sums, with its current counts. Requires: it is attached
  /// nowhere, and is detached before it or the hub ends.
  void attach(worker_counters& block) noexcept;
  /// The counts of `block` stay in the sums, if there is memory for them. Requires: it is attached
  /// here, and no thread counts in it any more.
  void detach(worker_counters& block) noexcept;

  /// The sums. Stops no thread, and waits only for attach, detach and other scrapes.
  [[nodiscard]] metrics_snapshot scrape() const noexcept;

private:
  // Written by: set_level. Read by: any. Publishes: nothing.
  port::atomic<metrics_level> level_;
  mutable port::mutex mutex_;
  // protected by mutex_
  intrusive_list<worker_counters> blocks_;
  metrics_snapshot* ended_ = nullptr;
};

}  // namespace tactor::inline v0::internal
