// SPDX-License-Identifier: BSL-1.0
// A text literal where the actor takes a string.
// error: a text literal is no message: name the type of the message, tell<std::string>("text")
// names: text
#include "tactor/core/actor/actor.hpp"

struct text {
  text(const char*) {}
};

void run(const tactor::actor_ref<text>& to) {
#if defined(CORRECT)
  to.tell<text>("tea");
#else
  to.tell("tea");
#endif
}
