// SPDX-License-Identifier: BSL-1.0
// A system as it runs: its start, its figures, the number of its workers.
#include "tactor/host/running_system.hpp"

#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/host/metrics/actor_series.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/os/interrupt_wait.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/workers/worker_decision.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::inline v0 {

void actor_system::running::start() {
  const std::shared_ptr<running> self = shared_from_this();
  self_ = self;
  try {
    if (!core_.usable()) throw std::bad_alloc{};
    const auto& blocked_after = core_.config().dispatch.blocked_after;
    const bool realtime = clock_.kind() == clock_kind::realtime;
    if (realtime && blocked_after) {
      workers_.watch_with(watch_);
      watch_.start(*blocked_after);
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
    workers_.start(core_, hub_, self, internal::signal_mask(),
                   core_.config().dispatchers.pin_workers);
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
  if (all.level >= metrics_level::actor) internal::add_actors(all, core_, waiting_);
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
  internal::name_handlers(to, core_);
}

std::expected<void, resize_error> actor_system::running::resize(std::uint32_t workers) {
  if (const auto wrong = refuses(workers)) return std::unexpected{*wrong};
  const std::scoped_lock alone{resizing_};
  adaptive_.reset();
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
    adaptive_ = how;
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
  if (!adaptive_ || is_closing()) return std::nullopt;
  const adaptive_workers& how = *adaptive_;
  const std::chrono::nanoseconds every{how.every.nanoseconds()};
  const time_point now = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds interval = now - sampled_;
  if (interval < every) return every - interval;
  sampled_ = now;
  const std::uint64_t turns = workers_.turns();
  const std::uint64_t done = turns - std::exchange(turns_seen_, turns);
  const std::uint64_t queued = workers_.coordinator().usage().cells;
  const std::uint64_t wait_ns =
      internal::expected_wait_ns(queued, done, static_cast<std::uint64_t>(interval.count()));
  const internal::pool_decision what = internal::decide_workers(
      {.workers = workers_.wanted(), .queued = queued, .wait_ns = wait_ns, .quiet = quiet_}, how);
  quiet_ = what.quiet;
  if (what.workers != workers_.wanted()) (void)change_workers(what.workers);
  if (workers_wake_it && what.workers == how.least && workers_.is_idle()) return std::nullopt;
  return every;
}

}  // namespace tactor::inline v0
