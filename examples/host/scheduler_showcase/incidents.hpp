// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/realtime.hpp"

#include "scheduler_showcase/workload.hpp"

#include <cstddef>
#include <expected>
#include <vector>

namespace showcase {

/// What goes wrong on purpose, one thing after the other and then from the beginning.
/// Context: one thread.
class incidents {
public:
  /// Registers the close tasks, too.
  incidents(const tactor::host::realtime_scheduler& timers, workload& work);

  /// How many there are.
  static constexpr std::size_t count = 7;

  /// What `cause` will do.
  [[nodiscard]] const char* next() const;
  /// Starts the incident; what the previous incident has left behind is cleaned up first.
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
