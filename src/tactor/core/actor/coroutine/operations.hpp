// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/awaiting.hpp"
#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <expected>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

// What a coroutine handler can await. An operation is a small description that moves; its
// `operator co_await` builds the awaiter, which does not, in the frame.
namespace tactor::inline v0 {
namespace internal {

/// g++ destroys an aggregate temporary in a co_await expression twice.
template <class Message, bool Safe>
struct aggregate_check {
  static_assert(Safe, "g++ destroys an aggregate temporary in a co_await expression twice: write "
                      "ctx.ask<Message>(to, timeout, parts...), or name the message on the line "
                      "before and pass it without std::move");
};
#if defined(__GNUC__) && !defined(__clang__)
template <class Given>
inline constexpr bool is_safe_in_await =
    std::is_lvalue_reference_v<Given> || !std::is_aggregate_v<Given> ||
    std::is_trivially_copyable_v<Given>;
#else
template <class Given>
inline constexpr bool is_safe_in_await = true;
#endif

template <class Message>
class ask_awaiter {
public:
  using reply = reply_of<Message>;

  ask_awaiter(const actor_ref<>& to, duration timeout, envelope* question) noexcept
      : to_(to), timeout_(timeout), question_(question) {}
  ask_awaiter(const ask_awaiter&) = delete;
  ask_awaiter& operator=(const ask_awaiter&) = delete;
  ~ask_awaiter() { what_.discard_answer(); }

  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return what_.begin_ask(by.promise(), by.address(), to_, timeout_, question_);
  }
  std::expected<reply, ask_error> await_resume() {
    if (what_.answer == nullptr)
      return std::unexpected{what_.without_answer(to_, identity_of<Message>.name)};
    if constexpr (std::is_void_v<reply>) {
      return {};
    } else {
      auto* const at = reinterpret_cast<std::byte*>(what_.answer) + payload_offset(alignof(reply));
      return std::expected<reply, ask_error>{
          std::in_place, std::move(*std::launder(reinterpret_cast<reply*>(at)))};
    }
  }

private:
  awaited what_;
  actor_ref<> to_;
  duration timeout_;
  envelope* question_;
};

/// See `context::ask`.
template <class Message>
class [[nodiscard]] ask_operation : public operation {
public:
  /// `question` null: there was no memory for it.
  ask_operation(const actor_ref<>& to, duration timeout, envelope* question) noexcept
      : to_(to), timeout_(timeout), question_(question) {}
  ask_operation(ask_operation&& other) noexcept
      : to_(other.to_),
        timeout_(other.timeout_),
        question_(std::exchange(other.question_, nullptr)) {}
  ask_operation(const ask_operation&) = delete;
  ask_operation& operator=(const ask_operation&) = delete;
  ask_operation& operator=(ask_operation&&) = delete;
  ~ask_operation() {
    if (question_ != nullptr) discard_envelope(this_thread(), *question_);
  }

  ask_awaiter<Message> operator co_await() && noexcept {
    return {to_, timeout_, std::exchange(question_, nullptr)};
  }
  /// Not in an actor.
  template <class Never = void>
  std::expected<reply_of<Message>, ask_error> get() const {
    constexpr bool is_awaited = !std::is_void_v<Never>;
    static_assert(is_awaited,
                  "a handler does not wait: co_await the ask in a handler that returns a "
                  "task, or pass a continuation, ctx.ask(ref, message, timeout, "
                  "[](auto answer) {...})");
    std::unreachable();
  }

private:
  actor_ref<> to_;
  duration timeout_;
  envelope* question_;
};

class sleep_awaiter {
public:
  explicit sleep_awaiter(duration delay) noexcept : delay_(delay) {}
  sleep_awaiter(const sleep_awaiter&) = delete;
  sleep_awaiter& operator=(const sleep_awaiter&) = delete;
  ~sleep_awaiter() = default;

  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return what_.begin_sleep(by.promise(), by.address(), delay_);
  }
  std::expected<void, scheduler_error> await_resume() const noexcept {
    if (!what_.timed_out) return std::unexpected{what_.refused};
    return {};
  }

private:
  awaited what_;
  duration delay_;
};
/// See `context::sleep`.
class [[nodiscard]] sleep_operation : public operation {
public:
  explicit sleep_operation(duration delay) noexcept : delay_(delay) {}
  sleep_awaiter operator co_await() && noexcept { return sleep_awaiter{delay_}; }

private:
  duration delay_;
};

class until_awaiter {
public:
  until_awaiter(signal_key key, const std::optional<duration>& timeout) noexcept
      : key_(key), timeout_(timeout) {}
  until_awaiter(const until_awaiter&) = delete;
  until_awaiter& operator=(const until_awaiter&) = delete;
  ~until_awaiter() = default;

  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return what_.begin(by.promise(), by.address(), key_, timeout_ ? &*timeout_ : nullptr);
  }
  bool await_resume() const noexcept { return what_.signalled; }

