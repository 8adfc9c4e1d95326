// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {

/// The reason why bytes were not queued for writing.
enum class write_error : std::uint8_t {
  backpressure,  // as many bytes wait as the stream allows: write again after `flush`
  closed,        // the stream is closed, or the peer is gone
};

/// Returns: a sentence that names the error and advises what to do.
[[nodiscard]] constexpr const char* to_text(write_error why) noexcept {
  return why == write_error::backpressure ? "the peer reads too slowly and the queue of the stream "
                                            "is full: flush, then write again"
                                          : "the stream is closed: connect again";
}

/// The result of an operation: success, or an error.
using io_result = std::expected<void, std::error_code>;

/// Returns: the error of a read after the last byte of the peer.
[[nodiscard]] inline std::error_code end_of_stream() noexcept {
  return std::make_error_code(std::errc::no_message_available);
}
/// Returns: the error of operations that were pending when the stream was closed.
[[nodiscard]] inline std::error_code cancelled() noexcept {
  return std::make_error_code(std::errc::operation_canceled);
}

/// A connection as bytes in and out: a socket, or one end of a `memory_pair`. Actors use it by way
/// of a `connection`.
///
/// A callback is called once, on any thread, perhaps before the function that takes it returns; or
/// it is destroyed without a call when the stream has gone. Thread safety: any thread.
class byte_stream {
public:
  using callback = std::move_only_function<void(io_result)>;

  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  virtual ~byte_stream() = default;

  /// Calls back when there are bytes to take, or with the error. Requires: no other such call is
  /// pending.
  virtual void readable(callback done) = 0;
  /// Ends a pending `readable` with `cancelled()`.
  virtual void cancel_readable() noexcept = 0;
  /// Calls back like `readable`, but at once: with `cancelled()` if no bytes have come. Requires:
  /// as `readable`.
  virtual void poll_readable(callback done) {
    readable(std::move(done));
    cancel_readable();
  }
  /// Takes the bytes that have come. Returns: an empty text if there are none.
  [[nodiscard]] virtual std::string take() = 0;
  /// Reads no more bytes of the peer: after the bytes that have come, `readable` says
  /// `end_of_stream()`. Writing continues.
  virtual void stop_reading() noexcept = 0;
  /// Queues bytes for writing, all or none. More bytes than the limit are queued if the queue is
  /// empty. Without memory for bytes that the socket has not taken, the connection is reset, so
  /// that the peer does not take a part for the whole: the result is `closed`, and pending
  /// operations end with `not_enough_memory`.
  [[nodiscard]] virtual std::expected<void, write_error> write(std::string_view bytes) = 0;
  /// Calls back when all queued bytes have been written. Several may wait. Returns: the number of
  /// this flush, for `cancel_flush`. Throws: std::bad_alloc, and `done` was destroyed without a
  /// call.
  virtual std::uint64_t flush(callback done) = 0;
  /// Destroys the callback of a pending flush without a call; does nothing if there is none with
  /// this number.
  virtual void cancel_flush(std::uint64_t number) noexcept = 0;
  /// Writes what is queued, signals the end of the stream to the peer, and calls back when the peer
  /// has done so, too, or is gone; with an error if bytes could not be written. What the peer sends
  /// until then is discarded. So the peer gets every byte: a socket that is closed before the
  /// peer's last bytes were read may lose what was written. If the peer closes before it has read
  /// all bytes, the error is that of the socket: `connection_reset` or `broken_pipe`. A further
  /// call replaces the callback of the call before, which is destroyed without a call.
  virtual void finish(callback done) = 0;
  /// Ends the connection, and what is pending with `cancelled()`.
  virtual void close() noexcept = 0;

private:
  // The connection of this stream uses these, in the context of its actor. They are here because an
  // awaited operation may outlive the connection.
  friend class connection;
  std::string rest_;      // taken bytes
  std::size_t read_ = 0;  // the bytes of `rest_` that were read as lines
  bool is_left_ = false;  // the connection has closed it
};

}  // namespace tactor::inline v0::io
