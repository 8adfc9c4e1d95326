// SPDX-License-Identifier: BSL-1.0
#pragma once

// Answers as std::future, for code that waits for several things at once, and futures of other
// libraries as messages. No umbrella includes it: with <future> a program takes a second longer to
// compile.

#include "tactor/actor.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/answer_courier.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/actor/unlisted_actor.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <future>
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

/// A future, and the callback for its outcome.
template <class Future, class Callback>
struct awaited_future {
  Future future;
  Callback callback;
};
/// Looks at a future from time to time, calls back when it is ready, and ends.
template <class Future, class Callback>
class future_waiter : public actor<> {
public:
  using outcome = decltype(outcome_of_future(std::declval<Future&>()));

  explicit future_waiter(awaited_future<Future, Callback>&& what) noexcept
      : what_(std::move(what)) {}

  void pre_start(context& ctx) { look(ctx); }
  void receive(context& ctx, const receive_timeout&) { look(ctx); }

private:
  static constexpr std::chrono::microseconds longest{10'000};

  void look(context& ctx) {
    if (!what_.callback.is_awaited()) return ctx.stop();
    if (!what_.future.valid())
      return fail(ctx, "the future has no state: it was used or moved from");
    switch (what_.future.wait_for(std::chrono::seconds{0})) {
    case std::future_status::ready:
      what_.callback(outcome_of_future(what_.future));
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
    what_.callback(outcome{std::unexpected{failure{why}}});
    ctx.stop();
  }

  awaited_future<Future, Callback> what_;
  std::chrono::microseconds pause_{500};
};

/// Calls `callback` when `future` is ready.
template <class Future, class Callback>
void wait_for_future(system_services& services, Future&& future, Callback&& callback) {
  using waiter = future_waiter<Future, Callback>;
  unlisted_actor<waiter, awaited_future<Future, Callback>> waits{
      {std::move(future), std::move(callback)}};
  if (const auto spawned = waits.spawn(services); !spawned)
    waits.parts.callback(
        typename waiter::outcome{std::unexpected{failure{to_text(spawned.error())}}});
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
  (void)this->own_cell();  // in its turn
  auto callback = to_actor(self(), std::move(make));
  if (!callback) return this->log(log_level::error, "no memory for the message of a future");
  internal::wait_for_future(*internal::this_thread().services, std::move(future),
                            std::move(callback));
}

}  // namespace tactor::inline v0
