// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/16-input-and-output.md, "One thread" and "Testing"; check_snippets.py
// compares the two.
#include "tactor/asio/asio.hpp"
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"
#include "line_service.hpp"

#include <chrono>
#include <memory>
#include <utility>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

void answers_commands() {
  service_counts counts;
  simulation world;
  auto [client, server] = tactor::io::memory_pair();
  const auto store = world.spawn<key_store>("store");
  world.spawn<line_peer>("peer", server, store, &counts).tell(begin{});
  (void)client->write("set tea 3\nget tea\n");
  world.run_to_idle();
  expect(client->take() == "3\n3\n", "two commands, two answers");
  expect(counts.accepted == 2, "which are counted");
}

void ends_gracefully() {
  service_counts counts;
  simulation world;
  auto [client, server] = tactor::io::memory_pair();
  const auto store = world.spawn<key_store>("store");
  const auto peer = world.spawn<line_peer>("peer", server, store, &counts);
  peer.tell(begin{});
  (void)client->write("set a 1\nset b 2\n");
  peer.tell(finish{});
  world.run_to_idle();
  expect(client->take() == "1\n2\n", "what was accepted is answered");
  client->close();
  expect(world.shutdown(1s).complete, "and the actor has ended");
}

void gives_up_a_silent_peer() {
  service_counts counts;
  simulation world;
  auto [client, server] = tactor::io::memory_pair();
  const auto store = world.spawn<key_store>("store");
  world.spawn<line_peer>("peer", std::move(server), store, &counts).tell(begin{});
  world.run_for(71s);  // a minute for a line, ten seconds for the end
  expect(client->write("get tea\n").error() == tactor::io::write_error::closed, "a silent peer");
}

void serves_on_one_thread() {
  service_counts counts;
  tactor::io::stream_result client;
  const auto got_all = [&client] { return *client != nullptr && (*client)->take() == "3\n"; };
  tactor::io::io_threads none{0};
  tactor::cooperative_system system;
  auto listener = tactor::io::tcp_listener::listen(none, "127.0.0.1", 0);
  const auto connecting = tactor::io::tcp_connect(
      none, "127.0.0.1", listener->port(), [&client](const tactor::io::stream_result& made) {
        client = made;
        (void)(*client)->write("set tea 3\n");
        (*client)->readable([](tactor::io::io_result) {});
      });
  const auto store = system.spawn<key_store>("store");
  system.spawn<line_service>(
      "service", store, std::make_shared<tactor::io::tcp_listener>(std::move(*listener)), &counts);
  tactor::io::run_until(none, system, got_all);
  expect(counts.accepted == 1, "a command, on one thread");
  (*client)->close();
  (void)system.shutdown(0ms);
}

}  // namespace

int main() {
  answers_commands();
  ends_gracefully();
  gives_up_a_silent_peer();
  serves_on_one_thread();
  return failures == 0 ? 0 : 1;
}
