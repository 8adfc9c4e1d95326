// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console.hpp"

#include "tactor/base/intrusive_list.hpp"
#include "tactor/console/console_connection.hpp"
#include "tactor/console/console_service.hpp"
#include "tactor/console/listening_socket.hpp"
#include "tactor/console/request/request_check.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::inline v0 {

namespace net = boost::asio;

namespace {

constexpr std::chrono::milliseconds pause_without_descriptors{100};
constexpr std::chrono::milliseconds pause_without_memory{10};

/// Closes a connection for which there is no object, with an answer that the client most likely
/// reads.
void turn_away(int connection) noexcept {
  constexpr std::string_view text =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
      "Connection: close\r\n\r\n"
      "{\"error\":\"too many connections\",\"advice\":\"close another one, or try again later\"}\n";
  (void)::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)::shutdown(connection, SHUT_WR);
  (void)::close(connection);
}

// Beast counts the bytes of a header in 32 bits.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// Returns: a sentence about the first limit with which a console would be of no use; null: all are
/// good.
const char* wrong_limit(const console_limits& of) noexcept {
  if (of.connections == 0) return "limits.connections is at least 1";
  if (of.header_bytes < 256 || of.header_bytes > most_bytes)
    return "limits.header_bytes is from 256 to 2^30";
  if (of.body_bytes > most_bytes) return "limits.body_bytes is at most 2^30";
  if (of.idle <= duration{}) return "limits.idle is longer than zero";
  if (of.event_every <= duration{}) return "limits.event_every is longer than zero";
  return nullptr;
}

/// Returns: a sentence about the first action that cannot be started by its name; null: all can.
const char* wrong_action(const std::vector<program_action>& all) {
  for (const program_action& each : all) {
    if (each.name.empty() || !each.run) return "an action has a name and something to run";
    if (std::ranges::count(all, each.name, &program_action::name) > 1)
      return "two actions have the same name";
  }
  return nullptr;
}

}  // namespace

namespace internal {

/// Serves a console's connections, all on one thread. The members are destroyed in reverse order:
/// connections end with the context.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class console_server final : public connection_host {
public:
  /// Starts the thread. Requires: the options are complete. Throws: std::system_error if the system
  /// cannot start it, std::bad_alloc.
  console_server(const actor_system& system, const console_options& options,
                 listening_socket listening)
      : socket_(std::move(listening)),
        service_(system, options, socket_.port()),
        acceptor_(context_, ::dup(socket_.descriptor())),
        pause_(context_),
        ticks_(context_) {
    accept_all();
    thread_ = std::thread{[this] { run(); }};
  }
  console_server(const console_server&) = delete;
  console_server& operator=(const console_server&) = delete;
  /// Ends all connections and the thread.
  ~console_server() {
    context_.stop();
    thread_.join();
  }

  [[nodiscard]] const std::string& address() const noexcept { return socket_.address(); }
  /// Returns: true in a process that was forked, in which the thread does not exist.
  [[nodiscard]] bool is_forked() const noexcept { return process_ != ::getpid(); }

