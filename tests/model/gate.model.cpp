// SPDX-License-Identifier: BSL-1.0
// Threads inside a system when it ends.
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/port/port.hpp"

#include "model_futex.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Stands for a system: it detects a use after its end, or without an order.
class system_services {
public:
  port::plain<bool> gone;
};

}  // namespace tactor::inline v0::internal

namespace tactor::model {
namespace {

// A thread that closes a gate sleeps in it.
struct gate_world {
  system_gate gate;
  model_futex futex;

  static inline gate_world* current = nullptr;

  static bool sleep(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                    std::uint64_t /*until_ns*/) noexcept {
    current->futex.sleep(word, seen);
    return true;
  }
  static void wake(port::atomic<std::uint32_t>& /*word*/) noexcept { current->futex.wake_one(); }
  static constexpr thread_waiting waiting{
      .sleep = sleep, .wake = wake, .now_ns = nullptr, .give_way = nullptr};

  void before() {
    current = this;
    futex.open();
  }
  void after() { futex.close(); }
};

// Two threads send from outside while the system ends.
template <const thread_waiting* How>
struct a_gate_closes : gate_world {
  static constexpr unsigned threads = 3;

  std::array<system_services, 2> systems;
  std::array<thread_record, 3> records;

  void before() {
    gate_world::before();
    gate.open(systems[0], How);
  }
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
    gate.open(systems[1], How);
    gate.enter(records[0], [&](system_services& services) {
      require(&services == &systems[1], "the gate leads to the system before");
    });
    gate.close();
    gate_world::after();
  }
};

// The last to leave may wake the thread that closes the gate of the next system.
struct a_gate_closes_twice : gate_world {
  static constexpr unsigned threads = 2;

  std::array<system_services, 2> systems;
  std::array<thread_record, 2> records;

  void before() {
    gate_world::before();
    gate.open(systems[0], &waiting);
  }
  void thread(unsigned index) {
    if (index == 0) {
      gate.close();
      systems[0].gone.set(true);
      gate.open(systems[1], &waiting);
      gate.close();
      systems[1].gone.set(true);
    } else {
      for (int times = 0; times < 2; ++times)
        gate.enter(records[index], [](system_services& services) {
          require(!services.gone.get(), "a system is used after its end");
        });
    }
  }
};

// A recorder that threads inside may use is taken away, and the system lives on.
struct a_recorder_ends : gate_world {
  static constexpr unsigned threads = 3;

  std::array<system_services, 2> systems;  // the other one stands for the recorder
  std::array<thread_record, 3> records;
  port::atomic<system_services*> recorder;

  void before() {
    gate_world::before();
    recorder.store(&systems[1], relaxed);
    gate.open(systems[0], &waiting);
  }
  void thread(unsigned index) {
    if (index == 0) {
      recorder.store(nullptr, relaxed);
      gate.let_leave();
      systems[1].gone.set(true);
    } else {
      gate.enter(records[index], [&](system_services& services) {
        require(!services.gone.get(), "the system has not ended");
        system_services* const by = recorder.load(relaxed);
        if (by != nullptr) require(!by->gone.get(), "a recorder is used after its end");
      });
    }
  }
};

TEST(gate_model, no_thread_uses_a_recorder_after_its_end) {
  EXPECT_TRUE(passes(explore<a_recorder_ends>(preemptions(3))));
}

TEST(gate_model, a_late_wake_disturbs_no_later_close) {
  EXPECT_TRUE(passes(explore<a_gate_closes_twice>(preemptions(4))));
}

TEST(gate_model, no_thread_is_inside_after_close) {
  EXPECT_TRUE(passes(explore<a_gate_closes<&gate_world::waiting>>(preemptions(3))));
}

TEST(gate_model, no_thread_is_inside_after_close_where_no_thread_sleeps) {
  EXPECT_TRUE(passes(explore<a_gate_closes<nullptr>>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
