// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <chrono>
#include <cstdint>

namespace tactor::inline v0::internal {

// Strategies as pure functions: the past and the time are arguments.

/// The record of an actor's failures. A value; all-zero is an actor that never failed.
struct restart_history {
  std::uint64_t window_began_ns = 0;
  std::uint64_t restarted_ns = 0;  // the last restart, or the next if it is pending
  std::uint32_t in_window = 0;     // restarts since the window began
  std::uint32_t in_a_row = 0;      // restarts without a quiet period between them
  std::uint32_t restarts = 0;      // ever
};

/// The decision about one failure.
struct verdict {
  directive what = directive::stop;
  failure_scope scope = failure_scope::one_for_one;
  bool keep_children = false;
  /// Explains why it differs from the strategy's directive, in one sentence; null: it does not.
  const char* remark = nullptr;
  duration delay = {};  // restart: how long to wait
};

/// Counts one more restart if it is allowed. Returns: whether it is. Counts like Pekko: the window
/// begins with the first restart and, once it is over, with the next restart.
[[nodiscard]] bool permit_restart(const restart& limits, restart_history& past,
                                  std::uint64_t now_ns) noexcept;

/// Names what an actor did when it failed.
enum class failed_in : std::uint8_t {
  message,  // it handled one, which is gone: the next instance has another
  start,    // its constructor or a hook, its own or a child's: the next instance may fail alike
};

/// The back-off of actors that fail to start, if their strategy has none. Their first restart is at
/// once.
inline constexpr backoff after_failed_starts{.min = std::chrono::milliseconds{10},
                                             .max = std::chrono::seconds{1}};

/// Returns the time to wait for the restart after `in_a_row` others. `chance` selects the jitter.
[[nodiscard]] duration delay_of(const backoff& how, std::uint32_t in_a_row,
                                std::uint64_t chance) noexcept;

/// A sibling failed, and the actor is restarted with it. If the actor's own scope is `all_for_one`,
/// this counts against its limits, too: otherwise ten siblings could restart ten times as often.
void count_with_sibling(const supervision& how, restart_history& past,
                        std::uint64_t now_ns) noexcept;

/// Applies a strategy to a failure and counts it in `past`. If the decider fails, the parent fails:
/// `why` becomes that failure, and is escalated. `chance` selects the jitter.
[[nodiscard]] verdict judge(const supervision& how, restart_history& past, failure& why,
                            std::uint64_t now_ns, std::uint64_t chance,
                            failed_in during = failed_in::message) noexcept;

}  // namespace tactor::inline v0::internal
