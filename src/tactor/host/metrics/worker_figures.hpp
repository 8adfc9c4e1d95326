// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/host/metrics/actor_figures.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace tactor::inline v0::internal {

/// Everything that one worker measures. The worker writes, without a lock; any thread reads.
struct worker_figures : intrusive_list_node<worker_figures> {
  /// `thread_name`: "worker-0".
  explicit worker_figures(std::string thread_name) : name(std::move(thread_name)) {
    counters.times = &times;
  }

  /// Called when the worker has nothing to run.
  void begin_idle(std::uint64_t now_ns) noexcept {
    idle_since_ns.store(now_ns, relaxed);  // relaxed: statistic only
  }
  /// Called when it has something to run again, or ends. Returns: how long it was idle.
  std::uint64_t end_idle(std::uint64_t now_ns) noexcept {
    const std::uint64_t since_ns = idle_since_ns.load(relaxed);  // relaxed: of this thread
    const std::uint64_t passed_ns = now_ns > since_ns ? now_ns - since_ns : 0;
    idle_ns.add(passed_ns);
    idle_since_ns.store(0, relaxed);  // relaxed: statistic only
    return passed_ns;
  }
  /// Returns how long it has been idle until `now_ns`. A reader that comes when it wakes may be
  /// wrong by that one time. Context: any thread.
  [[nodiscard]] std::uint64_t idle_until(std::uint64_t now_ns) const noexcept {
    const std::uint64_t before = idle_ns.value();
    const std::uint64_t since_ns = idle_since_ns.load(relaxed);  // relaxed: statistic only
    return before + (since_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0);
  }

  const std::string name;
  worker_counters counters;
  turn_times times;
  actor_figures of_actors;
  std::uint64_t started_ns = 0;  // constant once it is attached
  port::counter idle_ns;
  // Written by: the worker. Read by: any. Publishes: nothing. 0: it is not idle.
  port::atomic<std::uint64_t> idle_since_ns;
};

}  // namespace tactor::inline v0::internal
