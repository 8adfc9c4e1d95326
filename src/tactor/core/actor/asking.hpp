// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"  // IWYU pragma: keep (templates call send)
#include "tactor/core/send/tell_result.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <expected>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

/// Waits for answers. Threads: sleeps. Simulation, cooperative system: lets the system run.
class answer_driver {
public:
  /// Returns: true if the answer, or the notification that none will come, has arrived; false if
  /// `until_ns` came first, or if nothing is left that could answer.
  [[nodiscard]] virtual bool run_until_answered(thread_ask& asked, std::uint64_t until_ns) = 0;
  /// Returns: the time of the clock that deadlines refer to.
  [[nodiscard]] virtual std::uint64_t time_ns() noexcept = 0;

protected:
  ~answer_driver() = default;
};

inline namespace TACTOR_EXCEPTION_MODE {
template <class Reply, class Then>
class promised_call;
}  // namespace TACTOR_EXCEPTION_MODE

}  // namespace internal

/// A pending answer outside of actors. Move-only; dropping it abandons the ask. In a simulation or
/// cooperative system, which runs only on demand, the system must be alive when `get` or `ready` is
/// called.
template <class Reply>
class [[nodiscard]] pending_reply {
public:
  /// For `asking`.
  pending_reply(internal::system_services& services, internal::answer_driver& driver,
                internal::thread_ask asked, const ask_error& without, std::uint64_t began_ns,
                duration timeout) noexcept
      : services_(&services),
        driver_(&driver),
        asked_(std::move(asked)),
        error_(without),
        began_ns_(began_ns),
        until_ns_(internal::later(began_ns, timeout)) {}

  /// Waits for the answer. Returns: the answer, if it came within the timeout, or why there is
  /// none. Not from within an actor.
  [[nodiscard]] std::expected<Reply, ask_error> get() && {
    if (!asked_) return std::unexpected{error_};
    if (driver_->run_until_answered(asked_, until_ns_)) return answer();
    const bool late = driver_->time_ns() >= until_ns_;
    return without(late ? ask_failure::timed_out : ask_failure::would_never_answer);
  }
  /// Gives one error if the answer is not moved out.
  template <class Rvalue = void>
  std::expected<Reply, ask_error> get() const& {
    constexpr bool is_moved = !std::is_void_v<Rvalue>;
    static_assert(is_moved, "get() takes the answer out of the pending_reply: write "
                            "std::move(answer).get()");
    return std::unexpected{error_};
  }

  /// Calls `callback` with the answer, or why there is none, as `std::expected<Reply, ask_error>`,
  /// exactly once: as a turn of the system that was asked, on a thread of its pool, or on the
  /// calling thread if the ask was not sent. A shutdown waits for the answer and the call; if it
  /// has to stop first, the callback gets `would_never_answer`. An exception of the callback is
  /// logged, like that of an actor.
  ///
  ///     system.ask(prices, quote{"tea"}, 1s).then([](auto price) { ... });
  ///
  /// Requires: the system is alive.
  template <class Then>
  void then(Then callback) &&;

  /// Returns: true if `get` would not wait: an answer or the notification that none will come has
  /// arrived, or the time is over.
  [[nodiscard]] bool ready() noexcept {
    return !asked_ || asked_.answered() || driver_->time_ns() >= until_ns_;
  }

private:
  template <class, class>
  friend class internal::promised_call;

  /// Takes the answer. Requires: `asked_` is answered.
  [[nodiscard]] std::expected<Reply, ask_error> answer() {
    auto said = asked_.template take<Reply>();
    if (!said) return without(said.error());
    if constexpr (std::is_void_v<Reply>) {
      return {};
    } else {
      return std::move(*said);
    }
  }
  [[nodiscard]] std::expected<Reply, ask_error> without(ask_failure why) {
    error_.kind = why;
    constexpr std::uint64_t unknown = internal::ask_of_thread::never_ns;
    const std::uint64_t answered_ns = asked_.answered() ? asked_.answered_ns() : unknown;
    const std::uint64_t end_ns = answered_ns != unknown ? answered_ns : driver_->time_ns();
    const std::uint64_t waited = (end_ns < until_ns_ ? end_ns : until_ns_) - began_ns_;
    error_.waited = std::chrono::nanoseconds{static_cast<std::int64_t>(waited)};
    return std::unexpected{error_};
  }

  internal::system_services* services_;
  internal::answer_driver* driver_;
  internal::thread_ask asked_;
  ask_error error_;
  std::uint64_t began_ns_;
  std::uint64_t until_ns_;
};

/// Asking from outside of actors: `Self` has `driver()` and `open_ask()`.
template <class Self>
class asking {
public:
  /// Asks an actor. If the target has stopped or fails, the ask fails at once; without an answer it
  /// fails after `timeout`. A `timeout` of zero or less is refused, and nothing is sent.
  template <class... Messages, class Message>
    requires(!std::convertible_to<Message, duration>)
  auto ask(const actor_ref<Messages...>& to, Message&& message, duration timeout) {
    return checked<std::remove_cvref_t<Message>>(to, timeout, std::forward<Message>(message));
  }
  /// Asks with a message that is built from its parts inside its envelope.
  template <class Message, class... Messages, class... Parts>
  auto ask(const actor_ref<Messages...>& to, duration timeout, Parts&&... parts) {
    return checked<Message>(to, timeout, std::forward<Parts>(parts)...);
  }

