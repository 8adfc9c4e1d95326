// SPDX-License-Identifier: BSL-1.0
// A lambda that does not return the reply type of its message.
// error: receive() must return Message::reply, expected<Message::reply, failure>, a task of either, or delegated<Message::reply>
// names: push
#include "tactor/core/actor/behaviour.hpp"

struct push {
  using reply = bool;
};
using turnstile = tactor::behaviour<push>;

turnstile locked() {
#if defined(CORRECT)
  return {[](tactor::context&, push) { return false; }};
#else
  return {[](tactor::context&, push) { return 0; }};
#endif
}
