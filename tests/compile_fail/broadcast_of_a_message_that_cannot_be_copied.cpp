// SPDX-License-Identifier: BSL-1.0
// A router that sends copies of a message that cannot be copied.
// error: broadcast and first_answer send a copy to each worker
// names: parcel
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

#include <memory>

struct parcel {
#if defined(CORRECT)
  std::shared_ptr<int> content;
#else
  std::unique_ptr<int> content;
#endif
};

class keeper : public tactor::actor<parcel> {
public:
  void receive(context&, parcel) {}
};

inline void route(const tactor::testkit::simulation& world) {
  (void)tactor::patterns::spawn_pool<keeper>(world, {.workers = 2}, tactor::patterns::broadcast{});
}
