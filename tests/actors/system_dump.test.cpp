// SPDX-License-Identifier: BSL-1.0
// The dump of a whole system, from code and by message.
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/dump_service.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <latch>
#include <string>
#include <string_view>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using namespace tactor::testkit;

struct dumped_note {};
struct dumped_wait {
  std::latch* begun;
  std::latch* go_on;
};

class dumped_clerk : public actor<dumped_note, dumped_wait> {
public:
  void receive(context&, const dumped_note&) {}
  void receive(context&, const dumped_wait& w) {
    w.begun->count_down();
    w.go_on->wait();
  }
};

struct string_sink final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  [[nodiscard]] bool has(std::string_view part) const { return text.contains(part); }
  [[nodiscard]] std::string line_with(std::string_view part) const {
    const std::size_t at = text.find(part);
    if (at == std::string::npos) return {};
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  }
  std::string text;
};

// Returns: true if braces and quotes of a JSON text match.
bool is_balanced(std::string_view json) {
  std::string open;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char each = json[i];
    if (quoted) {
      if (each == '\\') ++i;
      if (each == '"') quoted = false;
    } else if (each == '"') {
      quoted = true;
    } else if (each == '{' || each == '[') {
      open += each;
    } else if (each == '}' || each == ']') {
      if (open.empty() || open.back() != (each == '}' ? '{' : '[')) return false;
      open.pop_back();
    }
  }
  return open.empty() && !quoted;
}

// spec: X3b
TEST(system_dump, shows_actors_metrics_and_timers) {
  simulation world{seed{1}, {.name = "market"}};
  const auto shop = world.spawn<dumped_clerk>("shop");
  const auto desk = world.spawn<dumped_clerk>({.name = "desk", .mailbox = {.capacity = 4}});
  world.run_for(1ms);
  world.suspend(desk);
  desk.tell(dumped_note{});
  desk.tell(dumped_note{});
  shop.tell(dumped_note{});
  auto every = world.schedule_at_fixed_rate(7ms, 7ms, shop, dumped_note{});
  ASSERT_TRUE(every.has_value());
  world.run_for(1ms);

  string_sink lines;
  world.dump(dump_format::text, lines);
  EXPECT_TRUE(lines.has("system: name=\"market\" phase=running actors=2 waiting=2\n"))
      << lines.text;
  EXPECT_TRUE(lines.has("path=\"/user/shop\"")) << lines.text;
  EXPECT_TRUE(lines.has("state=running waiting=0\n")) << lines.text;
  EXPECT_TRUE(lines.has("state=suspended reasons=user_defined waiting=2\n")) << lines.text;
  EXPECT_TRUE(lines.has("actor.messages_sent_total=3")) << lines.text;
  EXPECT_TRUE(lines.has("period_ns=7000000")) << lines.text;

  string_sink object;
  world.dump(dump_format::json, object);
  EXPECT_TRUE(is_balanced(object.text)) << object.text;
  EXPECT_TRUE(object.has("\"timers\":{\"wheel\":{")) << object.text;
}

// spec: X3b
TEST(system_dump, shows_why_an_actor_is_suspended) {
  simulation world{seed{1}};
  (void)world.spawn<dumped_clerk>("shop");
  const auto desk = world.spawn<dumped_clerk>("desk");
  world.suspend(desk, suspend_reason::user_defined);
  world.suspend(desk, suspend_reason::rate_limit);
  (void)world.run_to_idle();
  string_sink lines;
  world.dump(dump_format::text, lines);
  EXPECT_TRUE(lines.line_with("\"/user/desk\"").contains("reasons=rate_limit,user_defined"))
      << lines.text;
  EXPECT_FALSE(lines.line_with("\"/user/shop\"").contains("reasons")) << lines.text;
  string_sink object;
  world.dump(dump_format::json, object);
  EXPECT_TRUE(object.has(R"("reasons":"rate_limit,user_defined")")) << object.text;
}

// spec: X3b
TEST(system_dump, counts_what_waits_in_an_unbounded_mailbox_of_a_suspended_actor) {
  simulation world{seed{1}};
  const auto desk = world.spawn<dumped_clerk>("desk");
  world.suspend(desk);
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i)
    desk.tell(dumped_note{});
  string_sink lines;
  world.dump(dump_format::text, lines);
  EXPECT_TRUE(lines.line_with("\"/user/desk\"").contains("waiting=3")) << lines.text;
  EXPECT_TRUE(lines.line_with("system:").contains("waiting=3")) << lines.text;

  // Its mailbox is as before: it waits for its resume, and then handles all of them.
  EXPECT_EQ(world.metrics().messages_handled, 0U);
  EXPECT_FALSE(world.run_one());
  world.resume(desk);
  (void)world.run_to_idle();
  EXPECT_EQ(world.metrics().messages_handled, 3U);
}

