// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// Says when jobs come close to records that no job has used yet, so that their memory is prepared
/// before a call needs it. A hint: a request that comes late costs time, nothing else.
///
/// Thread safety: every function from any thread, lock-free. A board has all memory from the start:
/// there nothing is watched.
///
/// inv 1  For each `watch` there is one request at most.
template <bool Exists = !port::has_interrupts>
class growth_watch {
public:
  /// The next record that is taken at `index` or above is a request. Requires: nothing is watched, and
  /// no request waits.
  void watch(std::uint32_t index) noexcept { at_.store(index, relaxed); }  // relaxed: a hint

  /// A record at `index` was taken. Returns: whether this is a request; then the caller calls the thread.
  [[nodiscard]] bool passes(std::uint32_t index) noexcept {
    std::uint32_t at = at_.load(relaxed);  // relaxed: a hint
    // relaxed: the word of the thread that is woken publishes it
    return index >= at && at_.compare_exchange(at, requested, relaxed);
  }

  /// Wakes the thread that prepares memory, by `wake`; null: nothing wakes it. Returns: false if there is
  /// no such thread; then the driver is to be woken, which starts it. Requires: `passes` returned true.
  template <class Wake>
  [[nodiscard]] bool call_thread(Wake wake) noexcept {
    // no mutant: the same as the driver's wake word, with fewer consequences
    bell.fetch_add(1, release);  // pairs: growth.bell
    if (wake != nullptr) wake(bell);
    return is_served.load(relaxed);  // relaxed: a hint
  }

  /// Whether the next request has not come yet. For tests.
  [[nodiscard]] bool is_watching() const noexcept {
    return at_.load(relaxed) < requested;  // relaxed: a hint
  }
  /// Whether a request waits.
  [[nodiscard]] bool has_request() const noexcept {
    return at_.load(relaxed) ==
           requested;  // relaxed: the word of the thread that is woken orders it
  }
  /// Returns: whether there was a request; nothing is watched then until the next `watch`. Context: one
  /// thread at a time.
  [[nodiscard]] bool take_request() noexcept {
    const bool has = has_request();
    if (has) at_.store(nothing, relaxed);  // relaxed: a hint
    return has;
  }

  // Whether a thread sleeps on `bell`. Written by: that thread's owner. Read by: requests. Publishes:
  // nothing.
  port::atomic<bool> is_served;
  // Written by: requests, the owner of the thread. Read by: the thread. Publishes: the reason, so that
  // a thread that has read the new value finds it.
  port::atomic<std::uint32_t> bell;

private:
  // Larger than the index of any record.
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t requested = nothing - 1;

  // Written by: watch, requests, take_request. Read by: the same. Publishes: nothing.
  port::atomic<std::uint32_t> at_{nothing};
};

/// Of a board.
template <>
class growth_watch<false> {
public:
  static constexpr bool passes(std::uint32_t /*index*/) noexcept { return false; }
  template <class Wake>
  static constexpr bool call_thread(Wake /*wake*/) noexcept {
    return true;
  }
};

}  // namespace tactor::inline v0::internal
