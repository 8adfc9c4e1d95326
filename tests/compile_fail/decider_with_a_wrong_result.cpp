// SPDX-License-Identifier: BSL-1.0
// A decider that does not return a directive.
// error: a decider is a lambda like [](const tactor::failure&) -> tactor::decision
// names: decide_by
#include "tactor/core/actor/definition/decide_by.hpp"
#include "tactor/testkit/simulation.hpp"

inline tactor::supervision strategy() {
#if defined(CORRECT)
  return tactor::decide_by([](const tactor::failure&) { return tactor::directive::resume; });
#else
  return tactor::decide_by([](const tactor::failure&) { return 7; });
#endif
}