// Has a child, and stops itself.
class dumped_parent : public actor<dumped_note> {
public:
  void pre_start(context& ctx) { (void)ctx.spawn<dumped_clerk>("child"); }
  void receive(context& ctx, const dumped_note&) { ctx.stop(); }
};

// spec: I1a X3b
TEST(system_dump, an_actor_that_has_stopped_itself_is_stopping_until_its_children_have_ended) {
  simulation world{seed{1}};
  const auto parent = world.spawn<dumped_parent>("parent");
  (void)world.run_to_idle();
  parent.tell(dumped_note{});
  ASSERT_TRUE(world.run_one());
  string_sink lines;
  world.dump(dump_format::text, lines);
  EXPECT_TRUE(lines.line_with("\"/user/parent\"").contains("state=stopping")) << lines.text;
  (void)world.run_to_idle();
  string_sink after;
  world.dump(dump_format::text, after);
  EXPECT_FALSE(after.has("/user/parent")) << after.text;
}

// spec: X3b
TEST(system_dump, shows_so_many_actors_and_counts_the_rest) {
  simulation world{seed{1}};
  for (int i = 0; i < 20; ++i)
    (void)world.spawn<dumped_clerk>("clerk");
  (void)world.spawn<dumped_clerk>(spawn_options{});  // without a name
  string_sink few;
  world.dump(dump_format::text, few, 5);
  EXPECT_TRUE(few.has("left_out: actors=16\n")) << few.text;
  string_sink all;
  world.dump(dump_format::text, all);
  EXPECT_TRUE(all.has("left_out: actors=1\n")) << all.text;
  EXPECT_TRUE(all.has("\"/user/clerk-20\"")) << all.text;
}

// spec: X3b
TEST(system_dump, shows_every_actor_with_a_name_however_the_names_are_spread) {
  simulation world{seed{1}};
  constexpr int many = 2000;  // two for each bucket of the table
  for (int i = 0; i < many; ++i)
    (void)world.spawn<dumped_clerk>(std::to_string(i * 7919 * (i % 13 + 1)));
  string_sink all;
  world.dump(dump_format::text, all, many);
  EXPECT_TRUE(all.has("left_out: actors=0\n")) << all.line_with("left_out: actors");
}

// spec: X3b
TEST(system_dump, writes_json_whatever_a_name_contains) {
  simulation world{seed{1}};
  (void)world.spawn<dumped_clerk>("say \"hi\" \\ \n");
  string_sink object;
  world.dump(dump_format::json, object);
  EXPECT_TRUE(is_balanced(object.text)) << object.text;
  EXPECT_TRUE(object.has(R"("/user/say \"hi\" \\ \u000a")")) << object.text;
}

// spec: X3b
TEST(system_dump, is_utf_8_whatever_a_name_contains) {
  simulation world{seed{1}};
  (void)world.spawn<dumped_clerk>("\xE6\x97\xA5\xFF\xE6\x97");  // the last character is truncated
  string_sink object;
  world.dump(dump_format::json, object);
  EXPECT_TRUE(object.has("\"/user/\xE6\x97\xA5\\ufffd\\ufffd\\ufffd\"")) << object.text;
}

// spec: X3b
// case: SM-12
TEST(system_dump, waits_neither_for_a_busy_worker_nor_for_a_sleeping_driver) {
  std::latch begun{1}, go_on{1};  // they outlive the system
  actor_system system{{.workers = 1}};
  const auto busy = system.spawn<dumped_clerk>("busy");
  ASSERT_TRUE(system.schedule_once(1h, busy, dumped_note{}).has_value());
  busy.tell(dumped_wait{&begun, &go_on});
  begun.wait();
  string_sink lines;
  system.dump(dump_format::text, lines);
  EXPECT_TRUE(lines.has("path=\"/user/busy\"")) << lines.text;
  EXPECT_TRUE(lines.has("active_total=1")) << lines.text;
  go_on.count_down();
}

// spec: X3c
TEST(system_dump, comes_as_the_answer_to_a_message_and_no_time_passes) {
  simulation world{seed{1}};
  const auto dumps = world.spawn<dump_service>("dump");
  const auto before = world.clock().now().ticks;
  const auto lines = world.ask(dumps, dump_request{}, 1s).get();
  ASSERT_TRUE(lines.has_value());
  EXPECT_TRUE(lines->text.contains("path=\"/user/dump\"")) << lines->text;
  const auto object = world.ask(dumps, dump_request{.format = dump_format::json}, 1s).get();
  ASSERT_TRUE(object.has_value());
  EXPECT_TRUE(is_balanced(object->text)) << object->text;
  EXPECT_EQ(world.clock().now().ticks, before);

  actor_system system{{.workers = 1}};
  const auto threaded = system.spawn<dump_service>("dump");
  ASSERT_TRUE(system.schedule_once(1h, threaded, dump_request{}).has_value());
  const auto reply = system.ask(threaded, dump_request{}, 1min).get();
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->text.contains("active_total=1")) << reply->text;
}

}  // namespace
}  // namespace tactor
