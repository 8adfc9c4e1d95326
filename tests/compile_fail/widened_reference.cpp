// SPDX-License-Identifier: BSL-1.0
// A reference that would take more messages than the actor does. The text is the compilers' own.
// error: could not convert 'shop' from 'actor_ref<order>' to 'actor_ref<order, note>'
// error: to function return type 'actor_ref<[...], note>'
// names: order, note
#include "tactor/core/send/actor_ref.hpp"

struct order {};
struct note {};

#if defined(CORRECT)
tactor::actor_ref<order> widen(tactor::actor_ref<order, note> shop) {
  return shop;
}
#else
tactor::actor_ref<order, note> widen(tactor::actor_ref<order> shop) {
  return shop;
}
#endif
