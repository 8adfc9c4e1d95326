// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tactor::inline v0 {

/// How often and how long an actor was suspended. It counts running → suspended → running of the
/// whole actor, not single reasons. Durations are absent, not zero, where there is no clock.
class suspension_times {
public:
  /// The actor was running and is suspended.
  constexpr void begin(std::optional<std::uint64_t> now_ns) noexcept {
    ++suspensions_;
    began_ns_ = now_ns;
  }
  /// The actor runs again. `asked_ns`: when that was requested. Returns: how long it was suspended.
  constexpr std::optional<duration> end(std::optional<std::uint64_t> now_ns,
                                        std::optional<std::uint64_t> asked_ns = {}) noexcept {
    ++resumes_;
    last_ = between(began_ns_, now_ns);
    if (last_) total_ = sum(total_.value_or(duration{}), *last_);
    latency_ = between(asked_ns, now_ns);
    return last_;
  }
  /// A signal that came early was dropped for a newer one.
  constexpr void forget_signal() noexcept { ++forgotten_; }

  [[nodiscard]] constexpr std::uint32_t suspensions() const noexcept { return suspensions_; }
  [[nodiscard]] constexpr std::uint32_t resumes() const noexcept { return resumes_; }
  /// When the suspension began that lasts; nothing: the actor is not suspended.
  [[nodiscard]] constexpr std::optional<std::uint64_t> since() const noexcept {
    return suspensions_ != resumes_ ? began_ns_ : std::nullopt;
  }
  /// How long the last suspension was.
  [[nodiscard]] constexpr std::optional<duration> last() const noexcept { return last_; }
  /// How long all suspensions were.
  [[nodiscard]] constexpr std::optional<duration> total() const noexcept { return total_; }
  /// How long the last resume took, from the request or the end of the delay.
  [[nodiscard]] constexpr std::optional<duration> latency() const noexcept { return latency_; }
  /// Early signals that were dropped.
  [[nodiscard]] constexpr std::uint32_t forgotten_signals() const noexcept { return forgotten_; }

private:
  static constexpr std::optional<duration> between(std::optional<std::uint64_t> from,
                                                   std::optional<std::uint64_t> to) noexcept {
    if (!from || !to) return std::nullopt;
    return std::chrono::nanoseconds{static_cast<std::int64_t>(*to > *from ? *to - *from : 0)};
  }
  static constexpr duration sum(duration a, duration b) noexcept {
    return std::chrono::nanoseconds{a.nanoseconds() + b.nanoseconds()};
  }

  std::uint32_t suspensions_ = 0;
  std::uint32_t resumes_ = 0;
  std::uint32_t forgotten_ = 0;
  std::optional<std::uint64_t> began_ns_;
  std::optional<duration> last_;
  std::optional<duration> total_;
  std::optional<duration> latency_;
};

}  // namespace tactor::inline v0
