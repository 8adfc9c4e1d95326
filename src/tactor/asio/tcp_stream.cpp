// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/tcp_stream.hpp"

#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/callbacks.hpp"
#include "tactor/asio/tcp.hpp"

#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {
namespace {

std::error_code of_read(const net_error& error) {
  return error == net::error::eof ? end_of_stream() : plain(error);
}
bool has_to_wait(const net_error& error) {
  return error == net::error::would_block || error == net::error::try_again;
}

/// The memory of one operation of Asio at a time. Otherwise a thread of actors would
/// allocate memory for an operation, and a thread of Asio would free it. Asio frees it before it
/// calls the handler.
class operation_memory {
public:
  void* allocate(std::size_t size) {
    if (used_ || size > sizeof storage_) return ::operator new(size);
    used_ = true;
    return storage_;
  }
  void free(void* block) noexcept {
    if (block != storage_) return ::operator delete(block);
    used_ = false;
  }

private:
  alignas(std::max_align_t) std::byte storage_[160];  // NOLINT: written by its user
  bool used_ = false;
};

/// The allocator that Asio asks a handler for.
template <class T>
struct operation_allocator {
  using value_type = T;
  explicit operation_allocator(operation_memory& with) noexcept : of(&with) {}
  template <class Other>
  explicit(false) operation_allocator(const operation_allocator<Other>& other) noexcept
      : of(other.of) {}
  T* allocate(std::size_t count) { return static_cast<T*>(of->allocate(count * sizeof(T))); }
  void deallocate(T* block, std::size_t /*count*/) const noexcept { of->free(block); }
  template <class Other>
  bool operator==(const operation_allocator<Other>& other) const noexcept {
    return of == other.of;
  }
  operation_memory* of;
};

/// A socket. The calling thread does everything under the lock of the stream; the threads of Asio
/// only wait until the socket can do the rest. So a write, and the wait for the next bytes, need no
/// other thread.
///
/// inv 1  While `reading_`, Asio reads into `first_`, without the lock, and nothing else reads from
///        the socket: bytes stay in order.
class tcp_stream final : public byte_stream, public std::enable_shared_from_this<tcp_stream> {
public:
  tcp_stream(tcp_socket socket, const tcp_limits& limits)
      : socket_(std::move(socket)), limits_(limits) {
    net_error ignored;
    (void)socket_.non_blocking(true, ignored);
    (void)socket_.set_option(tcp::no_delay{true}, ignored);
  }

  void readable(callback done) override {
    io_result outcome;
    {
      const std::scoped_lock lock{mutex_};
      if (unread_.empty() && !ended_) {
        wait_for_bytes();
        on_readable_ = std::move(done);
        return;
      }
      outcome = read_outcome();
    }
    done(outcome);
  }
  void cancel_readable() noexcept override {
    notices after;
    const std::scoped_lock lock{mutex_};
    after.add(on_readable_, std::unexpected{cancelled()});
  }
  void poll_readable(callback done) override {
    notices after;
    const std::scoped_lock lock{mutex_};
    if (unread_.empty() && !ended_ && !reading_) or_fail(after, [&] { (void)read_some(); });
    if (!unread_.empty() || ended_) return after.add(done, read_outcome());
    if (!reading_ || !has_something()) return after.add(done, std::unexpected{cancelled()});
    on_readable_ = std::move(done);  // Asio is about to read it: keeps inv 1
  }
  std::string take() override {
    const std::scoped_lock lock{mutex_};
    return std::exchange(unread_, {});
  }
  void stop_reading() noexcept override {
    notices after;
    const std::scoped_lock lock{mutex_};
    // Bytes that have arrived in the socket by now are read first.
    or_fail(after, [&] {
      if (reading_) {  // Asio may have read bytes already
        stopping_ = true;
        net_error ignored;
        (void)socket_.cancel(ignored);
      } else {
        read_what_is_there();
      }
    });
    if (!stopping_) end_reading(end_of_stream(), after);
  }
  std::expected<void, write_error> write(std::string_view bytes) override {
    notices after;
    const std::scoped_lock lock{mutex_};
    if (closed_ || finishing_ || write_failed_) return std::unexpected{write_error::closed};
    const std::size_t waiting = queued_.size() - written_;
    if (waiting != 0 && waiting + bytes.size() > limits_.queue)
      return std::unexpected{write_error::backpressure};
    if (!writes_) bytes.remove_prefix(write_some(bytes));
    if (!write_failed_ && !bytes.empty()) {  // the rest follows, or the stream is torn
      or_fail(after, [&] {
        queue(bytes);
        if (!writes_) wait_for_room();
        writes_ = true;
      });
    }
    if (write_failed_) return std::unexpected{write_error::closed};
    return {};
  }
  std::uint64_t flush(callback done) override {
    io_result outcome;
    {
      const std::scoped_lock lock{mutex_};
      if (closed_) {
        outcome = std::unexpected{cancelled()};
      } else if (write_failed_) {
        outcome = write_outcome();
      } else if (writes_) {
        return on_flushed_.add(std::move(done));
      }
    }
    done(outcome);
    return 0;
  }
  void cancel_flush(std::uint64_t number) noexcept override {
    callback cancelled;  // destroyed after the lock is released
    const std::scoped_lock lock{mutex_};
    cancelled = on_flushed_.remove(number);
  }
  void finish(callback done) override {
    callback replaced;  // destroyed after the lock is released
    notices after;
    const std::scoped_lock lock{mutex_};
    replaced = std::exchange(on_finished_, std::move(done));
    if (closed_) return after.add(on_finished_, std::unexpected{cancelled()});
    if (finished_) return after.add(on_finished_, write_outcome());
    if (!std::exchange(finishing_, true) && !writes_) or_fail(after, [&] { end_writing(after); });
  }
  void close() noexcept override {
    notices after;
    const std::scoped_lock lock{mutex_};
    if (std::exchange(closed_, true)) return;
    end_all(cancelled(), after);
    net_error ignored;
    // Bytes that were not read reset the connection: an end before that would tell the peer that
    // they were.
    if (socket_.available(ignored) == 0) (void)socket_.shutdown(tcp_socket::shutdown_both, ignored);
    (void)socket_.close(ignored);
  }

private:
  // All functions that follow require that mutex_ is locked, except the handlers of waits.

