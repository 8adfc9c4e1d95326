// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/awaiting.hpp"
#include "tactor/core/actor/coroutine/completion.hpp"
#include "tactor/core/actor/coroutine/operations.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/actor/unlisted_actor.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <coroutine>
#include <expected>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

// A call that may block, which a coroutine awaits. It runs as an actor of its own on the dispatcher
// for such actors, and completes what the coroutine awaits.
namespace tactor::inline v0::internal {

/// The result of `co_await ctx.run_blocking(...)` for a callable that returns `Returned`.
template <class Returned>
struct blocking_outcome {
  using type = std::expected<Returned, failure>;
};
template <class Value>
struct blocking_outcome<std::expected<Value, failure>> {
  using type = std::expected<Value, failure>;
};

/// A callable and its arguments.
template <class Callable, class... Arguments>
struct kept_call {
  Callable call;
  std::tuple<Arguments...> arguments;

  using returned = std::invoke_result_t<Callable&, Arguments&&...>;
  using outcome = typename blocking_outcome<std::remove_cvref_t<returned>>::type;
};

/// Returns: the reason why a call was not run, and what to do about it.
[[nodiscard]] constexpr const char* not_run_because(std::optional<spawn_error> refused) noexcept {
  if (!refused || *refused == spawn_error::stopping)
    return "a blocking call did not run: the system is stopping";
  if (*refused == spawn_error::no_dispatcher)
    return "run_blocking: no blocking pool here; use an actor_system, or dispatchers.all_on_pool";
  return to_text(*refused);
}

inline namespace TACTOR_EXCEPTION_MODE {

/// Runs the call. What it keeps is gone before the coroutine has the result.
template <class Call>
typename Call::outcome outcome_of(Call& kept) {
  Call call = std::move(kept);
  std::optional<typename Call::outcome> made;
  failure why;
  const call_result said = guarded(why, [&] {
    using returned = typename Call::returned;
    const auto run = [&](auto&... arguments) -> returned {
      return call.call(std::move(arguments)...);
    };
    if constexpr (std::is_void_v<returned>) {
      std::apply(run, call.arguments);
      made.emplace();
    } else {
      made.emplace(std::apply(run, call.arguments));
    }
    return call_result::done;
  });
  if (said == call_result::failed) return std::unexpected{why};
  return std::move(*made);
}

/// A call, and the coroutine that awaits it.
template <class Call>
struct awaited_call {
  Call call;
  completion<typename Call::outcome> done;
};
/// Runs one call, then ends.
template <class Call>
class blocking_run : public actor<> {
public:
  explicit blocking_run(awaited_call<Call>&& what) noexcept : what_(std::move(what)) {}
  void pre_start(context& ctx) {
    if (what_.done.is_awaited()) what_.done(outcome_of(what_.call));
    ctx.stop();
  }

private:
  awaited_call<Call> what_;
};

template <class Call>
class blocking_awaiter : public completion_awaiter<typename Call::outcome> {
public:
  using outcome = typename Call::outcome;

  explicit blocking_awaiter(Call&& call) noexcept : call_(std::move(call)) {}

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
    return this->begin(by, nullptr, [this](completion<outcome> done) {
      system_services& services = *this_thread().services;
      unlisted_actor<blocking_run<Call>, awaited_call<Call>> runs{
          {std::move(call_), std::move(done)}};
      const auto made =
          runs.spawn(services, {.dispatcher = services.constants.blocking_calls_on_pool
                                                  ? dispatcher::pool
                                                  : dispatcher::blocking});
      if (!made) refused_ = made.error();
    });
  }
  outcome await_resume() {
    auto completed = this->result();
    if (completed) return std::move(*completed);
    if (completed.error() == completion_error::no_memory)
      return std::unexpected{failure{"no memory for a blocking call"}};
    return std::unexpected{failure{not_run_because(refused_)}};
  }

private:
  Call call_;
  std::optional<spawn_error> refused_;
};
/// See `context::run_blocking`.
template <class Call>
class [[nodiscard]] blocking_operation : public operation {
public:
  explicit blocking_operation(Call call) noexcept : call_(std::move(call)) {}
  blocking_awaiter<Call> operator co_await() && noexcept {
    return blocking_awaiter<Call>{std::move(call_)};
  }

private:
  Call call_;
};

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal

namespace tactor::inline v0 {

template <class Self>
template <class Callable, class... Arguments>
auto awaiting<Self>::run_blocking(Callable&& call, Arguments&&... arguments) {
  using callable = std::decay_t<Callable>;
  constexpr bool safe = internal::is_safe_callable<Callable> &&
                        (internal::is_safe_in_await<Arguments> && ... && true);
  constexpr bool fits = std::is_invocable_v<callable&, std::decay_t<Arguments>&&...>;
  constexpr bool moves =
      std::is_nothrow_move_constructible_v<callable> &&
      (std::is_nothrow_move_constructible_v<std::decay_t<Arguments>> && ... && true);
  (void)internal::awaited_call_check<callable, safe, fits, moves>{};
  if constexpr (safe && fits && moves) {
    using kept = internal::kept_call<callable, std::decay_t<Arguments>...>;
    return internal::blocking_operation<kept>{
        kept{std::forward<Callable>(call),
             std::tuple<std::decay_t<Arguments>...>{std::forward<Arguments>(arguments)...}}};
  } else {
    return internal::yield_operation{};  // a stub: the mistake was reported
  }
}

}  // namespace tactor::inline v0
