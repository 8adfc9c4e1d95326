// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// Holds the figures that a searching worker reads of another worker.
struct worker_view {
  std::uint64_t progress = 0;  // turns begun and messages handled so far
  std::uint64_t idles = 0;     // how often it had nothing to run
  bool runs = false;           // it is in a turn
  std::uint64_t now_ns = 0;    // when this was read
};

/// Estimates how long one worker takes for a turn or a message, as other workers see it: the worker
/// itself reads no clock. It counts messages and not turns only, because a turn of many short
/// messages is long, too, and its cells are better off together. A value; the time is an argument.
class message_cost {
public:
  /// The average is over at least this time.
  static constexpr std::uint64_t window_ns = 20'000;

  /// Takes what was read into the average. Time in which the worker was idle does not count.
  constexpr void observe(const worker_view& seen) noexcept {
    if (!seen.runs || seen.idles != begin_.idles) {
      begin_ = seen;
      return;
    }
    const std::uint64_t elapsed = seen.now_ns - begin_.now_ns;
    const std::uint64_t done = seen.progress - begin_.progress;
    if (done == 0) {
      ns_ = std::max(ns_, elapsed);  // one message, and its handler has not returned
    } else if (elapsed >= window_ns) {
      ns_ = elapsed / done;
      begin_ = seen;
    }
  }
  /// Returns the estimate; 0 if nothing is known.
  [[nodiscard]] constexpr std::uint32_t ns() const noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(ns_, most));
  }

private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  worker_view begin_{.idles = never};  // of the time that is averaged
  std::uint64_t ns_ = 0;
};

/// Messages that take this long are long, and a single cell is worth stealing. Messages that only
/// forward take less than a tenth of it.
inline constexpr std::uint32_t long_message_ns = 1'000;
/// To wake a sleeping worker takes the caller about 10 µs, and the worker starts 20 to 70 µs later:
/// the queued cells have to take at least this long.
inline constexpr std::uint64_t worth_waking_ns = 20'000;

/// Returns true if a worker that is awake should steal from a ring with `queued` cells.
[[nodiscard]] constexpr bool is_worth_stealing(std::size_t queued,
                                               std::uint32_t message_ns) noexcept {
  return queued != 0 && message_ns >= long_message_ns;
}
/// Returns true if a sleeping worker should be woken for these cells. Each of them has a turn and
/// at least one message.
[[nodiscard]] constexpr bool is_worth_waking(std::size_t queued,
                                             std::uint32_t message_ns) noexcept {
  return message_ns >= long_message_ns && 2 * std::uint64_t{queued} * message_ns >= worth_waking_ns;
}

/// Returns true if a worker that is woken as the watcher should search first. It also searches
/// while nothing is known: its first nap may last longer than the messages that it should learn
/// from.
[[nodiscard]] constexpr bool watcher_searches(std::uint32_t message_ns) noexcept {
  return message_ns == 0 || message_ns >= long_message_ns;
}

}  // namespace tactor::inline v0::internal
