// SPDX-License-Identifier: BSL-1.0
#pragma once

// Answers as std::future, for code that waits for several things at once, and futures of other
// libraries as messages. No umbrella includes it: with <future> a program takes a second longer to
// compile.

#include "tactor/actor.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/answer_courier.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <future>
#include <new>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

inline namespace TACTOR_EXCEPTION_MODE {

/// Takes the outcome of a future. Requires: it is ready.
template <class Future>
auto outcome_of_future(Future& ready) {
  using value = std::remove_cvref_t<decltype(ready.get())>;
  std::expected<value, failure> outcome{std::unexpected{failure{""}}};
  failure why;
  const call_result result = guarded(why, [&] {
    if constexpr (std::is_void_v<value>) {
      ready.get();
      outcome.emplace();
    } else {
      outcome = ready.get();
    }
    return call_result::done;
  });
  if (result == call_result::failed) outcome = std::unexpected{why};
  return outcome;
}

/// Looks at a future from time to time, calls back when it is ready, and ends.
template <class Future, class Callback>
class future_waiter : public actor<> {
public:
  using outcome = decltype(outcome_of_future(std::declval<Future&>()));

  future_waiter(Future&& future, Callback&& callback) noexcept
      : future_(std::move(future)), callback_(std::move(callback)) {}

  void pre_start(context& ctx) { look(ctx); }
  void receive(context& ctx, const receive_timeout&) { look(ctx); }

private:
  static constexpr std::chrono::microseconds longest{10'000};

  void look(context& ctx) {
    if (!callback_.is_awaited()) return ctx.stop();
    if (!future_.valid()) return fail(ctx, "the future has no state: it was used or moved from");
    switch (future_.wait_for(std::chrono::seconds{0})) {
    case std::future_status::ready:
      callback_(outcome_of_future(future_));
      return ctx.stop();
    case std::future_status::deferred:
      return fail(ctx, "the future is deferred: use std::launch::async, or ctx.run_blocking");
    case std::future_status::timeout:
      break;
    }
    pause_ = std::min(pause_ * 2, longest);
    if (!ctx.set_receive_timeout(pause_, *this)) fail(ctx, "no memory for a timer");
  }
  void fail(context& ctx, const char* why) {
    callback_(outcome{std::unexpected{failure{why}}});
    ctx.stop();
  }

  Future future_;
  Callback callback_;
  std::chrono::microseconds pause_{500};
};
/// Builds a `future_waiter`, once, because it is never restarted.
template <class Future, class Callback>
struct future_waiter_maker {
  mutable Future future;
  mutable Callback callback;

  void operator()(void* storage) const {
    ::new (storage) future_waiter<Future, Callback>(std::move(future), std::move(callback));
  }
};

/// Calls `callback` when `future` is ready.
template <class Future, class Callback>
void wait_for_future(system_services& services, Future&& future, Callback&& callback) {
  using waiter = future_waiter<Future, Callback>;
  using maker = future_waiter_maker<Future, Callback>;
  maker make{std::move(future), std::move(callback)};
  const auto spawned = services.spawn({.recipe = recipe_of<waiter, maker>::value,
                                       .arguments = &make,
                                       .options = spawn_options{},
                                       .if_taken = spawn_request::taken_name::is_an_error,
                                       .unlisted = true},
                                      nullptr);
  if (!spawned)
    make.callback(typename waiter::outcome{std::unexpected{failure{to_text(spawned.error())}}});
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal

namespace tactor::inline v0 {

/// The answer as a future, which always gets a value: the answer, or why there is none.
///
///     auto price = tactor::to_future(system.ask(prices, quote{"tea"}, 1s));
///
/// Requires: the system is alive. See `pending_reply::then`.
template <class Reply>
[[nodiscard]] std::future<std::expected<Reply, ask_error>> to_future(pending_reply<Reply>&& reply) {
  std::promise<std::expected<Reply, ask_error>> made;
  auto future = made.get_future();
  std::move(reply).then([made = std::move(made)](std::expected<Reply, ask_error> outcome) mutable {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the promise owns its state
    made.set_value(std::move(outcome));
  });
  return future;
}

/// The future is looked at when this is called, then after 1, 2, 4 and 8 ms and every 10 ms: no
/// thread waits for it. `make` runs on some thread of the system, so it uses nothing of the actor.
/// The place of the message is reserved: a full mailbox does not refuse it. The failure says what
/// the future threw, or that it is deferred or has no state. If the actor ends first, the future is
/// released; a restart does not matter.
///
///     ctx.pipe_to_self(std::move(rows), [](std::expected<int, tactor::failure> count) {
///       return counted{count.value_or(0)};
///     });
template <class... Messages>
template <class Future, class Make>
void actor_context<Messages...>::pipe_to_self(Future future, Make make) {
  auto callback = to_actor(self(), std::move(make));
  if (!callback) return this->log(log_level::error, "no memory for the message of a future");
  internal::wait_for_future(*internal::this_thread().services, std::move(future),
                            std::move(callback));
}

}  // namespace tactor::inline v0
