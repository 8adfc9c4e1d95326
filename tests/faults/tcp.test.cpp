// SPDX-License-Identifier: BSL-1.0
// As in resources.test.cpp, for connections: a moment without memory ends at most the connection
// that it met.
#include "tactor/asio/asio.hpp"
#include "tactor/host.hpp"

#include "client.hpp"
#include "each_request.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <new>
#include <utility>

namespace tactor::faults {
namespace {

using namespace std::chrono_literals;

struct begin {};
struct came {
  io::stream_result peer;
};

/// Sends each line back.
class echo : public actor<begin> {
public:
  explicit echo(std::shared_ptr<io::byte_stream> peer) : peer_(std::move(peer)) {}
  reentrant_task<void> receive(context& ctx, begin) {
    auto line = co_await peer_.read_line(ctx, timeout);
    while (line) {
      if (!peer_.write(*line + "\n")) break;
      line = co_await peer_.read_line(ctx, timeout);
    }
    ctx.stop();
  }

private:
  io::connection peer_;
};

/// Accepts connections. What it has no memory for is tried again.
class service : public actor<came, begin> {
public:
  explicit service(std::shared_ptr<io::tcp_listener> at) : listener_(std::move(at)) {}
  void pre_start(context& ctx) { accept_next(ctx); }
  void receive(context& ctx, begin) { accept_next(ctx); }
  void receive(context& ctx, const came& c) {
    if (!c.peer && c.peer.error() == io::cancelled()) return;
    accept_next(ctx);
    if (!c.peer) return;
    if (const auto made = ctx.try_spawn<echo>("", *c.peer)) made->tell(begin{});
  }

private:
  void accept_next(context& ctx) {
    try {
      auto callback = to_actor(ctx.self(), [](io::stream_result s) { return came{std::move(s)}; });
      if (callback) {
        accepting_ = listener_->accept(std::move(callback));
        return;
      }
    } catch (const std::bad_alloc&) {
    }
    (void)ctx.self().tell(begin{});
  }

  std::shared_ptr<io::tcp_listener> listener_;
  io::pending accepting_;
};

client::result echoed(std::uint16_t port) {
  client one{port};
  for (int i = 0; i < 2; ++i) {
    one.send("a line\n");
    const auto said = one.read_until("a line\n", 1);
    if (said != client::result::found) return said;
  }
  return client::result::found;
}

// spec: A5 A8
TEST(tcp, serves_after_a_moment_without_memory) {
  const std::size_t requests = fail_each([](run& now) {
    actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
    io::io_threads threads{1};
    auto listener =
        std::make_shared<io::tcp_listener>(*io::tcp_listener::listen(threads, "127.0.0.1", 0));
    const std::uint16_t port = listener->port();
    now.arm();
    const auto serves = system.try_spawn<service>({.on_failure = restart{}}, listener);
    now.expect(serves || now.has_failed(), "the service starts");
    if (serves) {
      for (int i = 0; i < 2; ++i)
        now.expect(echoed(port) != client::result::silent, "a connection is served, or ends");
      fail_nothing();
      now.expect(echoed(port) == client::result::found, "a new connection is served");
    }
    listener->close();
    now.expect(system.shutdown(timeout).complete, "all actors end in time");
  });
  EXPECT_GT(requests, 5u);
}

}  // namespace
}  // namespace tactor::faults
