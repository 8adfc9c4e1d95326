// SPDX-License-Identifier: BSL-1.0
// A program sends `terminated`, which only the runtime sends, to a lambda that handles it.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: terminated
#include "tactor/testkit/simulation.hpp"

struct hire {};

inline void send(tactor::testkit::simulation& world) {
#if defined(CORRECT)
  const auto to = world.spawn("boss", [](tactor::context&, const hire&) {});
  (void)to.tell(hire{});
#else
  const auto to = world.spawn("boss", [](tactor::context&, const tactor::terminated&) {});
  (void)to.tell(tactor::terminated{});
#endif
}
