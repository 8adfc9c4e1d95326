// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/handler.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"

namespace tactor::inline v0::bare::internal {

/// The features that a size names.
[[nodiscard]] consteval features features_of(const system_size& size) noexcept {
  const bool asks = size.asks > 0 || size.coroutines;
  const bool deadlines = runtime_timers_of(size) > 0;
  const bool timers = size.timers > 0 || deadlines;
  const bool suspends = size.suspended + size.signalled + size.suspension_commands > 0 ||
                        size.outboxes || size.coroutines || size.middleware;
  features named;
  if (asks) named.asks = &ask_feature;
  if (size.coroutines) named.coroutines = &coroutine_feature;
  if (deadlines) named.deadlines = &deadline_feature;
  if (size.events || size.reports) named.events = &event_feature;
  const bool limited = size.bounded || size.outboxes || size.drop_oldest + size.prioritized > 0;
  if (limited) named.limits = &limit_feature;
  if (size.middleware) named.middleware = &middleware_feature;
  if (size.name > 0) named.names = &name_feature;
  if (size.outboxes) named.outboxes = &outbox_feature;
  if (size.supervised > 0) named.own_timers = &own_timer_feature;
  if (size.timers > 0 && size.periodic > 0) named.periodic = &periodic_feature;
  if (size.receive_timeouts > 0) named.receive_timeouts = &receive_timeout_feature;
  if (size.log || size.reports) named.reports = &report_feature;
  if (size.middleware) named.spawn_middleware = &spawn_middleware_feature;
  if (limited || size.supervised > 0 || size.priorities > 1 || size.middleware)
    named.spawn_options = &spawn_option_feature;
  if (size.stash) named.stash = &stash_feature;
  if (size.supervised > 0) named.supervision = &supervision_feature;
  if (suspends) named.suspension = &suspension_feature;
  if (timers) named.scheduling = &scheduler_feature;
  if (timers && (size.log || size.reports)) named.timer_reports = &timer_report_feature;
  if (timers) named.timers = &timer_feature;
  if (size.watches > 0) named.watches = &watch_feature;
  return named;
}

/// Whether a handler of this actor is a coroutine.
template <class Actor, class Messages = typename Actor::message_types>
inline constexpr bool has_coroutine = false;
template <class Actor, class... Messages>
inline constexpr bool has_coroutine<Actor, message_list<Messages...>> =
    (task_traits<typename handler_of<Actor, Messages>::result>::is_task || ...);

/// One error for each feature that an actor shows in its handlers and the size does not name.
template <system_size Size, class Actor>
struct features_check {
  static constexpr bool coroutines = Size.coroutines || !has_coroutine<Actor>;
  static constexpr bool watches =
      !handles_notification<Actor, terminated>::value || Size.watches > 0;
  static constexpr bool receive_timeouts =
      !handles_notification<Actor, receive_timeout>::value || Size.receive_timeouts > 0;

  static_assert(coroutines, "a handler of this actor is a coroutine, which the size of the system "
                            "leaves out: bare::system<{.coroutines = true}>");
  static_assert(watches, "this actor handles `terminated`, but the size of the system has no "
                         "watches: bare::system<{.watches = 1}>");
  static_assert(receive_timeouts,
                "this actor handles `receive_timeout`, but the size of the system "
                "has none: bare::system<{.receive_timeouts = 1}>");
};

}  // namespace tactor::inline v0::bare::internal