  /// Not without a timeout.
  template <class... Messages, class Message, class... Others>
    requires internal::without_timeout<Message, Others...>
  pending_reply<reply_of<std::remove_cvref_t<Message>>> ask(const actor_ref<Messages...>&,
                                                            Message&&, Others&&...) {
    (void)internal::timeout_check<Message, Others...>{};
    std::unreachable();
  }

  /// Asks an actor, or returns the message with the reason why it was not accepted. Nothing becomes
  /// a dead letter.
  template <class... Messages, class Message>
  [[nodiscard]] std::expected<pending_reply<reply_of<std::remove_cvref_t<Message>>>,
                              refusal<std::remove_cvref_t<Message>>>
  try_ask(const actor_ref<Messages...>& to, Message&& message, duration timeout) {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::ask_check<plain, has_reply<plain>>{};
    (void)internal::message_check<actor_ref<Messages...>, plain,
                                  internal::is_among<plain, Messages...>>{};
    if (timeout <= duration{}) return checked<plain>(to, timeout, std::forward<Message>(message));
    Self& self = static_cast<Self&>(*this);
    const std::uint64_t began_ns = self.driver().time_ns();
    internal::thread_ask asked = self.open_ask();
    asked.set_deadline(internal::later(began_ns, timeout));
    internal::thread_record& here = internal::this_thread();
    internal::envelope* const e =
        asked ? internal::enclose<plain>(here, std::forward<Message>(message)) : nullptr;
    if (e == nullptr) {
      asked.close();
      // NOLINTBEGIN(bugprone-use-after-move): without an envelope it was not moved from
      return std::unexpected{
          refusal<plain>{.why = internal::refusal_without_memory(to.slot(), to.generation()).result,
                         .message = std::forward<Message>(message)}};
      // NOLINTEND(bugprone-use-after-move)
    }
    e->from = asked.as_origin();
    const tell_result result = offer(here, to.slot(), to.generation(), *e).result;
    if (result == tell_result::ok)
      return pending_reply<reply_of<plain>>{
          self.core(), self.driver(), std::move(asked), unanswered<plain>(to, ask_failure::refused),
          began_ns,    timeout};
    asked.close();
    const internal::discarded_at_the_end over{here, *e};
    return std::unexpected{
        refusal<plain>{.why = result, .message = std::move(*static_cast<plain*>(payload_of(*e)))}};
  }

protected:
  asking() = default;
  ~asking() = default;

private:
  template <class Message>
  static ask_error unanswered(const actor_ref<>& to, ask_failure why) noexcept {
    return {.kind = why, .target = to, .message_type = identity_of<Message>.name, .waited = {}};
  }

  /// Sends the question. Returns: why there will be no answer, if that is known and the slot of the
  /// ask does not say so: there was no memory, or the thread has waited for capacity for so long
  /// that the refusal is late.
  template <class Message, class... Parts>
  static std::expected<void, ask_failure> send_question(const internal::thread_ask& asked,
                                                        const actor_ref<>& to, duration timeout,
                                                        Parts&&... parts) {
    internal::thread_record& here = internal::this_thread();
    internal::envelope* const e =
        asked ? internal::enclose<Message>(here, std::forward<Parts>(parts)...) : nullptr;
    if (e == nullptr)
      return std::unexpected{
          dead_ask_no_memory(here, to.slot(), to.generation(), internal::operations_of<Message>)};
    e->from = asked.as_origin();
    here.push_timeout_ns = static_cast<std::uint64_t>(timeout.nanoseconds());
    const tell_result told = send(here, to.slot(), to.generation(), *e);
    here.push_timeout_ns = 0;
    if (told == tell_result::full && !asked.answered())
      return std::unexpected{ask_failure::refused};
    return {};
  }

  template <class Message, class... Messages, class... Parts>
  pending_reply<reply_of<Message>> checked(const actor_ref<Messages...>& to, duration timeout,
                                           Parts&&... parts) {
    constexpr bool taken = internal::is_among<Message, Messages...> && is_message<Message>;
    constexpr bool buildable = !taken || internal::buildable_from<Message, Parts...>;
    (void)internal::ask_check<Message, has_reply<Message>>{};
    (void)internal::message_check<actor_ref<Messages...>, Message,
                                  internal::is_among<Message, Messages...>>{};
    (void)internal::parts_check<Message, buildable>{};
    const bool in_time = timeout > duration{};
    ask_error without = unanswered<Message>(to, ask_failure::refused);
    Self& self = static_cast<Self&>(*this);
    internal::answer_driver& driver = self.driver();
    const std::uint64_t began_ns = driver.time_ns();
    internal::thread_ask asked = in_time ? self.open_ask() : internal::thread_ask{};
    asked.set_deadline(internal::later(began_ns, timeout));
    if constexpr (taken && buildable) {
      if (in_time) {
        const auto sent = send_question<Message>(asked, to, timeout, std::forward<Parts>(parts)...);
        if (!sent) {
          without.kind = sent.error();
          without.waited =
              std::chrono::nanoseconds{static_cast<std::int64_t>(driver.time_ns() - began_ns)};
          asked.close();
        }
      }
    }
    return {self.core(), driver, std::move(asked), without, began_ns, timeout};
  }
};

}  // namespace tactor::inline v0
