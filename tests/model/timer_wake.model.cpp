// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include "timer_world.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

// A driver that is about to sleep, and threads that may have to wake it.
namespace tactor::model {

using namespace tactor::internal;

namespace {

// A driver like the host's: it reads the wake word, polls, and sleeps until its deadline or until
// the wake word has changed.
template <std::size_t Timers>
struct sleeper : timer_world<Timers> {
  std::uint32_t heard = 0;  // the wake word before the last poll
  poll_result said;

  void poll() {
    heard = this->store().wake_word.load(relaxed);
    said = this->timers.poll();
  }
  // Returns: what the sleep would do at once. Requires: all threads have ended, so it is the newest
  // value.
  [[nodiscard]] bool woken() { return this->store().wake_word.load(relaxed) != heard; }
  // Before the objects that the jobs refer to are destroyed.
  void end() {
    this->timers.close();
    this->jobs.run_waiting();
  }
  [[nodiscard]] bool polls_soon() { return woken() || said.again || said.housekeeping; }
  [[nodiscard]] bool polls_again_by(tick deadline) {
    return polls_soon() || (said.next_deadline && *said.next_deadline <= deadline);
  }
};

// A thread schedules a job earlier than all others while the driver falls asleep. `Earlier` jobs
// have a later deadline, so that it sleeps without a limit or until then.
template <std::size_t Later>
struct schedule_against_falling_asleep : sleeper<Later + 1> {
  static constexpr unsigned threads = 2;
  trace early;
  std::array<trace, Later> late;
  cancellable handle;

  void before() {
    for (trace& each : late)
      require(this->timers.schedule_once(1s, traced_callable{each}).has_value(), "capacity");
    this->poll();
  }
  void thread(unsigned index) {
    if (index == 0) {
      this->poll();
      return;
    }
    auto scheduled = this->timers.schedule_once(20ms, traced_callable{early});
    require(scheduled.has_value(), "capacity");
    handle = *std::move(scheduled);
  }
  void after() {
    require(this->polls_again_by(tick{102}), "the driver sleeps past a deadline");
    this->clock.ticks = 102;
    (void)this->timers.poll();
    this->jobs.run_waiting();
    require(early.runs == 1, "a job is lost");
    this->end();
  }
};

// spec: T8 S2 K3
TEST(timer_wake_model, an_earlier_deadline_is_never_slept_through) {
  EXPECT_TRUE(passes(explore<schedule_against_falling_asleep<0>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<schedule_against_falling_asleep<1>>(preemptions(4))));
}

// The driver was to wake early enough anyway, and has just done so: now it goes to sleep for
// longer, and a thread that reads its earlier deadline would not wake it.
struct schedule_against_a_longer_sleep : sleeper<3> {
  static constexpr unsigned threads = 2;
  trace due;
  trace fresh;
  trace late;

  void before() {
    require(timers.schedule_once(10ms, traced_callable{due}).has_value(), "capacity");
    require(timers.schedule_once(1s, traced_callable{late}).has_value(), "capacity");
    poll();
    ++clock.ticks;
  }
  void thread(unsigned index) {
    if (index == 0) {
      poll();
    } else {
      require(timers.schedule_once(20ms, traced_callable{fresh}).has_value(), "capacity");
    }
  }
  void after() {
    require(polls_again_by(tick{103}), "the driver sleeps past a deadline");
    end();
  }
};

// spec: T8 S2
TEST(timer_wake_model, a_driver_that_goes_to_sleep_for_longer_is_woken_for_an_earlier_deadline) {
  EXPECT_TRUE(passes(explore<schedule_against_a_longer_sleep>(preemptions(4))));
}

// Two threads schedule: the second may rely on the first thread's wake only if it takes effect.
struct two_schedule_against_falling_asleep : sleeper<2> {
  static constexpr unsigned threads = 3;
  std::array<trace, 2> early;

  void before() { poll(); }
  void thread(unsigned index) {
    if (index == 2) {
      poll();
    } else {
      require(timers.schedule_once(20ms, traced_callable{early[index]}).has_value(), "room");
    }
  }
  void after() {
    require(polls_again_by(tick{102}), "the driver sleeps past a deadline");
    clock.ticks = 102;
    (void)timers.poll();
    jobs.run_waiting();
    require(early[0].runs == 1 && early[1].runs == 1, "a job is lost");
  }
};

// spec: T8 S2
TEST(timer_wake_model, two_early_deadlines_are_never_slept_through) {
  EXPECT_TRUE(passes(explore<two_schedule_against_falling_asleep>(preemptions(2))));
}

// A fixed-delay job returns to a driver that falls asleep.
struct rearm_against_falling_asleep : sleeper<1> {
  static constexpr unsigned threads = 2;
  trace job;
  cancellable handle;

