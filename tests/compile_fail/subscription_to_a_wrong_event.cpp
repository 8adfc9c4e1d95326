// SPDX-License-Identifier: BSL-1.0
// A subscription of an actor to an event that it does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: order, note
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/event_stream.hpp"

struct order {};
struct note {};

void listen(tactor::event_stream& events, tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  events.subscribe<order>(shop);
#else
  events.subscribe<note>(shop);
#endif
}