private:
  awaited_signal what_;
  signal_key key_;
  std::optional<duration> timeout_;
};
/// See `context::until`.
class [[nodiscard]] until_operation : public operation {
public:
  explicit until_operation(signal_key key, const std::optional<duration>& timeout = {}) noexcept
      : key_(key), timeout_(timeout) {}
  until_awaiter operator co_await() && noexcept { return {key_, timeout_}; }

private:
  signal_key key_;
  std::optional<duration> timeout_;
};

class yield_awaiter {
public:
  yield_awaiter() noexcept = default;
  yield_awaiter(const yield_awaiter&) = delete;
  yield_awaiter& operator=(const yield_awaiter&) = delete;
  ~yield_awaiter() = default;

  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return what_.begin_yield(by.promise(), by.address());
  }
  static constexpr void await_resume() noexcept {}

private:
  awaited what_;
};
/// See `context::yield`.
class [[nodiscard]] yield_operation : public operation {
public:
  yield_awaiter operator co_await() && noexcept { return {}; }
};

/// See `context::fail`.
class [[nodiscard]] fail_operation : public operation {
public:
  fail_operation(std::string_view text, std::int32_t code, const char* made_in,
                 std::uint32_t at_line) noexcept
      : text_(text), code_(code), made_in_(made_in), at_line_(at_line) {}

  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> by) noexcept {
    fail_task(by.promise(), failure{text_, code_, made_in_, at_line_});
  }
  static constexpr void await_resume() noexcept {}

private:
  std::string_view text_;
  std::int32_t code_;
  const char* made_in_;
  std::uint32_t at_line_;
};

/// Checks at compile time that `Message` can be asked, and encloses it.
template <class Message, class... Messages, class... Parts>
ask_operation<Message> checked_operation(const actor_ref<Messages...>& to, duration timeout,
                                         Parts&&... parts) {
  constexpr bool askable = has_reply<Message>;
  constexpr bool taken = is_among<Message, Messages...> && is_message<Message>;
  constexpr bool buildable = !taken || buildable_from<Message, Parts...>;
  (void)ask_check<Message, askable>{};
  (void)message_check<actor_ref<Messages...>, Message, is_among<Message, Messages...>>{};
  (void)parts_check<Message, buildable>{};
  envelope* question = nullptr;
  if constexpr (askable && taken && buildable) {
    thread_record& here = this_thread();
    question = enclose<Message>(here, std::forward<Parts>(parts)...);
    if (question == nullptr)
      (void)dead_letter_no_memory(here, to.slot(), to.generation(), operations_of<Message>);
  }
  return {to, timeout, question};
}

}  // namespace internal

template <class Self>
template <class... Messages, class Message>
  requires(!std::convertible_to<Message, duration>)
internal::ask_operation<std::remove_cvref_t<Message>>
awaiting<Self>::ask(const actor_ref<Messages...>& to, Message&& message, duration timeout) {
  using plain = std::remove_cvref_t<Message>;
  (void)internal::aggregate_check<plain, internal::is_safe_in_await<Message>>{};
  return internal::checked_operation<plain>(to, timeout, std::forward<Message>(message));
}
template <class Self>
template <class Message, class... Messages, class... Parts>
  requires(!internal::starts_with_continuation<Parts...>)
internal::ask_operation<Message> awaiting<Self>::ask(const actor_ref<Messages...>& to,
                                                     duration timeout, Parts&&... parts) {
  return internal::checked_operation<Message>(to, timeout, std::forward<Parts>(parts)...);
}
template <class Self>
template <class... Messages, class Message, class... Others>
  requires internal::without_timeout<Message, Others...>
internal::ask_operation<std::remove_cvref_t<Message>>
awaiting<Self>::ask(const actor_ref<Messages...>&, Message&&, Others&&...) {
  (void)internal::timeout_check<Message, Others...>{};
  std::unreachable();
}
template <class Self>
internal::sleep_operation awaiting<Self>::sleep(duration delay) noexcept {
  return internal::sleep_operation{delay};
}
template <class Self>
internal::until_operation awaiting<Self>::until(signal_key key) noexcept {
  return internal::until_operation{key};
}
template <class Self>
internal::until_operation awaiting<Self>::until(signal_key key, duration timeout) noexcept {
  return internal::until_operation{key, timeout};
}
template <class Self>
internal::yield_operation awaiting<Self>::yield() noexcept {
  return {};
}
template <class Self>
internal::fail_operation awaiting<Self>::fail(std::string_view text, std::int32_t code,
                                              const char* made_in, std::uint32_t at_line) noexcept {
  return {text, code, made_in, at_line};
}

}  // namespace tactor::inline v0
