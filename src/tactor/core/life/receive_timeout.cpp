// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/receive_timeout.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include <chrono>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Starts the timeout again. Returns: false if there is no timer for it.
bool restart_timeout(system_services& services, cell& c, std::uint64_t now_ns) noexcept {
  receive_timeout_times& receive_timeout_state = c.parts->receive_timeout_state;
  c.active = false;
  receive_timeout_state.active_ns = now_ns;
  c.parts->timeout_paused = false;
  const std::uint64_t when_ns =
      later(now_ns, std::chrono::nanoseconds{receive_timeout_state.timeout_ns});
  return c.parts->deadlines.set(services, c, deadline_of::receive_timeout, when_ns, now_ns);
}

}  // namespace

std::expected<void, scheduler_error> set_receive_timeout(thread_record& here, cell& c,
                                                         duration timeout) noexcept {
  if (program_features().receive_timeouts == nullptr)
    return std::unexpected{scheduler_error::capacity_exceeded};
  system_services& services = *here.services;
  if (!deadline_after(timer_instant{}, timeout, services.timers().config().timing.resolution))
    return std::unexpected{scheduler_error::invalid_delay};
  actor_parts* const parts = parts_of(here, c);
  if (parts == nullptr) return std::unexpected{scheduler_error::capacity_exceeded};
  const receive_timeout_times before = parts->receive_timeout_state;
  const bool was_paused = parts->timeout_paused;
  const bool was_active = c.active;
  parts->receive_timeout_state.timeout_ns = static_cast<std::uint64_t>(timeout.nanoseconds());
  if (!restart_timeout(services, c, services.now_ns())) {
    parts->receive_timeout_state = before;
    parts->timeout_paused = was_paused;
    c.active = was_active;
    return std::unexpected{scheduler_error::capacity_exceeded};
  }
  c.wanted.has_receive_timeout = true;
  if (c.reasons.has_more_than_failure()) pause_receive_timeout(c);
  return {};
}

void cancel_receive_timeout(cell& c) noexcept {
  if (!c.extended) return;
  c.parts->deadlines.cancel(deadline_of::receive_timeout);
  c.wanted.has_receive_timeout = false;
}

void note_activity(system_services& services, cell& c) noexcept {
  if (!c.active) return;
  c.active = false;
  c.parts->receive_timeout_state.active_ns = services.now_ns();
}

std::optional<duration> check_receive_timeout(system_services& services, cell& c,
                                              std::uint64_t now_ns) noexcept {
  if (!c.wanted.has_receive_timeout) return std::nullopt;
  receive_timeout_times& receive_timeout_state = c.parts->receive_timeout_state;
  if (c.active) {
    c.active = false;
    receive_timeout_state.active_ns = now_ns;
  }
  const std::uint64_t idle_ns = now_ns - receive_timeout_state.active_ns;
  if (idle_ns < receive_timeout_state.timeout_ns) {
    const std::uint64_t when_ns =
        receive_timeout_state.active_ns + receive_timeout_state.timeout_ns;
    (void)c.parts->deadlines.set(services, c, deadline_of::receive_timeout, when_ns, now_ns);
    return std::nullopt;
  }
  return duration{std::chrono::nanoseconds{receive_timeout_state.timeout_ns}};
}

void repeat_receive_timeout(system_services& services, cell& c) noexcept {
  if (!c.wanted.has_receive_timeout || c.parts->timeout_paused ||
      c.parts->deadlines.is_set(deadline_of::receive_timeout))
    return;
  (void)restart_timeout(services, c, services.now_ns());
}

void defer_receive_timeout(cell& c) noexcept {
  if (c.wanted.has_receive_timeout) c.parts->timeout_deferred = true;
}

void pause_receive_timeout(cell& c) noexcept {
  if (!c.wanted.has_receive_timeout) return;
  c.parts->timeout_paused = true;
  c.parts->timeout_deferred = false;
  c.parts->deadlines.cancel(deadline_of::receive_timeout);
}

void restart_receive_timeout(system_services& services, cell& c) noexcept {
  const std::uint64_t now_ns = services.now_ns();
  if (c.parts->timeout_paused) (void)restart_timeout(services, c, now_ns);
  if (std::exchange(c.parts->timeout_deferred, false))
    (void)c.parts->deadlines.set(services, c, deadline_of::receive_timeout, now_ns, now_ns);
}

}  // namespace tactor::inline v0::internal
