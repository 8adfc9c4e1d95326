// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/report_signal.hpp"

#include "tactor/port/port.hpp"

#include "model_os.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

// The thread that reports, a thread that raises a warning, and a worker that wakes up: a lost
// wake-up is a deadlock.
namespace tactor::model {

using namespace tactor::internal;

namespace {

// The thread sleeps until it has seen both.
struct a_warning_and_a_worker : model_os {
  static constexpr unsigned threads = 3;
  report_signal signal;
  port::atomic<bool> warning;
  port::atomic<bool> busy;

  void thread(unsigned index) {
    if (index == 1) {
      warning.store(true, relaxed);  // relaxed: the signal orders it
      return signal.raise();
    }
    if (index == 2) {
      busy.store(true, relaxed);  // relaxed: the signal orders it
      return signal.worker_woke();
    }
    while (true) {
      signal.begin();
      // relaxed: the signal orders them
      if (warning.load(relaxed) && busy.load(relaxed)) return;
      require(signal.sleep(std::nullopt), "it cannot sleep");
    }
  }
};

// The thread dozes: a warning wakes it, a worker does not have to.
struct a_warning_while_it_dozes : model_os {
  static constexpr unsigned threads = 3;
  static constexpr std::uint64_t far = 1'000'000'000;
  report_signal signal;
  port::atomic<bool> warning;

  void thread(unsigned index) {
    if (index == 1) {
      warning.store(true, relaxed);  // relaxed: the signal orders it
      return signal.raise();
    }
    if (index == 2) return signal.worker_woke();
    while (true) {
      signal.begin();
      if (warning.load(relaxed)) return;  // relaxed: the signal orders it
      require(signal.sleep(far), "it cannot sleep");
    }
  }
};

// A thread that sees the reporter idle after a warning sees that the warning was reported.
struct idle_after_a_warning : model_os {
  static constexpr unsigned threads = 2;
  report_signal signal;
  port::atomic<bool> warning;
  port::atomic<bool> reported;
  port::atomic<bool> ended;

  void thread(unsigned index) {
    if (index == 1) {
      warning.store(true, relaxed);  // relaxed: the signal orders it
      signal.raise();
      // relaxed: the signal orders it
      if (signal.is_idle()) require(reported.load(relaxed), "it is idle and has not reported");
      ended.store(true, relaxed);  // relaxed: the signal orders it
      return signal.raise();
    }
    while (true) {
      signal.begin();
      if (warning.load(relaxed)) reported.store(true, relaxed);  // relaxed: the signal orders them
      if (ended.load(relaxed)) return;                           // relaxed: likewise
      require(signal.sleep(std::nullopt), "it cannot sleep");
    }
  }
};

// spec: X2
TEST(report_signal_model, a_warning_and_a_worker_wake_the_thread) {
  EXPECT_TRUE(passes(explore<a_warning_and_a_worker>(preemptions(4))));
}

// spec: X2
TEST(report_signal_model, a_warning_wakes_a_thread_that_dozes) {
  EXPECT_TRUE(passes(explore<a_warning_while_it_dozes>(preemptions(4))));
}

TEST(report_signal_model, an_idle_thread_has_reported_what_was_raised) {
  EXPECT_TRUE(passes(explore<idle_after_a_warning>(preemptions(4))));
}

}  // namespace
}  // namespace tactor::model
