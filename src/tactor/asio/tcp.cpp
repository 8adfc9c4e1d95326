// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/tcp.hpp"

#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/tcp_stream.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {
namespace {

using connected = std::move_only_function<void(stream_result)>;

}  // namespace

/// Asio waits until there is a connection to accept, and takes it only if a callback waits for it:
/// a connection that nobody takes stays with the operating system.
struct tcp_listener::state final : cancellable_operation,
                                   std::enable_shared_from_this<tcp_listener::state> {
public:
  state(io_threads& on, const tcp_limits& limits)
      : acceptor_(context_of(on)), pause_(context_of(on)), limits_(limits) {}

  /// Listens. Returns: the error, or none.
  net_error listen(const tcp::endpoint& at) {
    net_error error;
    (void)acceptor_.open(at.protocol(), error);
    if (!error) (void)acceptor_.set_option(tcp_acceptor::reuse_address{true}, error);
    if (!error) (void)acceptor_.bind(at, error);
    if (!error) (void)acceptor_.listen(net::socket_base::max_listen_connections, error);
    if (!error) (void)acceptor_.non_blocking(true, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    return error;
  }
  /// Begins to wait for a connection. Returns: the number of this accept.
  std::uint64_t accept(connected done) {
    connected replaced;  // destroyed, without a call, after the lock is released
    {
      const std::scoped_lock lock{mutex_};
      if (acceptor_.is_open()) {
        wait();
        replaced = std::exchange(waits_, std::move(done));
        return ++number_;
      }
    }
    done(std::unexpected{cancelled()});
    return 0;
  }
  void cancel(std::uint64_t number) noexcept override {
    connected dropped;  // destroyed after the lock is released
    const std::scoped_lock lock{mutex_};
    if (number == number_) dropped = std::exchange(waits_, {});
  }
  /// Closes the listener. Returns: the callback that waited.
  connected close() noexcept {
    const std::scoped_lock lock{mutex_};
    net_error ignored;
    (void)acceptor_.close(ignored);
    pause_.cancel();
    return std::exchange(waits_, {});
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

private:
  /// Begins a wait, if none is pending: for a connection, or after an error for some time.
  /// Requires: mutex_ is locked. Throws: std::bad_alloc, and nothing was begun.
  void wait() {
    if (waiting_) return;
    auto ended = [self = shared_from_this()](const net_error& error) { self->came(error); };
    if (failed_) {
      pause_.expires_after(after_an_error);
      pause_.async_wait(std::move(ended));
    } else {
      acceptor_.async_wait(tcp_acceptor::wait_read, std::move(ended));
    }
    waiting_ = true;
  }
  /// Ends a wait: there is a connection to accept, or an error.
  void came(const net_error& error) noexcept {
    connected done;
    stream_result what;
    {
      const std::scoped_lock lock{mutex_};
      waiting_ = false;
      if (!waits_) return;
      try {
        what = error ? std::unexpected{plain(error)} : take();
        if (what && *what == nullptr) return wait();  // another process took it
      } catch (const std::bad_alloc&) {
        what = std::unexpected{no_memory()};
      }
      failed_ = !what;
      done = std::exchange(waits_, {});
    }
    done(std::move(what));
  }
  /// Accepts a connection. Returns: null if there is none now. Throws: std::bad_alloc.
  stream_result take() {
    net_error error;
    tcp_socket socket = acceptor_.accept(error);
    if (!error) return stream_of(std::move(socket), limits_);
    // A peer that has gone meanwhile is no error of the listener.
    if (error == net::error::would_block || error == net::error::connection_aborted) {
      failed_ = false;
      return stream_result{nullptr};
    }
    return std::unexpected{plain(error)};
  }

  static constexpr std::chrono::milliseconds after_an_error{100};

  std::mutex mutex_;
  // protected by mutex_
  tcp_acceptor acceptor_;
  connected waits_;           // for the next connection
  std::uint64_t number_ = 0;  // of waits_
  net::steady_timer pause_;
  bool waiting_ = false;  // an async_wait is pending
  bool failed_ = false;   // the last accept has failed: the connection that waits would fail again
  // constant
  tcp_limits limits_;
  std::uint16_t port_ = 0;
};

std::expected<tcp_listener, std::error_code> tcp_listener::listen(io_threads& on,
                                                                  const std::string& address,
                                                                  std::uint16_t port,
                                                                  const tcp_limits& limits) {
  net_error error;
  const auto where = net::ip::make_address(address, error);
  if (error) return std::unexpected{plain(error)};
  auto listener = std::make_shared<state>(on, limits);
  error = listener->listen({where, port});
  if (error) return std::unexpected{plain(error)};
  return tcp_listener{std::move(listener)};
}
tcp_listener::~tcp_listener() {
  if (state_ != nullptr) (void)state_->close();
}
std::uint16_t tcp_listener::port() const noexcept {
  return state_->port();
}
pending tcp_listener::accept(std::move_only_function<void(stream_result)> done) {
  const std::uint64_t number = state_->accept(std::move(done));
  return {state_, number};
}
void tcp_listener::close() noexcept {
  if (connected waited = state_->close()) waited(std::unexpected{cancelled()});
}

namespace {

/// A socket that connects. Cancelled, it is closed, so that its peer, and the operating system,
/// forget it.
class connecting final : public cancellable_operation,
                         public std::enable_shared_from_this<connecting> {
public:
  connecting(io_threads& on, connected done, const tcp_limits& limits)
      : socket_(context_of(on)), done_(std::move(done)), limits_(limits) {}

  void begin(const tcp::endpoint& to) {
    const std::scoped_lock lock{mutex_};
    socket_.async_connect(
        to, [self = shared_from_this()](const net_error& error) { self->end(error); });
  }
  void cancel(std::uint64_t /*number*/) noexcept override {
    connected dropped;  // destroyed after the lock is released
    const std::scoped_lock lock{mutex_};
    if (!done_) return;
    dropped = std::exchange(done_, {});
    net_error ignored;
    (void)socket_.close(ignored);
  }

private:
  void end(const net_error& error) {
    connected done;
    stream_result what;
    {
      const std::scoped_lock lock{mutex_};
      if (!done_) return;
      done = std::exchange(done_, {});
      what = error ? std::unexpected{plain(error)} : stream_of(std::move(socket_), limits_);
    }
    done(std::move(what));
  }

  std::mutex mutex_;
  // protected by mutex_
  tcp_socket socket_;
  connected done_;  // none after it was called or cancelled
  // constant
  tcp_limits limits_;
};

}  // namespace

pending tcp_connect(io_threads& on, const std::string& address, std::uint16_t port,
                    std::move_only_function<void(stream_result)> done, const tcp_limits& limits) {
  net_error error;
  const auto where = net::ip::make_address(address, error);
  if (error) {
    done(std::unexpected{plain(error)});
    return {};
  }
  auto attempt = std::make_shared<connecting>(on, std::move(done), limits);
  attempt->begin({where, port});
  return {std::move(attempt), 0};
}

}  // namespace tactor::inline v0::io
