// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/asio/io_threads.hpp"
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

/// An operation that can be cancelled. For the parts of this component.
class cancellable_operation {
public:
  cancellable_operation(const cancellable_operation&) = delete;
  cancellable_operation& operator=(const cancellable_operation&) = delete;
  virtual ~cancellable_operation() = default;
  /// Cancels the operation with this number, if it has not ended.
  virtual void cancel(std::uint64_t number) noexcept = 0;

protected:
  cancellable_operation() = default;
};

/// An operation that has begun. Destroying it cancels the operation and destroys its callback
/// without a call; it does not wait for a callback that another thread is calling. An actor keeps
/// it as a member, a coroutine in a variable: so the operation ends with the actor when it stops or
/// restarts.
///
/// Thread safety: one thread at a time, any thread.
class [[nodiscard]] pending {
public:
  /// No operation.
  pending() noexcept = default;
  /// For the parts of this component.
  pending(std::shared_ptr<cancellable_operation> what, std::uint64_t number) noexcept
      : what_(std::move(what)), number_(number) {}
  pending(pending&&) noexcept = default;
  pending(const pending&) = delete;
  pending& operator=(const pending&) = delete;
  /// Cancels the operation that it held.
  pending& operator=(pending&& other) noexcept {
    cancel();
    what_ = std::move(other.what_);
    number_ = other.number_;
    return *this;
  }
  ~pending() { cancel(); }

  /// Cancels the operation, as the destructor does. It has no effect if the operation has ended.
  void cancel() noexcept {
    if (const auto begun = std::exchange(what_, nullptr)) begun->cancel(number_);
  }

private:
  std::shared_ptr<cancellable_operation> what_;
  std::uint64_t number_ = 0;
};

/// Limits of TCP connections.
struct tcp_limits {
  /// Bytes of one connection that wait for writing; more is `backpressure`.
  std::size_t queue = 65536;
};

/// A new connection, or the error.
using stream_result = std::expected<std::shared_ptr<byte_stream>, std::error_code>;

/// Accepts TCP connections. Its destructor closes it, and ends a pending accept without a call.
/// Context: its actor, or one thread at a time.
class tcp_listener {
public:
  /// Listens at `address`, a numeric IP address ("127.0.0.1", "::"): host names are not resolved.
  /// Port 0: some free port.
  [[nodiscard]] static std::expected<tcp_listener, std::error_code>
  listen(io_threads& on, const std::string& address, std::uint16_t port,
         const tcp_limits& limits = {});

  tcp_listener(tcp_listener&&) noexcept = default;
  tcp_listener(const tcp_listener&) = delete;
  tcp_listener& operator=(const tcp_listener&) = delete;
  tcp_listener& operator=(tcp_listener&&) = delete;
  ~tcp_listener();

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Calls back with the next connection, on any thread; with `not_enough_memory` if there is no
  /// memory for it. After an error, such as `too_many_files_open`, the next call waits 100 ms
  /// before it tries again, so that a loop of accepts does not spin. A call that is pending already
  /// is cancelled. Requires: `done` throws nothing. Throws: std::bad_alloc, and then nothing has
  /// begun.
  pending accept(std::move_only_function<void(stream_result)> done);
  /// Resumes a coroutine handler with the next connection; `not_enough_memory` as above.
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
  /// Accepts no further connection; a pending accept ends with `cancelled()`.
  void close() noexcept;

private:
  struct state;
  explicit tcp_listener(std::shared_ptr<state> shared) noexcept : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

/// Connects to `address`, a numeric IP address (host names are not resolved), and calls back on any
/// thread. Requires: `done` throws nothing. Throws: std::bad_alloc, and then nothing has begun.
pending tcp_connect(io_threads& on, const std::string& address, std::uint16_t port,
                    std::move_only_function<void(stream_result)> done,
                    const tcp_limits& limits = {});
/// Resumes a coroutine handler with a new connection; `timed_out` if the peer does not answer
/// within `timeout`. Requires: `on` and `address` live while it is awaited.
// NOLINTBEGIN(readability-function-size): it has the parameters of the other form, a context and a
// timeout
inline task<std::expected<connection, std::error_code>>
tcp_connect(tactor::context& ctx, io_threads& on, std::string_view address, std::uint16_t port,
            duration timeout, tcp_limits limits = {}) {
  pending begun;
  const auto start = [&](completion<stream_result> done) {
    begun = tcp_connect(on, std::string{address}, port, std::move(done), limits);
  };
  auto stream = co_await ctx.completes<stream_result>(timeout, start);
  if (!stream) co_return std::unexpected{internal::error_of(stream.error())};
  if (!*stream) co_return std::unexpected{stream->error()};
  co_return connection{std::move(**stream)};
}
// NOLINTEND(readability-function-size)

}  // namespace tactor::inline v0::io
