// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/asio_context.hpp"

#include "tactor/actor.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <memory>
#include <new>
#include <utility>

namespace tactor::io {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

struct elapsed {
  bool in_time = false;
};
struct pause_for {
  duration length;
  using reply = bool;
};

// spec: A8
TEST(asio_context, a_completion_of_asio_becomes_a_message) {
  std::latch came{1};
  io_threads threads;
  actor_system system{{.log = {.sink = ignore_records}}};
  const auto who = system.spawn("who", [&came](tactor::context&, elapsed e) {
    if (e.in_time) came.count_down();
  });
  net::steady_timer timer{context_of(threads), 1ms};
  timer.async_wait(to_actor(who, [](net_error error) { return elapsed{!error}; }));
  came.wait();
}

// spec: A8
TEST(asio_context, a_thread_goes_on_after_a_callback_without_memory) {
  std::latch called{1};
  io_threads threads{1};
  net::post(context_of(threads), [] { throw std::bad_alloc{}; });
  net::post(context_of(threads), [&] { called.count_down(); });
  called.wait();
}

// Awaits a timer of Asio, which is touched only where its executor runs.
class pauser : public actor<pause_for> {
public:
  explicit pauser(io_threads* on) : on_(on) {}

  task<bool> receive(context& ctx, pause_for p) {
    auto timer = std::make_shared<net::steady_timer>(context_of(*on_));
    const auto done = co_await ctx.completes<net_error>(100ms, [&](completion<net_error> end) {
      net::post(timer->get_executor(), [timer, p, end = std::move(end)]() mutable {
        timer->expires_after(std::chrono::nanoseconds{p.length.nanoseconds()});
        timer->async_wait([timer, end = std::move(end)](net_error error) mutable { end(error); });
      });
    });
    if (!done) net::post(timer->get_executor(), [timer] { timer->cancel(); });
    co_return done && !*done;
  }

private:
  io_threads* on_;
};

// spec: A8 A3
TEST(asio_context, a_coroutine_handler_awaits_a_completion_of_asio) {
  io_threads threads;
  actor_system system{{.log = {.sink = ignore_records}}};
  const auto who = system.spawn<pauser>("who", &threads);
  EXPECT_EQ(system.ask(who, pause_for{1ms}, 1min).get(), true);
  EXPECT_EQ(system.ask(who, pause_for{1h}, 1min).get(), false);  // timed out, and cancelled
}

}  // namespace
}  // namespace tactor::io
