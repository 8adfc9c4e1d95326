// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/io_threads.hpp"

#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/asio/tcp.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/cooperative_system.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

namespace tactor::io {
namespace {

using namespace std::chrono_literals;

struct serve {};
struct ask_at {
  std::uint16_t port;
};

// Echoes the lines of one connection.
class one_server : public actor<serve> {
public:
  explicit one_server(tcp_listener* at) : listener_(at) {}

  task<void> receive(context& ctx, serve) {
    auto came = co_await listener_->accept(ctx);
    if (!came) co_return;
    peer_ = std::move(*came);
    while (const auto line = co_await peer_.read_line(ctx, 1min)) {
      const std::string answer = *line + "\n";
      if (!peer_.write(answer)) break;
    }
  }

private:
  tcp_listener* listener_;
  connection peer_;
};

// Sends a line and keeps the answer.
class one_client : public actor<ask_at> {
public:
  one_client(io_threads* on, std::string* answer, std::thread::id* ran)
      : on_(on), answer_(answer), ran_(ran) {}

  task<void> receive(context& ctx, ask_at to) {
    auto made = co_await tcp_connect(ctx, *on_, "127.0.0.1", to.port, 1min);
    if (!made) co_return;
    peer_ = std::move(*made);
    (void)peer_.write("hello\n");
    const auto line = co_await peer_.read_line(ctx, 1min);
    *ran_ = std::this_thread::get_id();
    *answer_ = line ? *line : "none";
    (void)co_await ctx.sleep(1ms);  // a timer ends the sleep in Asio, too
    *answer_ += " and slept";
  }

private:
  io_threads* on_;
  std::string* answer_;
  std::thread::id* ran_;
  connection peer_;
};

// spec: A8
TEST(io_threads, run_asio_and_actors_on_one_thread) {
  std::string answer;
  std::thread::id ran;
  io_threads none{0};
  auto listener = tcp_listener::listen(none, "127.0.0.1", 0);
  ASSERT_TRUE(listener.has_value());
  cooperative_system system;
  system.spawn<one_server>("server", &*listener).tell(serve{});
  system.spawn<one_client>("client", &none, &answer, &ran).tell(ask_at{listener->port()});
  run_until(none, system, [&] { return answer.ends_with("slept"); });
  EXPECT_EQ(answer, "hello and slept");
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_EQ(none.size(), 0U);
  (void)system.shutdown(0ms);  // the server still reads
}

// spec: A8
TEST(io_threads, serve_asio_also_if_actors_never_rest) {
  struct again {};
  bool ends = false;
  io_threads none{0};
  cooperative_system system;
  const auto busy = system.spawn(
      "busy", [](actor_context<again>& ctx, again) { (void)ctx.self().tell(again{}); });
  (void)busy.tell(again{});
  net::post(context_of(none), [&ends] { ends = true; });
  run_until(none, system, [&ends] { return ends; });
  EXPECT_TRUE(ends);
  (void)system.shutdown(0ms);
}

// spec: A8
TEST(io_threads, another_thread_ends_a_run) {
  bool ends = false;
  io_threads none{0};
  cooperative_system system;
  const std::jthread other{[&] { net::post(context_of(none), [&ends] { ends = true; }); }};
  run_until(none, system, [&ends] { return ends; });
  EXPECT_TRUE(ends);
}

}  // namespace
}  // namespace tactor::io
