// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// Strategies as pure functions: what they know of the past and of time is given to them.

/// What is remembered of an actor's failures. A value; all-zero is an actor that never failed.
struct restart_history {
  std::uint64_t window_began_ns = 0;
  std::uint64_t restarted_ns = 0;  // when it was restarted last, or is going to be
  std::uint32_t in_window = 0;     // restarts since the window began
  std::uint32_t in_a_row = 0;      // restarts without a quiet period between them
  std::uint32_t restarts = 0;      // ever
};

/// What comes of one failure.
struct verdict {
  directive what = directive::stop;
  failure_scope scope = failure_scope::one_for_one;
  bool keep_children = false;
  /// Why it is not what the strategy says, in one sentence; null: it is.
  const char* remark = nullptr;
  duration delay = {};  // restart: how long to wait
};

/// Whether one more restart is allowed. If so, it has been counted. As Pekko counts: the window
/// begins with the first restart and, once it is over, with the next one.
[[nodiscard]] bool permit_restart(const restart& limits, restart_history& past,
                                  std::uint64_t now_ns) noexcept;

/// How long to wait for the restart after `in_a_row` others. `chance` decides about the jitter.
[[nodiscard]] duration delay_of(const backoff& how, std::uint32_t in_a_row,
                                std::uint64_t chance) noexcept;

/// A sibling failed, and the actor is restarted with it. If it would take its siblings along as well,
/// that counts against its limits, too: otherwise ten of them were allowed ten times as much.
void count_with_sibling(const supervision& how, restart_history& past,
                        std::uint64_t now_ns) noexcept;

/// What a strategy says about a failure, and `past` with this one. If its decider fails, that is a
/// failure of the parent: `why` becomes it, and is escalated. `chance` decides about the jitter.
[[nodiscard]] verdict judge(const supervision& how, restart_history& past, failure& why,
                            std::uint64_t now_ns, std::uint64_t chance) noexcept;

}  // namespace tactor::inline v0::internal
