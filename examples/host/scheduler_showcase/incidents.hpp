// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/timers.hpp"

#include "scheduler_showcase/workload.hpp"

#include <cstddef>
#include <expected>
#include <vector>

namespace showcase {

/// Causes incidents, one after the other and then from the beginning. Context: one thread.
class incidents {
public:
  /// Also registers the close tasks.
  incidents(const tactor::host::realtime_scheduler& timers, workload& work);

  /// The number of different incidents.
  static constexpr std::size_t count = 7;

  /// Returns: the description of the incident that `cause` starts next.
  [[nodiscard]] const char* next() const;
  /// Starts the next incident, and ends the previous one first.
  void cause();

private:
  void pause_driver();
  void disturb_driver();
  void occupy_threads();
  void fail();
  void exceed_quota();
  void fill_overflow();
  void arm_and_cancel();
  void arrange_close();
  void keep(const std::expected<tactor::cancellable, tactor::scheduler_error>& accepted);
  void clear_away();

  const tactor::host::realtime_scheduler& timers_;
  workload& work_;
  std::size_t next_ = 0;
  std::vector<tactor::cancellable> extra_;       // until the next incident
  std::vector<tactor::cancellable> at_the_end_;  // to run then
};

}  // namespace showcase
