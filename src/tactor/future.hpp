// SPDX-License-Identifier: BSL-1.0
#pragma once

// Answers as std::future, for code that waits for several things at once. A header of its own: with
// <future> a program takes a second longer to compile.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/core/actor/answer_courier.hpp"
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

}  // namespace tactor::inline v0
