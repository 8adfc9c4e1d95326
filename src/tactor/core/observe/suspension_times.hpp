// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tactor::inline v0 {

/// Counts how often and how long an actor was suspended. It counts running → suspended → running of
/// the whole actor, not single reasons. Durations are absent, not zero, where there is no clock.
class suspension_times {
public:
  /// The actor was running and is suspended.
  constexpr void begin(std::optional<std::uint64_t> now_ns) noexcept {
    ++suspensions_;
    began_ns_ = now_ns.value_or(no_time);
  }
  /// The actor runs again. `asked_ns`: when that was requested. Returns: how long it was suspended.
  constexpr std::optional<duration> end(std::optional<std::uint64_t> now_ns,
                                        std::optional<std::uint64_t> asked_ns = {}) noexcept {
    ++resumes_;
    last_ns_ = between(began_ns_, now_ns.value_or(no_time));
    if (last_ns_ != no_time) total_ns_ = (total_ns_ == no_time ? 0 : total_ns_) + last_ns_;
    latency_ns_ = between(asked_ns.value_or(no_time), now_ns.value_or(no_time));
    return as_duration(last_ns_);
  }
  /// A signal that came early was dropped for a newer one.
  constexpr void forget_signal() noexcept { ++forgotten_; }

  [[nodiscard]] constexpr std::uint32_t suspensions() const noexcept { return suspensions_; }
  [[nodiscard]] constexpr std::uint32_t resumes() const noexcept { return resumes_; }
  /// Returns when the suspension began that lasts; nothing: the actor is not suspended.
  [[nodiscard]] constexpr std::optional<std::uint64_t> since() const noexcept {
    return suspensions_ != resumes_ && began_ns_ != no_time ? std::optional{began_ns_}
                                                            : std::nullopt;
  }
  /// Returns the length of the last suspension.
  [[nodiscard]] constexpr std::optional<duration> last() const noexcept {
    return as_duration(last_ns_);
  }
  /// Returns the length of all suspensions together.
  [[nodiscard]] constexpr std::optional<duration> total() const noexcept {
    return as_duration(total_ns_);
  }
  /// Returns how long the last resume took, from the request or the end of the delay.
  [[nodiscard]] constexpr std::optional<duration> latency() const noexcept {
    return as_duration(latency_ns_);
  }
  /// Early signals that were dropped.
  [[nodiscard]] constexpr std::uint32_t forgotten_signals() const noexcept { return forgotten_; }

private:
  static constexpr std::uint64_t no_time = ~std::uint64_t{0};

  static constexpr std::uint64_t between(std::uint64_t from_ns, std::uint64_t to_ns) noexcept {
    if (from_ns == no_time || to_ns == no_time) return no_time;
    return to_ns > from_ns ? to_ns - from_ns : 0;
  }
  static constexpr std::optional<duration> as_duration(std::uint64_t ns) noexcept {
    if (ns == no_time) return std::nullopt;
    return std::chrono::nanoseconds{static_cast<std::int64_t>(ns)};
  }

  std::uint32_t suspensions_ = 0;
  std::uint32_t resumes_ = 0;
  std::uint32_t forgotten_ = 0;
  std::uint64_t began_ns_ = no_time;
  std::uint64_t last_ns_ = no_time;
  std::uint64_t total_ns_ = no_time;
  std::uint64_t latency_ns_ = no_time;
};

}  // namespace tactor::inline v0
