// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console.hpp"
#include "tactor/console/console_client.test.hpp"
#include "tactor/console/console_world.test.hpp"
#include "tactor/core/actor/behaviour.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <string>
#include <string_view>

namespace tactor {
namespace {

using namespace internal;
using namespace std::chrono_literals;

struct work {};

const std::string ask_for_events = "GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n";

/// The data of the next event.
std::string next_tick(console_client& from) {
  EXPECT_EQ(from.read_until("\n"), "event: tick\n");
  std::string data = from.read_until("\n\n");
  EXPECT_TRUE(data.starts_with("data: {")) << data;
  return data.substr(6);
}

/// The first number with this name.
std::uint64_t number_in(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\"" + name + "\":");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 3));
}

TEST(event_stream, tells_again_and_again_what_the_system_does) {
  std::latch handled{3};
  console_world world{{.limits = {.event_every = 1ms}}};
  const auto desk =
      world.system.spawn("desk", [&](context&, const work&) { handled.count_down(); });
  console_client client = world.connect();
  client.send(ask_for_events);
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_TRUE(contains(head, "200 OK"));
  EXPECT_TRUE(contains(head, "Content-Type: text/event-stream"));

  const std::string first = next_tick(client);
  EXPECT_TRUE(is_json(first)) << first;
  for (const char* piece :
       {R"("version":1,"part":"tick","time_ns":)", R"("point":{"time_ns":)",
        R"("system":{"version":1,"part":"system")", R"("workers":{"version":1,"part":"workers")",
        R"("warnings":[)", R"("lost":0})"})
    EXPECT_TRUE(contains(first, piece)) << piece;

  for (int i = 0; i < 3; ++i)
    desk.tell(work{});
  handled.wait();
  // A worker adds to the sums before it sleeps: soon.
  std::string later = next_tick(client);
  while (number_in(later, "handled") < 3)
    later = next_tick(client);
  EXPECT_GT(number_in(later, "time_ns"), number_in(first, "time_ns"));
}

TEST(event_stream, a_slow_reader_loses_ticks_which_are_counted_and_delays_no_other_reader) {
  const console_world world{{.limits = {.event_every = 100us}}};
  console_client slow = world.connect();
  slow.send(ask_for_events);
  (void)slow.read_until("\r\n\r\n");
  console_client quick = world.connect();
  quick.send(ask_for_events);
  (void)quick.read_until("\r\n\r\n");

  console_client other = world.connect();
  while (number_in(other.get("/api/v1/console").body, "ticks_lost") < 5)
    (void)next_tick(quick);

  std::string tick = next_tick(slow);  // it can go on, and learns how many it has lost
  while (number_in(tick, "lost") == 0)
    tick = next_tick(slow);
  EXPECT_TRUE(is_json(tick)) << tick;
}

TEST(event_stream, has_a_head_without_events) {
  const console_world world;
  console_client client = world.connect();
  client.send("HEAD /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ")) << head;
  EXPECT_TRUE(head.contains("Content-Type: text/event-stream\r\n")) << head;
  EXPECT_EQ(client.get("/healthz").body, "ok\n");
}

TEST(event_stream, only_a_limited_number_is_read_at_a_time) {
  const console_world world{{.limits = {.event_streams = 1, .event_every = 1ms}}};
  console_client other = world.connect();
  {
    console_client first = world.connect();
    first.send(ask_for_events);
    (void)first.read_until("\r\n\r\n");
    EXPECT_EQ(other.get("/api/v1/events").status, 503);
    const std::string counts = other.get("/api/v1/console").body;
    EXPECT_EQ(number_in(counts, "event_streams"), 1U);
    EXPECT_EQ(number_in(counts, "refused"), 1U);
  }
  while (number_in(other.get("/api/v1/console").body, "event_streams") != 0) {
  }
  other.send(ask_for_events);
  EXPECT_EQ(other.read_response(false).status, 200);
}

TEST(event_stream, that_takes_the_last_connection_is_not_ended_for_others) {
  const console_world world{{.limits = {.connections = 1, .event_every = 1ms}}};
  console_client reader = world.connect();
  reader.send(ask_for_events);
  (void)reader.read_until("\r\n\r\n");

  console_client late = world.connect();
  EXPECT_EQ(late.read_response().status, 503);
  EXPECT_TRUE(contains(late.read_to_end(), "too many connections"));
  (void)next_tick(reader);
}

TEST(event_stream, ends_with_the_console_and_goes_on_after_the_system) {
  console_world world{{.limits = {.event_every = 1ms}}};
  console_client client = world.connect();
  client.send(ask_for_events);
  (void)client.read_until("\r\n\r\n");

  world.system.shutdown();
  while (!contains(next_tick(client), R"("phase":"stopped")")) {
  }
  world.shown.reset();
  (void)client.read_to_end();
}

}  // namespace
}  // namespace tactor