  void before() {
    auto scheduled = timers.schedule_with_fixed_delay(10ms, 20ms, traced_callable{job});
    require(scheduled.has_value(), "capacity");
    handle = *std::move(scheduled);
    poll();
    ++clock.ticks;
    poll();
  }
  void thread(unsigned index) {
    if (index == 0) {
      poll();
    } else {
      jobs.run_waiting();
    }
  }
  void after() {
    require(polls_again_by(tick{103}), "the driver sleeps past a deadline");
    clock.ticks = 103;
    (void)timers.poll();
    jobs.run_waiting();
    require(job.runs == 2, "a fixed-delay job stopped by itself");
    end();
  }
};

// spec: S7
TEST(timer_wake_model, a_fixed_delay_job_that_comes_back_is_not_slept_through) {
  EXPECT_TRUE(passes(explore<rearm_against_falling_asleep>(preemptions(4))));
}

// Far jobs are cancelled while the driver polls `Polls` times. A wake is due for jobs that it does
// not clear away. `Asked` of them were cancelled before: then the driver is about to clear an
// earlier request.
template <std::size_t Asked, unsigned Polls, unsigned Cancellers>
struct cancel_against_falling_asleep : sleeper<Asked + Cancellers> {
  static constexpr unsigned threads = Cancellers + 1;
  std::array<trace, Asked + Cancellers> far;
  std::array<cancellable, Asked + Cancellers> handles;

  void before() {
    for (std::size_t i = 0; i < far.size(); ++i) {
      auto scheduled = this->timers.schedule_once(1s, traced_callable{far[i]});
      require(scheduled.has_value(), "capacity");
      handles[i] = *std::move(scheduled);
    }
    this->poll();
    for (std::size_t i = 0; i < Asked; ++i) {
      require(handles[Cancellers + i].cancel(), "no other thread did");
      require(this->woken(), "the first cancel wakes it");
      this->poll();
      require(this->said.housekeeping, "and there may be more");
      ++this->clock.ticks;
    }
  }
  void thread(unsigned index) {
    if (index < Cancellers) {
      require(handles[index].cancel(), "no other thread did");
      return;
    }
    for (unsigned i = 0; i < Polls; ++i)
      this->poll();
  }
  void after() {
    const bool left_behind = !this->store().commands.empty();
    require(!left_behind || this->polls_soon(),
            "a cancelled job is left behind and no poll is due");
    // Driven on as it would drive itself, it comes to rest and requests nothing.
    for (int i = 0; i < 3 && this->polls_soon(); ++i) {
      ++this->clock.ticks;
      this->poll();
    }
    require(!this->polls_soon(), "an idle driver does not come to rest");
    require(!this->store().housekeeping_asked.load(relaxed), "the next cancel would not wake it");
    for (cancellable& each : handles)
      each = {};
    this->require_all_free();
  }
};

// spec: S5
TEST(timer_wake_model, a_cancelled_job_is_never_left_behind_without_a_poll) {
  EXPECT_TRUE(passes(explore<cancel_against_falling_asleep<0, 1, 1>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<cancel_against_falling_asleep<1, 1, 1>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<cancel_against_falling_asleep<1, 1, 2>>(preemptions(2))));
  EXPECT_TRUE(passes(explore<cancel_against_falling_asleep<0, 2, 1>>(preemptions(3))));
}

// A fixed-delay job is cancelled between two polls while it returns to the driver.
struct cancel_on_the_way_back : sleeper<2> {
  static constexpr unsigned threads = 3;
  trace job;
  trace late;
  cancellable handle;

  void before() {
    auto scheduled = timers.schedule_with_fixed_delay(10ms, 1h, traced_callable{job});
    require(scheduled.has_value(), "capacity");
    handle = *std::move(scheduled);
    require(timers.schedule_once(1s, traced_callable{late}).has_value(), "capacity");
    poll();
    ++clock.ticks;
    poll();
  }
  void thread(unsigned index) {
    if (index == 0) {
      handle.cancel();
    } else if (index == 1) {
      jobs.run_waiting();
    } else {
      poll();
    }
  }
  void after() {
    require(handle.is_cancelled(), "no other thread ended it");
    const bool left_behind = !store().commands.empty();
    require(!left_behind || polls_soon(), "a cancelled job is left behind and no poll is due");
    end();
  }
};

// spec: S5 S7
TEST(timer_wake_model, a_job_cancelled_on_its_way_back_is_not_left_behind) {
  EXPECT_TRUE(passes(explore<cancel_on_the_way_back>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
