// SPDX-License-Identifier: BSL-1.0
// A periodic timer to an actor, with a message that cannot be copied.
// error: a periodic timer sends a copy each time: make the message copyable, or give a factory like [](tactor::execution_batch) { return Message{...}; }
// names: parcel
// at most: 1 errors, 22 lines
#include "tactor/core/actor/actor.hpp"

struct parcel {
  parcel() = default;
  parcel(parcel&&) noexcept = default;
  parcel& operator=(parcel&&) = delete;
};

void remind(tactor::context& ctx, tactor::actor_ref<parcel> shop) {
  using std::chrono::seconds;
#if defined(CORRECT)
  const auto what = [](tactor::execution_batch) { return parcel{}; };
  (void)ctx.schedule_at_fixed_rate(seconds{1}, seconds{1}, shop, what);
#else
  (void)ctx.schedule_at_fixed_rate(seconds{1}, seconds{1}, shop, parcel{});
#endif
}
