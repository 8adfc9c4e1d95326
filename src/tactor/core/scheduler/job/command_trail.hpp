// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// The last records that were sent to the driver. Each record carries the one that was sent `length`
/// before it, so that the driver, which takes the newest first and follows links through cold memory,
/// can fetch that one long before it gets there. A hint: a wrong one costs time, nothing else.
///
/// Thread safety: every function from any thread, lock-free. Threads that send at the same time may
/// leave a record out. A board, whose memory is as fast as its processor, has no trail.
template <bool Exists = port::has_real_layout && !port::has_interrupts>
class command_trail {
public:
  static constexpr std::uint32_t length = 16;

  /// A record is sent; `number` is not 0. Returns: the number of the one `length` before it; 0: none.
  [[nodiscard]] std::uint32_t add(std::uint32_t number) noexcept {
    const std::uint32_t place = next_.load(relaxed) % length;  // relaxed: a hint
    next_.store(place + 1, relaxed);                           // relaxed: a hint
    const std::uint32_t before = last_[place].load(relaxed);   // relaxed: a hint
    last_[place].store(number, relaxed);                       // relaxed: a hint
    return before;
  }

private:
  // Written by: schedule, cancel. Read by: the same. Publishes: nothing.
  port::atomic<std::uint32_t> next_;
  std::array<port::atomic<std::uint32_t>, length> last_;
};

/// In the model and on a board.
template <>
class command_trail<false> {
public:
  static std::uint32_t add(std::uint32_t number) noexcept { return number; }
};

}  // namespace tactor::inline v0::internal
