// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/actor_system.hpp"

#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/answer_waiter.hpp"
#include "tactor/host/os/interrupt_wait.hpp"
#include "tactor/host/os/process_threads.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/running_system.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace panics {
inline constexpr port::panic_code never_settles{
    .module = 8,
    .id = 4,
    .advice = "a system with a manual clock does not become idle: an actor is always ready, or "
              "actors keep each "
              "other busy for ever; the lines above name actors that run"};
}  // namespace panics

namespace {

constexpr std::uint32_t most_workers = work_stealing_coordinator::most_workers;

std::uint32_t workers_of(const system_config& config) {
  if (config.workers != 0) return config.workers;
  return std::min(usable_processors(), most_workers);
}

/// Names the actors that run at this moment and ends the program. It returns if none runs.
void name_busy(const metrics_report& now) {
  for (const auto& each : now.handling)
    std::fprintf(stderr, "tactor: %s\n", each.actor.c_str());
  if (!now.handling.empty()) port::panic(panics::never_settles);
}

std::unexpected<start_error> refuse(const char* setting, std::int64_t value, const char* allowed) {
  return std::unexpected{start_error{.setting = setting, .value = value, .allowed = allowed}};
}

}  // namespace

std::expected<actor_system, start_error> actor_system::start(const system_config& config) {
  if (config.workers > most_workers)
    return refuse("workers", config.workers, "from 1 to 256, or 0 for one per processor");
  if (config.dispatchers.blocking_threads == 0 ||
      config.dispatchers.blocking_threads > most_workers) {
    return refuse("dispatchers.blocking_threads", config.dispatchers.blocking_threads,
                  "from 1 to 256");
  }
  if (process_threads::lost_by_fork())
    return refuse("forked", 1,
                  "0: a process that was forked from one with a running system has "
                  "none of its threads; fork before the start");
  try {
    auto memory = prepare_start(config);
    if (!memory) return std::unexpected{memory.error()};
    const auto system = std::make_shared<running>(config, workers_of(config), std::move(*memory));
    system->start();
    return actor_system{*system};
  } catch (const std::bad_alloc&) {
    return refuse("workers", workers_of(config), "as many as the system has memory for");
  } catch (const std::exception&) {
    return refuse("workers", workers_of(config), "as many as the system can start");
  }
}

actor_system::actor_system(running& owned) noexcept
    : system_interface({.core = &owned.core(),
                        .driver = &answer_waiter::of_program(),
                        .asks_by = thread_ask::clock::of_threads}),
      running_(&owned) {}

actor_system::actor_system(const system_config& config) {
  auto started = start(config);
  if (!started) refuse_to_start(started.error());
  *this = std::move(*started);
}

actor_system::actor_system(actor_system&& other) noexcept
    : system_interface(static_cast<system_interface&&>(other)),
      running_(std::exchange(other.running_, nullptr)) {}

actor_system& actor_system::operator=(actor_system&& other) noexcept {
  if (this == &other) return *this;
  end();  // first: its threads may use this object
  system_interface::operator=(static_cast<system_interface&&>(other));
  running_ = std::exchange(other.running_, nullptr);
  return *this;
}

void actor_system::end() noexcept {
  running* const owned = std::exchange(running_, nullptr);
  if (owned == nullptr) return;
  (void)owned->shutdown(moment_after(default_deadline));
  owned->let_go();
}

shutdown_report actor_system::shutdown(duration deadline) const {
  return running_->shutdown(moment_after(deadline));
}

void actor_system::force_stop() const noexcept {
  core().begin_stop();
}

void actor_system::stop_accepting() const noexcept {
  core().begin_drain();
}

int actor_system::wait_for_interrupt() const {
  return wait_for_signal([this] { return running_->has_stopped(); });
}

shutdown_report actor_system::run_until_interrupted(duration deadline) const {
  const int signal = wait_for_interrupt();
  shutdown_report report = shutdown(deadline);
  report.signal = signal;
  return report;
}

metrics_report actor_system::full_metrics() const {
  return running_->full_report();
}
std::expected<void, resize_error> actor_system::resize(std::uint32_t workers) const {
  return running_->resize(workers);
}
std::expected<void, resize_error> actor_system::adapt(const adaptive_workers& how) const {
  return running_->adapt(how);
}
worker_counts actor_system::workers() const noexcept {
  return running_->workers();
}

void actor_system::send_metrics_to(metrics_sink* to) const noexcept {
  running_->history().send_to(to);
}

recorded_metrics actor_system::metrics_history() const {
  return running_->history().recorded();
}

job_dispatcher& actor_system::callables(dispatcher where) const noexcept {
  return running_->callables(where);
}
void actor_system::poll_now() const noexcept {
  running_->driver().poll_now();
}
std::optional<timer_instant> actor_system::next_poll() const noexcept {
  scheduler& all = timers();
  const auto next = running_->driver().exclusively([&] { return all.find_next_deadline(); });
  if (!next) return std::nullopt;
  const auto tick_ns = all.config().timing.resolution.nanoseconds();
  return timer_instant{.ticks = next->count, .resolution_ns = static_cast<std::uint32_t>(tick_ns)};
}
void actor_system::settle(std::uint64_t most_messages) const noexcept {
  const auto handled = [this] { return running_->turns() + metrics().messages_handled; };
  const std::uint64_t before = handled();
  while (!running_->is_idle()) {
    if (handled() - before > most_messages) name_busy(running_->full_report());
    std::this_thread::yield();
  }
}

}  // namespace tactor::inline v0
