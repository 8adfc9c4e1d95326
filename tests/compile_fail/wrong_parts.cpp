// SPDX-License-Identifier: BSL-1.0
// A message that cannot be built from the parts that are sent.
// error: the message cannot be built from these parts
// names: order
#include "tactor/core/send/actor_ref.hpp"

struct order {
  int count;
};

void ask_for_more(tactor::actor_ref<order> shop) {
#if defined(CORRECT)
  shop.tell<order>(3);
#else
  shop.tell<order>("three");
#endif
}
