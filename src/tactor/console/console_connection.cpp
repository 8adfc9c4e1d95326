// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

namespace http = boost::beast::http;

namespace {

constexpr std::string_view event_type = "text/event-stream";
constexpr std::size_t discarded_at_most = 65'536;
constexpr std::string_view page_policy =
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

request_method method_of(http::verb verb) noexcept {
  if (verb == http::verb::get) return request_method::get;
  if (verb == http::verb::head) return request_method::head;
  if (verb == http::verb::post) return request_method::post;
  return request_method::other;
}

std::string_view view_of(boost::beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Returns: true if one of the headers that are checked occurs twice.
bool repeats_header(const http::request<http::string_body>& from) noexcept {
  constexpr std::array names{"Host", "Origin", "Sec-Fetch-Site", "Authorization"};
  return std::ranges::any_of(names, [&](const char* each) { return from.count(each) > 1; });
}

/// Returns: the answer to a request that could not be read.
console_response answer_to(const boost::beast::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refusal_of(431, "the header is too long", "send a shorter one");
  if (error == http::error::body_limit)
    return refusal_of(413, "the body is too long", "send a shorter one");
  return refusal_of(400, "the request is not HTTP", "send a request of HTTP/1.1");
}

}  // namespace

console_request request_of(const http::request<http::string_body>& from) noexcept {
  return {.method = method_of(from.method()),
          .target = view_of(from.target()),
          .host = view_of(from[http::field::host]),
          .origin = view_of(from[http::field::origin]),
          .fetch_site = view_of(from["Sec-Fetch-Site"]),
          .authorization = view_of(from[http::field::authorization]),
          .body = from.body(),
          .repeats_header = repeats_header(from)};
}

console_connection::console_connection(connection_host& host, console_stream stream)
    : host_(host),
      stream_(std::move(stream)),
      buffer_(host.service().options().limits.header_bytes +
              host.service().options().limits.body_bytes) {}

console_connection::~console_connection() {
  close();
}

void console_connection::close() noexcept {
  if (state_ == state::closed) return;
  host_.ended(*this);
  state_ = state::closed;
  boost::beast::error_code ignored;
  stream_.socket().close(ignored);
}

void console_connection::set_timeout() {
  stream_.expires_after(
      std::chrono::nanoseconds{host_.service().options().limits.idle.nanoseconds()});
}

void console_connection::read() {
  const console_limits& limits = host_.service().options().limits;
  state_ = state::reading;
  host_.waits(*this);
  response_.reset();
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser_->body_limit(limits.body_bytes);
  set_timeout();
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
}

void console_connection::on_read(const error_code& error) {
  if (state_ == state::closed) return;
  const bool is_bad =
      error && error.category() == make_error_code(http::error::bad_method).category();
  if (error == http::error::end_of_stream || (error && !is_bad)) return close();
  try {
    if (is_bad) {
      ++host_.service().counts().refused;
      return send(answer_to(error), 11, false, true);
    }
    const auto& request = parser_->get();
    console_response answer = host_.service().answer(request_of(request));
    if (answer.opens_stream && request.method() == http::verb::head) {
      answer.content_type = event_type;
    } else if (answer.opens_stream) {
      if (host_.opens_stream()) {
        state_ = state::streaming;
        return begin_stream();
      }
      ++host_.service().counts().refused;
      answer =
          refusal_of(503, "too many clients read events", "close another page, or try again later");
    }
    send(std::move(answer), request.version(), request.keep_alive(),
         request.method() != http::verb::head);
  } catch (const std::bad_alloc&) {
    close();
  }
}

void console_connection::send(console_response answer, unsigned version, bool keep_alive,
                              bool with_body) {
  state_ = state::writing;
  response_.emplace(http::int_to_status(answer.status), version);
  response_->set(http::field::content_type,
                 boost::beast::string_view{answer.content_type.data(), answer.content_type.size()});
  response_->set(http::field::cache_control, "no-store");
  response_->set("X-Content-Type-Options", "nosniff");
  if (answer.is_page)
    response_->set("Content-Security-Policy",
                   boost::beast::string_view{page_policy.data(), page_policy.size()});
  if (!answer.allow.empty())
    response_->set(http::field::allow,
                   boost::beast::string_view{answer.allow.data(), answer.allow.size()});
  response_->keep_alive(keep_alive);
  response_->content_length(answer.body.size());
  if (with_body) response_->body() = std::move(answer.body);
  set_timeout();
  http::async_write(stream_, *response_,
                    [self = shared_from_this(), keep_alive](const error_code& error, std::size_t) {
                      if (self->state_ == state::closed) return;
                      if (error) return self->close();
                      if (keep_alive) return self->read();
                      self->finish();
                    });
}

/// Lets the client read the answer. A close at once would discard it if a part of the request was
/// not read.
void console_connection::finish() {
  error_code ignored;
  stream_.socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  stream_.expires_after(std::chrono::seconds{1});
  discard(discarded_at_most);
}
void console_connection::discard(std::size_t left) {
  buffer_.clear();
  stream_.async_read_some(
      buffer_.prepare(std::min<std::size_t>(4096, buffer_.max_size())),
      [self = shared_from_this(), left](const error_code& error, std::size_t got) {
        if (self->state_ == state::closed) return;
        if (error || got >= left) return self->close();
        self->discard(left - got);
      });
}

/// Begins to send events. The pending read owns the connection, and ends when the client has gone.
void console_connection::begin_stream() {
  stream_.expires_never();
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(1),
                          [self = shared_from_this()](const error_code&, std::size_t) {
                            self->close();  // a reader of events sends nothing
                          });
  write_event("HTTP/1.1 200 OK\r\nContent-Type: " + std::string{event_type} +
              "\r\nCache-Control: no-store\r\n"
              "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n" +
              event_of(host_.service().next_tick()));
}

void console_connection::send_event(const std::string& data) {
  if (event_pending_) {
    ++lost_;
    ++host_.service().counts().ticks_lost;
    return;
  }
  try {
    write_event(event_of(data));
  } catch (const std::bad_alloc&) {
    close();  // the client connects again
  }
}

std::string console_connection::event_of(const std::string& data) const {
  return "event: tick\ndata: " + data + ",\"lost\":" + std::to_string(lost_) + "}\n\n";
}

void console_connection::write_event(std::string text) {
  event_ = std::move(text);
  event_pending_ = true;
  set_timeout();
  boost::asio::async_write(stream_, boost::asio::buffer(event_),
                           [self = shared_from_this()](const error_code& error, std::size_t) {
                             if (self->state_ == state::closed) return;
                             self->event_pending_ = false;
                             if (error) self->close();
                           });
}

}  // namespace tactor::inline v0::internal
