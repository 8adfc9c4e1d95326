// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/deadline.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include "property.hpp"  // IWYU pragma: keep
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace tactor::property {
namespace {

__extension__ using wide = __int128;

constexpr auto last_instant = std::numeric_limits<std::uint64_t>::max();

duration of_ns(std::int64_t ns) {
  return std::chrono::nanoseconds{ns};
}

// Small numbers, large ones, and the corners of T5 in units of `tick_ns`.
std::int64_t any_delay_ns(std::int64_t tick_ns) {
  const auto longest = static_cast<std::int64_t>(longest_delay_ticks);
  const auto corner = *rc::gen::element<std::int64_t>(
      std::numeric_limits<std::int64_t>::min(), -1, 0, 1, tick_ns, longest * tick_ns,
      (longest - 1) * tick_ns, (longest + 1) * tick_ns, std::numeric_limits<std::int64_t>::max());
  const auto beside = *rc::gen::inRange<std::int64_t>(-2, 3);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(corner, beside, &sum)) sum = corner;
  return *rc::gen::oneOf(rc::gen::just(sum), rc::gen::inRange<std::int64_t>(1, 100 * tick_ns),
                         rc::gen::arbitrary<std::int64_t>());
}

std::uint64_t any_instant(std::uint64_t units_per_tick) {
  const auto corner = *rc::gen::element<std::uint64_t>(
      0, units_per_tick - 1, units_per_tick, (1ull << 32) * units_per_tick,
      (1ull << 63) - 200'000'000, 1ull << 63, last_instant - 2 * units_per_tick, last_instant - 1);
  return *rc::gen::oneOf(rc::gen::just(corner),
                         rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 3 * units_per_tick),
                                      [corner](std::uint64_t more) {
                                        return more > last_instant - corner ? corner
                                                                            : corner + more;
                                      }),
                         rc::gen::arbitrary<std::uint64_t>());
}

// The definition, in arithmetic that is wide enough. -1: refused.
wide expected_deadline(timer_instant now, wide delay_ns, wide tick_ns, zero_delay zero) {
  const wide last_tick = tick::max().count;
  if (delay_ns < 0 || (delay_ns == 0 && zero == zero_delay::refused)) return -1;
  if (delay_ns > tick_ns * static_cast<wide>(longest_delay_ticks)) return -1;
  const wide now_ns = static_cast<wide>(now.ticks) * now.resolution_ns;
  const wide over = now_ns + delay_ns;
  const wide rounded_up = (over + tick_ns - 1) / tick_ns;
  const wide at_least = now_ns / tick_ns + 1;
  const wide deadline = rounded_up < at_least ? at_least : rounded_up;
  return deadline > last_tick ? last_tick : deadline;
}

