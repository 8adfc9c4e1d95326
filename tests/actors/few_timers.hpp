// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"

#include <cstddef>
#include <vector>

namespace tactor {

/// Holds all memory of a scheduler's timers but that of `left`: for tests of what happens without
/// memory. Gives it back in the end.
class few_timers {
public:
  few_timers(scheduler& timers, std::size_t left) : store_(timers.store()) {
    constexpr auto for_user = internal::timer_owner::user;
    while (internal::timer_record* const record = store_.take_record(for_user, false))
      held_.push_back(record);
    for (; left > 0 && !held_.empty(); --left)
      give_one_back();
  }
  few_timers(const few_timers&) = delete;
  few_timers& operator=(const few_timers&) = delete;
  ~few_timers() {
    while (!held_.empty())
      give_one_back();
  }

private:
  void give_one_back() {
    store_.give_back_fresh(*held_.back());
    held_.pop_back();
  }

  internal::timer_store& store_;
  std::vector<internal::timer_record*> held_;
};

}  // namespace tactor
