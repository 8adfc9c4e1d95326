// SPDX-License-Identifier: BSL-1.0
// A program sends `terminated`, which only the runtime sends.
// error: this actor does not take that message: it is not among the Ms... of its actor_ref<Ms...>
// names: terminated
#include "tactor/testkit/simulation.hpp"

struct hire {};

class boss : public tactor::actor<hire> {
public:
  void receive(context&, hire) {}
  void receive(context&, const tactor::terminated&) {}
};

inline void send(const boss::ref& to) {
#if defined(CORRECT)
  (void)to.tell(hire{});
#else
  (void)to.tell(tactor::terminated{});
#endif
}
