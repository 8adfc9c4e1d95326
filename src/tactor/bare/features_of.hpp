// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/handler.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"

namespace tactor::inline v0::bare::internal {

/// Returns the address of `row` if the program needs it, null otherwise.
template <class Row>
[[nodiscard]] consteval const Row* row_if(bool needed, const Row& row) noexcept {
  return needed ? &row : nullptr;
}

/// Returns the features that a size names.
[[nodiscard]] consteval features features_of(const system_size& size) noexcept {
  const bool deadlines = runtime_timers_of(size) > 0;
  const bool timers = size.timers > 0 || deadlines;
  const bool reports = size.log || size.reports;
  const bool supervises = size.supervised > 0;
  const bool limits = size.bounded || size.outboxes || size.drop_oldest + size.prioritized > 0;
  const bool suspends = size.suspended + size.signalled + size.suspension_commands > 0 ||
                        size.outboxes || size.coroutines || size.middleware;
  const bool options = limits || supervises || size.priorities > 1 || size.middleware;
  return {.asks = row_if(size.asks > 0 || size.coroutines, ask_feature),
          .coroutines = row_if(size.coroutines, coroutine_feature),
          .deadlines = row_if(deadlines, deadline_feature),
          .events = row_if(size.events || size.reports, event_feature),
          .limits = row_if(limits, limit_feature),
          .middleware = row_if(size.middleware, middleware_feature),
          .names = row_if(size.name > 0, name_feature),
          .outboxes = row_if(size.outboxes, outbox_feature),
          .own_timers = row_if(supervises, own_timer_feature),
          .periodic = row_if(size.timers > 0 && size.periodic > 0, periodic_feature),
          .receive_timeouts = row_if(size.receive_timeouts > 0, receive_timeout_feature),
          .reports = row_if(reports, report_feature),
          .scheduling = row_if(timers, scheduler_feature),
          .spawn_middleware = row_if(size.middleware, spawn_middleware_feature),
          .spawn_options = row_if(options, spawn_option_feature),
          .stash = row_if(size.stash, stash_feature),
          .supervision = row_if(supervises, supervision_feature),
          .suspension = row_if(suspends, suspension_feature),
          .timer_reports = row_if(timers && reports, timer_report_feature),
          .timers = row_if(timers, timer_feature),
          .watches = row_if(size.watches > 0, watch_feature)};
}

/// True if a handler of this actor is a coroutine.
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
