// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"

#include <new>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {
namespace internal {

/// Names the result of a function or of a lambda whose parameters are no templates.
template <class Call>
struct made_by {
  using type = typename made_by<decltype(&Call::operator())>::type;
};
template <class Result, class... Parameters>
struct made_by<Result (*)(Parameters...)> {
  using type = Result;
};
template <class Class, class Result, class... Parameters>
struct made_by<Result (Class::*)(Parameters...)> {
  using type = Result;
};
template <class Class, class Result, class... Parameters>
struct made_by<Result (Class::*)(Parameters...) const> {
  using type = Result;
};

/// Gives one error for something that makes no message.
template <class Make, bool Makes>
struct make_message_check {
  static_assert(Makes, "a message is made by a function, or by a lambda without `auto` parameters, "
                       "that returns it: [](std::error_code e) { return closed{e}; }");
};
template <class Make>
inline constexpr bool makes_a_message = std::is_pointer_v<Make> || requires { &Make::operator(); };

}  // namespace internal

/// A callback that sends one message to an actor; see `to_actor`. Its place is reserved when it is
/// made: until the actor stops, the message is neither refused nor dropped, whatever the capacity
/// of its mailbox, also while the actor drains. A drain does not wait for a callback that has not
/// been called. An actor that drains already has no place for a new callback: its message is a dead
/// letter. Destroyed without a call, it sends nothing.
///
/// Thread safety: one thread at a time, any thread.
template <class Message, class Make>
class actor_callback {
public:
  actor_callback(const actor_ref<>& to, Make make) noexcept
      : to_(to),
        make_(std::move(make)),
        has_place_(to && to.slot()->accepts_mail(to.generation())),
        place_(internal::new_envelope<Message>(internal::this_thread())) {}
  actor_callback(actor_callback&& other) noexcept
      : to_(other.to_),
        make_(std::move(other.make_)),
        has_place_(other.has_place_),
        place_(std::exchange(other.place_, nullptr)) {}
  actor_callback(const actor_callback&) = delete;
  actor_callback& operator=(const actor_callback&) = delete;
  actor_callback& operator=(actor_callback&&) = delete;
  ~actor_callback() {
    if (place_ != nullptr) internal::free_envelope(internal::this_thread(), *place_);
  }

  /// Sends the message made of `arguments`, once: a second call sends nothing.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    if (place_ == nullptr) return;
    ::new (internal::payload_of(*place_)) Message(make_(std::forward<Arguments>(arguments)...));
    internal::thread_record& here = internal::this_thread();
    internal::envelope& e = *std::exchange(place_, nullptr);
    if (has_place_) return internal::send_reserved(here, to_.slot(), to_.generation(), e);
    e.from = here.sender;
    (void)internal::send(here, to_.slot(), to_.generation(), e);
  }
  /// Returns: true if it can be called: there was memory for it, and it has not been called.
  [[nodiscard]] explicit operator bool() const noexcept { return place_ != nullptr; }
  /// Returns: true if the actor lives, which it does while it drains. It may end at any moment.
  [[nodiscard]] bool is_awaited() const noexcept {
    return to_.slot() != nullptr && to_.slot()->generation() == to_.generation();
  }

private:
  actor_ref<> to_;
  Make make_;
  bool has_place_;             // in the mailbox
  internal::envelope* place_;  // the message; null: it was called, or there was no memory
};

/// Returns: a callback for another library, which turns its arguments into a message for `to`. A
/// callback that is false (there was no memory) must not be used.
///
///     device.on_data(tactor::to_actor(ctx.self(), [](int size) { return received{size}; }));
template <class... Messages, class Make>
[[nodiscard]] auto to_actor(const actor_ref<Messages...>& to, Make make) {
  constexpr bool makes = internal::makes_a_message<Make>;
  (void)internal::make_message_check<Make, makes>{};
  if constexpr (makes) {
    using message = std::remove_cvref_t<typename internal::made_by<Make>::type>;
    (void)internal::message_check<actor_ref<Messages...>, message,
                                  internal::is_among<message, Messages...>>{};
    static_assert(std::is_nothrow_move_constructible_v<Make>,
                  "a callback must move without throwing");
    return actor_callback<message, Make>{to, std::move(make)};
  }
}

}  // namespace tactor::inline v0
