// SPDX-License-Identifier: BSL-1.0
// A periodic timer of the scheduler alone, with a message that cannot be copied.
// error: a periodic timer sends a copy each time: make the message copyable, or give a factory like [](tactor::execution_batch) { return Message{...}; }
// names: parcel
#include "tactor/core/scheduler/scheduler.hpp"

struct parcel {
  parcel() = default;
  parcel(parcel&&) noexcept = default;
  parcel& operator=(parcel&&) = delete;
};

void remind(tactor::scheduler& timers, tactor::sink_ref shop) {
  using std::chrono::seconds;
#if defined(CORRECT)
  (void)timers.schedule_at_fixed_rate(seconds{1}, seconds{1}, shop,
                                      [](tactor::execution_batch) { return parcel{}; });
#else
  (void)timers.schedule_at_fixed_rate(seconds{1}, seconds{1}, shop, parcel{});
#endif
}
