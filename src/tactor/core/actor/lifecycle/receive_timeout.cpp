// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"

#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/reply_slot.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/timer_instant.hpp"

#include <chrono>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// The time starts anew. Returns: false if there is no timer for it.
bool start_anew(actor_home& home, cell& c, std::uint64_t now_ns) noexcept {
  idle_watch& idling = c.extras->idling;
  c.active = false;
  idling.active_ns = now_ns;
  c.extras->idling_paused = false;
  const std::uint64_t when_ns = later(now_ns, std::chrono::nanoseconds{idling.timeout_ns});
  return c.extras->deadlines.set(home, c, deadline_of::idling, when_ns, now_ns);
}

}  // namespace

std::expected<void, scheduler_error> set_receive_timeout(thread_record& here, cell& c,
                                                         duration timeout) noexcept {
  actor_home& home = *here.home;
  if (!deadline_after(timer_instant{}, timeout, home.timers().config().timing.resolution))
    return std::unexpected{scheduler_error::invalid_delay};
  actor_extras* const extras = extras_of(here, c);
  if (extras == nullptr) return std::unexpected{scheduler_error::capacity_exceeded};
  const idle_watch before = extras->idling;
  const bool was_paused = extras->idling_paused;
  const bool was_active = c.active;
  extras->idling.timeout_ns = static_cast<std::uint64_t>(timeout.nanoseconds());
  if (!start_anew(home, c, home.now_ns())) {
    extras->idling = before;
    extras->idling_paused = was_paused;
    c.active = was_active;
    return std::unexpected{scheduler_error::capacity_exceeded};
  }
  c.wanted.note_activity = true;
  if (c.reasons.has_more_than_failure()) pause_idling(c);
  return {};
}

void cancel_receive_timeout(cell& c) noexcept {
  if (!c.extended) return;
  c.extras->deadlines.cancel(deadline_of::idling);
  c.wanted.note_activity = false;
}

void note_activity(actor_home& home, cell& c) noexcept {
  if (!c.active) return;
  c.active = false;
  c.extras->idling.active_ns = home.now_ns();
}

std::optional<duration> look_at_idling(actor_home& home, cell& c, std::uint64_t now_ns) noexcept {
  if (!c.wanted.note_activity) return std::nullopt;
  idle_watch& idling = c.extras->idling;
  if (c.active) {
    c.active = false;
    idling.active_ns = now_ns;
  }
  const std::uint64_t idle_ns = now_ns - idling.active_ns;
  if (idle_ns < idling.timeout_ns) {
    const std::uint64_t when_ns = idling.active_ns + idling.timeout_ns;
    (void)c.extras->deadlines.set(home, c, deadline_of::idling, when_ns, now_ns);
    return std::nullopt;
  }
  (void)start_anew(home, c, now_ns);
  return duration{std::chrono::nanoseconds{idling.timeout_ns}};
}

void defer_idling(cell& c) noexcept {
  if (c.wanted.note_activity) c.extras->idling_deferred = true;
}

void pause_idling(cell& c) noexcept {
  if (!c.wanted.note_activity) return;
  c.extras->idling_paused = true;
  c.extras->idling_deferred = false;
  c.extras->deadlines.cancel(deadline_of::idling);
}

void go_on_idling(actor_home& home, cell& c) noexcept {
  if (!c.wanted.note_activity) return;
  const std::uint64_t now_ns = home.now_ns();
  if (c.extras->idling_paused) (void)start_anew(home, c, now_ns);
  if (std::exchange(c.extras->idling_deferred, false))
    (void)c.extras->deadlines.set(home, c, deadline_of::idling, now_ns, now_ns);
}

}  // namespace tactor::inline v0::internal
