// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::patterns {

/// The state of a circuit breaker.
enum class breaker_state : std::uint8_t {
  closed,     // asks go through
  open,       // asks fail at once
  half_open,  // one ask goes through, to try
};

/// The settings of a circuit breaker.
struct breaker_options {
  /// The number of failures in a row that opens it.
  std::uint32_t max_failures = 5;
  /// The time for which it stays open: `min_open` at first, twice as long after each try that
  /// failed, at most `max_open`.
  duration min_open = std::chrono::seconds{1};
  /// See `min_open`.
  duration max_open = std::chrono::seconds{30};
};

/// The reason why an ask through a circuit breaker got no answer.
struct breaker_error {
  bool rejected = false;  // the breaker was open: nothing was sent
  ask_error why;          // otherwise
};

/// Protects the asks of an actor to another. After some failures in a row it is open: asks fail at
/// once instead of waiting for their timeouts. After a while it lets one through, and closes when
/// that one is answered. It is a member of the actor that asks, or is destroyed after the last of
/// its asks has ended; then a try that its actor leaves unfinished has failed. It needs no timer.
///
///     breaker_.ask(ctx, device_, measure{}, 100ms, [this](auto got) { ... });
///
/// Context: the actor's own handlers.
class circuit_breaker {
public:
  explicit circuit_breaker(const breaker_options& options = {}) noexcept : options_(options) {}
  // Asks that are under way refer to it.
  circuit_breaker(const circuit_breaker&) = delete;
  circuit_breaker& operator=(const circuit_breaker&) = delete;
  ~circuit_breaker() = default;

  /// Asks unless the breaker is open. `then` gets `std::expected<Message::reply, breaker_error>`:
  /// in a later turn, or before this returns if the breaker is open. It returns nothing, or
  /// `std::expected<void, failure>` as for `ctx.ask`. Returns: what `then` has returned, if the
  /// breaker is open; otherwise no failure.
  template <class Context, class... Messages, class Message, class Then>
  auto ask(Context& ctx, const actor_ref<Messages...>& to, Message message, duration timeout,
           Then then) {
    using result = std::expected<reply_of<Message>, breaker_error>;
    if (!admit(ctx.now_ns())) {
      breaker_error why{.rejected = true, .why = {}};
      why.why.target = to;
      return then(result{std::unexpected{why}});
    }
    ctx.ask(to, std::move(message), timeout,
            [under_way = attempt{*this, ctx.now_ns()}, then = std::move(then)](Context& own,
                                                                               auto got) mutable {
              under_way.end(got.has_value(), own.now_ns());
              if (!got) return then(result{std::unexpected{breaker_error{.why = got.error()}}});
              if constexpr (std::is_void_v<reply_of<Message>>) {
                return then(result{});
              } else {
                return then(result{*std::move(got)});
              }
            });
    return decltype(then(result{std::unexpected{breaker_error{}}}))();
  }

  /// Returns: the state at a time.
  [[nodiscard]] breaker_state state(std::uint64_t now_ns) const noexcept {
    if (open_ns_ == 0) return breaker_state::closed;
    return trying_ || now_ns >= until_ns_ ? breaker_state::half_open : breaker_state::open;
  }

  // These serve calls that are not asks.

  /// Returns: true if a call may be made now. Each call that is admitted is followed by `note`,
  /// also one that is given up.
  [[nodiscard]] bool admit(std::uint64_t now_ns) noexcept {
    if (open_ns_ == 0) return true;
    if (trying_ || now_ns < until_ns_) return false;
    trying_ = true;
    ++period_;
    return true;
  }
  /// Returns: the number of the current period, which ends when the breaker opens, tries or closes.
  [[nodiscard]] std::uint32_t period() const noexcept { return period_; }
  /// Records the result of a call of a period; it is ignored if that period is over.
  void note(std::uint32_t period, bool succeeded, std::uint64_t now_ns) noexcept {
    if (period == period_) note(succeeded, now_ns);
  }
  /// Records that the call that was admitted last has succeeded or failed. If several are under way
  /// at a time, name the period.
  void note(bool succeeded, std::uint64_t now_ns) noexcept {
    const bool was_trying = std::exchange(trying_, false);
    if (open_ns_ != 0 && !was_trying) return;  // it was made before the breaker opened
    if (succeeded) {
      if (was_trying) ++period_;
      failures_ = 0;
      open_ns_ = 0;
      return;
    }
    if (open_ns_ == 0 && ++failures_ < options_.max_failures) return;
    const auto least =
        static_cast<std::uint64_t>(std::max<std::int64_t>(options_.min_open.nanoseconds(), 1));
    const auto most = static_cast<std::uint64_t>(
        std::max(options_.max_open.nanoseconds(), options_.min_open.nanoseconds()));
    open_ns_ = open_ns_ == 0 ? least : std::min(2 * open_ns_, std::max(most, least));
    until_ns_ = now_ns + open_ns_;
    ++period_;
  }

private:
  /// An ask that is under way. Destroyed before it has ended (its actor stops or restarts, its
  /// message throws while it is moved), it has failed if it was the breaker's try: otherwise the
  /// breaker would wait for its result for ever.
  class attempt {
  public:
    attempt(circuit_breaker& by, std::uint64_t now_ns) noexcept
        : of_(&by), period_(by.period_), sent_ns_(now_ns) {}
    attempt(attempt&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)),
          period_(other.period_),
          sent_ns_(other.sent_ns_) {}
    attempt& operator=(attempt&&) = delete;
    ~attempt() {
      if (of_ != nullptr && of_->trying_) of_->note(period_, false, sent_ns_);
    }

    void end(bool succeeded, std::uint64_t now_ns) noexcept {
      std::exchange(of_, nullptr)->note(period_, succeeded, now_ns);
    }

  private:
    circuit_breaker* of_;
    std::uint32_t period_;
    std::uint64_t sent_ns_;
  };

  breaker_options options_;
  std::uint32_t failures_ = 0;  // in a row
  std::uint32_t period_ = 0;    // how often it has opened, tried or closed
  bool trying_ = false;         // half open, and a call is on its way
  std::uint64_t open_ns_ = 0;   // how long it is open; 0: it is closed
  std::uint64_t until_ns_ = 0;
};

}  // namespace tactor::inline v0::patterns
