// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// The numbers of the records that were sent to the driver last. The driver takes the newest first and follows links through cold memory:
/// here it finds which records come later, and fetches them long before it gets there. A hint: a wrong number costs time, nothing else.
///
/// Thread safety: `add` and `walk` from any thread, lock-free. Threads that send at the same time may leave a record out, or be listed in
/// another order. Only the last `Length` are known. A board, whose memory is as fast as its processor, has no trail.
template <bool Exists = port::has_real_layout && !port::has_interrupts,
          std::uint32_t Length = 32768>
class command_trail {
public:
  /// How far ahead the driver fetches.
  static constexpr std::uint32_t ahead = 16;

  /// A record is about to be sent; `number` is not 0. Returns: whether the driver should take the records now: a quarter of the trail
  /// has been sent since this was true last.
  [[nodiscard]] bool add(std::uint32_t number) noexcept {
    const std::uint32_t place = next_.load(relaxed);  // relaxed: a hint
    next_.store(place + 1, relaxed);                  // relaxed: a hint
    numbers_[place % Length].store(number, relaxed);  // relaxed: a hint
    return place % (Length / 4) == Length / 4 - 1;
  }

  /// One way back through the records that were sent. Context: one thread.
  class walk {
  public:
    explicit walk(const command_trail& over) noexcept
        : trail_(over), at_(over.next_.load(relaxed)) {}  // relaxed: a hint

    /// The walk has come to the record `number`. Returns: the number of the record `ahead` steps further on; 0: unknown.
    [[nodiscard]] std::uint32_t pass(std::uint32_t number) noexcept {
      for (std::uint32_t step = 1; step <= tolerance; ++step) {
        if (trail_.number_at(at_ - step) != number) continue;
        at_ -= step;
        break;
      }
      return trail_.number_at(at_ - ahead);
    }

  private:
    // So many numbers may be missing here, or be in another order than in the queue.
    static constexpr std::uint32_t tolerance = 4;

    const command_trail& trail_;
    std::uint32_t at_;
  };

private:
  [[nodiscard]] std::uint32_t number_at(std::uint32_t place) const noexcept {
    return numbers_[place % Length].load(relaxed);  // relaxed: a hint
  }

  // Written by: schedule, cancel. Read by: the same, the driver. Publishes: nothing.
  port::atomic<std::uint32_t> next_;
  std::array<port::atomic<std::uint32_t>, Length> numbers_;
};

/// In the model and on a board.
template <std::uint32_t Length>
class command_trail<false, Length> {
public:
  [[nodiscard]] static bool add(std::uint32_t /*number*/) noexcept { return false; }
  struct walk {
    explicit walk(const command_trail& /*over*/) noexcept {}
    static std::uint32_t pass(std::uint32_t /*number*/) noexcept { return 0; }
  };
};

}  // namespace tactor::inline v0::internal
