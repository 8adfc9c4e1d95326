// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/snapshot/seen_system.hpp"
#include "tactor/observe.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct kept_note {};
struct begin_to_wait {
  actor_ref<> other;
};
struct end_waiting {};
struct begin_more {};
struct hold_on {
  std::latch* has_begun;
  std::latch* may_end;
};
struct number {
  int value;
};

/// Counts numbers in order.
class counting : public actor<number> {
public:
  explicit counting(std::atomic<int>* handled) : handled_(handled) {}
  void receive(context&, const number& n) {
    if (n.value == *handled_) ++*handled_;
  }

private:
  std::atomic<int>* handled_;
};

/// Has timers, and watches another one.
class keeper : public actor<kept_note, begin_to_wait, end_waiting, begin_more, hold_on> {
public:
  void receive(context&, const kept_note&) {}
  void receive(context&, const receive_timeout&) {}
  void receive(context&, const terminated&) {}
  void receive(context& ctx, const begin_to_wait& b) {
    (void)ctx.schedule_once(1h, ctx.self(), kept_note{});
    (void)ctx.start_timer("beat", every(3h), kept_note{});
    (void)ctx.set_receive_timeout(2h, *this);
    (void)ctx.watch(b.other, *this);
  }
  void receive(context& ctx, begin_more) {
    (void)ctx.start_timer(-17, after(4h), kept_note{});
    (void)ctx.start_timer("a key of more than twenty-three letters", spaced(4h), kept_note{});
    (void)ctx.start_timer("gone", after(4h), kept_note{});
    ctx.cancel_timer("gone");
  }
  void receive(context&, const hold_on& h) {
    h.has_begun->count_down();
    h.may_end->wait();
  }
  void receive(context& ctx, end_waiting) {
    ctx.cancel_timers();
    ctx.cancel_receive_timeout();
  }
};

struct collected_text final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

struct inside_of_an_actor : testing::Test {
  void SetUp() override {
    who.tell(begin_to_wait{other});
    testkit::system_steps::settle(system);
  }
  /// The timers and watches of the actor.
  [[nodiscard]] std::string seen(std::size_t limit = 100) const {
    collected_text to;
    system.write_snapshot({.part = snapshot_part::actor, .path = "/user/who", .limit = limit}, to);
    const std::size_t at = to.text.find(R"("timers":)");
    return at == to.text.npos ? to.text : to.text.substr(at);
  }
  static std::size_t count(std::string_view part, std::string_view in) {
    std::size_t number = 0;
    for (std::size_t at = in.find(part); at != in.npos; at = in.find(part, at + 1))
      ++number;
    return number;
  }

  testkit::manual_clock clock;
  actor_system system{{.workers = 1, .clock = {.source = &clock, .use = clock_use::test}}};
  using keeper_ref = actor_ref<kept_note, begin_to_wait, end_waiting, begin_more, hold_on>;
  keeper_ref other = system.spawn<keeper>("other");
  keeper_ref who = system.spawn<keeper>("who");
};

// spec: O1
TEST_F(inside_of_an_actor, timers_have_a_message_and_a_due_time) {
  const std::string all = seen();
  EXPECT_EQ(count(R"("mode")", all), 3u) << all;
  EXPECT_TRUE(all.contains(
      R"(kept_note","mode":"fixed_rate","due_in_ns":10800000000000,"period_ns":10800000000000})"))
      << all;
  EXPECT_TRUE(
      all.contains(R"(kept_note","mode":"once","due_in_ns":3600000000000,"period_ns":null})"))
      << all;
  EXPECT_TRUE(all.contains(
      R"({"key":null,"message":null,"mode":"once","due_in_ns":7200000000000,"period_ns":null})"))
      << all << ": the receive timeout";
  clock.advance(30min);
  EXPECT_TRUE(seen().contains(R"("due_in_ns":1800000000000,)")) << seen();
}

TEST_F(inside_of_an_actor, timers_are_only_its_own_and_end) {
  collected_text to;
  system.write_snapshot({.part = snapshot_part::actor, .path = "/user/other"}, to);
  EXPECT_TRUE(to.text.contains(R"("timers":[])")) << to.text;
  who.tell(end_waiting{});
  testkit::system_steps::settle(system);
  EXPECT_EQ(count(R"("mode":"once")", seen()), 2u)
      << seen() << ": that of schedule_once, and that of the deadlines, which may be needed again";
  EXPECT_EQ(count(R"("mode":"fixed_rate")", seen()), 0u) << seen();
}

TEST_F(inside_of_an_actor, timers_are_at_most_so_many) {
  EXPECT_EQ(count(R"("mode")", seen(2)), 2u);
}

// spec: O5
TEST_F(inside_of_an_actor, timers_of_the_next_turn_are_counted_in_each_part_of_the_wheel) {
  const auto nothing = [] {};
  for (const auto delay : {100ms, 100ms, 2000ms})
    (void)system.timers().schedule_once(delay, nothing);
  (void)system.timers().schedule_with_fixed_delay(2000ms, 2000ms, nothing);
  collected_text to;
  system.write_snapshot({.part = snapshot_part::timers, .limit = 1}, to);
  const std::size_t begin = to.text.find(R"("occupancy":{"bars":[)");
  ASSERT_NE(begin, to.text.npos) << to.text;
  const std::string bars = to.text.substr(begin, to.text.find(']', begin) - begin);
  EXPECT_EQ(count(",", bars), 119u) << bars;
  EXPECT_EQ(count("2", bars), 2u) << bars << ": those of an hour and later are not among them";
  EXPECT_EQ(count("0", bars), 118u) << bars;
  EXPECT_LT(bars.find(",2"), 10u + bars.find('[')) << "after 10 of 512 ticks: " << bars;
  EXPECT_TRUE(to.text.contains(R"(],"left_out":0},"timers":{)")) << to.text;
}

