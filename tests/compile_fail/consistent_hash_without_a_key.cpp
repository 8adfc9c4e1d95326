// SPDX-License-Identifier: BSL-1.0
// A router by key for a message that has none.
// error: consistent_hash needs a key
// names: session
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

struct session {
  int number = 0;
};
#if defined(CORRECT)
inline std::uint64_t routing_key(const session& s) {
  return static_cast<std::uint64_t>(s.number);
}
#endif

class keeper : public tactor::actor<session> {
public:
  void receive(context&, session) {}
};

inline void route(const tactor::testkit::simulation& world) {
  (void)tactor::patterns::spawn_pool<keeper>(world, {.workers = 2},
                                             tactor::patterns::consistent_hash{});
}
