// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/host/metrics/actor_figures.hpp"
#include "tactor/host/metrics/actor_series.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/worker_figures.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace tactor::inline v0::internal {

class system_core;
class trace_hub;  // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final

/// Returns the text that stands for an actor whose path is not known: "$slot.generation".
[[nodiscard]] event_text number_text(mailbox_index who) noexcept;
/// Adds to the actors of `to` what waits in their mailboxes, and adds actors that are suspended, or
/// have an old message. Throws: std::bad_alloc.
void add_actors(metrics_report& to, system_core& system);

/// Collects what the workers of a system measure besides their counters: times, and single actors.
///
/// Thread safety: everything from any thread. The lock keeps the list of workers; measuring never
/// takes it.
///
/// inv 1  `ended_` and `ended_actors_` hold what the workers measured that were detached.
class worker_hub {
public:
  worker_hub() = default;
  worker_hub(const worker_hub&) = delete;
  worker_hub& operator=(const worker_hub&) = delete;
  ~worker_hub() = default;

  /// Requires: detached before it ends.
  void attach(worker_figures& fresh, std::uint64_t now_ns);
  /// Its figures stay in the sums. Requires: its thread measures no more.
  void detach(worker_figures& ended) noexcept;

  /// Returns the labels of single actors, which all workers share; null if there is no memory.
  [[nodiscard]] actor_series* series() noexcept;

  /// Adds everything to `to`. Throws: std::bad_alloc.
  void add_to(metrics_report& to, std::uint64_t now_ns) const;

  trace_hub* traces = nullptr;  // of the system; null: none. Constant once workers run.

private:
  struct all_times {
    histogram_counts duration;
    histogram_counts latency;
    histogram_counts suspended;
    histogram_counts resume_latency;

    void add(const turn_times& times) noexcept;
  };

  template <class Call>
  void for_each_label(Call call) const {
    if (series_ != nullptr) series_->for_each(call);
  }

  mutable std::mutex mutex_;
  // protected by mutex_
  std::unique_ptr<actor_series> series_;  // made when it is needed: it is large; then it stays
  intrusive_list<worker_figures> workers_;
  all_times ended_;
  std::map<std::uint32_t, actor_figures::figures> ended_actors_;
};

}  // namespace tactor::inline v0::internal
