// SPDX-License-Identifier: BSL-1.0
// An actor watches an actor and asks to be notified with a message that it does not take.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: lost
#include "tactor/testkit/simulation.hpp"

struct hire {
  tactor::actor_ref<> whom;
};
struct lost {};

#if defined(CORRECT)
class boss : public tactor::actor<hire, lost> {
#else
class boss : public tactor::actor<hire> {
#endif
public:
  void receive(context& ctx, const hire& h) { (void)ctx.watch(h.whom, lost{}); }
#if defined(CORRECT)
  void receive(context&, lost) {}
#endif
};

inline void hire_boss(tactor::testkit::simulation& world) {
  (void)world.spawn<boss>("boss");
}
