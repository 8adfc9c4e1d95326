// SPDX-License-Identifier: BSL-1.0
// A lambda that schedules to itself with a context whose self() has no type.
// error: actor_ref<> takes no message; if it is ctx.self(), the handler takes tactor::actor_context<Message>& instead of tactor::context&
// names: order
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"

#include <chrono>

struct order {};

void run(tactor::context& ctx) {
  using namespace std::chrono_literals;
#if defined(CORRECT)
  ctx.spawn("desk", [](tactor::actor_context<order>& own, order o) {
    (void)own.schedule_once(1s, own.self(), o);
  });
#else
  ctx.spawn("desk",
            [](tactor::context& own, order o) { (void)own.schedule_once(1s, own.self(), o); });
#endif
}
