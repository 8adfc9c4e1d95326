// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/running_system.hpp"

#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/host/metrics/actor_series.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/os/interrupt_wait.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/closing_deadline.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"
#include "tactor/host/workers/pool_sizer.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tactor::inline v0 {

void actor_system::running::start() {
  const std::shared_ptr<running> self = shared_from_this();
  self_ = self;
  try {
    if (!core_.usable()) throw std::bad_alloc{};
    const bool realtime = clock_.kind() == clock_kind::realtime;
    if (realtime && blocked_after_) {
      workers_.watch_with(watch_);
      watch_.start(*blocked_after_);
    }
    hub_.traces = &traces_;
    dispatchers_.open(core_, hub_, self);
    const auto report = [this] {
      core_.report_timer_warnings();
      const wait_time next_sample = watch_.sample(core_);
      const wait_time again = sooner(next_sample, adapt_now(!next_sample));
      if (core_.hub().level() != metrics_level::off)
        history_.poll(core_.now_ns(), [this] { return full_report(); });
      return again;
    };
    reporter_.start(timers_.events(), report, self, this);
    if (realtime) driver_.start(this);
    // Last: they are still awake when the first message comes.
    workers_.start(core_, hub_, self, internal::signal_mask(), pin_workers_);
  } catch (...) {
    (void)shutdown(std::chrono::steady_clock::now());
    self_.reset();
    throw;
  }
}

void actor_system::running::all_stopped() noexcept {
  {
    const std::scoped_lock lock{mutex_};
    stopped_ = true;
    changed_.notify_all();
  }
  internal::end_signal_wait();
}

metrics_report actor_system::running::report() {
  metrics_report all{
      .time_ns = core_.now_ns(), .level = core_.hub().level(), .sums = core_.metrics()};
  if (all.level != metrics_level::off) hub_.add_to(all, all.time_ns);
  if (all.level >= metrics_level::actor) internal::add_actors(all, core_);
  return all;
}

void actor_system::running::add_handling(metrics_report& to) {
  std::uint32_t number = 0;
  const auto add = [&](const internal::worker_threads& group) {
    for (std::size_t i = 0; i < group.size(); ++i, ++number) {
      const internal::worker_activity in = group.activity(i);
      if (in.who.generation == 0) continue;
      to.handling.push_back(
          {.actor = std::string{core_.path_for_log(in.who).view()},
           .message = in.what == nullptr ? std::string_view{} : in.what->type.name,
           .turn = in.turn,
           .worker = number,
           .on_pool = &group == &workers_});
    }
  };
  add(workers_);
  dispatchers_.for_each(add);
}

std::expected<void, resize_error> actor_system::running::resize(std::uint32_t workers) {
  if (const auto wrong = refuses(workers)) return std::unexpected{*wrong};
  const std::scoped_lock alone{resizing_};
  sizer_.reset();
  return change_workers(workers);
}

std::expected<void, resize_error> actor_system::running::adapt(const adaptive_workers& how) {
  for (const std::uint32_t each : {how.least, how.most})
    if (const auto wrong = refuses(each)) return std::unexpected{*wrong};
  if (how.least > how.most || how.every <= duration{} || how.long_wait <= duration{})
    return std::unexpected{resize_error::no_range};
  {
    const std::scoped_lock alone{resizing_};
    if (is_closing()) return std::unexpected{resize_error::stopping};
    if (clock_.kind() != clock_kind::realtime) return {};
    sizer_.emplace(how);
    workers_.watch_with(watch_);
  }
  reporter_.signal().raise();  // also if it waits for the next look at a handler
  return {};
}

std::optional<resize_error> actor_system::running::refuses(std::uint32_t workers) const noexcept {
  if (workers == 0) return resize_error::zero_workers;
  if (workers > workers_.most()) return resize_error::too_many;
  return std::nullopt;
}

std::expected<void, resize_error> actor_system::running::change_workers(std::uint32_t workers) {
  if (is_closing() || !threads_.exist()) return std::unexpected{resize_error::stopping};
  if (!workers_.resize(workers, shared_from_this()))
    return std::unexpected{resize_error::no_threads};
  return {};
}

auto actor_system::running::adapt_now(bool workers_wake_it) noexcept -> wait_time {
  const std::scoped_lock alone{resizing_};
  if (!sizer_ || is_closing()) return std::nullopt;
  const std::uint64_t now_ns = core_.now_ns();
  const auto advice = sizer_->look(workers_.coordinator(), workers_.wanted(), now_ns);
  if (advice.workers != workers_.wanted()) (void)change_workers(advice.workers);
  if (workers_wake_it && advice.workers == sizer_->least() && workers_.is_idle())
    return std::nullopt;
  return std::chrono::nanoseconds{advice.next_ns - now_ns};
}

// The shutdown.

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
    (void)wait_until_stopped(std::chrono::steady_clock::now() + internal::time_to_leave);
  }
  close_timers();
  end_threads();
  const std::size_t left = core_.live();       // first: if none is left, the balance is final
  if (left == 0) core_.end_asks_of_threads();  // otherwise those may still answer
  const message_balance messages =
      internal::report_messages(core_, reports_);  // without a lock, too
  const std::scoped_lock lock{mutex_};
  report_.complete = in_time;
  report_.left = left;
  report_.messages = messages;
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
  using internal::busy_worker_sampler;
  std::array<busy_worker_sampler::sighting, shutdown_report::most_late> late{};
  std::size_t count = 0;
  const time_point now = std::chrono::steady_clock::now();
  const auto find_in = [&](internal::worker_threads& group) {
    group.samples().for_each_at(now, [&](const busy_worker_sampler::sighting& seen) {
      if (count < late.size()) late[count++] = seen;
    });
  };
  sample_all(now);
  find_in(workers_);
  dispatchers_.for_each(find_in);
  for (const auto& each : std::span{late}.first(count)) {  // without a lock: the log is user code
    const internal::message_operations* const what = each.activity.what;
    late_actor who{.path = {},
                   .message_type = what == nullptr ? std::string_view{} : what->type.name,
                   .busy = std::chrono::nanoseconds{now - each.since}};
    core_.write_path(who.path, each.activity.who);
    reports_.out.late(who.path.view(), who.message_type, who.busy);
    add_to_report(who);
  }
}

void actor_system::running::report_suspended() noexcept {
  std::array<mailbox_index, shutdown_report::most_late> suspended{};
  const std::size_t count = internal::find_suspended(core_, suspended);
  shutdown_report fresh;
  internal::report_suspended(core_, std::span{suspended}.first(count),
                             fresh);  // without a lock, too
  for (const late_actor& each : fresh.late())
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
