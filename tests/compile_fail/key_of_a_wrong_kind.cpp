// SPDX-License-Identifier: BSL-1.0
// A timer whose key is neither a number nor a text.
// error: the key of a timer is a number, an enumerator or a text
// names: half
#include "tactor/core/actor/actor.hpp"

#include <chrono>

struct tick {};
struct half {
  double of = 0;
};

class clockwork : public tactor::actor<tick> {
public:
  void receive(context& ctx, tick) {
#if defined(CORRECT)
    (void)ctx.start_timer("half", tactor::after(std::chrono::seconds{1}), tick{});
#else
    (void)ctx.start_timer(half{}, tactor::after(std::chrono::seconds{1}), tick{});
#endif
  }
};
