// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/asio/pending.hpp"
#include "tactor/coroutine.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactor::inline v0::io {

/// Threads that run Asio, named `tactor-io-N`; actors run on the threads of their system as always. Outlives
/// the systems, listeners and connections that use it.
class io_threads {
public:
  /// With 0 threads the program runs Asio itself: see `run_until`. Throws: std::system_error if the system
  /// cannot start them.
  explicit io_threads(std::size_t threads = 1);
  io_threads(const io_threads&) = delete;
  io_threads& operator=(const io_threads&) = delete;
  /// Ends the threads; what is pending is abandoned.
  ~io_threads();

  /// How many threads there are.
  [[nodiscard]] std::size_t size() const noexcept;

  struct parts;
  /// For the parts of this component, and for programs that use Asio themselves: see asio_context.hpp.
  [[nodiscard]] parts& with() const noexcept { return *parts_; }

private:
  std::unique_ptr<parts> parts_;
};

/// Limits of TCP connections.
struct tcp_limits {
  /// Bytes of one connection that wait for writing; more is `backpressure`.
  std::size_t queue = 65536;
};

/// A new connection, or why there is none.
using stream_result = std::expected<std::shared_ptr<byte_stream>, std::error_code>;

/// Accepts TCP connections. Context: its actor, or one thread at a time. Destroying it closes it; a pending accept ends
/// without a call then.
class tcp_listener {
public:
  /// Listens at `address`, a numeric IP address ("127.0.0.1", "::"): host names are not resolved. Port 0: some free port.
  [[nodiscard]] static std::expected<tcp_listener, std::error_code>
  listen(io_threads& on, const std::string& address, std::uint16_t port,
         const tcp_limits& limits = {});

  tcp_listener(tcp_listener&&) noexcept = default;
  tcp_listener(const tcp_listener&) = delete;
  tcp_listener& operator=(const tcp_listener&) = delete;
  tcp_listener& operator=(tcp_listener&&) = delete;
  ~tcp_listener();

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Calls back with the next connection, on any thread; with `not_enough_memory` if there is none for it. A call that is
  /// pending already is cancelled. Requires: `done` throws nothing. Throws: std::bad_alloc, and nothing was begun.
  pending accept(std::move_only_function<void(stream_result)> done);
  /// The next connection, for a coroutine handler; `not_enough_memory` as above.
  task<std::expected<connection, std::error_code>> accept(tactor::context& ctx) {
    pending begun;
    const auto start = [this, &begun](completion<stream_result> done) {
      begun = accept(std::move(done));
    };
    auto got = co_await ctx.completes<stream_result>(start);
    if (!got) co_return std::unexpected{internal::error_of(got.error())};
    if (!*got) co_return std::unexpected{got->error()};
    co_return connection{std::move(**got)};
  }
  /// Accepts no more; a pending accept ends with `cancelled()`.
  void close() noexcept;

private:
  struct state;
  explicit tcp_listener(std::shared_ptr<state> shared) noexcept : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

/// Connects to `address`, a numeric IP address (host names are not resolved), and calls back on any thread.
/// Requires: `done` throws nothing. Throws: std::bad_alloc, and nothing was begun.
pending tcp_connect(io_threads& on, const std::string& address, std::uint16_t port,
                    std::move_only_function<void(stream_result)> done,
                    const tcp_limits& limits = {});
/// Connects, for a coroutine handler; `timed_out` if the peer does not answer within `timeout`.
/// Requires: `on` and `address` live while it is awaited.
// NOLINTBEGIN(readability-function-size): the parameters of the other form, and who waits how long
inline task<std::expected<connection, std::error_code>>
tcp_connect(tactor::context& ctx, io_threads& on, std::string_view address, std::uint16_t port,
            duration timeout, tcp_limits limits = {}) {
  pending begun;
  const auto start = [&](completion<stream_result> done) {
    begun = tcp_connect(on, std::string{address}, port, std::move(done), limits);
  };
  auto made = co_await ctx.completes<stream_result>(timeout, start);
  if (!made) co_return std::unexpected{internal::error_of(made.error())};
  if (!*made) co_return std::unexpected{made->error()};
  co_return connection{std::move(**made)};
}
// NOLINTEND(readability-function-size)

}  // namespace tactor::inline v0::io
