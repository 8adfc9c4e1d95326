// SPDX-License-Identifier: BSL-1.0
// A message type that is not a plain object, sent from its parts.
// error: a message is an object: no reference, no array, not const, with a destructor that does not throw
// names: order
#include "tactor/core/send/actor_ref.hpp"

struct order {};

void ask_for_more(tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  shop.tell<order>();
#else
  shop.tell<const order>();
#endif
}
