// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/frame_buffer.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::bare {

/// Destination of bytes: a UART, semihosting, a buffer that a debugger reads. Context: the
/// program's thread.
class byte_sink {
public:
  /// Takes as many of the bytes, from the first on, as it can without waiting. Returns: how many.
  virtual std::size_t write(std::span<const std::byte> bytes) noexcept = 0;

protected:
  ~byte_sink() = default;
};

/// The stack of the program, in bytes.
struct stack_use {
  std::uint32_t most_used = 0;
  std::uint32_t size = 0;  // 0: unknown
};

namespace internal {

/// The most messages that waited in a mailbox.
struct mailbox_mark {
  std::uint16_t tenant = 0;  // the actor's generation, modulo 2^16
  std::uint16_t deepest = 0;
};

/// `frame_reporter`, for a system of any size.
class frame_sender {
public:
  using stack_function = stack_use (*)() noexcept;

  constexpr frame_sender(byte_sink& to, stack_function stack) noexcept : to_(to), stack_(stack) {}

  /// See `frame_reporter`.
  void request() noexcept {
    if (next_ == step::nothing) {
      next_ = step::begin;
    } else {
      ++lost_;
    }
  }
  /// See `frame_reporter`.
  [[nodiscard]] std::uint32_t lost() const noexcept { return lost_; }
  /// See `frame_reporter::write_some`.
  bool write_some(system_core& of, std::span<mailbox_mark> marks) noexcept;

private:
  enum class step : std::uint8_t { nothing, begin, sums, actors };
  /// At most so many bytes are written at once.
  static constexpr std::size_t piece = 16;

  void make_frame(system_core& of, std::span<mailbox_mark> marks) noexcept;
  void make_begin(system_core& of) noexcept;
  void make_sums(system_core& of) noexcept;
  void make_actor(system_core& of, std::span<mailbox_mark> marks) noexcept;

  byte_sink& to_;
  stack_function stack_;
  frame_buffer frame_;
  std::uint32_t at_ = 0;        // of the figures, or of the slots
  std::uint32_t actors_ = 0;    // sent
  std::uint32_t snapshot_ = 0;  // its number
  std::uint32_t lost_ = 0;
  std::uint8_t number_ = 0;  // of the next frame
  step next_ = step::nothing;
};

}  // namespace internal

/// Sends what can be seen of a system to a host, as frames in a stream of bytes: mailboxes and the
/// most that waited in them, figures, timers, failures, dead letters, use of the stack. The host's
/// `frame_decoder` reads them. A program without one links none of it.
///
///     constinit bare::frame_reporter<size> frames{uart};
///
///     frames.request();  // in an actor, by a timer
///     board.run([](auto) { bare::wait_for_interrupt(); }, [] { return frames.write_some(board);
///     });
///
/// It never waits: each call writes a few bytes, as many as the sink takes. A snapshot that is
/// requested before the last one was written is lost, and counted. Context: the program's thread,
/// outside of handlers except for `request`; no interrupt.
template <system_size Size>
class frame_reporter {
public:
  /// `stack` says how much stack is used; null: it is not known. Requires: `to` outlives it.
  constexpr explicit frame_reporter(byte_sink& to, stack_use (*stack)() noexcept = nullptr) noexcept
      : sender_(to, stack) {}
  frame_reporter(const frame_reporter&) = delete;
  frame_reporter& operator=(const frame_reporter&) = delete;
  ~frame_reporter() = default;

  /// Requests a snapshot. If one is being written, this one is lost. Context: also handlers.
  void request() noexcept { sender_.request(); }
  /// Returns how many snapshots were lost. They are also counted in the frames.
  [[nodiscard]] std::uint32_t lost() const noexcept { return sender_.lost(); }
  /// Notes how many messages wait in each mailbox, and writes at most 16 bytes. Returns: whether
  /// there is more to write, and the sink takes it: call it again before the program sleeps.
  bool write_some(system<Size>& of) noexcept { return sender_.write_some(of.core(), marks_); }

private:
  internal::frame_sender sender_;
  std::array<internal::mailbox_mark, internal::cells_of(Size)> marks_{};
};

}  // namespace tactor::inline v0::bare
