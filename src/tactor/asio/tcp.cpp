// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/tcp.hpp"

#include "tactor/asio/asio_context.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0::io {
namespace {

using tcp = net::ip::tcp;
using strand = net::strand<net::io_context::executor_type>;

std::error_code plain(const net_error& error) {
  return error;
}
std::error_code of_read(const net_error& error) {
  return error == net::error::eof ? end_of_stream() : plain(error);
}

/// A socket. Only its strand touches the socket; callers of any thread touch the buffers.
class tcp_stream final : public byte_stream, public std::enable_shared_from_this<tcp_stream> {
public:
  tcp_stream(tcp::socket socket, strand on, const tcp_limits& limits)
      : strand_(std::move(on)), socket_(std::move(socket)), limits_(limits) {
    net_error ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay{true}, ignored);
  }

  void readable(callback done) override {
    io_result said;
    {
      const std::scoped_lock lock{mutex_};
      const bool waits = unread_.empty() && !ended_;
      if (waits) {
        on_readable_ = std::move(done);
        if (std::exchange(reading_, true)) return;
      } else if (unread_.empty()) {
        said = std::unexpected{*ended_};
      }
      if (waits) return net::post(strand_, [self = shared_from_this()] { self->wait_for_bytes(); });
    }
    done(said);
  }
  void cancel_readable() noexcept override { tell(on_readable_, std::unexpected{cancelled()}); }
  std::string take() override {
    const std::scoped_lock lock{mutex_};
    return std::exchange(unread_, {});
  }
  void stop_reading() noexcept override {
    // What has arrived in the socket by now is read first; a peer that never stops sending is cut off.
    net::post(strand_, [self = shared_from_this()] {
      for (int most = 64; most > 0 && self->read_some(); --most) {
      }
      self->end_reading(end_of_stream());
    });
  }
  std::expected<void, write_error> write(std::string_view bytes) override {
    const std::scoped_lock lock{mutex_};
    if (closed_ || finishing_ || write_failed_) return std::unexpected{write_error::closed};
    const std::size_t waiting = queued_.size() + writing_.size();
    if (waiting != 0 && waiting + bytes.size() > limits_.queue)
      return std::unexpected{write_error::backpressure};
    queued_ += bytes;
    if (!std::exchange(writes_, true))
      net::post(strand_, [self = shared_from_this()] { self->write_next(); });
    return {};
  }
  void flush(callback done) override {
    io_result said;
    {
      const std::scoped_lock lock{mutex_};
      if (closed_) {
        said = std::unexpected{cancelled()};
      } else if (write_failed_) {
        said = std::unexpected{*write_failed_};
      } else if (writes_) {
        on_flushed_ = std::move(done);
        return;
      }
    }
    done(said);
  }
  void finish(callback done) override {
    {
      const std::scoped_lock lock{mutex_};
      on_finished_ = std::move(done);
      if (!closed_ && !std::exchange(finishing_, true))
        net::post(strand_, [self = shared_from_this()] { self->end_writing(); });
      if (!closed_) return;
    }
    tell(on_finished_, std::unexpected{cancelled()});
  }
  void close() noexcept override {
    {
      const std::scoped_lock lock{mutex_};
      if (std::exchange(closed_, true)) return;
      if (!ended_) ended_ = cancelled();
    }
    for (callback tcp_stream::* each :
         {&tcp_stream::on_readable_, &tcp_stream::on_flushed_, &tcp_stream::on_finished_})
      tell(this->*each, std::unexpected{cancelled()});
    net::post(strand_, [self = shared_from_this()] {
      net_error ignored;
      self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
      self->socket_.close(ignored);
    });
  }

private:
  /// Context: the strand.
  void wait_for_bytes() {
    if (!socket_.is_open()) return;
    socket_.async_wait(tcp::socket::wait_read,
                       net::bind_executor(strand_, [self = shared_from_this()](net_error error) {
                         self->bytes_came(error);
                       }));
  }
  void bytes_came(net_error error) {
    {
      const std::scoped_lock lock{mutex_};
      reading_ = false;
    }
    if (error) return end_reading(of_read(error));
    if (read_some()) tell(on_readable_, {});
  }
  /// Takes bytes from the socket. Returns: false if there are none now, or none any more.
  bool read_some() {
    std::array<char, 16384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    net_error error;
    const std::size_t size = socket_.read_some(net::buffer(room), error);
    if (size > 0) {
      const std::scoped_lock lock{mutex_};
      unread_.append(room.data(), size);
      return true;
    }
    if (error == net::error::would_block || error == net::error::try_again) {
      wait_again();
    } else {
      end_reading(of_read(error));
    }
    return false;
  }
  void wait_again() {
    {
      const std::scoped_lock lock{mutex_};
      if (!on_readable_ || std::exchange(reading_, true)) return;
    }
    wait_for_bytes();
  }
  void end_reading(std::error_code why) {
    bool has_bytes = false;
    {
      const std::scoped_lock lock{mutex_};
      if (!ended_) ended_ = why;
      why = *ended_;
      has_bytes = !unread_.empty();
    }
    tell(on_readable_, has_bytes ? io_result{} : std::unexpected{why});
  }
  void write_next() {
    {
      const std::scoped_lock lock{mutex_};
      writing_ = std::exchange(queued_, {});
    }
    net::async_write(
        socket_, net::buffer(writing_),
        net::bind_executor(strand_, [self = shared_from_this()](net_error error, std::size_t) {
          self->written(error);
        }));
  }
  void written(net_error error) {
    bool more = false;
    {
      const std::scoped_lock lock{mutex_};
      writing_.clear();
      if (error) write_failed_ = plain(error);
      more = !error && !queued_.empty();
      writes_ = more;
    }
    if (more) return write_next();
    tell(on_flushed_, error ? std::unexpected{plain(error)} : io_result{});
    if (is_finishing()) end_writing();
  }
  bool is_finishing() {
    const std::scoped_lock lock{mutex_};
    return finishing_;
  }
  /// All is written: says so, and waits for the peer to do the same.
  void end_writing() {
    {
      const std::scoped_lock lock{mutex_};
      if (writes_) return;  // `written` comes here
    }
    end_reading(end_of_stream());
    net_error error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    if (error) return tell(on_finished_, {});  // the peer is gone
    discard_bytes();
  }
  void discard_bytes() {
    std::array<char, 16384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    net_error error;
    if (!socket_.is_open()) return;
    for (int most = 64; most > 0 && !error; --most)  // then others have their turn
      (void)socket_.read_some(net::buffer(room), error);
    if (error && error != net::error::would_block && error != net::error::try_again)
      return tell(on_finished_, {});
    socket_.async_wait(tcp::socket::wait_read,
                       net::bind_executor(strand_, [self = shared_from_this()](net_error) {
                         self->discard_bytes();
                       }));
  }
  void tell(callback& whom, io_result said) {
    callback who;
    {
      const std::scoped_lock lock{mutex_};
      who = std::exchange(whom, {});
    }
    if (who) who(said);
  }

