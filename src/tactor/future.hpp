// SPDX-License-Identifier: BSL-1.0
#pragma once

// Answers as std::future, for code that waits for several things at once, and futures of other
// libraries as messages. A header of its own: with <future> a program takes a second longer to
// compile.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/actor/answer_courier.hpp"
#include "tactor/core/actor/to_actor.hpp"
#include "tactor/host/future_waiter.hpp"
// IWYU pragma: end_exports

#include <expected>
#include <future>
#include <utility>

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
