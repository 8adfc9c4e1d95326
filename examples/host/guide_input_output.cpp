// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/16-input-and-output.md, "Testing"; check_snippets.py compares the two.
#include "tactor/testkit.hpp"

#include "line_service.hpp"

#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) ++failures;
}

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

}  // namespace

int main() {
  answers_commands();
  ends_gracefully();
  gives_up_a_silent_peer();
  return failures == 0 ? 0 : 1;
}
