// SPDX-License-Identifier: BSL-1.0
// The end of a system.
#include "tactor/core/system/loop/orderly_end.hpp"
#include "tactor/host/os/thread_mark.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/running_system.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/closing_deadline.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

namespace tactor::inline v0 {

shutdown_report actor_system::running::shutdown(time_point until) {
  if (!threads_.exist()) return lost_by_fork();
  const bool from_inside = is_inside();
  if (begin(until)) {
    {
      const std::scoped_lock resize_is_over{resizing_};
    }
    core_.begin_drain();
    if (!from_inside || !finish_elsewhere()) finish();
  } else if (!from_inside) {
    end_sooner(until);
  }
  std::unique_lock lock{mutex_};
  if (!from_inside) changed_.wait(lock, [this] { return phase_ == phase::over; });
  return report_;
}

bool actor_system::running::finish_elsewhere() {
  try {
    std::thread{[self = shared_from_this()] {
      internal::set_up_thread("end");
      self->finish();
    }}.detach();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void actor_system::running::end_sooner(time_point until) noexcept {
  {
    const std::scoped_lock lock{mutex_};
    if (until >= until_) return;
    until_ = until;
    changed_.notify_all();
  }
  closing_.end_sooner(until);
}

void actor_system::running::finish() noexcept {
  const internal::thread_mark mark{this};  // the log, hooks and destructors may shut down
  const bool in_time = wait_until_stopped(until_);
  if (!in_time) {
    report_late_actors();
    core_.begin_stop();
    if (!wait_until_stopped(std::chrono::steady_clock::now() + internal::time_to_leave)) {
      const std::scoped_lock lock{mutex_};
      report_.left = core_.live();
    }
  }
  close_timers();
  end_threads();
  const std::scoped_lock lock{mutex_};
  report_.complete = in_time;
  report_.cause = core_.cause();
  report_.took = std::chrono::nanoseconds{std::chrono::steady_clock::now() - began_};
  phase_ = phase::over;
  changed_.notify_all();
}

bool actor_system::running::wait_until_stopped(const time_point& until) noexcept {
  std::chrono::milliseconds pause{1};
  while (true) {
    const time_point now = std::chrono::steady_clock::now();
    sample_all(now);
    std::unique_lock lock{mutex_};
    const time_point known = until;
    (void)changed_.wait_until(lock, std::min(known, now + pause),
                              [&] { return stopped_ || until < known; });
    if (stopped_) return true;
    if (now >= until) return false;
    pause = std::min(2 * pause, std::chrono::milliseconds{100});
  }
}

void actor_system::running::sample_all(time_point now) noexcept {
  workers_.sample(now);
  dispatchers_.for_each([&](internal::worker_threads& each) { each.sample(now); });
}

void actor_system::running::report_busy() noexcept {
  struct busy {
    internal::worker_activity in;
    time_point since;
  };
  std::array<busy, shutdown_report::most_late> late{};
  std::size_t found = 0;
  const time_point now = std::chrono::steady_clock::now();
  const auto find_in = [&](const internal::worker_threads& group) {
    group.samples().for_each_at(now, [&](const internal::worker_activity& in, time_point since) {
      if (found < late.size()) late[found++] = {.in = in, .since = since};
    });
  };
  sample_all(now);
  find_in(workers_);
  dispatchers_.for_each(find_in);
  for (const busy& each : std::span{late}.first(found)) {  // without a lock: the log is user code
    late_actor who{.path = {},
                   .message_type =
                       each.in.what == nullptr ? std::string_view{} : each.in.what->type.name,
                   .busy = std::chrono::nanoseconds{now - each.since}};
    core_.write_path(who.path, each.in.who);
    core_.report_late(who.path.view(), who.message_type, who.busy);
    add_to_report(who);
  }
}

void actor_system::running::report_suspended() noexcept {
  std::array<mailbox_index, shutdown_report::most_late> suspended{};
  const std::size_t count = core_.find_suspended(suspended);
  shutdown_report found;
  internal::report_suspended(core_, std::span{suspended}.first(count),
                             found);  // without a lock, too
  for (const late_actor& each : found.late())
    add_to_report(each);
}

void actor_system::running::close_timers() noexcept {
  (void)driver_.close();
  const time_point enough =
      std::max(deadline(), std::chrono::steady_clock::now() + internal::time_to_leave);
  const internal::close_counts counts = closing_.run(timers_, enough, this);
  driver_.stop();
  const std::scoped_lock lock{mutex_};
  report_.tasks_run = counts.run;
  report_.tasks_failed = counts.failed;
  report_.tasks_late = counts.late;
}

void actor_system::running::end_threads() noexcept {
  const time_point soon = std::chrono::steady_clock::now() + internal::time_to_leave;
  workers_.shut_down();
  (void)workers_.join(soon);
  (void)dispatchers_.close(soon);
  driver_.poll_now();  // removes the jobs that ended last
  (void)reporter_.stop(std::chrono::steady_clock::now() + internal::time_to_leave);
}

void actor_system::running::run_what_is_left() noexcept {
  bool some = true;
  while (some || core_.now_in() != internal::system_core::phase::stopped) {
    if (!some) std::this_thread::yield();
    some = workers_.run_what_is_left(core_);
    dispatchers_.for_each_closed(
        [&](internal::worker_threads& each) { some = each.run_what_is_left(core_) || some; });
  }
  driver_.poll_now();  // removes the jobs that ended last
}

}  // namespace tactor::inline v0
