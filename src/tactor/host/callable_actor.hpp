// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0::internal {

/// Runs the callables of timers where actors run: each run is an actor that stops afterwards. So a
/// callable waits only for cells that were ready before it, and may block if its dispatcher is
/// `blocking`. When the system stops, due callables end without being run. Without memory for an
/// actor a run is dropped, and a periodic job goes on.
class callable_actors final : public job_dispatcher {
public:
  explicit callable_actors(dispatcher where) noexcept : where_(where) {}
  callable_actors(const callable_actors&) = delete;
  callable_actors& operator=(const callable_actors&) = delete;
  ~callable_actors() = default;

  /// Requires: called before the first job; `system` outlives it.
  void attach(system_core& system) noexcept { system_ = &system; }

  void dispatch(timer_job& job) noexcept override;

private:
  dispatcher where_;
  system_core* system_ = nullptr;
};

}  // namespace tactor::inline v0::internal
