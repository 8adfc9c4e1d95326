// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/close_runner.hpp"

#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/host/os/thread_mark.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

using clock = std::chrono::steady_clock;

/// The tasks, shared with the threads that run them: a late thread still needs its task.
struct task_list {
  struct item {
    close_task task;
    std::optional<run_result> said;  // protected by mutex
  };

  /// Runs tasks from `first` on, until a task was late. Context: the thread that runs them.
  void run_from(std::size_t first) {
    for (std::size_t index = first; index < items.size(); ++index) {
      const run_result said = items[index].task.run();
      const std::scoped_lock lock{mutex};
      if (index < given_up) return;  // another thread runs the next tasks
      items[index].said = said;
      done.notify_all();
    }
  }

  /// Waits for a task. Returns: its result; nothing if it did not return until `until`.
  std::optional<run_result> wait_for(std::size_t index, clock::time_point until) {
    std::unique_lock lock{mutex};
    done.wait_until(lock, until, [&] { return items[index].said.has_value(); });
    if (!items[index].said) given_up = index + 1;
    return items[index].said;
  }

  std::vector<item> items;
  std::mutex mutex;
  std::condition_variable done;
  std::size_t given_up = 0;  // protected by mutex: results of tasks before it are ignored
};

/// Starts a thread that runs tasks. Returns: no thread if the system cannot start one.
std::thread start_thread(const std::shared_ptr<task_list>& tasks, std::size_t first,
                         const void* owner) {
  try {
    return std::thread{[tasks, first, owner] {
      const thread_mark mark{owner};
      set_up_thread("close");
      tasks->run_from(first);
    }};
  } catch (const std::system_error&) {
    return {};
  }
}

/// The result of the task; nothing if it was late: then its thread is detached.
std::optional<run_result> wait_for(task_list& tasks, std::size_t index, std::thread& runner,
                                   clock::time_point until) {
  if (!runner.joinable()) return std::nullopt;
  const auto said = tasks.wait_for(index, until);
  if (!said) runner.detach();
  return said;
}

void count(const std::optional<run_result>& said, close_counts& counts) {
  if (!said) {
    ++counts.late;
  } else {
    ++(*said ? counts.run : counts.failed);
  }
}

clock::time_point share_of(clock::time_point until, std::size_t tasks_left) {
  const clock::time_point now = clock::now();
  const auto left = std::max(until - now, clock::duration::zero());
  return now + left / static_cast<clock::rep>(tasks_left);
}

}  // namespace

close_counts run_close_tasks(scheduler& closed, clock::time_point until, const void* owner) {
  const auto tasks = std::make_shared<task_list>();
  while (auto next = closed.next_close_task())
    tasks->items.push_back({.task = std::move(*next), .said = std::nullopt});

  close_counts counts;
  std::thread runner;
  const std::size_t in_all = tasks->items.size();
  for (std::size_t index = 0; index < in_all; ++index) {
    if (!runner.joinable()) runner = start_thread(tasks, index, owner);
    const auto said = wait_for(*tasks, index, runner, share_of(until, in_all - index));
    count(said, counts);
    const bool fine = said && *said;
    if (!fine) closed.report_failed(tasks->items[index].task);
  }
  if (runner.joinable()) runner.join();
  return counts;
}

clock::time_point moment_after(duration deadline) {
  constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365};
  const auto wanted = std::chrono::nanoseconds{deadline.nanoseconds()};
  return clock::now() + std::clamp(wanted, std::chrono::nanoseconds{0}, longest);
}

}  // namespace tactor::inline v0::internal
