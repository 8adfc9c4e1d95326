// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/timer_driver.hpp"

#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include "model_os.hpp"
#include "scenario.hpp"
#include "timer_world.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

// The host's driver, which polls a whole scheduler and sleeps, and threads that need it: a lost
// wake-up is a deadlock.
namespace tactor::model {

using namespace tactor::internal;

namespace {

// A scheduler with its driver, on thread 0. The last of `awaited` jobs that is due ends the run.
struct driven_world : model_os {
  class last_job final : public job_dispatcher {
  public:
    explicit last_job(timer_driver& ends) noexcept : driver_(ends) {}
    void dispatch(timer_job& job) noexcept override {
      require(due_ < awaited, "a job is due twice");
      jobs_[due_++] = &job;
      if (due_ == awaited) driver_.end_run();
    }
    void run() noexcept {
      require(due_ == awaited, "a job is not due");
      for (std::size_t each = 0; each < due_; ++each)
        jobs_[each]->run();
    }

    std::size_t awaited = 1;

  private:
    timer_driver& driver_;
    std::array<timer_job*, 2> jobs_{};
    std::size_t due_ = 0;
  };

  // The clock runs only while the driver sleeps, and then until the end of the sleep.
  static wait_result sleep(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                           std::optional<std::uint64_t> until_ns) noexcept {
    if (!until_ns) return wait_on_word(word, seen, until_ns);
    static_cast<driven_world*>(current)->clock.ticks = *until_ns / tick_ns;
    return wait_result::timed_out;
  }
  static constexpr std::uint64_t tick_ns = 10'000'000;

  static scheduler_config config() {
    scheduler_config chosen;
    chosen.timing.wheel_slots = 2;
    chosen.timing.overflow_capacity = 2;
    chosen.system_quota = 2;
    return chosen;
  }

  still_clock clock;
  timer_driver driver{sleep};
  last_job jobs{driver};
  std::array<timer_record, 2> records{};
  std::array<timer_plan, 2> plans{};
  timer_store store{{.records = records, .plans = plans}, nullptr, wake_waiter};
  static_timing_storage<2, 2> wheel;
  std::array<close_task, 1> close_tasks{};
  scheduler timers{config(),
                   {.wheel = wheel.view(),
                    .store = store,
                    .close_tasks = close_tasks,
                    .clock = clock,
                    .dispatcher = jobs,
                    .driver = &driver}};
  trace job;

  void before() {
    model_os::before();
    driver.attach(timers);
  }
  void schedule() {
    require(timers.schedule_once(20ms, traced_callable{job}).has_value(), "capacity");
  }
  void run_job() {
    jobs.run();
    require(job.runs == 1, "the job is lost");
  }
  void after() {
    timers.close();
    model_os::after();
  }
};

// The driver is asked to stop, whatever it does.
struct end_against_falling_asleep : driven_world {
  static constexpr unsigned threads = 2;
  void thread(unsigned index) {
    if (index == 0) {
      driver.run();
    } else {
      driver.end_run();
    }
  }
};

struct schedule_against_falling_asleep : driven_world {
  static constexpr unsigned threads = 2;
  void thread(unsigned index) {
    if (index == 0) {
      driver.run();
    } else {
      schedule();
    }
  }
  void after() {
    run_job();
    driven_world::after();
  }
};

// The driver was to wake up before the fresh timer is due, and does so: a thread that sees its
// earlier plan does not wake it, and the command may come in the middle of the poll.
struct schedule_against_a_longer_sleep : schedule_against_falling_asleep {
  trace due;
  void before() {
    schedule_against_falling_asleep::before();
    jobs.awaited = 2;
    require(timers.schedule_once(10ms, traced_callable{due}).has_value(), "capacity");
    driver.poll_now();
  }
  void after() {
    schedule_against_falling_asleep::after();
    require(due.runs == 1, "the first job is lost");
  }
};

// A third thread polls, and may know of the timer before the driver does.
struct poll_for_a_sleeping_driver : schedule_against_falling_asleep {
  static constexpr unsigned threads = 3;
  void thread(unsigned index) {
    if (index == 2) return driver.poll_now();
    schedule_against_falling_asleep::thread(index);
  }
};

// spec: K3
TEST(timer_driver_model, a_driver_that_is_to_end_does_not_sleep) {
  EXPECT_TRUE(passes(explore<end_against_falling_asleep>(preemptions(3))));
}

// spec: T8 K3
TEST(timer_driver_model, a_timer_reaches_a_driver_that_falls_asleep) {
  EXPECT_TRUE(passes(explore<schedule_against_falling_asleep>(preemptions(3))));
}

// spec: T8 K3
TEST(timer_driver_model, a_timer_reaches_a_driver_that_plans_a_longer_sleep) {
  EXPECT_TRUE(passes(explore<schedule_against_a_longer_sleep>(preemptions(3))));
}

// spec: T8 K3
TEST(timer_driver_model, a_timer_that_another_thread_finds_first_wakes_the_driver) {
  EXPECT_TRUE(passes(explore<poll_for_a_sleeping_driver>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
