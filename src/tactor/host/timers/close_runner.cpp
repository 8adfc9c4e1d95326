// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/close_runner.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/timers/closing_deadline.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

using clock = std::chrono::steady_clock;

}  // namespace

struct close_runner::core {
  /// Runs tasks until none is left, or until another thread has taken over.
  void run(scheduler& closed, const std::thread* myself) noexcept {
    std::optional<close_task> task;
    while (begin(task, closed, myself)) {
      const run_result said = task->run();
      if (!end(*task, said, closed, myself)) return;
    }
  }

  /// Returns: whether there is a task to run, in `task`.
  bool begin(std::optional<close_task>& task, scheduler& closed, const std::thread* myself) {
    std::unique_lock lock{mutex};
    if (current != myself) return false;
    taking = true;
    lock.unlock();  // tasks are moved and destroyed without the lock: that is user code
    task = first ? std::exchange(first, std::nullopt) : closed.next_close_task();
    lock.lock();
    taking = false;
    running = task ? &*task : nullptr;
    done = !task;
    changed.notify_all();
    return !done;
  }
  /// Returns: false if the task was late, and is counted.
  bool end(const close_task& task, run_result said, scheduler& closed, const std::thread* myself) {
    const std::scoped_lock lock{mutex};
    if (current != myself) return false;
    running = nullptr;
    ++(said ? counts.run : counts.failed);
    if (!said) closed.report_failed(task);
    return true;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<close_task>
      first;  // of the thread that takes a task; before and after, of the owner
  // protected by mutex
  bool taking = false;                   // the current thread takes a task
  const std::thread* current = nullptr;  // the thread that may begin tasks
  const close_task* running = nullptr;   // valid while its thread does not have the mutex
  bool done = false;                     // no task is left
  closing_deadline until;
  close_counts counts;
};

close_runner::close_runner() : core_(std::make_shared<core>()) {}

close_counts close_runner::run(scheduler& closed, clock::time_point until,
                               const void* owner) noexcept {
  core_->first = closed.next_close_task();
  if (!core_->first) return {};
  std::unique_lock lock{core_->mutex};
  core_->until.begin(until);
  for (std::thread& each : threads_) {
    core_->current = &each;
    try {
      each = std::thread{[shared = core_, &closed, owner, myself = &each] {
        const thread_mark mark{owner};
        set_up_thread("close");
        shared->run(closed, myself);
      }};
    } catch (const std::exception&) {
      break;  // the system cannot start a thread: no task runs
    }
    if (core_->until.wait(core_->changed, lock, [this] { return core_->done; })) break;
    core_->changed.wait(lock, [this] { return !core_->taking; });
    core_->until.extend();
    if (core_->running == nullptr) continue;
    ++core_->counts.late;
    closed.report_failed(*core_->running);
    core_->running = nullptr;  // counted
  }
  core_->current = nullptr;
  close_counts counts = core_->counts;
  lock.unlock();
  if (const auto first = std::exchange(core_->first, std::nullopt)) {
    closed.give_up(*first);
    ++counts.late;
  }
  counts.late += closed.give_up_close_tasks();
  return counts;
}

void close_runner::end_sooner(clock::time_point until) noexcept {
  const std::scoped_lock lock{core_->mutex};
  core_->until.bring_forward(until);
  core_->changed.notify_all();
}

void close_runner::wait_for_late_tasks() noexcept {
  join_others(threads_);
}

clock::time_point moment_after(duration deadline) {
  constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365};
  const auto wanted = std::chrono::nanoseconds{deadline.nanoseconds()};
  return clock::now() + std::clamp(wanted, std::chrono::nanoseconds{0}, longest);
}

}  // namespace tactor::inline v0::internal
