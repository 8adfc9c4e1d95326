// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace tactor::inline v0 {

namespace internal {

/// A `std::chrono::duration`, known by its shape: <chrono> takes long to compile, and a unit that
/// only sends messages does not need it.
template <class Length>
concept chrono_duration = requires(const Length& length) {
  { length.count() } -> std::same_as<typename Length::rep>;
  { Length::period::num } -> std::convertible_to<std::intmax_t>;
  { Length::period::den } -> std::convertible_to<std::intmax_t>;
};

}  // namespace internal

/// A length of time, in nanoseconds. Takes any `std::chrono` duration and never overflows: what
/// does not fit becomes `max()` or `min()`, a fraction of a nanosecond is rounded up (a timer may
/// be late, never early), and a duration that is not a number becomes zero.
/// `std::chrono::nanoseconds` would wrap on `std::chrono::hours::max()`.
class duration {
public:
  constexpr duration() noexcept = default;

  template <internal::chrono_duration Length>
  constexpr duration(const Length& length) noexcept  // implicit: users write 200ms
      : nanoseconds_(saturated<typename Length::period>(length.count())) {}

  [[nodiscard]] constexpr std::int64_t nanoseconds() const noexcept { return nanoseconds_; }

  /// Returns: the longest duration, some 292 years.
  [[nodiscard]] static constexpr duration max() noexcept { return exactly(max_ns); }
  [[nodiscard]] static constexpr duration min() noexcept { return exactly(min_ns); }

  friend constexpr auto operator<=>(duration, duration) noexcept = default;

private:
  static constexpr duration exactly(std::int64_t nanoseconds) noexcept {
    duration result;
    result.nanoseconds_ = nanoseconds;
    return result;
  }

  template <class Period, class Rep>
  static constexpr std::int64_t saturated(Rep count) noexcept {
    using scale = std::ratio_divide<Period, std::nano>;
    if constexpr (std::is_floating_point_v<Rep>) {
      return from_real(static_cast<double>(count) * static_cast<double>(scale::num) /
                       static_cast<double>(scale::den));
    } else {
      return from_whole<scale::num, scale::den>(count);
    }
  }

  // The ratio is a template argument: milliseconds link no floating-point code on small boards.
  template <std::int64_t Num, std::int64_t Den, class Rep>
  static constexpr std::int64_t from_whole(Rep count) noexcept {
    const std::int64_t limit = count < 0 ? min_ns : max_ns;
    std::int64_t narrow = 0;
    std::int64_t whole = 0;
    if (__builtin_add_overflow(count, Rep{0}, &narrow)) return limit;
    if (__builtin_mul_overflow(narrow / Den, Num, &whole)) return limit;
    if constexpr (Den == 1) return whole;
    // rest * Num / Den, rounded up. If even that product overflows, the period is an exotic one
    // and the 53 bits of a double are precise enough.
    const std::int64_t rest = narrow % Den;
    std::int64_t part = 0;
    if (__builtin_mul_overflow(rest, Num, &part)) {
      part = static_cast<std::int64_t>(static_cast<double>(rest) / static_cast<double>(Den) *
                                       static_cast<double>(Num)) +
             1;
    } else {
      part = part / Den + (part % Den > 0 ? 1 : 0);
    }
    return __builtin_add_overflow(whole, part, &whole) ? limit : whole;
  }

  static constexpr std::int64_t from_real(double nanoseconds) noexcept {
    constexpr double end = 9223372036854775808.0;  // 2^63
    if (nanoseconds >= end) return max_ns;
    if (nanoseconds <= -end) return min_ns;
    if (!(nanoseconds == nanoseconds)) return 0;
    const auto truncated = static_cast<std::int64_t>(nanoseconds);
    return static_cast<double>(truncated) < nanoseconds ? truncated + 1 : truncated;
  }

  static constexpr std::int64_t max_ns = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t min_ns = std::numeric_limits<std::int64_t>::min();

  std::int64_t nanoseconds_ = 0;
};

namespace internal {

/// `length` after `now_ns`, saturating.
[[nodiscard]] constexpr std::uint64_t later(std::uint64_t now_ns, duration length) noexcept {
  const std::int64_t ns = length.nanoseconds();
  const std::uint64_t sum = now_ns + static_cast<std::uint64_t>(ns < 0 ? 0 : ns);
  return sum < now_ns ? ~std::uint64_t{0} : sum;
}

}  // namespace internal
}  // namespace tactor::inline v0
