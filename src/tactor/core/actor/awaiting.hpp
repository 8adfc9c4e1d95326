// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tactor::inline v0 {

struct signal_key;

namespace internal {

template <class Message>
class ask_operation;
class sleep_operation;
class until_operation;
class yield_operation;
class fail_operation;
inline namespace TACTOR_EXCEPTION_MODE {
template <class Result, class Start>
class completes_operation;
}  // namespace TACTOR_EXCEPTION_MODE

struct callable_namesake {
  void operator()() const;
};
template <class T>
struct callable_or_not : T, callable_namesake {};
/// Is true for a part of a message that is rather a continuation: something that can be called,
/// also a generic lambda. (Its call operator would be ambiguous.)
template <class T>
concept can_be_called = std::is_function_v<std::remove_pointer_t<T>> || requires {
  &T::operator();
} || (std::is_class_v<T> && !std::is_final_v<T> && !requires { &callable_or_not<T>::operator(); });

template <class... Parts>
inline constexpr bool starts_with_continuation = false;
template <class First, class... Rest>
inline constexpr bool starts_with_continuation<First, Rest...> =
    can_be_called<std::remove_cvref_t<First>>;

}  // namespace internal

/// The operations that a coroutine handler can await. `Self` is its context. To call these, include
/// tactor/coroutine.hpp. The actor is suspended meanwhile (`await_external`): its messages wait,
/// system messages do not. When the actor stops or restarts, the coroutine is destroyed.
template <class Self>
class awaiting {
public:
  /// Asks an actor: `std::expected<Message::reply, ask_error>`. If the target has stopped or fails,
  /// the ask fails at once; without an answer it fails after `timeout`. A `timeout` of zero or less
  /// is refused.
  ///
  ///     const quote question{"tea"};
  ///     auto price = co_await ctx.ask(prices_, question, 200ms);
  template <class... Messages, class Message>
    requires(!std::convertible_to<Message, duration>)
  internal::ask_operation<std::remove_cvref_t<Message>> ask(const actor_ref<Messages...>& to,
                                                            Message&& message, duration timeout);
  /// Asks with a message that is built from its parts inside its envelope.
  ///
  ///     auto price = co_await ctx.ask<quote>(prices_, 200ms, "tea");
  template <class Message, class... Messages, class... Parts>
    requires(!internal::starts_with_continuation<Parts...>)
  internal::ask_operation<Message> ask(const actor_ref<Messages...>& to, duration timeout,
                                       Parts&&... parts);
  /// Not without a timeout.
  template <class... Messages, class Message, class... Others>
    requires internal::without_timeout<Message, Others...>
  internal::ask_operation<std::remove_cvref_t<Message>> ask(const actor_ref<Messages...>&,
                                                            Message&&, Others&&...);
  /// Resumes after `delay`: `std::expected<void, scheduler_error>`, an error if `delay` is not
  /// longer than zero, beyond the range of the timers, or if there is no memory for a timer.
  ///
  ///     co_await ctx.sleep(10ms);
  [[nodiscard]] internal::sleep_operation sleep(duration delay) noexcept;
  /// Resumes when this signal comes (`system.signal(ref, key)`); a signal that came earlier is
  /// remembered.
  ///
  ///     co_await ctx.until(disk_is_back);
  [[nodiscard]] internal::until_operation until(signal_key key) noexcept;
  /// Resumes when this signal comes, or after `timeout`: with true if the signal has come.
  [[nodiscard]] internal::until_operation until(signal_key key, duration timeout) noexcept;
  /// Lets other actors run, then resumes. Between, a re-entrant handler lets its own actor handle a
  /// message.
  [[nodiscard]] internal::yield_operation yield() noexcept;
  /// Fails: ends the whole handler, also from a helper. `text` and `code` are those of the
  /// `failure`.
  ///
  ///     if (units > 1000) co_await ctx.fail("absurd price");
  [[nodiscard]] internal::fail_operation fail(std::string_view text, std::int32_t code = 0,
                                              const char* made_in = __builtin_FILE(),
                                              std::uint32_t at_line = __builtin_LINE()) noexcept;
  /// Runs `call(arguments...)`, which may block, on the threads for that, and resumes with what it
  /// returns: `std::expected<T, failure>`, where the failure says what it threw, or why it was not
  /// run. An `std::expected<T, failure>` that it returns is passed on. It must not use the actor,
  /// which may end meanwhile: then the result is dropped, and a call that has not begun is not run.
  /// It may wait for answers: `system.ask(...).get()`.
  ///
  ///     auto text = co_await ctx.run_blocking(read_file, path);
  template <class Callable, class... Arguments>
  [[nodiscard]] auto run_blocking(Callable&& call, Arguments&&... arguments);
  /// Resumes when something that is no actor has completed: `std::expected<Result,
  /// completion_error>`. `start(tactor::completion<Result>)` begins it, in this turn; what it
  /// passes the completion to calls that with the result, on any thread.
  ///
  ///     auto size = co_await ctx.completes<int>([&](tactor::completion<int> done) {
  ///       device_.read(buffer_, std::move(done));
  ///     });
  template <class Result, class Start>
  internal::completes_operation<Result, std::decay_t<Start>> completes(Start&& start);
  /// Resumes when it has completed, or after `timeout`.
  template <class Result, class Start>
  internal::completes_operation<Result, std::decay_t<Start>> completes(duration timeout,
                                                                       Start&& start);

protected:
  awaiting() = default;
  ~awaiting() = default;
};

}  // namespace tactor::inline v0
