// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/callable_pool.hpp"

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/timers/closing_deadline.hpp"
#include "tactor/host/timers/shared_job_queue.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tactor::inline v0::internal {

struct callable_pool::core {
  void run(std::size_t number) noexcept {
    set_up_thread("call", static_cast<std::uint32_t>(number));
    while (timer_job* const job = jobs.wait())
      job->run();
    const std::scoped_lock lock{mutex};
    --running;
    changed.notify_all();
  }

  void end_what_is_left() noexcept {
    while (timer_job* const job = jobs.try_pop())
      end_without_running(*job);
  }

  shared_job_queue<timer_job, std::mutex, std::condition_variable> jobs;

  std::mutex mutex;
  std::condition_variable changed;  // a thread has ended
  // protected by mutex
  std::size_t running = 0;
  bool stopping = false;
  closing_deadline until;
};

callable_pool::callable_pool(std::size_t threads, const void* owner)
    : core_(std::make_shared<core>()) {
  threads_.reserve(threads);
  try {
    for (std::size_t number = 0; number < threads; ++number) {
      {
        const std::scoped_lock lock{core_->mutex};
        ++core_->running;
      }
      threads_.emplace_back([shared = core_, number, owner] {
        const thread_mark mark{owner};
        shared->run(number);
      });
    }
  } catch (...) {
    {
      const std::scoped_lock lock{core_->mutex};
      --core_->running;
    }
    (void)stop(std::chrono::steady_clock::time_point::max());
    wait_for_late_callables();
    throw;
  }
}

callable_pool::~callable_pool() {
  (void)stop(std::chrono::steady_clock::time_point::max());
  wait_for_late_callables();
}

void callable_pool::dispatch(timer_job& job) noexcept {
  if (core_->jobs.push(job)) core_->jobs.wake_one();
  if (core_->jobs.is_over()) core_->end_what_is_left();  // `stop` may not have found it
}

std::size_t callable_pool::sleeping() const noexcept {
  return core_->jobs.sleeping();
}

std::size_t callable_pool::stop(std::chrono::steady_clock::time_point until) noexcept {
  std::size_t late = 0;
  {
    std::unique_lock lock{core_->mutex};
    if (std::exchange(core_->stopping, true)) return 0;
    core_->jobs.drain();
    core_->until.begin(until);
    (void)core_->until.wait(core_->changed, lock, [this] { return core_->running == 0; });
    core_->jobs.shut();
    late = core_->running;
  }
  core_->jobs.end();
  core_->end_what_is_left();
  return late;
}

void callable_pool::end_sooner(std::chrono::steady_clock::time_point until) noexcept {
  const std::scoped_lock lock{core_->mutex};
  core_->until.bring_forward(until);
  core_->changed.notify_all();
}

void callable_pool::wait_for_late_callables() noexcept {
  join_others(threads_);
}

void end_without_running(timer_job& job, post_result why) noexcept {
  thread_local timer_job* ending = nullptr;
  if (ending == &job) {
    job.run();
    return;
  }
  timer_job* const outer = std::exchange(ending, &job);
  job.discard(why);
  ending = outer;
}

}  // namespace tactor::inline v0::internal
