// SPDX-License-Identifier: BSL-1.0
// A decider that captures something outside of the actor.
// error: a decider must not capture: it is kept with the actor, for its life
// names: decide_by
#include "tactor/core/actor/definition/decide_by.hpp"
#include "tactor/testkit/simulation.hpp"

inline tactor::supervision strategy([[maybe_unused]] int& failures) {
#if defined(CORRECT)
  return tactor::decide_by(
      [](const tactor::failure&) -> tactor::decision { return tactor::directive::resume; });
#else
  return tactor::decide_by([&failures](const tactor::failure&) -> tactor::decision {
    ++failures;
    return tactor::directive::resume;
  });
#endif
}
