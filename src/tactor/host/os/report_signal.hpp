// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Wakes the thread that reports what happens in a system. While the thread sleeps, everything
/// wakes it; while it dozes, that is sleeps with a timeout, workers do not: it looks at them
/// anyway.
///
/// Context: `raise`, `worker_woke` and `is_idle` from any thread; the rest by the thread.
///
/// inv 1  After `raise` a `begin` follows; what was written before is seen after it.
/// inv 2  Likewise after `worker_woke`, unless the thread dozes first.
class report_signal {
public:
  /// Called when there is something to report, or the thread is to end.
  void raise() noexcept {
    const std::uint32_t before = word_.fetch_or(raised, release);  // pairs: report.word
    if ((before & raised) == 0 && (before & (asleep | dozing)) != 0) wake_waiter(word_);
  }
  /// Called when a worker runs again.
  void worker_woke() noexcept {
    const std::uint32_t before = word_.fetch_or(awake, release);  // pairs: report.word
    if ((before & awake) == 0 && (before & asleep) != 0) wake_waiter(word_);
  }
  /// Returns true if everything that was raised has been reported.
  [[nodiscard]] bool is_idle() const noexcept {
    const std::uint32_t now = word_.load(acquire);  // pairs: report.word
    return (now & (asleep | dozing)) != 0 && (now & raised) == 0;
  }

  /// Forgets the news so far: news that come from now on lead to another `begin`.
  void begin() noexcept {
    (void)word_.exchange(0, acquire);  // pairs: report.word
  }
  /// Sleeps until there is news, or dozes until `until_ns`; returns at once if there was news since
  /// `begin`. Returns: false if the system cannot sleep.
  [[nodiscard]] bool sleep(std::optional<std::uint64_t> until_ns) noexcept {
    const std::uint32_t state = until_ns ? dozing : asleep;
    const std::uint32_t news = until_ns ? raised : raised | awake;
    std::uint32_t before = word_.load(relaxed);  // relaxed: only compared
    do {
      if ((before & news) != 0) return true;
      // Publishes what was reported.
    } while (!word_.compare_exchange(before, state, release));  // pairs: report.word
    return wait_on_word(word_, state, until_ns) != wait_result::failed;
  }

private:
  static constexpr std::uint32_t raised = 1;
  static constexpr std::uint32_t awake = 2;   // a worker has woken
  static constexpr std::uint32_t asleep = 4;  // the thread, or it is about to be
  static constexpr std::uint32_t dozing = 8;

  // Written by, read by: all callers named above. Publishes: what there is to report; all that
  // was reported.
  port::atomic<std::uint32_t> word_;
};

}  // namespace tactor::inline v0::internal
