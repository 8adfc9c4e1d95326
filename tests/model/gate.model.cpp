// SPDX-License-Identifier: BSL-1.0
// Those who are inside a system when it ends.
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>

namespace tactor::inline v0 {

using namespace tactor::internal;

/// Stands for a system: it notices who uses it when it is gone, or without an order.
class system_services {
public:
  port::cell<bool> gone;
};

}  // namespace tactor::inline v0

namespace tactor::model {
namespace {

// Two send from outside while the system ends.
struct a_gate_is_shut {
  static constexpr unsigned threads = 3;

  system_gate gate;
  std::array<system_services, 2> homes;
  std::array<thread_record, 3> records;

  void before() { gate.open(homes[0]); }
  void thread(unsigned index) {
    if (index == 0) {
      gate.close();
      homes[0].gone.set(true);
    } else {
      gate.enter(records[index], [&](system_services& services) {
        require(!services.gone.get(), "somebody uses a system that is gone");
        require(records[index].services == &services, "it does not count as one of its threads");
      });
      require(records[index].services == nullptr, "it still counts as one of its threads");
    }
  }
  void after() {
    gate.open(homes[1]);
    gate.enter(records[0], [&](system_services& services) {
      require(&services == &homes[1], "the gate leads to the one before");
    });
    gate.close();
  }
};

TEST(gate_model, nobody_is_inside_when_it_has_been_shut) {
  EXPECT_TRUE(passes(explore<a_gate_is_shut>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
