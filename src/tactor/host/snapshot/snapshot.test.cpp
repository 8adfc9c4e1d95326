// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/observe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <fstream>
#include <latch>
#include <string>
#include <string_view>
#include <thread>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct seen_note {};
struct seen_wait {
  std::latch* begun;
  std::latch* go_on;
};

class seen_clerk : public actor<seen_note, seen_wait> {
public:
  void receive(context&, const seen_note&) {}
  void receive(context&, const seen_wait& w) {
    w.begun->count_down();
    w.go_on->wait();
  }
};

class seen_failing : public actor<seen_note> {
public:
  std::expected<void, failure> receive(context&, const seen_note&) {
    return std::unexpected{failure{"broken"}};
  }
};

class seen_parent : public actor<seen_note> {
public:
  void pre_start(context& ctx) {
    for (const char* const name : {"child-a", "child-b", "child-c"})
      (void)ctx.spawn<seen_clerk>(name);
  }
  void receive(context&, const seen_note&) {}
};

struct string_sink final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

std::string snapshot_of(const actor_system& system, const snapshot_query& wanted) {
  string_sink to;
  system.write_snapshot(wanted, to);
  return to.text;
}

/// Waits until the actor is suspended and no worker has it: its mailbox counts then.
void suspend_and_wait(const actor_system& system, const actor_ref<seen_note, seen_wait>& who,
                      std::string_view path) {
  (void)system.suspend(who);
  const auto is_seen = [&] {
    return snapshot_of(system, {.part = snapshot_part::actor, .path = path})
        .contains(R"("suspended_for_ns":)");
  };
  while (!is_seen() || snapshot_of(system, {.part = snapshot_part::actor, .path = path})
                           .contains(R"("suspended_for_ns":null)"))
    std::this_thread::yield();
}

std::size_t count_of(std::string_view part, std::string_view in) {
  std::size_t count = 0;
  for (std::size_t at = in.find(part); at != in.npos; at = in.find(part, at + part.size()))
    ++count;
  return count;
}

TEST(snapshot, has_the_documented_fields_in_every_part_whatever_a_name_contains) {
  std::latch begun{1}, go_on{1};  // they outlive the system
  actor_system system{
      {.name = "a \"b\" \x80", .workers = 2, .metrics = {.level = metrics_level::actor}}};
  const auto busy = system.spawn<seen_clerk>("busy \xE2\x82\xAC \xE2\x82 \x01");
  const auto desk = system.spawn<seen_clerk>({.name = "desk", .mailbox = {.capacity = 4}});
  (void)system.spawn<seen_parent>("parent");
  ASSERT_TRUE(system.schedule_once(1h, desk, seen_note{}).has_value());
  suspend_and_wait(system, desk, "/user/desk");
  busy.tell(seen_wait{&begun, &go_on});
  begun.wait();
  const auto failing = system.spawn<seen_failing>("failing");
  failing.tell(seen_note{});
  while (system.live() != 6)
    std::this_thread::yield();
  failing.tell(seen_note{});

  const std::string file =
      testing::TempDir() + "tactor_snapshot_" + std::to_string(::getpid()) + ".jsonl";
  {
    std::ofstream out{file};
    for (int part = 0; part <= static_cast<int>(snapshot_part::board); ++part)
      out << snapshot_of(system, {.part = static_cast<snapshot_part>(part),
                                  .path = part == static_cast<int>(snapshot_part::actor)
                                              ? std::string_view{"/user/desk"}
                                              : std::string_view{}});
  }
  const std::string check = "python3 " TACTOR_CHECK_SNAPSHOT " " + file;
  EXPECT_EQ(std::system(check.c_str()), 0);
  (void)std::remove(file.c_str());
  go_on.count_down();
}

