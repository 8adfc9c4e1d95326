// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/awaiting.hpp"
#include "tactor/core/actor/coroutine/operations.hpp"
#include "tactor/core/actor/coroutine/running_task.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <coroutine>
#include <cstdint>
#include <expected>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

// What is awaited and does not come from an actor.
namespace tactor::inline v0 {

/// The reason why `context::completes` has no result.
enum class completion_error : std::uint8_t {
  timed_out,  // it did not complete in time
  abandoned,  // its `completion` was destroyed without a result
  no_memory,  // it was not started: there was no memory to await it
};

/// Returns: a sentence that says what happened and what to do.
[[nodiscard]] constexpr const char* to_text(completion_error why) noexcept {
  switch (why) {
  case completion_error::timed_out:
    return "it did not complete in time: cancel it, or wait longer";
  case completion_error::abandoned:
    return "its completion was destroyed without a result: call it exactly once";
  case completion_error::no_memory:
    return "no memory to await it: start fewer, or provide more memory";
  }
  return "unknown";
}

namespace internal {

/// The message that brings the result to the coroutine. It is no dead letter if it comes too late.
template <class Result>
struct completed {
  using suppress_dead_letter = void;
  std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> value;
};

}  // namespace internal

/// Gives a coroutine the result of something that it awaits; see `context::completes`. Its place is
/// reserved: giving the result needs no memory and cannot be refused. Destroyed without a result,
/// it says so. After the coroutine has ended or no longer waits, the result is dropped.
///
/// Thread safety: one thread at a time, any thread.
template <class Result>
class [[nodiscard]] completion {
public:
  /// For the runtime: `place` holds an empty result for the reply slot `to`.
  completion(internal::origin to, internal::envelope& place) noexcept : to_(to), place_(&place) {}
  completion(completion&& other) noexcept
      : to_(other.to_), place_(std::exchange(other.place_, nullptr)) {}
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;
  completion& operator=(completion&&) = delete;
  ~completion() { send(); }

  /// Gives the result, built from `parts`. Requires: called once. If building it throws, there is
  /// none.
  template <class... Parts>
  void operator()(Parts&&... parts) {
    using kept = internal::completed<Result>;
    static_cast<kept*>(internal::payload_of(*place_))->value.emplace(std::forward<Parts>(parts)...);
    send();
  }
  /// Returns: true while the coroutine waits; otherwise nothing needs to begin. It may stop waiting
  /// at any moment.
  [[nodiscard]] bool is_awaited() const noexcept {
    return place_ != nullptr &&
           internal::program_memory.asks[to_.index()].peek().is_open_for(to_.generation);
  }

private:
  void send() noexcept {
    if (internal::envelope* const e = std::exchange(place_, nullptr))
      internal::send_answer(internal::this_thread(), to_, *e);
  }

  internal::origin to_;
  internal::envelope* place_;
};

namespace internal {

#if defined(__GNUC__) && !defined(__clang__)
template <class Given>
inline constexpr bool is_safe_callable =
    std::is_lvalue_reference_v<Given> || std::is_trivially_copyable_v<Given>;
#else
template <class Given>
inline constexpr bool is_safe_callable = true;
#endif

/// Gives one error for each mistake with a callable inside a co_await expression.
template <class Callable, bool Safe, bool Fits, bool Moves>
struct awaited_call_check {
  static_assert(Safe,
                "g++ destroys a lambda with captures in a co_await expression twice: name it on "
                "the line before and pass it without std::move");
  static_assert(Fits,
                "what is awaited here is a callable: run_blocking takes [](arguments...) {...} "
                "with its arguments, completes<Result> takes [](tactor::completion<Result>) {...}");
  static_assert(Moves, "what is run elsewhere must move without throwing");
};

inline namespace TACTOR_EXCEPTION_MODE {

/// Awaits a result that `start(completion<Result>)` has begun to make.
template <class Result>
class completion_awaiter {
public:
  completion_awaiter() noexcept = default;
  completion_awaiter(const completion_awaiter&) = delete;
  completion_awaiter& operator=(const completion_awaiter&) = delete;
  ~completion_awaiter() { what_.discard_answer(); }

  static constexpr bool await_ready() noexcept { return false; }

protected:
  /// Begins, without a timeout if `timeout` is null. Returns: false if the coroutine continues at
  /// once. If `start` throws, the handler fails.
  template <class Promise, class Start>
  bool begin(std::coroutine_handle<Promise> by, const duration* timeout, Start&& start) noexcept {
    thread_record& here = this_thread();
    envelope* const place = new_envelope<completed<Result>>(here);
    if (place == nullptr) return false;
    ::new (payload_of(*place)) completed<Result>{};
    const origin to = what_.begin_completion(by.promise(), by.address(), timeout);
    if (to.what() != origin::kind::reply_slot) {
      discard_envelope(here, *place);
      return false;
    }
    failure why;
    const call_result said = guarded(why, [&] {
      start(completion<Result>{to, *place});
      return call_result::done;
    });
    if (said == call_result::failed) fail_task(by.promise(), why);
    return true;
  }
  std::expected<Result, completion_error> result() {
    if (what_.answer == nullptr)
      return std::unexpected{what_.why == ask_failure::timed_out ? completion_error::timed_out
                                                                 : completion_error::no_memory};
    auto& value = static_cast<completed<Result>*>(payload_of(*what_.answer))->value;
    if (!value) return std::unexpected{completion_error::abandoned};
    if constexpr (std::is_void_v<Result>) {
      return {};
    } else {
      return std::expected<Result, completion_error>{std::in_place, std::move(*value)};
    }
  }

private:
  awaited what_;
};

template <class Result, class Start>
class completes_awaiter : public completion_awaiter<Result> {
public:
  completes_awaiter(Start&& start, const std::optional<duration>& timeout) noexcept
      : start_(std::move(start)), timeout_(timeout) {}

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return this->begin(by, timeout_ ? &*timeout_ : nullptr, start_);
  }
  std::expected<Result, completion_error> await_resume() { return this->result(); }

private:
  Start start_;
  std::optional<duration> timeout_;
};
/// See `context::completes`.
template <class Result, class Start>
class [[nodiscard]] completes_operation : public operation {
public:
  completes_operation(Start start, const std::optional<duration>& timeout) noexcept
      : start_(std::move(start)), timeout_(timeout) {}
  completes_awaiter<Result, Start> operator co_await() && noexcept {
    return {std::move(start_), timeout_};
  }

private:
  Start start_;
  std::optional<duration> timeout_;
};

}  // namespace TACTOR_EXCEPTION_MODE

template <class Result, class Start, class Given>
completes_operation<Result, Start> checked_completes(Given&& start,
                                                     const std::optional<duration>& timeout = {}) {
  constexpr bool fits = std::is_invocable_v<Start&, completion<Result>>;
  constexpr bool moves = std::is_nothrow_move_constructible_v<Start>;
  (void)awaited_call_check<Start, is_safe_callable<Given>, fits, moves>{};
  return {std::forward<Given>(start), timeout};
}

}  // namespace internal

template <class Self>
template <class Result, class Start>
internal::completes_operation<Result, std::decay_t<Start>>
awaiting<Self>::completes(Start&& start) {
  return internal::checked_completes<Result, std::decay_t<Start>, Start>(
      std::forward<Start>(start));
}
template <class Self>
template <class Result, class Start>
internal::completes_operation<Result, std::decay_t<Start>>
awaiting<Self>::completes(duration timeout, Start&& start) {
  return internal::checked_completes<Result, std::decay_t<Start>, Start>(std::forward<Start>(start),
                                                                         timeout);
}

}  // namespace tactor::inline v0
