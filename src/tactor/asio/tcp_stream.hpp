// SPDX-License-Identifier: BSL-1.0
#pragma once

// Private: sockets as streams.

#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/tcp.hpp"

#include <system_error>

namespace tactor::inline v0::io {

using tcp = net::ip::tcp;
/// A socket that knows the type of its executor: less to call through, and less memory for an
/// operation.
using tcp_socket = net::basic_stream_socket<tcp, net::io_context::executor_type>;
using tcp_acceptor = net::basic_socket_acceptor<tcp, net::io_context::executor_type>;

/// Converts an error of Asio into one that can be compared with `std::errc`, for programs that do
/// not know the categories of Asio.
[[nodiscard]] inline std::error_code plain(const net_error& error) {
  if (error.category() != net::error::get_system_category()) return error;
  return {error.value(), std::generic_category()};
}
[[nodiscard]] inline std::error_code no_memory() noexcept {
  return std::make_error_code(std::errc::not_enough_memory);
}

/// Makes the stream of a connected socket. Without memory the connection is closed.
[[nodiscard]] stream_result stream_of(tcp_socket socket, const tcp_limits& limits);

}  // namespace tactor::inline v0::io
