// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/scheduler.hpp"  // IWYU pragma: keep (callers of schedule_… need it)
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/timer_envelope.hpp"

#include <expected>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

/// Names the message that a periodic job sends: the message itself, or the result of a factory for
/// each batch.
template <class Given>
struct sent_by {
  using type = Given;
};
template <class Given>
  requires std::is_invocable_v<Given&, execution_batch>
struct sent_by<Given> {
  using type = std::invoke_result_t<Given&, execution_batch>;
};

/// Schedules a `Sent` to the actor `to`: `given`, or what it makes.
template <class Sent, class... Messages, class Given, class Options>
std::expected<cancellable, scheduler_error>
schedule_in_envelope(scheduler& timers, const timer_times& when, const actor_ref<Messages...>& to,
                     origin from, timer_place place, Given&& given, Options& options) {
  (void)message_check<actor_ref<Messages...>, Sent, is_among<Sent, Messages...>>{};
  timer_envelope* fresh = timer_envelope::make<Sent>(to, from, place);
  if (fresh == nullptr) {  // cancelled jobs may hold memory until the next poll
    timers.clear_away();
    fresh = timer_envelope::make<Sent>(to, from, place);
  }
  if (fresh == nullptr) return timers.refuse_without_memory(when);
  auto scheduled = timers.schedule_message(when, static_cast<held_sink&>(*fresh),
                                           std::forward<Given>(given), options);
  if (!scheduled) fresh->let_go();
  return scheduled;
}

}  // namespace internal

/// Timers: messages to actors, and callables. `Self` has `timers()` and `timer_owner()`, the actor
/// that schedules them, or null.
///
/// Messages reach the actor through its mailbox, after system messages, under its overflow
/// strategy; at `block_producer` as by `reject`. An actor's timer to itself has a place outside of
/// the capacity: no strategy refuses or evicts it; in a mailbox with `drop_oldest` it comes before
/// the others. Their sender is the actor that schedules them, or the actor that the options name.
/// `cancel` succeeds until the actor takes the message out.
///
/// Callables, and `on_cancelled` of both, run on the dispatcher of the actor that schedules them,
/// or on the dispatcher that the options name; see `actor_system::callables`. They run beside the
/// actor and not as one of its turns: they change its state by sending to it.
///
/// By its context an actor schedules timers that are its own: messages to itself, and callables. A
/// restart and a stop cancel them before its hooks run. `timers()` schedules callables that outlive
/// the actor. On a board whose `bare::system_size::supervised` is 0, no timer is an actor's own:
/// its messages to itself are not cancelled, and its callables are refused.
template <class Self>
class scheduling {
public:
  /// Calls `callable` once, after `delay`. It takes nothing or an `execution_batch`, and returns
  /// nothing or an `expected` whose error ends the job.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, Callable&& callable, once_options options = {}) const {
    return call_later({.mode = job_mode::once, .first = delay, .period = {}},
                      std::forward<Callable>(callable), options);
  }
  /// Calls `callable` at `initial` and then every `interval`, on a grid without drift.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, Callable&& callable,
                         periodic_options options = {}) const {
    return call_later({.mode = job_mode::fixed_rate, .first = initial, .period = interval},
                      std::forward<Callable>(callable), options);
  }
  /// Calls `callable` at `initial`, and again `delay` after each run has ended.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, Callable&& callable,
                            periodic_options options = {}) const {
    return call_later({.mode = job_mode::fixed_delay, .first = initial, .period = delay},
                      std::forward<Callable>(callable), options);
  }

  /// Sends `message` once, after `delay`.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, const actor_ref<Messages...>& to, Message message,
                once_options options = {}) const {
    return send_later<Message>({.mode = job_mode::once, .first = delay, .period = {}}, to,
                               std::move(message), options);
  }

  /// Sends a copy of `message`, or its result for the `execution_batch` if it is a factory, at
  /// `initial` and then every `interval`. At most one of them waits in the mailbox; the handler
  /// reads with `ctx.batch()` how many runs it stands for.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, const actor_ref<Messages...>& to,
                         Message message, periodic_options options = {}) const {
    using sent = typename internal::sent_by<Message>::type;
    return send_later<sent>({.mode = job_mode::fixed_rate, .first = initial, .period = interval},
                            to, std::move(message), options);
  }

  /// Sends a copy at `initial`, and again `delay` after each was handled.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, const actor_ref<Messages...>& to,
                            Message message, periodic_options options = {}) const {
    using sent = typename internal::sent_by<Message>::type;
    return send_later<sent>({.mode = job_mode::fixed_delay, .first = initial, .period = delay}, to,
                            std::move(message), options);
  }

protected:
  scheduling() = default;
  ~scheduling() = default;

private:
  using schedule_result = std::expected<cancellable, scheduler_error>;

  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  /// Lets what the job calls run where the actor runs, unless the options name a dispatcher.
  template <class Options>
  static void name_dispatcher(Options& options, const internal::cell* owner) noexcept {
    if (owner == nullptr || options.dispatcher != nullptr) return;
    options.dispatcher = internal::this_thread().services->callables_of(*owner);
  }
  template <class Callable, class Options>
  schedule_result call_later(const timer_times& when, Callable&& callable, Options& options) const {
    scheduler& timers = self().timers();
    internal::cell* const owner = self().timer_owner();
    name_dispatcher(options, owner);
    internal::own_timer_slot own{owner};
    if (!own.usable()) return timers.refuse_without_memory(when);
    auto scheduled = timers.schedule_callable(when, std::forward<Callable>(callable), options);
    if (scheduled) own.remember(*scheduled);
    return scheduled;
  }
  template <class Sent, class... Messages, class Given, class Options>
  schedule_result send_later(const timer_times& when, const actor_ref<Messages...>& to,
                             Given&& given, Options& options) const {
    if (internal::program_features().timers == nullptr)
      return std::unexpected{scheduler_error::capacity_exceeded};
    scheduler& timers = self().timers();
    internal::cell* const owner = self().timer_owner();
    if (options.on_cancelled) name_dispatcher(options, owner);
    const internal::origin from = options.sender.value_or(
        owner == nullptr ? internal::origin{}
                         : internal::origin::of_actor(owner->slot, owner->tenant));
    const bool to_itself =
        owner != nullptr && to.slot() == owner && to.generation() == owner->tenant;
    const bool ends_with_it =
        to_itself && internal::this_thread().services->constants.restarts_actors;
    internal::own_timer_slot own{ends_with_it ? owner : nullptr};
    if (!own.usable()) return timers.refuse_without_memory(when);
    auto scheduled = internal::schedule_in_envelope<Sent>(
        timers, when, to, from,
        to_itself ? internal::timer_place::own : internal::timer_place::of_mailbox,
        std::forward<Given>(given), options);
    if (scheduled) own.remember(*scheduled);
    return scheduled;
  }
};

}  // namespace tactor::inline v0
