// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_server.hpp"

#include "tactor/base/intrusive_list.hpp"
#include "tactor/console/console_connection.hpp"
#include "tactor/console/console_service.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

namespace tactor::inline v0::internal {

namespace net = boost::asio;

namespace {

constexpr std::chrono::milliseconds pause_without_descriptors{100};
constexpr std::chrono::milliseconds pause_without_memory{10};

/// Says why without a connection object: the client most likely reads it.
void turn_away(int connection) noexcept {
  constexpr std::string_view text =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
      "Connection: close\r\n\r\n"
      "{\"error\":\"too many connections\",\"advice\":\"close another one, or try again later\"}\n";
  (void)::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)::shutdown(connection, SHUT_WR);
  (void)::close(connection);
}

}  // namespace

/// The members are destroyed in reverse order: connections end with the context.
struct console_server::parts final : connection_host {
  parts(const actor_system& system, const console_options& options, listening_socket listening)
      : socket(std::move(listening)),
        answers(system, options, socket.port()),
        acceptor(context, ::dup(socket.descriptor())),
        pause(context),
        ticks(context) {}

  // For connections.
  console_service& service() noexcept override { return answers; }
  void waits(console_connection& who) noexcept override {
    connections.erase(who);
    connections.push_back(who);
  }
  bool opens_stream() override {
    console_counts& counts = answers.counts();
    if (counts.event_streams >= answers.options().limits.event_streams) return false;
    if (counts.event_streams == 0) tick_after_pause();
    ++counts.event_streams;
    return true;
  }
  void ended(console_connection& who) noexcept override {
    connections.erase(who);
    --answers.counts().connections;
    if (who.is_stream()) --answers.counts().event_streams;
  }

  /// Events are made only while a client reads them.
  void tick_after_pause() {
    ticks.expires_after(
        std::chrono::nanoseconds{answers.options().limits.event_every.nanoseconds()});
    ticks.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      will_tick = false;
      if (answers.counts().event_streams == 0) return;
      send_tick();
      if (answers.counts().event_streams != 0) tick_after_pause();
    });
    will_tick = true;
  }
  void send_tick() {
    try {
      const std::string text = answers.next_tick();
      for (console_connection *each = connections.front(), *next = nullptr; each != nullptr;
           each = next) {
        next = connections.next(*each);
        if (each->is_stream()) each->send_event(text);
      }
    } catch (const std::bad_alloc&) {
      return;  // this one is missing
    }
  }

  void accept_later() {
    acceptor.async_wait(net::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code& error) { accept_now(error); });
    will_accept = true;
  }
  void accept_now(const boost::system::error_code& error) {
    will_accept = false;
    if (!error) accept_all();
  }
  void accept_all() {
    while (true) {
      const int fresh = socket.accept();
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
    pause.expires_after(pause_without_descriptors);
    pause.async_wait([this](const boost::system::error_code& error) { accept_now(error); });
    will_accept = true;
  }
  void admit(int fresh) {
    console_counts& counts = answers.counts();
    if (counts.connections >= answers.options().limits.connections && !close_idle()) {
      ++counts.turned_away;
      return turn_away(fresh);
    }
    const int family = socket.port() == 0 ? AF_UNIX : AF_INET;
    bool owned = false;  // by the stream
    try {
      console_stream stream{context.get_executor()};
      boost::system::error_code error;
      stream.socket().assign({family, 0}, fresh, error);
      if (error) return void(::close(fresh));
      owned = true;
      const auto made = std::make_shared<console_connection>(*this, std::move(stream));
      connections.push_back(*made);
      ++counts.connections;
      made->read();
    } catch (const std::bad_alloc&) {
      ++counts.turned_away;
      if (!owned) (void)::close(fresh);  // otherwise the stream has closed it
    }
  }
  /// Ends the connection that has waited for a request for longest. Returns: false if none waits.
  bool close_idle() noexcept {
    for (console_connection* each = connections.front(); each != nullptr;
         each = connections.next(*each)) {
      if (!each->is_idle()) continue;
      ++answers.counts().closed_idle;
      each->close();
      return true;
    }
    return false;
  }

  void run() noexcept {
    set_up_thread("console");
    while (!context.stopped()) {
      try {
        go_on();
        (void)context.run();
      } catch (const std::exception&) {  // no memory: that connection has ended, the others go on
        std::this_thread::sleep_for(pause_without_memory);
      }
    }
  }
  /// Begins what there was no memory to begin.
  void go_on() {
    if (!will_accept) accept_all();
    if (!will_tick && answers.counts().event_streams != 0) tick_after_pause();
  }

  listening_socket socket;
  console_service answers;
  intrusive_list<console_connection>
      connections;  // in front: the connection that has waited longest
  net::io_context context{1};
  net::posix::stream_descriptor acceptor;
  net::steady_timer pause;
  net::steady_timer ticks;
  bool will_accept = false;  // waits for connections
  bool will_tick = false;    // waits for the next event
  std::thread thread;
  const int process = ::getpid();
};

console_server::console_server(const actor_system& system, const console_options& options,
                               listening_socket socket)
    : parts_(std::make_unique<parts>(system, options, std::move(socket))) {
  parts_->accept_all();
  parts_->thread = std::thread{[&all = *parts_] { all.run(); }};
}

console_server::~console_server() {
  if (parts_->process != ::getpid()) {  // forked: the parent has the thread
    (void)parts_.release();
    return;
  }
  parts_->context.stop();
  parts_->thread.join();
}

const std::string& console_server::address() const noexcept {
  return parts_->socket.address();
}
const std::string& console_server::token() const noexcept {
  return parts_->answers.options().token;
}

}  // namespace tactor::inline v0::internal
