// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0 {

/// What becomes of an actor that failed.
enum class directive : std::uint8_t {
  stop,      // it ends
  restart,   // a fresh instance takes its place; reference, mailbox and queued messages stay
  resume,    // it goes on with its next message, its state as it is
  escalate,  // its parent fails for it
};

/// In words, for logs.
[[nodiscard]] constexpr const char* to_text(directive what) noexcept {
  switch (what) {
  case directive::stop:
    return "stop";
  case directive::restart:
    return "restart";
  case directive::resume:
    return "resume";
  case directive::escalate:
    return "escalate";
  }
  return "";
}

/// Whom a directive is about.
enum class failure_scope : std::uint8_t {
  one_for_one,  // the actor that failed
  all_for_one,  // that one and its siblings
};

/// How long a failed actor waits for its restart: `least` after the first failure, then twice as
/// long each time, up to `most`; always `least` if `most` is zero. All zero: not at all.
struct backoff {
  duration min = {};
  duration max = {};
  /// How much longer it may be, in percent: a different part of that each time, so that many that
  /// failed together do not all come back together.
  std::uint32_t jitter_percent = 0;
  /// A failure that comes so long after the last restart is the first one again. 0: `most`.
  duration reset_after = {};
};

/// Restarts, and how often at most.
///
///     ctx.spawn<worker>({.on_failure = tactor::restart{.max_restarts = 3, .within = 1min}});
struct restart {
  static constexpr std::uint32_t unlimited = ~std::uint32_t{0};

  /// So many restarts are allowed; the next failure stops the actor. 0: the first one does.
  std::uint32_t max_restarts = unlimited;
  /// Only restarts within this time count. Nothing: all do.
  std::optional<duration> within = {};
  backoff delay = {};
  failure_scope scope = failure_scope::one_for_one;
  /// Whether its children live on. (An actor with a `pre_restart` of its own decides there.)
  bool keep_children = false;
};

class supervision;

/// What a decider says about one kind of failure: a directive, or that another strategy decides.
class decision {
public:
  constexpr decision(directive what) noexcept : what_(what) {}  // implicit: deciders return it
  /// Requires: `instead` outlives all actors it is given to; a constant does.
  constexpr decision(const supervision& instead) noexcept : instead_(&instead) {}  // implicit
  decision(const supervision&&) = delete;

  [[nodiscard]] constexpr directive what() const noexcept { return what_; }
  /// Null: there is no other strategy.
  [[nodiscard]] constexpr const supervision* instead() const noexcept { return instead_; }

private:
  directive what_ = directive::escalate;
  const supervision* instead_ = nullptr;
};

/// Calls a decider, guarded. Returns: false if it failed, and `why_not` says how.
using decider = bool (*)(const failure& why, decision& said, failure& why_not) noexcept;

/// What happens when an actor fails: a directive for every failure, or a decider for each kind, and
/// the limits of restarts. Given at spawn, as `on_failure`; a value.
///
///     .on_failure = tactor::directive::resume
///     .on_failure = tactor::restart{.max_restarts = 3, .within = 1min, .delay = {100ms, 10s}}
///     .on_failure = tactor::decide_by([](const tactor::failure& why) -> tactor::decision {
///       return why.code() == 7 ? tactor::directive::resume : tactor::directive::escalate;
///     })
class supervision {
public:
  /// Every failure stops the actor.
  constexpr supervision() noexcept = default;
  constexpr supervision(directive what,  // implicit: it is a strategy
                        failure_scope scope = failure_scope::one_for_one) noexcept
      : limits_{.scope = scope}, always_(what) {}
  constexpr supervision(const restart& within) noexcept  // implicit: as well
      : limits_(within), always_(directive::restart) {}
  constexpr supervision(decider says, const restart& within) noexcept
      : limits_(within), decides_(says) {}

  /// Null: `always` is said.
  [[nodiscard]] constexpr decider decides() const noexcept { return decides_; }
  [[nodiscard]] constexpr directive always() const noexcept { return always_; }
  /// For restarts.
  [[nodiscard]] constexpr const restart& limits() const noexcept { return limits_; }
  /// Whether it is what actors have that were given nothing.
  [[nodiscard]] constexpr bool is_default() const noexcept {
    return decides_ == nullptr && always_ == directive::stop &&
           limits_.scope == failure_scope::one_for_one;
  }

private:
  restart limits_;
  decider decides_ = nullptr;
  directive always_ = directive::stop;
};

namespace internal {

/// What is wrong with a strategy, in one sentence that says what to do; null: nothing.
[[nodiscard]] constexpr const char* complaint_about(const supervision& how) noexcept {
  const restart& limits = how.limits();
  const backoff& delay = limits.delay;
  if (limits.within && limits.within->nanoseconds() <= 0)
    return "restart.within must be longer than zero, or nothing";
  if (delay.min < duration{} || delay.max < duration{} || delay.reset_after < duration{})
    return "restart.delay must not be negative";
  if (delay.max != duration{} && delay.max < delay.min)
    return "restart.delay.most must not be less than delay.least";
  if (delay.jitter_percent > 100) return "restart.delay.jitter_percent must be at most 100";
  return nullptr;
}

}  // namespace internal
}  // namespace tactor::inline v0
