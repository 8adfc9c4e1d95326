// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_ref.hpp"
#include "tactor/core/actor/answer.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/message_traits.hpp"
#include "tactor/core/actor/question.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/type_identity.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// Lets a system run until a question is answered. Host: on its threads. Simulation: in virtual time.
class answer_driver {
public:
  /// Returns: whether the answer, or the news that none will come, is there; false if `until_ns` has
  /// come first, or if nothing is left that could answer.
  [[nodiscard]] virtual bool run_until_answered(question& asked, std::uint64_t until_ns) = 0;
  /// The system's time.
  [[nodiscard]] virtual std::uint64_t time_ns() noexcept = 0;

protected:
  ~answer_driver() = default;
};

/// An answer that is waited for outside of actors. Move-only; whoever drops it does not want the
/// answer any more. Requires: its system lives when `get` is called.
template <class Reply>
class [[nodiscard]] pending_reply {
public:
  /// For `asking`.
  pending_reply(answer_driver& driver, question asked, const ask_error& without,
                std::uint64_t until_ns) noexcept
      : driver_(&driver), asked_(std::move(asked)), error_(without), until_ns_(until_ns) {}

  /// Waits for the answer. Returns: the answer, or why there is none.
  [[nodiscard]] std::expected<Reply, ask_error> get() && {
    if (!asked_) return std::unexpected{error_};
    const std::uint64_t began = driver_->time_ns();
    auto answer = wait();
    if constexpr (std::is_void_v<Reply>) {
      if (answer) return {};
    } else {
      if (answer) return std::move(*answer);
    }
    error_.kind = answer.error();
    const std::uint64_t waited = driver_->time_ns() - began;
    error_.waited = std::chrono::nanoseconds{static_cast<std::int64_t>(waited)};
    return std::unexpected{error_};
  }

  /// Whether an answer, or the news that none will come, has arrived already.
  [[nodiscard]] bool ready() noexcept { return asked_.answered(); }

private:
  [[nodiscard]] std::expected<Reply, ask_failure> wait() {
    if (driver_->run_until_answered(asked_, until_ns_)) return asked_.template take<Reply>();
    const bool late = driver_->time_ns() >= until_ns_;
    return std::unexpected{late ? ask_failure::timed_out : ask_failure::nothing_left};
  }

  answer_driver* driver_;
  question asked_;
  ask_error error_;
  std::uint64_t until_ns_;
};

/// Asking from outside of actors: `Self` has `driver()` and `open_question()`.
template <class Self>
class asking {
public:
  /// Asks an actor. A stopped or failing target says so at once; silence ends with `timeout`.
  template <class... Messages, class Message>
  auto ask(const actor_ref<Messages...>& to, Message&& message, duration timeout) {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::ask_check<plain, has_reply<plain>>{};
    (void)internal::message_check<actor_ref<Messages...>, plain,
                                  internal::is_among<plain, Messages...>>{};
    Self& self = static_cast<Self&>(*this);
    question asked = self.open_question();
    const ask_error without{.kind = ask_failure::refused,
                            .target = to,
                            .message_type = identity_of<plain>.name,
                            .waited = {}};
    thread_record& here = this_thread();
    envelope* const e =
        asked ? internal::enclose<plain>(here, std::forward<Message>(message)) : nullptr;
    if (e != nullptr) {
      e->from = asked.as_origin();
      (void)send(here, to.slot(), to.generation(), *e);
    } else {
      asked.close();
    }
    answer_driver& driver = self.driver();
    return pending_reply<reply_of<plain>>{driver, std::move(asked), without,
                                          internal::later(driver.time_ns(), timeout)};
  }

protected:
  asking() = default;
  ~asking() = default;
};

}  // namespace tactor::inline v0
