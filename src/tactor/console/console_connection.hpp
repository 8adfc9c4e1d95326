// SPDX-License-Identifier: BSL-1.0
#pragma once

// Private to the component: includes Boost.

#include "tactor/base/intrusive_list.hpp"
#include "tactor/console/console_service.hpp"
#include "tactor/console/request/console_request.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tactor::inline v0::internal {

using console_stream = boost::beast::basic_stream<boost::asio::generic::stream_protocol,
                                                  boost::asio::io_context::executor_type>;

/// Converts a request that Beast has read into the form that the service reads. Its texts are those
/// of `from`.
[[nodiscard]] console_request
request_of(const boost::beast::http::request<boost::beast::http::string_body>& from) noexcept;

class console_connection;

/// The server of a connection, as the connection sees it. Context: the server's thread.
class connection_host {
public:
  [[nodiscard]] virtual console_service& service() noexcept = 0;
  /// Records that the connection waits for a request from now on.
  virtual void waits(console_connection& who) noexcept = 0;
  /// Admits a connection that wants to read events until it ends. Returns: false if there are too
  /// many.
  [[nodiscard]] virtual bool opens_stream() = 0;
  /// Records that the connection has ended. Called once.
  virtual void ended(console_connection& who) noexcept = 0;

protected:
  ~connection_host() = default;
};

/// One connection: reads requests and answers them, one after the other. Context: the server's
/// thread.
///
/// inv 1  A pending operation on the stream owns the connection. There is one; of an event stream
///        there are a read and at most one write.
class console_connection : public intrusive_list_node<console_connection>,
                           public std::enable_shared_from_this<console_connection> {
public:
  /// Requires: the host outlives it, and has it in its list.
  console_connection(connection_host& host, console_stream stream);
  console_connection(const console_connection&) = delete;
  console_connection& operator=(const console_connection&) = delete;
  ~console_connection();

  /// Waits for the next request.
  void read();
  /// Ends the connection; pending operations end soon.
  void close() noexcept;
  /// Returns: true while it waits for a request.
  [[nodiscard]] bool is_idle() const noexcept { return state_ == state::reading; }
  [[nodiscard]] bool is_stream() const noexcept { return state_ == state::streaming; }

  /// Sends an event, unless the client has not read the previous event: then the event is dropped,
  /// and counted. `data` is one JSON object without its last bracket.
  void send_event(const std::string& data);

private:
  enum class state : std::uint8_t { reading, writing, streaming, closed };
  using string_response = boost::beast::http::response<boost::beast::http::string_body>;
  using error_code = boost::beast::error_code;

  void set_timeout();
  void on_read(const error_code& error);
  void send(console_response answer, unsigned version, bool keep_alive, bool with_body);
  void begin_stream();
  [[nodiscard]] std::string event_of(const std::string& data) const;
  void write_event(std::string text);
  void finish();
  void discard(std::size_t left);

  connection_host& host_;
  console_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<string_response> response_;
  std::string event_;
  std::uint64_t lost_ = 0;  // events
  state state_ = state::reading;
  bool event_pending_ = false;
};

}  // namespace tactor::inline v0::internal
