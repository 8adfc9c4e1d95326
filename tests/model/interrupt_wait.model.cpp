// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/interrupt_wait.hpp"

#include "tactor/port/port.hpp"

#include "model_os.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

// Threads that wait for a signal, and a handler or another thread that ends the wait.
namespace tactor::model {

using namespace tactor::internal;

namespace {

constexpr std::uint32_t some_signal = 15;
constexpr std::uint32_t not_back = 99;

// A handler runs while two threads fall asleep.
struct a_signal_arrives : model_os {
  static constexpr unsigned threads = 3;
  interrupt_news news;
  std::array<std::uint32_t, 2> got{not_back, not_back};

  void thread(unsigned index) {
    if (index == 2) return news.arrive(some_signal);
    got[index] = news.wait([] { return false; });
  }
  void after() {
    require(got[0] == some_signal && got[1] == some_signal, "it does not know the signal");
    model_os::after();
  }
};

// Another thread ends one wait after the other: each news counts.
struct two_conditions_hold : model_os {
  static constexpr unsigned threads = 3;
  interrupt_news news;
  std::array<port::atomic<bool>, 2> done;
  std::array<std::uint32_t, 2> got{not_back, not_back};

  void thread(unsigned index) {
    if (index == 2) {
      for (auto& each : done) {
        each.store(true, relaxed);  // relaxed: the news order it
        news.announce();
      }
      return;
    }
    // relaxed: the news order it
    got[index] = news.wait([&] { return done[index].load(relaxed); });
  }
  void after() {
    require(got[0] == 0 && got[1] == 0, "a signal that did not come");
    model_os::after();
  }
};

// spec: A5
TEST(interrupt_wait_model, a_signal_ends_the_wait_of_every_thread) {
  EXPECT_TRUE(passes(explore<a_signal_arrives>(preemptions(3))));
}

// spec: A5
TEST(interrupt_wait_model, a_condition_that_begins_to_hold_ends_the_wait) {
  EXPECT_TRUE(passes(explore<two_conditions_hold>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
