// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
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

/// Timer messages to actors: `Self` has `timers()` and `as_sender()`.
///
/// They reach the actor through its mailbox, after system messages, under its overflow strategy; at
/// `block_producer` as by `reject`. An actor's timer to itself has a place outside of the capacity:
/// no strategy refuses or evicts it; in a mailbox with `drop_oldest` it comes before the others.
/// Their sender is the actor that schedules them, or the actor that the options name.
/// `cancel` succeeds until the actor takes the message out. A restart cancels the timers that the
/// actor has scheduled to itself by its context.
template <class Self>
class scheduling {
public:
  /// Sends `message` once, after `delay`.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, const actor_ref<Messages...>& to, Message message,
                once_options options = {}) const {
    const call wanted{.mode = job_mode::once, .first = delay, .period = {}};
    return with_envelope<Message>(wanted, to, options.sender, [&](internal::timer_envelope& fresh) {
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
    return with_envelope<sent>(wanted, to, options.sender, [&](internal::timer_envelope& fresh) {
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
    return with_envelope<sent>(wanted, to, options.sender, [&](internal::timer_envelope& fresh) {
      return self().timers().schedule_with_fixed_delay(
          initial, delay, static_cast<held_sink&>(fresh), std::move(message), std::move(options));
    });
  }

protected:
  scheduling() = default;
  ~scheduling() = default;

private:
  using call = internal::schedule_call;

  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  template <class Sent, class... Messages, class Schedule>
  std::expected<cancellable, scheduler_error>
  with_envelope(const call& wanted, const actor_ref<Messages...>& to, const timer_sender& sender,
                Schedule schedule) const {
    using result = std::expected<cancellable, scheduler_error>;
    if (internal::linked().timers == nullptr)
      return std::unexpected{scheduler_error::capacity_exceeded};
    scheduler& timers = self().timers();
    const internal::origin from = sender.value_or(self().as_sender());
    return internal::schedule_in_envelope<Sent>(
        timers, wanted, to, from, [&](internal::timer_envelope& fresh) -> result {
          const bool to_itself = to && self().as_sender() == internal::origin::of_actor(
                                                                 to.index().slot, to.generation());
          if (to_itself) fresh.set_own();
          internal::own_timer_slot own{to, self().as_sender()};
          if (!own.usable()) return wanted.refuse(timers);
          result scheduled = schedule(fresh);
          if (scheduled) own.remember(*scheduled);
          return scheduled;
        });
  }
};

}  // namespace tactor::inline v0
