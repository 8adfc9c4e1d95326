// SPDX-License-Identifier: BSL-1.0
// A keyed timer with a message that its actor does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: tock
#include "tactor/core/actor/actor.hpp"

#include <chrono>

struct tick {};
struct tock {};

class clockwork : public tactor::actor<tick> {
public:
  void receive(context& ctx, tick) {
#if defined(CORRECT)
    (void)ctx.start_timer("next", tactor::every(std::chrono::seconds{1}), tick{});
#else
    (void)ctx.start_timer("next", tactor::every(std::chrono::seconds{1}), tock{});
#endif
  }
};
