// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"

#include <optional>

namespace tactor::inline v0 {

/// Lets a call poll at once, when it finds no capacity and ended jobs should be removed first.
/// Host: takes the driver's lock and polls. Single-threaded: polls.
class timer_poller {
public:
  /// Context: any thread that may schedule, but not from within a poll.
  virtual void poll_now() noexcept = 0;
  /// Calls `call(with)` while no poll runs. Requires: it does not block. Context: any thread, also
  /// within a poll.
  virtual void run_exclusively(void (*call)(void* with), void* with) noexcept { call(with); }

protected:
  ~timer_poller() = default;
};

/// When to poll again.
struct poll_result {
  std::optional<tick> next_deadline;  // nothing: when a new timer is scheduled
  bool housekeeping = false;          // also after one tick: there may be more ended jobs to remove
  bool again = false;                 // also after one tick: commands have come meanwhile
};

}  // namespace tactor::inline v0
