// SPDX-License-Identifier: BSL-1.0
// An actor sets a receive timeout and has no handler for `receive_timeout`.
// error: a receive timeout needs a handler: give the actor a public receive(context&, const tactor::receive_timeout&)
// names: sensor
#include "tactor/testkit/simulation.hpp"

struct reading {};

class sensor : public tactor::actor<reading> {
public:
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(std::chrono::seconds{3}, *this); }
  void receive(context&, reading) {}
#if defined(CORRECT)
  void receive(context&, const tactor::receive_timeout&) {}
#endif
};

inline void install(tactor::testkit::simulation& world) {
  (void)world.spawn<sensor>("sensor");
}
