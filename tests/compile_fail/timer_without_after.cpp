// SPDX-License-Identifier: BSL-1.0
// A keyed timer with a plain duration.
// error: say when the timer fires: tactor::after(1s) for once
// names: duration
#include "tactor/core/actor/actor.hpp"

#include <chrono>

struct tick {};

class clockwork : public tactor::actor<tick> {
public:
  void receive(context& ctx, tick) {
#if defined(CORRECT)
    (void)ctx.start_timer("next", tactor::after(std::chrono::seconds{1}), tick{});
#else
    (void)ctx.start_timer("next", std::chrono::seconds{1}, tick{});
#endif
  }
};
