// SPDX-License-Identifier: BSL-1.0
// The real server, in front of a system with 100 000 actors.
#include "tactor/console/console_client.test.hpp"
#include "tactor/console/console_world.test.hpp"
#include "tactor/console/history_text.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <set>
#include <string>
#include <string_view>

namespace tactor {
namespace {

using namespace internal;
using namespace std::chrono_literals;

struct go_round {};

struct stand_still {
  std::latch* begun;
  std::latch* go_on;
};

class runner : public actor<go_round, stand_still> {
public:
  runner(std::atomic<std::uint64_t>* rounds, std::atomic<bool>* over)
      : rounds_(rounds), over_(over) {}
  void receive(context& ctx, const go_round&) {
    ++*rounds_;
    rounds_->notify_one();
    if (!*over_) ctx.self().tell(go_round{});
  }
  void receive(context&, const stand_still& s) {
    s.begun->count_down();
    s.go_on->wait();
  }

private:
  std::atomic<std::uint64_t>* rounds_;
  std::atomic<bool>* over_;
};

std::size_t count_of(const std::string& text, std::string_view piece) {
  std::size_t count = 0;
  for (auto at = text.find(piece); at != text.npos; at = text.find(piece, at + piece.size()))
    ++count;
  return count;
}

/// The values of all numbers with this name.
std::multiset<std::string> numbers_in(const std::string& text, std::string_view name) {
  const std::string before = "\"" + std::string{name} + "\":";
  std::multiset<std::string> found;
  for (auto at = text.find(before); at != text.npos; at = text.find(before, at)) {
    at += before.size();
    found.insert(text.substr(at, text.find_first_not_of("0123456789", at) - at));
  }
  return found;
}

struct console_of_many_actors : testing::Test {
  static constexpr std::size_t many = 100'000;
  static constexpr std::size_t most_bytes = 512 * 1024;

  void SetUp() override {
    for (std::size_t i = 0; i < many - 1; ++i)
      (void)world.system.spawn("device-" + std::to_string(i), [](context&, const go_round&) {});
    running = world.system.spawn<runner>("runner", &rounds, &over);
  }
  void TearDown() override { over = true; }
  static std::string read(console_client& from, const std::string& what) {
    client_response got = from.get("/api/v1/" + what);
    EXPECT_EQ(got.status, 200) << what << got.body;
    EXPECT_LT(got.body.size(), most_bytes) << what;
    return got.body;
  }
  void expect_windows(console_client& client) {
    const std::string window = read(client, "actors?limit=50&offset=500");
    EXPECT_TRUE(contains(window, R"("matching":100000)")) << window.substr(0, 200);
    EXPECT_EQ(count_of(window, "\"path\":"), 50u);
    EXPECT_EQ(count_of(read(client, "actors?order=waiting"), "\"path\":"), 100u);
    EXPECT_EQ(count_of(read(client, "actors?path=device-99998"), "\"path\":"), 1u);
    EXPECT_EQ(count_of(read(client, "tree?limit=1000"), "\"path\":"), 1000u);
    EXPECT_EQ(count_of(read(client, "actor?path=/user/device-5"), "\"path\":"), 1u);
    for (const char* const what :
         {"system", "workers", "timers", "dead_letters", "failures", "warnings", "shutdown"})
      (void)read(client, what);
  }

  std::atomic<std::uint64_t> rounds = 0;
  std::atomic<bool> over = false;
  std::latch begun{1}, go_on{1};
  console_world world{{.limits = {.event_every = 1ms}}};
  actor_ref<go_round, stand_still> running;
};

// spec: O5
TEST_F(console_of_many_actors, answers_with_windows_without_the_worker) {
  running.tell(stand_still{&begun, &go_on});
  begun.wait();  // the only worker does nothing for anybody
  console_client client = world.connect();
  expect_windows(client);
  go_on.count_down();
}

// spec: O5
TEST_F(console_of_many_actors, answers_with_windows_while_the_worker_goes_on) {
  running.tell(go_round{});
  console_client client = world.connect();
  client.send("GET /api/v1/tree?limit=1000 HTTP/1.1\r\nHost: a\r\n\r\n");
  rounds.wait(rounds);  // whatever the server does now
  EXPECT_EQ(client.read_response().status, 200);
  expect_windows(client);
}

// spec: O5
TEST_F(console_of_many_actors, has_events_that_do_not_grow_with_their_number) {
  console_client client = world.connect();
  client.send("GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n");
  (void)client.read_until("\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    const std::string tick = client.read_until("\n\n");
    EXPECT_TRUE(contains(tick, R"("actors":100000)")) << tick.substr(0, 200);
    EXPECT_LT(tick.size(), 16'384u);
  }
}

// An event is made of one report: a report visits every actor at level `actor`.
TEST(tick_text, is_made_of_one_report) {
  actor_system system{quiet()};
  system.set_metrics_level(metrics_level::actor);
  tick_text ticks;
  warning_window since;
  for (int i = 0; i < 3; ++i) {
    const std::string text = ticks.next(system, since);
    const auto times = numbers_in(text, "time_ns");
    EXPECT_EQ(times.size(), 4u) << "of the event, its point, and two parts: " << text;
    EXPECT_EQ(std::set<std::string>(times.begin(), times.end()).size(), 1u) << text;
  }
}

}  // namespace
}  // namespace tactor
