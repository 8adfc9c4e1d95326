// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

class timer_record;

/// The records that were sent to the driver last. The driver takes the newest first and follows
/// links through cold memory: here it finds which records come later, and fetches them long before
/// it gets there. A hint: a wrong record costs time, nothing else.
///
/// Measured: without it, to schedule and cancel at 100 000 live timers takes the calling
/// thread 1.14 times as long, and all threads 1.6 times (docs/performance.md). Where that is no
/// longer 1.1, it can go.
///
/// Thread safety: `add` and `walk` from any thread, lock-free. Threads that send at the same time
/// may leave a record out, or be listed in another order. A store without memory for it has no
/// trail.
class command_trail {
public:
  /// One place of the trail. All-zero is the valid start.
  using place = port::atomic<const timer_record*>;
  /// The driver fetches so many records ahead.
  static constexpr std::uint32_t ahead = 16;

  constexpr command_trail() noexcept = default;
  /// Requires: no places, or a power of two of them; they outlive the trail.
  constexpr explicit command_trail(std::span<place> places) noexcept : places_(places) {}

  /// Adds a record that is about to be sent.
  void add(const timer_record& sent) noexcept {
    if (places_.empty()) return;
    const std::uint32_t at = next_.load(relaxed);  // relaxed: a hint
    next_.store(at + 1, relaxed);                  // relaxed: a hint
    place_at(at).store(&sent, relaxed);            // relaxed: a hint
  }

  /// One way back through the records that were sent. Context: one thread.
  class walk {
  public:
    explicit walk(const command_trail& over) noexcept
        : trail_(over), at_(over.next_.load(relaxed)) {}  // relaxed: a hint

    /// The walk has come to `record`. Returns: the record `ahead` steps further on, or null.
    [[nodiscard]] const timer_record* pass(const timer_record& record) noexcept {
      if (trail_.places_.empty()) return nullptr;
      for (std::uint32_t step = 1; step <= tolerance; ++step) {
        if (trail_.place_at(at_ - step).load(relaxed) != &record) continue;  // relaxed: a hint
        at_ -= step;
        break;
      }
      return trail_.place_at(at_ - ahead).load(relaxed);  // relaxed: a hint
    }

  private:
    // So many records may be missing here, or be in another order than in the queue.
    static constexpr std::uint32_t tolerance = 4;

    const command_trail& trail_;
    std::uint32_t at_;
  };

private:
  [[nodiscard]] place& place_at(std::uint32_t number) const noexcept {
    return places_[number & (places_.size() - 1)];
  }

  // constant after construction
  std::span<place> places_;
  // Written by: schedule, cancel. Read by: the same, the driver. Publishes: nothing.
  port::atomic<std::uint32_t> next_;
};

}  // namespace tactor::inline v0::internal
