// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/board_frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tactor::inline v0::bare::internal {

namespace board_frame = tactor::internal::board_frame;

/// One frame: filled field by field, encoded in place, then read by pieces.
class frame_buffer {
public:
  constexpr frame_buffer() noexcept = default;

  /// Begins a frame. Requires: `rest` is empty.
  void begin(board_frame::kind what, std::uint8_t number) noexcept {
    size_ = 1;  // the first byte is for the code
    put(board_frame::version);
    put(static_cast<std::uint8_t>(what));
    put(number);
  }
  /// Returns how many bytes of fields fit.
  [[nodiscard]] std::size_t room() const noexcept {
    return 1 + board_frame::longest - board_frame::checksum_size - size_;
  }
  /// Adds a number. Requires: there is room for ten bytes.
  void number(std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7U)
      put(static_cast<std::uint8_t>(value | 0x80U));
    put(static_cast<std::uint8_t>(value));
  }
  /// Adds a text, cut at `most` bytes and at the end of the frame. Requires: there is room for its
  /// length.
  void text(std::string_view value, std::size_t most) noexcept {
    if (most > room() - 1) most = room() - 1;
    if (value.size() > most) value.remove_suffix(value.size() - most);
    put(static_cast<std::uint8_t>(value.size()));
    for (const char each : value)
      put(static_cast<std::uint8_t>(each));
  }
  /// Ends the frame: adds the checksum, and encodes it.
  void finish() noexcept {
    const unsigned sum = board_frame::checksum(std::span{bytes_}.subspan(1, size_ - 1));
    put(static_cast<std::uint8_t>(sum));
    put(static_cast<std::uint8_t>(sum >> 8U));
    encode();
    put(0);
    read_ = 0;
  }

  /// Returns what has not been sent of the encoded frame.
  [[nodiscard]] std::span<const std::byte> rest() const noexcept {
    return std::span{bytes_}.subspan(read_, size_ - read_);
  }
  /// So many bytes of it were sent.
  void remove_prefix(std::size_t count) noexcept { read_ += count; }

private:
  void put(std::uint8_t value) noexcept { bytes_[size_++] = std::byte{value}; }
  /// Each zero, and the first byte, becomes the distance to the next zero.
  void encode() noexcept {
    std::size_t next = size_;
    for (std::size_t at = size_; at-- > 0;) {
      if (at != 0 && bytes_[at] != std::byte{0}) continue;
      bytes_[at] = static_cast<std::byte>(next - at);
      next = at;
    }
  }

  std::array<std::byte, board_frame::longest + 2> bytes_{};
  std::size_t size_ = 0;
  std::size_t read_ = 0;
};
static_assert(board_frame::longest + 2 < 255, "one block of COBS");

}  // namespace tactor::inline v0::bare::internal