  // Called by connections.
  console_service& service() noexcept override { return service_; }
  void waits(console_connection& who) noexcept override {
    connections_.erase(who);
    connections_.push_back(who);
  }
  bool opens_stream() override {
    console_counts& counts = service_.counts();
    if (counts.event_streams >= service_.options().limits.event_streams) return false;
    if (counts.event_streams == 0) tick_after_pause();
    ++counts.event_streams;
    return true;
  }
  void ended(console_connection& who) noexcept override {
    connections_.erase(who);
    --service_.counts().connections;
    if (who.is_stream()) --service_.counts().event_streams;
  }

private:
  /// Makes events while a client reads them.
  void tick_after_pause() {
    ticks_.expires_after(
        std::chrono::nanoseconds{service_.options().limits.event_every.nanoseconds()});
    ticks_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      will_tick_ = false;
      if (service_.counts().event_streams == 0) return;
      send_tick();
      if (service_.counts().event_streams != 0) tick_after_pause();
    });
    will_tick_ = true;
  }
  void send_tick() {
    try {
      const std::string text = service_.next_tick();
      for (console_connection *each = connections_.front(), *next = nullptr; each != nullptr;
           each = next) {
        next = connections_.next(*each);
        if (each->is_stream()) each->send_event(text);
      }
    } catch (const std::bad_alloc&) {
      return;  // the readers miss this event
    }
  }

  void accept_later() {
    acceptor_.async_wait(net::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) { accept_now(error); });
    will_accept_ = true;
  }
  void accept_now(const boost::system::error_code& error) {
    will_accept_ = false;
    if (!error) accept_all();
  }
  void accept_all() {
    while (true) {
      const int fresh = socket_.accept();
      if (fresh >= 0) {
        admit(fresh);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return accept_later();
      } else if (errno != EINTR && errno != ECONNABORTED) {
        return accept_after_pause();  // no descriptors: they come back when connections end
      }
    }
  }
  void accept_after_pause() {
    pause_.expires_after(pause_without_descriptors);
    pause_.async_wait([this](const boost::system::error_code& error) { accept_now(error); });
    will_accept_ = true;
  }
  void admit(int fresh) {
    console_counts& counts = service_.counts();
    if (counts.connections >= service_.options().limits.connections && !close_idle()) {
      ++counts.turned_away;
      return turn_away(fresh);
    }
    const int family = socket_.port() == 0 ? AF_UNIX : AF_INET;
    bool owned = false;  // by the stream
    try {
      console_stream stream{context_.get_executor()};
      boost::system::error_code error;
      stream.socket().assign({family, 0}, fresh, error);
      if (error) return void(::close(fresh));
      owned = true;
      const auto connection = std::make_shared<console_connection>(*this, std::move(stream));
      connections_.push_back(*connection);
      ++counts.connections;
      connection->read();
    } catch (const std::bad_alloc&) {
      ++counts.turned_away;
      if (!owned) (void)::close(fresh);  // otherwise the stream has closed it
    }
  }
  /// Ends the connection that has waited longest for a request. Returns: false if none waits.
  bool close_idle() noexcept {
    for (console_connection* each = connections_.front(); each != nullptr;
         each = connections_.next(*each)) {
      if (!each->is_idle()) continue;
      ++service_.counts().closed_idle;
      each->close();
      return true;
    }
    return false;
  }

  void run() noexcept {
    set_up_thread("console");
    while (!context_.stopped()) {
      try {
        go_on();
        (void)context_.run();
      } catch (const std::exception&) {  // no memory: that connection has ended, the others go on
        std::this_thread::sleep_for(pause_without_memory);
      }
    }
  }
  /// Begins the waits for which there was no memory before.
  void go_on() {
    if (!will_accept_) accept_all();
    if (!will_tick_ && service_.counts().event_streams != 0) tick_after_pause();
  }

  listening_socket socket_;
  console_service service_;
  intrusive_list<console_connection> connections_;  // the first one has waited longest
  net::io_context context_{1};
  net::posix::stream_descriptor acceptor_;
  net::steady_timer pause_;
  net::steady_timer ticks_;
  bool will_accept_ = false;  // waits for connections
  bool will_tick_ = false;    // waits for the next event
  std::thread thread_;
  const int process_ = ::getpid();
};

}  // namespace internal

void console::ender::operator()(internal::console_server* server) const noexcept {
  if (!server->is_forked()) delete server;  // otherwise the parent has the thread
}

const std::string& console::address() const noexcept {
  return server_->address();
}
std::string console::url() const {
  return address().starts_with('/') ? std::string{} : "http://" + address() + "/";
}
const std::string& console::token() const noexcept {
  return server_->service().options().token;
}

std::expected<console, console_error> start_console(const actor_system& system,
                                                    const console_options& options) {
  if (const char* const wrong = wrong_limit(options.limits))
    return std::unexpected{console_error{wrong}};
  if (const char* const wrong = wrong_action(options.actions))
    return std::unexpected{console_error{wrong}};
  console_options complete = options;
  if (complete.address.empty()) complete.address = default_console_path();
  if (complete.token.empty()) complete.token = internal::random_token();
  if (complete.token.empty())
    return std::unexpected{console_error{"the system gives no random token: choose one"}};
  auto socket = internal::listening_socket::open(complete.address);
  if (!socket) return std::unexpected{console_error{std::move(socket.error())}};
  try {
    return console{new internal::console_server{system, complete, std::move(*socket)}};
  } catch (const std::system_error& why) {
    return std::unexpected{
        console_error{std::string{"the system cannot start the console's thread: "} + why.what()}};
  }
}

std::string default_console_path() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string folder = runtime != nullptr && *runtime == '/'
                                 ? std::string{runtime} + "/tactor"
                                 : "/tmp/tactor-" + std::to_string(::getuid());
  return folder + "/" + std::to_string(::getpid()) + ".sock";
}

}  // namespace tactor::inline v0
