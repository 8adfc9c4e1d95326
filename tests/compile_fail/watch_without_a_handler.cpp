// SPDX-License-Identifier: BSL-1.0
// An actor watches an actor and has no handler for `terminated`.
// error: watching needs a handler: give the actor a public receive(context&, const tactor::terminated&), or name a message to be handled instead
// names: boss
#include "tactor/testkit/simulation.hpp"

struct hire {
  tactor::actor_ref<> whom;
};

class boss : public tactor::actor<hire> {
public:
  void receive(context& ctx, const hire& h) { (void)ctx.watch(h.whom, *this); }
#if defined(CORRECT)
  void receive(context&, const tactor::terminated&) {}
#endif
};

inline void hire_boss(tactor::testkit::simulation& world) {
  (void)world.spawn<boss>("boss");
}
