// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/life/receive_timeout.hpp"
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