// spec: O1
TEST_F(inside_of_an_actor, timers_have_the_key_under_which_they_were_started) {
  EXPECT_EQ(count(R"("key":"beat","message":")", seen()), 1u) << seen();
  EXPECT_EQ(count(R"("key":null,"message":)", seen()), 2u) << seen();
  who.tell(begin_more{});
  testkit::system_steps::settle(system);
  EXPECT_EQ(count(R"("key":"-17","message":")", seen()), 1u) << seen();
  EXPECT_EQ(count(R"("key":"a key of more than twen","message":")", seen()), 1u) << seen();
  EXPECT_EQ(count(R"("key":"beat")", seen()), 1u) << seen();
  who.tell(end_waiting{});
  testkit::system_steps::settle(system);
  EXPECT_EQ(count(R"("key":")", seen()), 0u) << seen();
}

// spec: O1
TEST_F(inside_of_an_actor, watches_are_seen_while_it_is_idle) {
  EXPECT_TRUE(seen().contains(R"("watchers":[],"watched":["/user/other"])")) << seen();
  other.tell(begin_to_wait{who});
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watchers":["/user/other"],"watched":["/user/other"])")) << seen();
  system.stop(other);
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watchers":[],"watched":[])")) << seen();
}

// spec: O7d
TEST_F(inside_of_an_actor, watches_have_paths_also_in_a_large_system) {
  for (int i = 0; i < 5'000; ++i)
    (void)system.spawn("", [](context&, end_waiting) {});
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watched":["/user/other"])")) << seen();
}

TEST_F(inside_of_an_actor, watches_are_seen_while_it_is_suspended) {
  (void)system.suspend(who);
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watchers":[],"watched":["/user/other"])")) << seen();
  other.tell(begin_to_wait{who});
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watchers":["/user/other"],"watched":["/user/other"])")) << seen();
  (void)system.resume(who);
  testkit::system_steps::settle(system);
  who.tell(end_waiting{});
  testkit::system_steps::settle(system);
  EXPECT_EQ(count(R"("mode":"fixed_rate")", seen()), 0u) << "it goes on: " << seen();
}

// The worker alone may read them while it runs the actor.
TEST_F(inside_of_an_actor, watches_are_not_seen_while_a_handler_runs) {
  std::latch has_begun{1};
  std::latch may_end{1};
  who.tell(hold_on{.has_begun = &has_begun, .may_end = &may_end});
  has_begun.wait();
  EXPECT_TRUE(seen().contains(R"("watchers":null,"watched":null)")) << seen();
  EXPECT_EQ(count(R"("mode")", seen()), 3u) << "timers are: " << seen();
  EXPECT_EQ(count(R"("key":null)", seen()), 3u) << seen();
  may_end.count_down();
  testkit::system_steps::settle(system);
  EXPECT_TRUE(seen().contains(R"("watched":["/user/other"])")) << seen();
}

// Messages that come while an observer has the idle actor are handled, in order.
TEST(inside_of_actors, are_not_stopped_by_observers_while_they_are_idle) {
  std::atomic<bool> over = false;
  std::atomic<int> handled = 0;
  actor_system system{{.workers = 2}};
  const auto who = system.spawn<counting>("who", &handled);
  std::thread observer{[&] {
    while (!over) {
      collected_text to;
      system.write_snapshot({.part = snapshot_part::actor, .path = "/user/who"}, to);
    }
  }};
  for (int i = 0; i < 20'000; ++i) {
    who.tell(number{i});
    while (i % 8 == 0 && handled.load() <= i)
      std::this_thread::yield();
  }
  while (handled.load() < 20'000)
    std::this_thread::yield();
  over = true;
  observer.join();
  EXPECT_EQ(handled, 20'000);
}

// Observers look while the actor changes all of it, and ends.
TEST(inside_of_actors, can_be_looked_at_while_they_run_and_end) {
  std::atomic<bool> over = false;
  actor_system system{{.workers = 2}};
  const auto look = [&] {
    while (!over) {
      collected_text to;
      system.write_snapshot({.part = snapshot_part::actor, .path = "/user/who"}, to);
    }
  };
  std::vector<std::thread> observers;
  for (int i = 0; i < 2; ++i)
    observers.emplace_back(look);
  for (int round = 0; round < 200; ++round) {
    const auto other = system.spawn<keeper>("other");
    const auto who = system.spawn<keeper>("who");
    who.tell(begin_to_wait{other});
    other.tell(begin_to_wait{who});
    (void)system.suspend(who);
    testkit::system_steps::settle(system);
    who.tell(end_waiting{});
    (void)system.resume(who);
    if (round % 2 == 0) testkit::system_steps::settle(system);
    system.stop(other);
    system.stop(who);
    testkit::system_steps::settle(system);
  }
  over = true;
  for (std::thread& each : observers)
    each.join();
  EXPECT_EQ(system.live(), 0u);
}

}  // namespace
}  // namespace tactor
