// SPDX-License-Identifier: BSL-1.0
// A class sets a receive timeout and does not name the actor whose handler is called.
// error: name the actor that handles the timeout: ctx.set_receive_timeout(timeout, *this)
// names: set_receive_timeout
#include "tactor/testkit/simulation.hpp"

struct reading {};

class sensor : public tactor::actor<reading> {
public:
#if defined(CORRECT)
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(std::chrono::seconds{3}, *this); }
#else
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(std::chrono::seconds{3}); }
#endif
  void receive(context&, reading) {}
  void receive(context&, const tactor::receive_timeout&) {}
};

inline void install(tactor::testkit::simulation& world) {
  (void)world.spawn<sensor>("sensor");
}