  /// Takes a step that needs memory. Without memory the connection fails: bytes would be missing
  /// later.
  template <class Step>
  void or_fail(notices& after, Step step) noexcept {
    try {
      step();
    } catch (const std::bad_alloc&) {
      fail(after);
    }
  }
  /// Resets the connection, so that the peer does not take a part of the bytes for the whole.
  void fail(notices& after) {
    write_failed_ = no_memory();
    finished_ = true;
    writes_ = false;
    queued_ = {};
    written_ = 0;
    end_all(no_memory(), after);
    net_error ignored;
    (void)socket_.set_option(net::socket_base::linger{true, 0}, ignored);
    (void)socket_.close(ignored);
  }
  void end_all(std::error_code why, notices& after) {
    if (!ended_) ended_ = why;
    after.add(on_readable_, std::unexpected{why});
    after.add_all(on_flushed_, std::unexpected{why});
    after.add(on_finished_, std::unexpected{why});
  }
  /// Waits in a thread of Asio, and then takes a step. Throws: std::bad_alloc, and nothing was
  /// done.
  template <class Step>
  void wait(tcp_socket::wait_type what, Step step) {
    socket_.async_wait(what, [self = shared_from_this(), step](net_error error) {
      notices after;
      const std::scoped_lock lock{self->mutex_};
      self->or_fail(after, [&] { ((*self).*step)(error, after); });
    });
  }

  /// Reads the first bytes when they come.
  void wait_for_bytes() {
    if (reading_) return;
    socket_.async_receive(net::buffer(first_), first_bytes{shared_from_this()});
    reading_ = true;
  }
  struct first_bytes {
    using allocator_type = operation_allocator<void>;
    [[nodiscard]] allocator_type get_allocator() const noexcept {
      return allocator_type{self->memory_};
    }
    void operator()(const net_error& error, std::size_t size) const {
      notices after;
      const std::scoped_lock lock{self->mutex_};
      self->reading_ = false;
      self->or_fail(after, [&] { self->bytes_came(error, size, after); });
    }
    std::shared_ptr<tcp_stream> self;
  };
  void bytes_came(const net_error& error, std::size_t size, notices& after) {
    if (finishing_ && !writes_)
      return is_reset(error) ? end_finishing(error, after) : discard_bytes(after);
    if (ended_) return;
    unread_.append(first_.data(), size);
    if (std::exchange(stopping_, false) && (!error || error == net::error::operation_aborted)) {
      read_what_is_there();
      return end_reading(end_of_stream(), after);
    }
    if (error) return end_reading(of_read(error), after);
    if (size == first_.size()) (void)read_some();  // there may be more
    // A reader that has waited reads again soon. To begin now, in a thread of Asio and before the
    // peer gets an answer, is cheaper than later; if nobody waits, the peer has to.
    const bool was_awaited = static_cast<bool>(on_readable_);
    after.add(on_readable_, {});
    if (was_awaited && !ended_) wait_for_bytes();
  }
  /// Reads the bytes that are there. A peer that never stops sending is cut off.
  void read_what_is_there() {
    for (int most = 64; most > 0 && !ended_ && read_some(); --most) {
    }
  }
  /// Takes bytes from the socket. Returns: false if there are none now, or none any more.
  bool read_some() {
    std::array<char, 16384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    net_error error;
    const std::size_t size = socket_.read_some(net::buffer(room), error);
    unread_.append(room.data(), size);
    if (size == 0 && !has_to_wait(error)) ended_ = of_read(error);
    return size > 0;
  }
  /// Returns: true if bytes, the end or an error wait in the socket.
  [[nodiscard]] bool has_something() {
    pollfd one{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, 0) > 0;
  }
  /// Returns: the outcome of `readable` when bytes, or the end, have come.
  [[nodiscard]] io_result read_outcome() const {
    if (!unread_.empty()) return {};
    return std::unexpected{
        *ended_};  // NOLINT(bugprone-unchecked-optional-access): no bytes, so the end has come
  }
  void end_reading(std::error_code why, notices& after) {
    if (!ended_) ended_ = why;
    after.add(on_readable_, read_outcome());
  }