// spec: T4 T5
RC_GTEST_PROP(deadline_property, equals_128_bit_arithmetic_for_every_clock_delay_and_resolution,
              ()) {
  const auto tick_ns = *rc::gen::element<std::int64_t>(100'000, 250'000, 1'000'000, 10'000'000,
                                                       333'333'333, 1'000'000'000);
  const auto divisor =
      *rc::gen::suchThat(rc::gen::element<std::int64_t>(1, 10, 100, 250'000, tick_ns, tick_ns),
                         [tick_ns](std::int64_t d) { return tick_ns % d == 0; });
  const auto unit_ns = static_cast<std::uint32_t>(divisor);
  const auto zero = *rc::gen::element(zero_delay::refused, zero_delay::next_tick);
  const timer_instant now{.ticks = any_instant(static_cast<std::uint64_t>(tick_ns) / unit_ns),
                          .resolution_ns = unit_ns};
  const std::int64_t delay_ns = any_delay_ns(tick_ns);

  const auto found = deadline_after(now, of_ns(delay_ns), of_ns(tick_ns), zero);

  const wide expected = expected_deadline(now, delay_ns, tick_ns, zero);
  RC_ASSERT(found.has_value() == (expected >= 0));
  if (found) {
    RC_ASSERT(static_cast<wide>(found->count) == expected);
    RC_ASSERT(*found > tick_at(now, of_ns(tick_ns)) || *found == tick::max());
  }
}

// spec: T1
RC_GTEST_PROP(deadline_property, a_tick_holds_the_instants_of_its_length, (std::uint64_t ns)) {
  const auto tick_ns = *rc::gen::inRange<std::int64_t>(100'000, 1'000'000'001);
  const tick whole = tick_at({.ticks = ns, .resolution_ns = 1}, of_ns(tick_ns));

  const wide begin = static_cast<wide>(whole.count) * tick_ns;
  RC_ASSERT(begin <= static_cast<wide>(ns));
  RC_ASSERT(static_cast<wide>(ns) < begin + tick_ns);
}

// The expected value of a duration of `count` periods of num/den seconds.
std::int64_t expected_ns(wide count, wide num, wide den) {
  const wide scaled = count * num * 1'000'000'000;
  const wide ns = scaled / den + (scaled % den > 0 ? 1 : 0);
  if (ns > duration::max().nanoseconds()) return duration::max().nanoseconds();
  if (ns < duration::min().nanoseconds()) return duration::min().nanoseconds();
  return static_cast<std::int64_t>(ns);
}

template <class Rep, class Period>
void converts_exactly() {
  const Rep corner = *rc::gen::element<Rep>(0, 1, std::numeric_limits<Rep>::max(),
                                            std::numeric_limits<Rep>::min());
  const Rep count = *rc::gen::oneOf(rc::gen::just(corner), rc::gen::arbitrary<Rep>());
  const duration found = std::chrono::duration<Rep, Period>{count};
  RC_ASSERT(found.nanoseconds() == expected_ns(count, Period::num, Period::den));
}

// spec: T5
RC_GTEST_PROP(duration_property, takes_any_whole_duration_exactly_or_saturates, ()) {
  converts_exactly<std::int64_t, std::nano>();
  converts_exactly<std::int64_t, std::micro>();
  converts_exactly<std::int64_t, std::milli>();
  converts_exactly<std::int64_t, std::ratio<3600>>();
  converts_exactly<std::int64_t, std::ratio<31'556'952>>();  // years
  converts_exactly<std::int64_t, std::pico>();
  converts_exactly<std::int64_t, std::atto>();
  converts_exactly<std::int64_t, std::ratio<1, 3>>();
  converts_exactly<std::int64_t, std::ratio<1001, 30'000>>();  // frames of a film
  converts_exactly<std::int64_t, std::ratio<1, 32'768>>();     // a watch crystal
  converts_exactly<std::int64_t, std::ratio<1, 1'193'182>>();  // an old timer chip
  converts_exactly<std::uint64_t, std::nano>();
  converts_exactly<std::uint64_t, std::ratio<60>>();
  converts_exactly<std::int32_t, std::ratio<86'400>>();
  converts_exactly<std::uint8_t, std::milli>();
}

// spec: T4
RC_GTEST_PROP(duration_property, takes_a_real_duration_rounded_up_to_its_nanosecond,
              (std::int32_t whole)) {
  const auto eighths = *rc::gen::inRange(0, 8);
  const double ns = static_cast<double>(whole) + static_cast<double>(eighths) / 8;  // exact

  const duration found = std::chrono::duration<double, std::nano>{ns};

  RC_ASSERT(static_cast<double>(found.nanoseconds()) >= ns);
  RC_ASSERT(static_cast<double>(found.nanoseconds()) - ns < 1);
}

// spec: T5
RC_GTEST_PROP(tick_property, arithmetic_stops_at_the_end,
              (std::uint64_t from, std::uint64_t distance)) {
  const wide sum = static_cast<wide>(from) + distance;
  const wide last = tick::max().count;
  const tick to = later_by(tick{from}, distance);

  RC_ASSERT(static_cast<wide>(to.count) == (sum > last ? last : sum));
  RC_ASSERT(ticks_between(tick{from}, to) == to.count - from);
  RC_ASSERT(to == tick{from} || ticks_between(to, tick{from}) == 0u);
}

}  // namespace
}  // namespace tactor::property