  strand strand_;
  tcp::socket socket_;   // the strand's
  std::string writing_;  // the strand's while `writes_`; its size changes under mutex_
  tcp_limits limits_;
  std::mutex mutex_;
  // protected by mutex_
  std::string unread_;
  std::string queued_;
  callback on_readable_;
  callback on_flushed_;
  callback on_finished_;
  std::optional<std::error_code> ended_;  // no more bytes come
  std::optional<std::error_code> write_failed_;
  bool reading_ = false;  // the strand waits for bytes
  bool writes_ = false;   // the strand writes
  bool finishing_ = false;
  bool closed_ = false;
};

}  // namespace

io_threads::io_threads(std::size_t threads) : parts_(std::make_unique<parts>()) {
  try {
    for (std::size_t number = 0; number < threads; ++number) {
      parts_->threads.emplace_back([this, number] {
        internal::set_up_thread("io", static_cast<std::uint32_t>(number));
        parts_->context.run();
      });
    }
  } catch (...) {
    parts_->context.stop();
    for (std::thread& each : parts_->threads)
      each.join();
    throw;
  }
}
io_threads::~io_threads() {
  parts_->context.stop();
  for (std::thread& each : parts_->threads)
    each.join();
}
std::size_t io_threads::size() const noexcept {
  return parts_->threads.size();
}

/// Only its strand touches the acceptor after `listen`.
struct tcp_listener::state : std::enable_shared_from_this<state> {
  state(io_threads& on, const tcp_limits& of)
      : context(context_of(on)), own(net::make_strand(context)), acceptor(own), limits(of) {}

  net::io_context& context;
  strand own;
  tcp::acceptor acceptor;
  tcp_limits limits;
  std::uint16_t port = 0;
};

std::expected<tcp_listener, std::error_code> tcp_listener::listen(io_threads& on,
                                                                  const std::string& address,
                                                                  std::uint16_t port,
                                                                  const tcp_limits& limits) {
  net_error error;
  const auto where = net::ip::make_address(address, error);
  if (error) return std::unexpected{plain(error)};
  auto made = std::make_shared<state>(on, limits);
  const tcp::endpoint at{where, port};
  made->acceptor.open(at.protocol(), error);
  if (!error) made->acceptor.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error) made->acceptor.bind(at, error);
  if (!error) made->acceptor.listen(net::socket_base::max_listen_connections, error);
  if (!error) made->port = made->acceptor.local_endpoint(error).port();
  if (error) return std::unexpected{plain(error)};
  return tcp_listener{std::move(made)};
}
tcp_listener::~tcp_listener() {
  if (state_ != nullptr) close();
}
std::uint16_t tcp_listener::port() const noexcept {
  return state_->port;
}
void tcp_listener::accept(std::move_only_function<void(stream_result)> done) {
  net::post(state_->own, [shared = state_, done = std::move(done)]() mutable {
    const strand on = net::make_strand(shared->context);
    shared->acceptor.async_accept(
        on, net::bind_executor(shared->own, [shared, on, done = std::move(done)](
                                                net_error error, auto socket) mutable {
          if (error == net::error::operation_aborted || error == net::error::bad_descriptor)
            return done(std::unexpected{cancelled()});
          if (error) return done(std::unexpected{plain(error)});
          done(std::make_shared<tcp_stream>(tcp::socket{std::move(socket)}, on, shared->limits));
        }));
  });
}
void tcp_listener::close() noexcept {
  net::post(state_->own, [shared = state_] {
    net_error ignored;
    shared->acceptor.close(ignored);
  });
}

void tcp_connect(io_threads& on, const std::string& address, std::uint16_t port,
                 std::move_only_function<void(stream_result)> done, const tcp_limits& limits) {
  net_error error;
  const auto where = net::ip::make_address(address, error);
  if (error) return done(std::unexpected{plain(error)});
  const strand own = net::make_strand(context_of(on));
  auto socket = std::make_shared<tcp::socket>(own);
  socket->async_connect({where, port},
                        net::bind_executor(own, [socket, own, limits,
                                                 done = std::move(done)](net_error failed) mutable {
                          if (failed) return done(std::unexpected{plain(failed)});
                          done(std::make_shared<tcp_stream>(std::move(*socket), own, limits));
                        }));
}

}  // namespace tactor::inline v0::io
