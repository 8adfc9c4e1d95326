// SPDX-License-Identifier: BSL-1.0
// A constant that is no priority.
// error: the priority of a message is a number from 0, the most urgent, to 255
// names: order
#include "tactor/core/message/message_priority.hpp"  // first: clang prints how it was included

// Takes the message.
#include "tactor/core/send/actor_ref.hpp"

struct order {
#if defined(CORRECT)
  static constexpr int priority = 255;
#else
  static constexpr int priority = 256;
#endif
};

void run(const tactor::actor_ref<order>& to) {
  to.tell(order{});
}
