// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

// Set by the build option TACTOR_POOL_COUNTS. Otherwise nothing is counted, and nothing is compiled.
#ifndef TACTOR_POOL_COUNTS
#define TACTOR_POOL_COUNTS 0
#endif

namespace tactor::inline v0::internal {

/// What workers of a pool may wait for each other for.
enum class pool_event : std::uint8_t {
  lock,             // the pool's lock was taken
  failed_exchange,  // another thread changed the same word
  hand_over,        // a cell went from one worker to another
  wake,             // a sleeping worker was woken
};

inline constexpr bool counts_pool_events = TACTOR_POOL_COUNTS != 0;

/// How often each event happened in the program.
using pool_event_counts = std::array<std::uint64_t, 4>;

#if TACTOR_POOL_COUNTS
// Written by: all workers and senders. Read by: any. Publishes: nothing.
inline std::array<port::atomic<std::uint64_t>, 4> counted_pool_events;
#endif

/// Counts an event, if the build counts them.
inline void count_pool_event([[maybe_unused]] pool_event what,
                             [[maybe_unused]] std::uint64_t times = 1) noexcept {
#if TACTOR_POOL_COUNTS
  counted_pool_events[std::to_underlying(what)].fetch_add(times, relaxed);  // relaxed: a statistic
#endif
}
/// All zero, if the build does not count them.
[[nodiscard]] inline pool_event_counts count_of_pool_events() noexcept {
  pool_event_counts counts{};
#if TACTOR_POOL_COUNTS
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = counted_pool_events[i].load(relaxed);  // relaxed: a statistic
#endif
  return counts;
}

/// Holds a pool's lock for its lifetime.
class pool_lock {
public:
  explicit pool_lock(port::mutex& mutex) noexcept : guard_(mutex) {
    count_pool_event(pool_event::lock);
  }

private:
  lock_guard<port::mutex> guard_;
};

}  // namespace tactor::inline v0::internal
