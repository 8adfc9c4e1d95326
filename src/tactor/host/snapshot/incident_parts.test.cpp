// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/observe.hpp"

#include <gtest/gtest.h>

#include <expected>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace tactor {
namespace {

struct lost_note {};
struct forward_note {
  actor_ref<lost_note> to;
};
struct bad_note {};
struct worse_note {};

class lost_target : public actor<lost_note> {
public:
  void receive(context&, const lost_note&) {}
};
class lost_sender : public actor<forward_note> {
public:
  void receive(context&, const forward_note& f) { f.to.tell(lost_note{}); }
};
class fragile : public actor<bad_note, worse_note> {
public:
  std::expected<void, failure> receive(context&, const bad_note&) {
    return std::unexpected{failure{"no paper"}};
  }
  void receive(context&, const worse_note&) { throw std::out_of_range{"no ink"}; }
};

struct text_of_snapshot final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};
std::string part_of(const actor_system& system, const snapshot_query& wanted) {
  text_of_snapshot to;
  system.write_snapshot(wanted, to);
  return to.text;
}
/// Waits until the part has the text.
std::string wait_for(const actor_system& system, const snapshot_query& wanted,
                     std::string_view text) {
  while (true) {
    if (std::string seen = part_of(system, wanted); seen.contains(text)) return seen;
    std::this_thread::yield();
  }
}

