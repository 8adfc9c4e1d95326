// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/callable_pool.hpp"

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/host/os/thread_mark.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/timers/end_job.hpp"
#include "tactor/port/port.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// The batch that this thread dispatches, if any.
struct open_batch {
  const void* pool = nullptr;
  unsigned unannounced = 0;  // jobs since the last wake
};
thread_local open_batch batch;

constexpr unsigned most_unannounced = 64;

}  // namespace

struct callable_pool::core {
  void run(std::size_t number) noexcept {
    set_up_thread("call", static_cast<std::uint32_t>(number));
    while (timer_job* const job = wait_for_job())
      job->run();
    const std::scoped_lock lock{mutex};
    --running;
    changed.notify_all();
  }

  /// The next job; null when the pool has stopped and none is left.
  timer_job* wait_for_job() {
    std::unique_lock lock{mutex};
    while (true) {
      if (out_of_time) return nullptr;  // the thread that stops the pool ends the rest
      if (timer_job* const job = pop()) {
        const bool more = !ready.empty() || !inbox.empty();
        if (more && idle > 0) work.notify_one();  // each thread wakes the next
        return job;
      }
      if (stopping) return nullptr;
      // seq_cst: orders the count and the queue. This thread counts itself, then checks the queue; a
      // dispatching thread does it in reverse order, so one of the two sees the other.
      sleeping.store(++idle, seq_cst);  // pairs: pool.sleeping
      if (inbox.empty()) work.wait(lock);
      // seq_cst: see above.
      sleeping.store(--idle, seq_cst);  // pairs: pool.sleeping
    }
  }

  timer_job* pop() {
    if (ready.empty()) ready = inbox.take_all();
    return ready.pop();
  }

  void wake_one() noexcept {
    // seq_cst: the other half.
    if (sleeping.load(seq_cst) == 0) return;  // pairs: pool.sleeping
    // A thread counts itself under the lock and releases it only by sleeping.
    {
      const std::scoped_lock lock{mutex};
    }
    work.notify_one();
  }

  void end_what_is_left() noexcept {
    while (true) {
      timer_job* job = nullptr;
      {
        const std::scoped_lock lock{mutex};
        job = pop();
      }
      if (job == nullptr) return;
      end_without_running(*job);
    }
  }

  mpsc_queue<timer_job> inbox;
  // Written by: threads of the pool. Read by: dispatching threads. Publishes: nothing; seq_cst
  // against the inbox.
  port::atomic<std::uint32_t> sleeping;
  // Written by: stop. Read by: dispatching threads. Publishes: nothing; seq_cst against the inbox.
  port::atomic<bool> over;

  std::mutex mutex;
  std::condition_variable work;     // a job has arrived, or the pool stops
  std::condition_variable changed;  // a thread has ended
  // protected by mutex
  mpsc_chain<timer_job> ready;
  std::uint32_t idle = 0;
  std::size_t running = 0;
  bool stopping = false;
  bool out_of_time = false;  // no callable may begin
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
  bool wake = core_->inbox.push(job) == after_push::wake_consumer;
  if (batch.pool == this) {
    wake = ++batch.unannounced == most_unannounced;
    if (wake) batch.unannounced = 0;
  }
  if (wake) core_->wake_one();
  // seq_cst: orders `over` and the inbox; either `stop` finds the job, or this thread does.
  if (core_->over.load(seq_cst)) core_->end_what_is_left();  // pairs: pool.over
}

void callable_pool::begin_batch() noexcept {
  batch = {.pool = this};
}

void callable_pool::end_batch() noexcept {
  if (batch.unannounced > 0) core_->wake_one();
  batch = {};
}

std::size_t callable_pool::sleeping() const noexcept {
  return core_->sleeping.load(relaxed);  // relaxed: a number
}

std::size_t callable_pool::stop(std::chrono::steady_clock::time_point until) noexcept {
  std::size_t late = 0;
  {
    std::unique_lock lock{core_->mutex};
    if (std::exchange(core_->stopping, true)) return 0;
    core_->work.notify_all();
    const auto all_left = [this] { return core_->running == 0; };
    if (until == std::chrono::steady_clock::time_point::max()) {
      core_->changed.wait(lock, all_left);
    } else {
      core_->changed.wait_until(lock, until, all_left);
    }
    core_->out_of_time = true;
    late = core_->running;
  }
  // seq_cst: the other half.
  core_->over.store(true, seq_cst);  // pairs: pool.over
  core_->end_what_is_left();
  return late;
}

void callable_pool::wait_for_late_callables() noexcept {
  for (std::thread& each : threads_) {
    if (each.get_id() == std::this_thread::get_id()) {
      each.detach();
    } else if (each.joinable()) {
      each.join();
    }
  }
}

}  // namespace tactor::inline v0::internal
