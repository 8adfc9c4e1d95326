// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/shared_job_queue.hpp"

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>

// The queue of the callable pool: a thread that falls asleep, and a thread that pushes a job.
namespace tactor::model {

using namespace tactor::internal;

namespace {

struct job : mpsc_queue_node<job> {};

// Wakes the thread that has waited longest, and no thread that only will wait. Exchanges and no
// loads: they read the newest value.
class condition {
public:
  template <class Lock>
  void wait(Lock& lock) {
    const unsigned mine = waiting_.fetch_add(1, relaxed);  // relaxed: the mutex orders it
    lock.unlock();
    while (woken_.fetch_add(0, relaxed) <= mine)  // relaxed: see above
      port::cpu_relax();
    lock.lock();
  }
  void notify_one() noexcept {
    const unsigned waiting = waiting_.fetch_add(0, relaxed);  // relaxed: see above
    unsigned woken = woken_.fetch_add(0, relaxed);            // relaxed: see above
    while (woken < waiting) {
      if (woken_.compare_exchange(woken, woken + 1, relaxed)) return;  // relaxed: see above
    }
  }

private:
  port::atomic<unsigned> waiting_;  // threads that have ever waited
  port::atomic<unsigned> woken_;
};

template <unsigned Jobs>
struct push_against_falling_asleep {
  static constexpr unsigned threads = Jobs + 1;
  shared_job_queue<job, port::mutex, condition> queue;
  std::array<job, Jobs> jobs;
  std::array<job*, Jobs> got{};

  void thread(unsigned index) {
    if (index < Jobs) {
      got[index] = queue.wait();
      return;
    }
    bool wakes = false;
    for (job& each : jobs)
      wakes = queue.push(each) || wakes;
    if (wakes) queue.wake_one();
  }
  void after() {
    for (const job* each : got)
      require(each != nullptr, "a thread came back without a job");
    require(Jobs == 1 || got[0] != got[Jobs - 1], "a job was given out twice");
  }
};

// A job is pushed while the pool ends: one of the two threads finds it.
struct push_against_the_end {
  static constexpr unsigned threads = 2;
  shared_job_queue<job, port::mutex, condition> queue;
  job late;
  std::array<unsigned, 2> ended{};

  void end_what_is_left(unsigned index) {
    while (queue.try_pop() != nullptr)
      ++ended[index];
  }
  void thread(unsigned index) {
    if (index == 0) {
      if (queue.push(late)) queue.wake_one();
      if (queue.is_over()) end_what_is_left(index);
    } else {
      queue.shut();
      queue.end();
      end_what_is_left(index);
    }
  }
  void after() { require(ended[0] + ended[1] == 1, "a job is left, or ended twice"); }
};

// spec: S12 K3
TEST(shared_job_queue_model, no_job_is_left_when_the_pool_ends) {
  EXPECT_TRUE(passes(explore<push_against_the_end>()));
}

// spec: S8 K3
TEST(shared_job_queue_model, a_thread_never_sleeps_while_a_job_waits) {
  EXPECT_TRUE(passes(explore<push_against_falling_asleep<1>>()));
}

// spec: S8 K3
TEST(shared_job_queue_model, a_batch_that_wakes_one_thread_gets_a_thread_for_each_job) {
  EXPECT_TRUE(passes(explore<push_against_falling_asleep<2>>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