TEST(snapshot, lists_the_newest_dead_letters_with_both_paths) {
  actor_system system{{.workers = 1}};
  const auto desk = system.spawn<lost_target>("desk");
  const auto from = system.spawn<lost_sender>("from");
  system.stop(desk);
  while (system.live() == 2)
    std::this_thread::yield();
  desk.tell(lost_note{});
  from.tell(forward_note{desk});
  while (system.metrics().messages_handled == 0)  // not by snapshots, see below
    std::this_thread::yield();
  const std::string seen = part_of(system, {.part = snapshot_part::dead_letters});
  const std::size_t newest = seen.find(R"("not_recorded":0,"recent":[{"time_ns":)");
  ASSERT_NE(newest, seen.npos) << seen;
  EXPECT_TRUE(seen.contains(R"("target":"/user/desk",)")) << seen;
  EXPECT_TRUE(seen.contains(R"("reason":"stopped","message":"tactor::)")) << seen;
  EXPECT_LT(seen.find(R"("sender":"/user/from")"), seen.find(R"("sender":null,"sender_id":null)"))
      << seen;
  const std::string one = part_of(system, {.part = snapshot_part::dead_letters, .limit = 1});
  EXPECT_FALSE(one.contains(R"("sender":null)")) << one;
}

// spec: O7d
TEST(snapshot, has_the_path_of_an_actor_that_has_ended_in_every_dead_letter_of_a_storm) {
  actor_system system{{.workers = 1}};
  const auto desk = system.spawn<lost_target>("desk");
  system.stop(desk);
  while (system.live() != 0)
    std::this_thread::yield();
  for (int i = 0; i < 300; ++i)
    desk.tell(lost_note{});
  const std::string seen = part_of(system, {.part = snapshot_part::dead_letters, .limit = 1'000});
  std::size_t count = 0;
  for (std::size_t at = seen.find(R"("target":"/user/desk")"); at != seen.npos;
       at = seen.find(R"("target":"/user/desk")", at + 1))
    ++count;
  EXPECT_EQ(count, 256U) << seen;
}

TEST(snapshot, lists_failures_with_their_decisions_and_counts_the_restarts_of_each_actor) {
  actor_system system{{.workers = 1}};
  const auto weak = system.spawn<fragile>({.name = "weak", .on_failure = restart{}});
  const auto frail = system.spawn<fragile>("frail");
  (void)system.spawn<lost_target>("calm");
  weak.tell(bad_note{});
  weak.tell(bad_note{});
  (void)wait_for(system, {.part = snapshot_part::actors}, R"("restarts":2)");
  frail.tell(worse_note{});
  while (system.live() == 3)
    std::this_thread::yield();
  const std::string seen = part_of(system, {.part = snapshot_part::failures});
  const std::size_t stopped =
      seen.find(R"("text":"no ink","thrown":"std::out_of_range","decision":"stop","restarts":0})");
  const std::size_t second =
      seen.find(R"("text":"no paper","thrown":"","decision":"restart","restarts":1})");
  const std::size_t first =
      seen.find(R"("text":"no paper","thrown":"","decision":"restart","restarts":0})");
  EXPECT_LT(stopped, second) << seen;
  EXPECT_LT(second, first) << seen;
  EXPECT_NE(first, seen.npos) << seen;
  EXPECT_TRUE(seen.contains(R"("path":"/user/weak","type":"tactor::)")) << seen;

  const std::string rows =
      part_of(system, {.part = snapshot_part::actors, .order = actor_order::restarts, .limit = 2});
  const std::size_t most = rows.find(R"("restarts":2,"handled":null,)");
  EXPECT_NE(most, rows.npos) << rows;
  EXPECT_LT(most, rows.find(R"("restarts":0,"handled":null,)")) << rows;
}

TEST(snapshot, shows_the_figures_of_each_label_at_level_actor) {
  actor_system system{{.workers = 1, .metrics = {.level = metrics_level::actor}}};
  const auto a = system.spawn<lost_target>("a");
  const auto b = system.spawn<lost_target>("b");
  a.tell(lost_note{});
  for (int i = 0; i < 2'000; ++i)
    b.tell(lost_note{});
  const std::string rows = wait_for(
      system, {.part = snapshot_part::actors, .order = actor_order::handled}, R"("handled":2000)");
  EXPECT_LT(rows.find(R"("handled":2000,"handler_p99_ns":)"), rows.find(R"("handled":1,)")) << rows;
  EXPECT_NE(rows.find(R"("handled":1,)"), rows.npos) << rows;
  const std::string busy =
      part_of(system, {.part = snapshot_part::actors, .order = actor_order::busy, .limit = 1});
  EXPECT_FALSE(busy.contains(R"("busy_ns":null)")) << busy;
  system.set_metrics_level(metrics_level::system);
  const std::string less = part_of(system, {.part = snapshot_part::actors});
  EXPECT_TRUE(less.contains(R"("handled":null,"handler_p99_ns":null,"busy_ns":null)")) << less;
}

// spec: O5
TEST(snapshot, warnings_name_the_actors_with_most_failures_and_dead_letters) {
  actor_system system{{.workers = 1}};
  const auto weak = system.spawn<fragile>({.name = "weak", .on_failure = restart{}});
  const auto frail = system.spawn<fragile>({.name = "frail", .on_failure = restart{}});
  const auto desk = system.spawn<lost_target>(
      {.name = "desk", .mailbox = {.capacity = 1, .overflow = overflow_strategy::reject}});
  for (int i = 0; i < 20; ++i)
    weak.tell(bad_note{});
  frail.tell(bad_note{});
  // Not by snapshots: a worker does not wait for an observer, and leaves out what it cannot record
  // at once.
  while (system.metrics().restarts < 21)
    std::this_thread::yield();
  (void)system.suspend(desk);
  (void)wait_for(system, {.part = snapshot_part::actors}, R"("state":"suspended")");
  for (int i = 0; i < 110; ++i)
    desk.tell(lost_note{});
  const std::string seen = part_of(system, {.part = snapshot_part::warnings});
  EXPECT_TRUE(
      seen.contains("21 restarts since the start; 20 of the newest 21 failures are of /user/weak"))
      << seen;
  EXPECT_TRUE(seen.contains(" were sent to /user/desk")) << seen;
  system.force_stop();
}

}  // namespace
}  // namespace tactor
