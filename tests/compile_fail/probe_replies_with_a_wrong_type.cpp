// SPDX-License-Identifier: BSL-1.0
// A probe answers with a value that is not of the message's reply type.
// error: value must be of type Message::reply
// names: quote
#include "tactor/testkit.hpp"

struct quote {
  using reply = int;
};
struct nonsense {};

inline void answer(tactor::testkit::probe<quote>& prices) {
#if defined(CORRECT)
  prices.reply<quote>(3);
#else
  prices.reply<quote>(nonsense{});
#endif
}
