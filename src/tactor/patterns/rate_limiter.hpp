// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <chrono>
#include <cstdint>
#include <expected>

namespace tactor::inline v0::patterns {

/// Limits how often an actor handles messages, as a token bucket: a member of the actor, whose
/// handlers call `take`. When the bucket is empty, the actor is suspended (`rate_limit`) until
/// there is a token again; its messages wait meanwhile. A wait ends with a tick of the timers
/// (10 ms by default), and the tokens of that tick are kept: so the rate holds, also if it is more
/// than one message per tick.
///
///     void receive(context& ctx, request r) {
///       (void)limit_.take(ctx);
///       service_.tell(r);
///     }
///     tactor::patterns::rate_limiter limit_{{.tokens = 10, .per = 1s}};
///
/// Context: the actor it belongs to.
class rate_limiter {
public:
  /// The tokens that the bucket gets, and those that it holds.
  struct rate {
    std::uint32_t tokens = 1;                // so many messages in the time `per`; 0 counts as 1
    duration per = std::chrono::seconds{1};  // the time in which the bucket gets `tokens`
    std::uint32_t burst = 0;                 // so many at once; 0: as many as `tokens`
  };

  /// A full bucket.
  constexpr explicit rate_limiter(const rate& of) noexcept {
    const std::uint64_t tokens = of.tokens == 0 ? 1 : of.tokens;
    const std::uint64_t burst = of.burst == 0 ? tokens : of.burst;
    const std::int64_t per_ns = of.per.nanoseconds();
    interval_ns_ = per_ns <= 0 ? 0 : static_cast<std::uint64_t>(per_ns) / tokens;
    if (interval_ns_ > far_ns) interval_ns_ = far_ns;
    const bool is_far = interval_ns_ != 0 && burst - 1 > far_ns / interval_ns_;
    tolerance_ns_ = is_far ? far_ns : interval_ns_ * (burst - 1);
  }

  /// Takes a token for the current message. Taking the last token suspends the actor after its
  /// handler; if the next token is further away than timers reach, for at least half of their
  /// reach. Returns: an error if there is no memory for the suspension; then the next message is
  /// not delayed.
  std::expected<void, suspend_error> take(context& ctx) noexcept {
    const std::uint64_t now_ns = ctx.now_ns();
    const duration tick = ctx.timers().config().timing.resolution;
    // What is late by a tick at most has waited for that tick, and keeps its place.
    if (full_ns_ + static_cast<std::uint64_t>(tick.nanoseconds()) < now_ns) full_ns_ = now_ns;
    const bool is_far = full_ns_ > now_ns && full_ns_ - now_ns + interval_ns_ >= 2 * far_ns;
    full_ns_ = is_far ? now_ns + 2 * far_ns - 1 : full_ns_ + interval_ns_;
    if (full_ns_ <= now_ns + tolerance_ns_) return {};
    std::chrono::nanoseconds wait{static_cast<std::int64_t>(full_ns_ - now_ns - tolerance_ns_)};
    while (true) {
      const auto said = ctx.suspend(suspend_reason::rate_limit, resume_after(wait));
      if (said || said.error() != suspend_error::invalid_delay) return said;
      wait /= 2;  // beyond the range of the timers
    }
  }

private:
  static constexpr std::uint64_t far_ns = std::uint64_t{1} << 62;  // 146 years

  std::uint64_t interval_ns_ = 0;   // between two tokens
  std::uint64_t tolerance_ns_ = 0;  // how far `full_ns_` may lie ahead when a token is taken
  std::uint64_t full_ns_ = 0;       // when the bucket is full again
};

}  // namespace tactor::inline v0::patterns
