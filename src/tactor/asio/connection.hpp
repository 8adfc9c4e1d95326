// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"
#include "tactor/coroutine.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {

/// Bytes that were read, or why there are none. At the end of the stream: `end_of_stream()`.
using read_result = std::expected<std::string, std::error_code>;

/// A connection that an actor owns: what is awaited resumes as a turn of the actor, so it needs no lock and no
/// thread. Destroying it, as when its actor stops or restarts, closes it.
///
///     tactor::reentrant_task<void> receive(context& ctx, serve) {
///       while (auto line = co_await peer_.read_line(ctx, 30s)) peer_.write(answer(*line));
///
/// Context: its actor.
class connection {
public:
  /// No connection.
  connection() noexcept = default;
  explicit connection(std::shared_ptr<byte_stream> stream) noexcept : stream_(std::move(stream)) {}
  connection(connection&&) noexcept = default;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  connection& operator=(connection&& other) noexcept {
    close();
    stream_ = std::move(other.stream_);
    unread_ = std::move(other.unread_);
    return *this;
  }
  ~connection() { close(); }

  [[nodiscard]] explicit operator bool() const noexcept { return stream_ != nullptr; }

  /// Reads whatever has arrived, at least one byte; `timed_out` if nothing comes within `timeout`. What
  /// comes later is for the next read. Requires: no other read is awaited.
  task<read_result> read(tactor::context& ctx, duration timeout) {
    // Not a coroutine itself: one that only awaits `more` would be a second frame for each read.
    return unread_.empty() ? more(ctx, timeout) : take_unread(ctx);
  }
  /// A line without its "\n" or "\r\n"; `message_size` if it has more than `most` bytes. At the end of the stream
  /// a last line without its end is dropped.
  task<read_result> read_line(tactor::context& ctx, duration timeout, std::size_t most = 65536) {
    std::size_t searched = 0;
    while (true) {
      const std::size_t end = unread_.find('\n', searched);
      if (end != std::string::npos && end <= most) co_return take_line(end);
      searched = unread_.size();
      if (searched > most) co_return std::unexpected{std::make_error_code(std::errc::message_size)};
      auto next = co_await more(ctx, timeout);
      if (!next) co_return std::unexpected{next.error()};
      unread_ += *next;
    }
  }
  /// See `byte_stream::stop_reading`. Lines that have arrived are read first.
  void stop_reading() noexcept {
    if (stream_ != nullptr) stream_->stop_reading();
  }
  /// See `byte_stream::write`.
  [[nodiscard]] std::expected<void, write_error> write(std::string_view bytes) {
    if (stream_ == nullptr) return std::unexpected{write_error::closed};
    return stream_->write(bytes);
  }
  /// Resumes when all queued bytes have been written; `timed_out` if the peer does not take them within `timeout`.
  /// Several handlers of the actor may wait.
  task<io_result> flush(tactor::context& ctx, duration timeout) {
    if (stream_ == nullptr) co_return std::unexpected{cancelled()};
    byte_stream& stream = *stream_;
    std::uint64_t number = 0;
    const auto done =
        co_await ctx.completes<io_result>(timeout, [&stream, &number](completion<io_result> all) {
          number = stream.flush(std::move(all));
        });
    if (!done && stream_ != nullptr) stream_->cancel_flush(number);
    co_return result_of(done);
  }
  /// Ends it gracefully: resumes when the peer has got all bytes and has ended its side; see `byte_stream::finish`.
  task<io_result> finish(tactor::context& ctx, duration timeout) {
    if (stream_ == nullptr) co_return std::unexpected{cancelled()};
    byte_stream& stream = *stream_;
    const auto done = co_await ctx.completes<io_result>(
        timeout, [&stream](completion<io_result> all) { stream.finish(std::move(all)); });
    co_return result_of(done);
  }
  /// Closes it now; what was not written is lost.
  void close() noexcept {
    if (stream_ != nullptr) stream_->close();
    stream_ = nullptr;
  }

private:
  static std::error_code error_of(completion_error why) noexcept {
    switch (why) {
    case completion_error::timed_out:
      return std::make_error_code(std::errc::timed_out);
    case completion_error::abandoned:
      return cancelled();
    case completion_error::no_memory:
      break;
    }
    return std::make_error_code(std::errc::not_enough_memory);
  }
  static io_result result_of(const std::expected<io_result, completion_error>& done) {
    if (!done) return std::unexpected{error_of(done.error())};
    return *done;
  }
  /// What came with the last line that was read.
  task<read_result> take_unread(tactor::context& /*ctx*/) { co_return std::exchange(unread_, {}); }
  task<read_result> more(tactor::context& ctx, duration timeout) {
    if (stream_ == nullptr) co_return std::unexpected{cancelled()};
    byte_stream& stream = *stream_;
    const auto ready = co_await ctx.completes<io_result>(
        timeout, [&stream](completion<io_result> done) { stream.readable(std::move(done)); });
    if (!ready && stream_ != nullptr) stream_->cancel_readable();
    if (!ready) co_return std::unexpected{error_of(ready.error())};
    if (!*ready) co_return std::unexpected{ready->error()};
    if (stream_ == nullptr) co_return std::unexpected{cancelled()};
    co_return stream_->take();
  }
  std::string take_line(std::size_t end) {
    std::string line = unread_.substr(0, end > 0 && unread_[end - 1] == '\r' ? end - 1 : end);
    unread_.erase(0, end + 1);
    return line;
  }

  std::shared_ptr<byte_stream> stream_;
  std::string unread_;
};

}  // namespace tactor::inline v0::io
