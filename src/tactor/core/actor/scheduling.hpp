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

/// The times of a job.
struct schedule_call {
  job_mode mode;
  duration first;
  duration period;

  /// Returns: the error of this call if there is no memory for it.
  [[nodiscard]] std::unexpected<scheduler_error> refuse(scheduler& timers) const noexcept {
    return timers.refuse_without_memory(mode, first, period);
  }
};

/// Schedules a `Sent` to the actor `to`: `schedule` gets the envelope that is made for it.
template <class Sent, class... Messages, class Schedule>
std::expected<cancellable, scheduler_error>
schedule_in_envelope(scheduler& timers, const schedule_call& wanted,
                     const actor_ref<Messages...>& to, origin from, Schedule schedule) {
  (void)message_check<actor_ref<Messages...>, Sent, is_among<Sent, Messages...>>{};
  timer_envelope* fresh = timer_envelope::make<Sent>(to, from);
  if (fresh == nullptr) {  // cancelled jobs may hold memory until the next poll
    timers.clear_away();
    fresh = timer_envelope::make<Sent>(to, from);
  }
  if (fresh == nullptr) return wanted.refuse(timers);
  std::expected<cancellable, scheduler_error> scheduled = schedule(*fresh);
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
    const call wanted{.mode = job_mode::once, .first = delay, .period = {}};
    return with_callable(wanted, options, [&](scheduler& timers) {
      return timers.schedule_once(delay, std::forward<Callable>(callable), std::move(options));
    });
  }
  /// Calls `callable` at `initial` and then every `interval`, on a grid without drift.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, Callable&& callable,
                         periodic_options options = {}) const {
    const call wanted{.mode = job_mode::fixed_rate, .first = initial, .period = interval};
    return with_callable(wanted, options, [&](scheduler& timers) {
      return timers.schedule_at_fixed_rate(initial, interval, std::forward<Callable>(callable),
                                           std::move(options));
    });
  }
  /// Calls `callable` at `initial`, and again `delay` after each run has ended.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, Callable&& callable,
                            periodic_options options = {}) const {
    const call wanted{.mode = job_mode::fixed_delay, .first = initial, .period = delay};
    return with_callable(wanted, options, [&](scheduler& timers) {
      return timers.schedule_with_fixed_delay(initial, delay, std::forward<Callable>(callable),
                                              std::move(options));
    });
  }

  /// Sends `message` once, after `delay`.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, const actor_ref<Messages...>& to, Message message,
                once_options options = {}) const {
    const call wanted{.mode = job_mode::once, .first = delay, .period = {}};
    return with_envelope<Message>(wanted, to, options, [&](internal::timer_envelope& fresh) {
      return self().timers().schedule_once(delay, static_cast<held_sink&>(fresh),
                                           std::move(message), std::move(options));
    });
  }

  /// Sends a copy of `message`, or its result for the `execution_batch` if it is a factory, at
  /// `initial` and then every `interval`. At most one of them waits in the mailbox; the handler
  /// reads with `ctx.batch()` how many runs it stands for.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, const actor_ref<Messages...>& to,
                         Message message, periodic_options options = {}) const {
    using sent = typename internal::sent_by<Message>::type;
    const call wanted{.mode = job_mode::fixed_rate, .first = initial, .period = interval};
    return with_envelope<sent>(wanted, to, options, [&](internal::timer_envelope& fresh) {
      return self().timers().schedule_at_fixed_rate(initial, interval,
                                                    static_cast<held_sink&>(fresh),
                                                    std::move(message), std::move(options));
    });
  }

  /// Sends a copy at `initial`, and again `delay` after each was handled.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, const actor_ref<Messages...>& to,
                            Message message, periodic_options options = {}) const {
    using sent = typename internal::sent_by<Message>::type;
    const call wanted{.mode = job_mode::fixed_delay, .first = initial, .period = delay};
    return with_envelope<sent>(wanted, to, options, [&](internal::timer_envelope& fresh) {
      return self().timers().schedule_with_fixed_delay(
          initial, delay, static_cast<held_sink&>(fresh), std::move(message), std::move(options));
    });
  }

protected:
  scheduling() = default;
  ~scheduling() = default;

private:
  using call = internal::schedule_call;
  using schedule_result = std::expected<cancellable, scheduler_error>;

  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  /// Lets what the job calls run where the actor runs, unless the options name a dispatcher.
  template <class Options>
  static void name_dispatcher(Options& options, const internal::cell* owner) noexcept {
    if (owner == nullptr || options.dispatcher != nullptr) return;
    options.dispatcher = internal::this_thread().services->callables_of(*owner);
  }
  /// Schedules as `schedule` does. `owner` null: the timer is nobody's own.
  template <class Schedule>
  static schedule_result with_owner(const call& wanted, scheduler& timers, internal::cell* owner,
                                    Schedule schedule) {
    internal::own_timer_slot own{owner};
    if (!own.usable()) return wanted.refuse(timers);
    schedule_result scheduled = schedule();
    if (scheduled) own.remember(*scheduled);
    return scheduled;
  }
  template <class Options, class Schedule>
  schedule_result with_callable(const call& wanted, Options& options, Schedule schedule) const {
    scheduler& timers = self().timers();
    internal::cell* const owner = self().timer_owner();
    name_dispatcher(options, owner);
    return with_owner(wanted, timers, owner, [&] { return schedule(timers); });
  }
  template <class Sent, class... Messages, class Options, class Schedule>
  schedule_result with_envelope(const call& wanted, const actor_ref<Messages...>& to,
                                Options& options, Schedule schedule) const {
    if (internal::program_features().timers == nullptr)
      return std::unexpected{scheduler_error::capacity_exceeded};
    scheduler& timers = self().timers();
    internal::cell* const owner = self().timer_owner();
    if (options.on_cancelled) name_dispatcher(options, owner);
    const internal::origin from = options.sender.value_or(
        owner == nullptr ? internal::origin{}
                         : internal::origin::of_actor(owner->slot, owner->tenant));
    return internal::schedule_in_envelope<Sent>(
        timers, wanted, to, from, [&](internal::timer_envelope& fresh) -> schedule_result {
          const bool to_itself =
              owner != nullptr && to.slot() == owner && to.generation() == owner->tenant;
          if (to_itself) fresh.set_own();
          const bool ends_with_it =
              to_itself && internal::this_thread().services->constants.restarts_actors;
          return with_owner(wanted, timers, ends_with_it ? owner : nullptr,
                            [&] { return schedule(fresh); });
        });
  }
};

}  // namespace tactor::inline v0
