// SPDX-License-Identifier: BSL-1.0
// Threads inside a system when it ends.
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>

namespace tactor::inline v0::internal {

/// Stands for a system: it detects a use after its end, or without an order.
class system_services {
public:
  port::cell<bool> gone;
};

}  // namespace tactor::inline v0::internal

namespace tactor::model {
namespace {

// Two threads send from outside while the system ends.
struct a_gate_closes {
  static constexpr unsigned threads = 3;

  system_gate gate;
  std::array<system_services, 2> systems;
  std::array<thread_record, 3> records;

  void before() { gate.open(systems[0]); }
  void thread(unsigned index) {
    if (index == 0) {
      gate.close();
      systems[0].gone.set(true);
    } else {
      gate.enter(records[index], [&](system_services& services) {
        require(!services.gone.get(), "a system is used after its end");
        require(records[index].services == &services, "it does not count as its thread");
      });
      require(records[index].services == nullptr, "it still counts as its thread");
    }
  }
  void after() {
    gate.open(systems[1]);
    gate.enter(records[0], [&](system_services& services) {
      require(&services == &systems[1], "the gate leads to the system before");
    });
    gate.close();
  }
};

TEST(gate_model, no_thread_is_inside_after_close) {
  EXPECT_TRUE(passes(explore<a_gate_closes>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
