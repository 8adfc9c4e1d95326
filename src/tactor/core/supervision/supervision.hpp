// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0 {

/// Says what to do with an actor that failed.
enum class directive : std::uint8_t {
  stop,      // it stops
  restart,   // a fresh instance replaces it; reference, mailbox and queued messages stay
  resume,    // it continues with its next message and keeps its state
  escalate,  // its parent fails in its place
};

/// The name of the directive.
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

/// Says which actors a directive applies to.
enum class failure_scope : std::uint8_t {
  one_for_one,  // the actor that failed
  all_for_one,  // the actor that failed and its siblings
};

namespace internal {
// The last enumerators. A larger value is refused at spawn.
inline constexpr auto last_directive = directive::escalate;
inline constexpr auto last_failure_scope = failure_scope::all_for_one;
static_assert(*to_text(directive{static_cast<std::uint8_t>(last_directive) + 1}) == '\0');
}  // namespace internal

/// A failed actor waits before its restart: for `min` after the first failure, then twice as long
/// each time, up to `max`; always for `min` if `max` is zero. If all are zero it does not wait,
/// except that an actor which fails again while it starts waits for 10 ms, then twice as long each
/// time, up to 1 s, so that it does not take a processor.
struct backoff {
  duration min = {};
  duration max = {};
  /// The wait is longer by a random part of this many percent, 0 to 100, so that actors that failed
  /// together do not restart together.
  std::uint32_t jitter_percent = 0;
  /// A failure this long after the last restart counts as the first again. 0: `max`.
  duration reset_after = {};
};

/// Restarts the actor, within limits.
///
///     ctx.spawn<worker>({.on_failure = tactor::restart{.max_restarts = 3, .within = 1min}});
struct restart {
  static constexpr std::uint32_t unlimited = ~std::uint32_t{0};

  /// The number of restarts allowed; the next failure stops the actor. 0: the first failure does.
  std::uint32_t max_restarts = unlimited;
  /// Only restarts within this time, more than 0, count. Empty: all count.
  std::optional<duration> within = {};
  backoff delay = {};
  failure_scope scope = failure_scope::one_for_one;
  /// Keeps its children running. (An actor with its own `pre_restart` decides there.)
  bool keep_children = false;
};

class supervision;

/// The result of a decider: a directive, or another strategy that decides.
class decision {
public:
  constexpr decision(directive what) noexcept : what_(what) {}  // implicit: deciders return it
  /// Requires: `instead` outlives all actors that use it, like a constant.
  constexpr decision(const supervision& instead) noexcept : instead_(&instead) {}  // implicit
  decision(const supervision&&) = delete;

  [[nodiscard]] constexpr directive what() const noexcept { return what_; }
  /// Null: there is no other strategy.
  [[nodiscard]] constexpr const supervision* instead() const noexcept { return instead_; }

private:
  directive what_ = directive::escalate;
  const supervision* instead_ = nullptr;
};

/// A function that calls a user's decider and catches its exceptions. Returns: false if the decider
/// failed; then `why_not` holds its failure.
using decider = bool (*)(const failure& why, decision& said, failure& why_not) noexcept;

/// Decides what happens when an actor fails: by one directive for every failure, or by a decider
/// for each kind, within the limits of restarts. Given at spawn, as `on_failure`; a value.
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
      : limits_{.scope = scope}, always_(what), given_(true) {}
  constexpr supervision(const restart& within) noexcept  // implicit, too
      : limits_(within), always_(directive::restart), given_(true) {}
  constexpr supervision(decider says, const restart& within) noexcept
      : limits_(within), decides_(says), given_(true) {}

  /// Null: `always` applies.
  [[nodiscard]] constexpr decider decides() const noexcept { return decides_; }
  [[nodiscard]] constexpr directive always() const noexcept { return always_; }
  /// For restarts.
  [[nodiscard]] constexpr const restart& limits() const noexcept { return limits_; }
  /// Returns true if it was made of a directive, of limits or of a decider: a pool of workers has
  /// another default.
  [[nodiscard]] constexpr bool is_given() const noexcept { return given_; }
  /// Returns true if it is the strategy of actors spawned without one.
  [[nodiscard]] constexpr bool is_default() const noexcept {
    return decides_ == nullptr && always_ == directive::stop &&
           limits_.scope == failure_scope::one_for_one;
  }

private:
  restart limits_;
  decider decides_ = nullptr;
  directive always_ = directive::stop;
  bool given_ = false;
};

namespace internal {

/// Complains about a strategy, in one sentence that says what to do; null: it is sound.
[[nodiscard]] constexpr const char* complaint_about(const supervision& how) noexcept {
  const restart& limits = how.limits();
  const backoff& delay = limits.delay;
  if (how.always() > last_directive) return "on_failure must be an enumerator of directive";
  if (limits.scope > last_failure_scope)
    return "restart.scope must be an enumerator of failure_scope";
  if (limits.within && limits.within->nanoseconds() <= 0)
    return "restart.within must be longer than zero, or empty";
  if (delay.min < duration{} || delay.max < duration{} || delay.reset_after < duration{})
    return "restart.delay must not be negative";
  if (delay.max != duration{} && delay.max < delay.min)
    return "restart.delay.max must not be less than delay.min";
  if (delay.jitter_percent > 100) return "restart.delay.jitter_percent must be at most 100";
  return nullptr;
}

}  // namespace internal
}  // namespace tactor::inline v0
