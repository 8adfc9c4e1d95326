// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"
#include "tactor/coroutine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::internal {

/// Returns: the error of an awaited operation that has no result.
[[nodiscard]] inline std::error_code error_of(completion_error why) noexcept {
  switch (why) {
  case completion_error::timed_out:
    return std::make_error_code(std::errc::timed_out);
  case completion_error::abandoned:
    return io::cancelled();
  case completion_error::no_memory:
    break;
  }
  return std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace tactor::inline v0::internal

namespace tactor::inline v0::io {

/// Bytes that were read, or the error: at the end of the stream `end_of_stream()`.
using read_result = std::expected<std::string, std::error_code>;

/// A connection that an actor owns. Its operations resume as turns of the actor, so it needs no
/// lock and no thread. Its destructor closes it, also when its actor stops or restarts.
///
///     tactor::reentrant_task<void> receive(context& ctx, serve) {
///       while (auto line = co_await peer_.read_line(ctx, 30s)) peer_.write(answer(*line));
///
/// It may be closed, destroyed, moved or assigned to while another handler of the actor awaits one
/// of its operations. After a close the operation ends with `cancelled()`, also if it had completed
/// and its handler had not resumed. An assignment closes the connection that was there. After a
/// move the operation continues.
///
/// A timeout of zero or less polls: the operation does not wait, and ends with `timed_out` if it
/// would have to.
///
/// Context: its actor.
class connection {
public:
  /// No connection.
  connection() noexcept = default;
  /// Requires: no other connection has had this stream, unless it is closed.
  explicit connection(std::shared_ptr<byte_stream> stream) noexcept : stream_(std::move(stream)) {}
  connection(connection&&) noexcept = default;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  connection& operator=(connection&& other) noexcept {
    close();
    stream_ = std::move(other.stream_);
    return *this;
  }
  ~connection() { close(); }

  [[nodiscard]] explicit operator bool() const noexcept { return stream_ != nullptr; }

  /// Reads the bytes that have arrived, at least one; `timed_out` if none comes within `timeout`.
  /// The next read gets bytes that come later. Requires: no other read is awaited.
  task<read_result> read(tactor::context& ctx, duration timeout) {
    // Not a coroutine itself: one that only awaits `more` would be a second frame for each read.
    const bool has_rest = stream_ != nullptr && stream_->read_ < stream_->rest_.size();
    return has_rest ? take_rest(ctx, stream_) : more(ctx, stream_, timeout);
  }
  /// Reads a line without its "\n" or "\r\n"; `message_size` if it has more than `most` bytes. At
  /// the end of the stream a last line without its end is dropped. `timed_out` if no further byte
  /// comes within `timeout`; the bytes of the line that have come are kept. Requires: no other read
  /// is awaited.
  task<read_result> read_line(tactor::context& ctx, duration timeout, std::size_t most = 65536) {
    return next_line(ctx, stream_, timeout, most);
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
  /// Resumes when all queued bytes have been written; `timed_out` if the peer does not take them
  /// within `timeout`. Several handlers of the actor may wait.
  task<io_result> flush(tactor::context& ctx, duration timeout) {
    return flush_all(ctx, stream_, timeout);
  }
  /// Ends the connection gracefully: resumes when the peer has got all bytes and has ended its
  /// side; see `byte_stream::finish`. After `timed_out` the end continues; a further call waits for
  /// it.
  task<io_result> finish(tactor::context& ctx, duration timeout) {
    return finish_all(ctx, stream_, timeout);
  }
  /// Closes the connection now. Bytes that were not written or read are lost.
  void close() noexcept {
    if (stream_ == nullptr) return;
    stream_->is_left_ = true;
    std::exchange(stream_, nullptr)->close();
  }

private:
  // Awaited operations hold the stream, and not the connection, which may be gone when they resume.
  using stream_ptr = std::shared_ptr<byte_stream>;

  static bool is_open(const stream_ptr& of) noexcept { return of != nullptr && !of->is_left_; }
  static bool polls(duration timeout) noexcept { return timeout <= duration{}; }
  /// Returns: an operation that `start` begins, to be awaited.
  template <class Start>
  static auto completes(tactor::context& ctx, duration timeout, const Start& start) {
    return polls(timeout) ? ctx.completes<io_result>(start)
                          : ctx.completes<io_result>(timeout, start);
  }
  static io_result result_of(const stream_ptr& of, duration timeout,
                             const std::expected<io_result, completion_error>& done) {
    if (!is_open(of)) return std::unexpected{cancelled()};
    // A poll abandons the operation for which it would have to wait.
    const bool in_vain = polls(timeout) && !done && done.error() == completion_error::abandoned;
    if (in_vain) return std::unexpected{internal::error_of(completion_error::timed_out)};
    if (!done) return std::unexpected{internal::error_of(done.error())};
    return *done;
  }
  /// Reads the bytes that came with the last line that was read.
  static task<read_result> take_rest(tactor::context& /*ctx*/, stream_ptr of) {
    of->rest_.erase(0, std::exchange(of->read_, 0));
    co_return std::exchange(of->rest_, {});
  }
  static task<read_result> more(tactor::context& ctx, stream_ptr of, duration timeout) {
    if (!is_open(of)) co_return std::unexpected{cancelled()};
    const auto start = [&of, timeout](completion<io_result> done) {
      if (polls(timeout)) return of->poll_readable(std::move(done));
      of->readable(std::move(done));
    };
    const auto ready = co_await completes(ctx, timeout, start);
    if (!ready) of->cancel_readable();
    if (const io_result outcome = result_of(of, timeout, ready); !outcome) {
      const bool in_vain = polls(timeout) && is_open(of) && outcome.error() == cancelled();
      co_return std::unexpected{in_vain ? internal::error_of(completion_error::timed_out)
                                        : outcome.error()};
    }
    co_return of->take();
  }
  static task<read_result> next_line(tactor::context& ctx, stream_ptr of, duration timeout,
                                     std::size_t most) {
    if (!is_open(of)) co_return std::unexpected{cancelled()};
    std::string& rest = of->rest_;
    std::size_t& begin = of->read_;
    std::size_t searched = begin;
    while (true) {
      const std::size_t end = std::min(rest.find('\n', searched), rest.size());
      const std::size_t length = (end > begin && rest[end - 1] == '\r' ? end - 1 : end) - begin;
      if (length > most) co_return std::unexpected{std::make_error_code(std::errc::message_size)};
      if (end < rest.size()) {
        std::string line = rest.substr(begin, length);
        begin = end + 1;
        co_return line;
      }
      // Once for all lines that came together: each would move all bytes behind it.
      rest.erase(0, std::exchange(begin, 0));
      searched = rest.size();
      auto next = co_await more(ctx, of, timeout);
      if (!next) co_return std::unexpected{next.error()};
      rest += *next;
    }
  }
  static task<io_result> flush_all(tactor::context& ctx, stream_ptr of, duration timeout) {
    if (!is_open(of)) co_return std::unexpected{cancelled()};
    std::uint64_t number = 0;
    const auto start = [&of, &number, timeout](completion<io_result> all) {
      number = of->flush(std::move(all));
      if (polls(timeout)) of->cancel_flush(number);
    };
    const auto done = co_await completes(ctx, timeout, start);
    if (!done) of->cancel_flush(number);
    co_return result_of(of, timeout, done);
  }
  static task<io_result> finish_all(tactor::context& ctx, stream_ptr of, duration timeout) {
    if (!is_open(of)) co_return std::unexpected{cancelled()};
    const auto start = [&of, timeout](completion<io_result> all) {
      of->finish(std::move(all));
      if (polls(timeout)) of->finish([](io_result) {});  // replaces it
    };
    const auto done = co_await completes(ctx, timeout, start);
    co_return result_of(of, timeout, done);
  }

  stream_ptr stream_;
};

}  // namespace tactor::inline v0::io
