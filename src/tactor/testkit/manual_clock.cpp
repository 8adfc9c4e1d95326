// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/manual_clock.hpp"

#include "tactor/base/assert.hpp"

#include <limits>

namespace tactor::inline v0::testkit {
namespace {

// Returns: nothing for an instant after the last nanosecond that this clock can show.
std::optional<std::uint64_t> in_nanoseconds(timer_instant instant) {
  std::uint64_t ns = 0;
  const std::uint64_t unit = instant.resolution_ns;
  if (__builtin_mul_overflow(instant.ticks, unit, &ns)) return std::nullopt;
  return ns;
}

}  // namespace

void manual_clock::advance(duration length) noexcept {
  const std::uint64_t end = after(length);
  for (auto next = next_deadline_ns(); next && *next <= end; next = next_deadline_ns()) {
    move_to(*next);
    poll_all();
  }
  move_to(end);
}

void manual_clock::jump(duration length) noexcept {
  move_to(after(length));
  poll_all();
}

bool manual_clock::advance_to_next() noexcept {
  const auto next = next_deadline_ns();
  if (!next) return false;
  move_to(*next);
  poll_all();
  return true;
}

std::optional<std::uint64_t> manual_clock::next_deadline_ns() const noexcept {
  std::optional<std::uint64_t> nearest;
  for (const clock_driven* each = driven_.front(); each != nullptr; each = driven_.next(*each)) {
    const auto next = each->next_poll();
    const auto ns = next ? in_nanoseconds(*next) : std::nullopt;
    if (ns && (!nearest || *ns < *nearest)) nearest = ns;
  }
  return nearest;
}

std::uint64_t manual_clock::after(duration length) const noexcept {
  TACTOR_ASSERT(length >= duration{}, panics::time_goes_back);
  const auto ns = static_cast<std::uint64_t>(length.nanoseconds());
  const std::uint64_t left = std::numeric_limits<std::uint64_t>::max() - now_ns_.value();
  TACTOR_ASSERT(ns <= left, panics::time_ends);
  return now_ns_.value() + ns;
}

/// Moves the clock, unless the instant has passed: then something is overdue.
void manual_clock::move_to(std::uint64_t then_ns) noexcept {
  const std::uint64_t now_ns = now_ns_.value();
  if (then_ns > now_ns) now_ns_.add(then_ns - now_ns);
}

void manual_clock::poll_all() noexcept {
  clock_driven* each = driven_.front();
  while (each != nullptr) {
    clock_driven* const next = driven_.next(*each);
    each->poll();
    each = next;
  }
}

}  // namespace tactor::inline v0::testkit