  void queue(std::string_view bytes) {
    if (written_ > queued_.size() - written_) queued_.erase(0, std::exchange(written_, 0));
    queued_ += bytes;
  }
  void wait_for_room() { wait(tcp_socket::wait_write, &tcp_stream::room_came); }
  void room_came(const net_error& error, notices& after) {
    if (!writes_) return;  // it has failed
    if (error == net::error::operation_aborted && !closed_)
      return wait_for_room();  // of stop_reading
    if (error) {
      write_failed_ = plain(error);
    } else {
      written_ += write_some(std::string_view{queued_}.substr(written_));
    }
    if (!write_failed_ && written_ != queued_.size()) return wait_for_room();
    writes_ = false;
    written_ = 0;
    queued_ = {};
    after.add_all(on_flushed_, write_outcome());
    if (finishing_) end_writing(after);
  }
  [[nodiscard]] io_result write_outcome() const {
    if (write_failed_) return std::unexpected{*write_failed_};
    return {};
  }
  /// Writes bytes. Returns: the number of bytes that the socket has taken.
  std::size_t write_some(std::string_view bytes) {
    net_error error;
    const std::size_t size = socket_.write_some(net::buffer(bytes), error);
    if (error && !has_to_wait(error)) write_failed_ = plain(error);
    return size;
  }
  /// Ends the stream to the peer, after the last byte, and waits for the peer to do the same.
  void end_writing(notices& after) {
    end_reading(end_of_stream(), after);
    net_error error;
    (void)socket_.shutdown(tcp_socket::shutdown_send, error);
    // This fails if the peer has closed before it had read everything.
    if (error) return end_finishing(net::error::connection_reset, after);
    discard_bytes(after);
  }
  /// Returns: true if the peer has reset the connection. Then it has not read everything; a peer
  /// that has ended its side has.
  static bool is_reset(const net_error& error) {
    return error && error != net::error::eof && error != net::error::operation_aborted;
  }
  void end_finishing(const net_error& error, notices& after) {
    finished_ = true;
    if (!write_failed_ && is_reset(error)) write_failed_ = plain(error);
    after.add(on_finished_, write_outcome());
  }
  void peer_sent(const net_error& /*error*/, notices& after) { discard_bytes(after); }
  void discard_bytes(notices& after) {
    std::array<char, 16384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    net_error error;
    if (!socket_.is_open() || reading_) return;      // keeps inv 1: see bytes_came
    for (int most = 64; most > 0 && !error; --most)  // then others have their turn
      (void)socket_.read_some(net::buffer(room), error);
    if (error && !has_to_wait(error)) return end_finishing(error, after);
    wait(tcp_socket::wait_read, &tcp_stream::peer_sent);
  }

  std::mutex mutex_;
  // protected by mutex_
  tcp_socket socket_;
  tcp_limits limits_;
  operation_memory memory_;  // of reading_
  std::array<char, 256> first_;
  std::string unread_;
  std::string queued_;
  std::size_t written_ = 0;  // of queued_
  callback on_readable_;
  waiting on_flushed_;
  callback on_finished_;
  std::optional<std::error_code> ended_;  // no more bytes come
  std::optional<std::error_code> write_failed_;
  bool reading_ = false;   // waits for bytes
  bool stopping_ = false;  // reading ends with what is there
  bool writes_ = false;    // waits for room
  bool finishing_ = false;
  bool finished_ = false;  // the peer has ended its side, or is gone
  bool closed_ = false;
};

}  // namespace

stream_result stream_of(tcp_socket socket, const tcp_limits& limits) {
  try {
    return std::make_shared<tcp_stream>(std::move(socket), limits);
  } catch (const std::bad_alloc&) {
    return std::unexpected{no_memory()};
  }
}

}  // namespace tactor::inline v0::io
