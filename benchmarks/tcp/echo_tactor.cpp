// SPDX-License-Identifier: BSL-1.0
// An echo service with one actor per connection: `tcp_echo_tactor WORKERS` prints its port and
// serves until its standard input ends. With 0 workers the actors run on the thread that runs Asio.
#include "tactor/asio/asio.hpp"
#include "tactor/asio/asio_context.hpp"
#include "tactor/host.hpp"

#include "open_files.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

namespace {

struct begin {};
struct came {
  tactor::io::stream_result peer;
};

class echo : public tactor::actor<begin> {
public:
  explicit echo(std::shared_ptr<tactor::io::byte_stream> peer) : peer_(std::move(peer)) {}

  tactor::task<void> receive(context& ctx, begin) {
    while (const auto bytes = co_await peer_.read(ctx, 60s))
      if (!peer_.write(*bytes)) break;
    ctx.stop();
  }

private:
  tactor::io::connection peer_;
};

class front : public tactor::actor<came> {
public:
  explicit front(std::shared_ptr<tactor::io::tcp_listener> at) : listener_(std::move(at)) {}

  void pre_start(context& ctx) { accept_next(ctx); }
  void receive(context& ctx, const came& c) {
    if (c.peer) ctx.spawn<echo>("", *c.peer).tell(begin{});
    accept_next(ctx);
  }

private:
  void accept_next(context& ctx) {
    accepting_ = listener_->accept(tactor::to_actor(
        ctx.self(), [](tactor::io::stream_result peer) { return came{std::move(peer)}; }));
  }

  std::shared_ptr<tactor::io::tcp_listener> listener_;
  tactor::io::pending accepting_;
};

/// Spawns the service and prints its port. Returns: false if it cannot listen.
bool serve(tactor::io::io_threads& threads, auto& system) {
  auto listener = tactor::io::tcp_listener::listen(threads, "127.0.0.1", 0);
  if (!listener) return false;
  std::printf("%u\n", static_cast<unsigned>(listener->port()));
  std::fflush(stdout);
  (void)system.spawn("front", [kept = std::make_shared<tactor::io::tcp_listener>(
                                   std::move(*listener))] { return front{kept}; });
  return true;
}
void wait_for_end() {
  while (std::getchar() != EOF) {
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto workers = static_cast<std::uint32_t>(count > 1 ? std::atoi(arguments[1]) : 1);
  bench::raise_open_files();
  if (workers != 0) {
    tactor::io::io_threads threads;
    tactor::actor_system system{{.workers = workers}};
    if (!serve(threads, system)) return 1;
    wait_for_end();
    (void)system.shutdown(0ms);
    return 0;
  }
  tactor::io::io_threads none{0};
  tactor::cooperative_system system;
  if (!serve(none, system)) return 1;
  bool ends = false;
  const std::jthread waits{[&] {
    wait_for_end();
    asio::post(tactor::io::context_of(none), [&ends] { ends = true; });
  }};
  tactor::io::run_until(none, system, [&ends] { return ends; });
  (void)system.shutdown(0ms);
}