TEST(snapshot, sees_a_blocked_handler_and_a_suspended_actor_and_sends_nothing) {
  std::latch begun{1}, go_on{1};
  actor_system system{{.workers = 1}};
  const auto desk = system.spawn<seen_clerk>("desk");
  const auto busy = system.spawn<seen_clerk>("busy");
  suspend_and_wait(system, desk, "/user/desk");
  for (int i = 0; i < 3; ++i)
    desk.tell(seen_note{});
  busy.tell(seen_wait{&begun, &go_on});
  begun.wait();  // the only worker is in a handler: a wait for a worker would last for ever

  const std::string workers = snapshot_of(system, {.part = snapshot_part::workers});
  EXPECT_TRUE(workers.contains(R"("actor":"/user/busy","message":"tactor::)")) << workers;
  const std::string actors =
      snapshot_of(system, {.part = snapshot_part::actors, .state = "suspended"});
  EXPECT_TRUE(actors.contains(R"("matching":1,)")) << actors;
  EXPECT_TRUE(actors.contains(R"("path":"/user/desk")")) << actors;
  EXPECT_TRUE(actors.contains(R"("reasons":["user_defined"])")) << actors;
  EXPECT_TRUE(actors.contains(R"("waiting":3,"oldest_ns":0,"capacity":null)")) << actors;

  const metrics_snapshot before = system.metrics();
  for (int part = 0; part <= static_cast<int>(snapshot_part::board); ++part)
    (void)snapshot_of(system, {.part = static_cast<snapshot_part>(part)});
  EXPECT_EQ(system.metrics().messages_sent, before.messages_sent);
  EXPECT_EQ(system.live(), 2U);
  go_on.count_down();
  system.force_stop();
}

TEST(snapshot, says_what_still_holds_a_system_that_stops) {
  std::latch begun{1}, go_on{1};
  actor_system system{{.workers = 2}};
  const auto desk = system.spawn<seen_clerk>("desk");
  const auto busy = system.spawn<seen_clerk>("busy");
  suspend_and_wait(system, desk, "/user/desk");
  desk.tell(seen_note{});  // keeps it alive
  busy.tell(seen_wait{&begun, &go_on});
  begun.wait();
  system.stop_accepting();
  const std::string seen = snapshot_of(system, {.part = snapshot_part::shutdown});
  EXPECT_TRUE(seen.contains(R"("phase":"draining","actors":2,)")) << seen;
  EXPECT_TRUE(seen.contains(R"("actor":"/user/busy")")) << seen;
  EXPECT_TRUE(seen.contains(R"("path":"/user/desk")")) << seen;
  go_on.count_down();
  system.force_stop();
}

TEST(snapshot, shows_a_window_of_the_sorted_list) {
  actor_system system{{.workers = 1}};
  for (int i = 10; i < 60; ++i)
    (void)system.spawn<seen_clerk>("clerk" + std::to_string(i));
  const std::string page = snapshot_of(
      system, {.part = snapshot_part::actors, .path = "clerk", .offset = 20, .limit = 5});
  EXPECT_TRUE(page.contains(R"("matching":50,"offset":20,)")) << page;
  EXPECT_EQ(count_of(R"("path":)", page), 5U) << page;
  const std::size_t first = page.find("/user/clerk30");
  EXPECT_NE(first, page.npos) << page;
  EXPECT_LT(first, page.find("/user/clerk34")) << page;
  EXPECT_FALSE(page.contains("clerk29") || page.contains("clerk35")) << page;

  const auto full = system.spawn<seen_clerk>("full");
  suspend_and_wait(system, full, "/user/full");
  full.tell(seen_note{});
  const std::string most = snapshot_of(
      system, {.part = snapshot_part::actors, .order = actor_order::waiting, .limit = 1});
  EXPECT_TRUE(most.contains(R"("path":"/user/full")")) << most;
  const std::string nothing = snapshot_of(system, {.part = snapshot_part::actors, .limit = 0});
  EXPECT_TRUE(nothing.contains(R"("actors":[])")) << nothing;
  system.force_stop();
}

TEST(snapshot, shows_at_most_so_many_periodic_jobs) {
  actor_system system;
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(system.timers().schedule_at_fixed_rate(1h, 1h, [] {}));
  const std::string text = snapshot_of(system, {.part = snapshot_part::timers, .limit = 3});
  std::size_t shown = 0;
  for (auto at = text.find("period_ns"); at != std::string::npos;
       at = text.find("period_ns", at + 1))
    ++shown;
  EXPECT_EQ(shown, 3u) << text;
  EXPECT_NE(text.find("\"periodic_total\":20"), std::string::npos) << text;
}

TEST(snapshot, shows_one_actor_with_its_children_and_the_tree_below_it) {
  actor_system system{{.workers = 1}};
  (void)system.spawn<seen_parent>("parent");
  (void)system.spawn<seen_clerk>("parents");
  while (system.live() != 5)
    std::this_thread::yield();
  const std::string one =
      snapshot_of(system, {.part = snapshot_part::actor, .path = "/user/parent", .limit = 2});
  EXPECT_TRUE(one.contains(R"("children_total":3,)")) << one;
  EXPECT_EQ(count_of(R"("/user/parent/child)", one), 2U) << one;
  const std::string tree =
      snapshot_of(system, {.part = snapshot_part::tree, .path = "/user/parent"});
  EXPECT_TRUE(tree.contains(R"("matching":4,)")) << tree;
  EXPECT_EQ(count_of(R"("parent":null)", tree), 1U) << tree;
  const std::string top =
      snapshot_of(system, {.part = snapshot_part::tree, .path = "/user", .depth = 1});
  EXPECT_TRUE(top.contains(R"("matching":2,)")) << top;
  EXPECT_FALSE(top.contains("child")) << top;
  const std::string all =
      snapshot_of(system, {.part = snapshot_part::tree, .path = "/user", .depth = 2});
  EXPECT_TRUE(all.contains(R"("matching":5,)")) << all;
  const std::size_t id = one.find(R"("id":")") + 6;
  const std::string number = "$" + one.substr(id, one.find('"', id) - id);
  EXPECT_TRUE(snapshot_of(system, {.part = snapshot_part::actor, .path = number})
                  .contains(R"("path":"/user/parent")"))
      << number;
  const std::string none = snapshot_of(system, {.part = snapshot_part::actor, .path = "/user/x"});
  EXPECT_TRUE(none.contains(R"("actor":null)")) << none;
}

TEST(snapshot, warns_of_a_handler_that_has_not_returned_since_the_last_report) {
  std::latch begun{1}, go_on{1};
  actor_system system{{.workers = 1}};
  const auto busy = system.spawn<seen_clerk>("busy");
  busy.tell(seen_wait{&begun, &go_on});
  begun.wait();
  metrics_report before = system.full_metrics();
  before.time_ns -= 2'000'000'000;  // as if it were two seconds old
  const std::string seen =
      snapshot_of(system, {.part = snapshot_part::warnings, .before = &before});
  EXPECT_TRUE(
      seen.contains(R"("what":"stuck_handler","evidence":"/user/busy has handled tactor::)"))
      << seen;
  go_on.count_down();
}

TEST(json_writer, replaces_what_is_not_utf_8) {
  string_sink to;
  internal::json_writer out{to};
  out.open('[');
  for (const std::string_view each :
       {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xC3",
        "\xC3\xA4\xF0\x9F\x98\x80\n"})
    out.text(each);
  out.close(']');
  const std::string bad = R"(\ufffd)";
  const std::string two = "\"" + bad + bad + "\",";
  const std::string three = "\"" + bad + bad + bad + "\",";
  const std::string four = "\"" + bad + bad + bad + bad + "\",";
  EXPECT_EQ(to.text, "[" + two + three + four + three + four + "\"" + bad + "\"," +
                         "\"\xC3\xA4\xF0\x9F\x98\x80\\u000a\"]");
}

class seen_patient : public actor<seen_note> {
public:
  explicit seen_patient(const actor_ref<>& whom) : whom_(whom) {}
  void receive(context& ctx, const seen_note&) {
    ctx.suspend(suspend_reason::user_defined, when_capacity(whom_));
  }

private:
  actor_ref<> whom_;
};

// spec: O7a
TEST(snapshot, shows_how_many_messages_wait_while_actors_wait_for_room_behind_them) {
  actor_system system{{.workers = 1}};
  const auto clerk =
      system.spawn<seen_clerk>({.name = "clerk", .mailbox = mailbox_presets::lossless(1)});
  suspend_and_wait(system, clerk, "/user/clerk");
  clerk.tell(seen_note{});
  system.spawn<seen_patient>("patient", clerk).tell(seen_note{});

  const auto seen = [&](std::string_view path) {
    return snapshot_of(system, {.part = snapshot_part::actor, .path = path});
  };
  while (!seen("/user/patient").contains("user_defined"))
    std::this_thread::yield();
  EXPECT_TRUE(seen("/user/clerk").contains(R"("waiting":1,)")) << seen("/user/clerk");
  (void)system.resume(clerk);
}

}  // namespace
}  // namespace tactor
