// SPDX-License-Identifier: BSL-1.0
// All figures of a scripted run fit together: what was sent was handled, waits, or is a dead
// letter.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/stashing.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/turn/middleware.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <string_view>
#include <utility>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::manual_clock;
using testkit::system_steps;

struct letter {};
struct postcard {};  // nobody has a handler for it
struct be_busy {
  actor_ref<letter> next;
  std::latch* begun;
  std::latch* go_on;
};
struct open_up {};
struct half_of {
  int number = 0;
  using reply = int;
};
struct begin_asking {
  actor_ref<half_of> whom;
};
struct begin_asking_twice {
  actor_ref<half_of> whom;
};

/// Stashes letters until it is opened.
class clerk : public actor<letter, be_busy, open_up, half_of, begin_asking, begin_asking_twice> {
public:
  void receive(context& ctx, const letter& l) {
    if (open_) return;
    EXPECT_TRUE(ctx.stash(l));
  }
  void receive(context&, const be_busy& b) {
    b.next.tell(letter{});
    b.begun->count_down();
    b.go_on->wait();
  }
  void receive(context& ctx, open_up) {
    open_ = true;
    EXPECT_TRUE(ctx.unstash_all());
  }
  int receive(context&, const half_of& h) { return h.number / 2; }
  task<void> receive(context& ctx, begin_asking b) {
    const half_of first{8};
    const auto half = co_await ctx.ask(b.whom, first, 1s);
    EXPECT_EQ(half.value_or(0), 4);
    co_await ctx.yield();
  }
  // Both answers wait when the actor has its turn: neither is a single answer.
  task<void> receive(context& ctx, begin_asking_twice b) {
    const auto [first, second] = co_await all_of(half(ctx, b.whom, 8), half(ctx, b.whom, 6));
    EXPECT_EQ(first, 4);
    EXPECT_EQ(second, 3);
  }

private:
  static task<int> half(tactor::context& ctx, actor_ref<half_of> whom, int number) {
    const half_of what{number};
    const auto said = co_await ctx.ask(whom, what, 1s);
    co_return said.value_or(0);
  }

  bool open_ = false;
};

class drops_letters final : public middleware {
public:
  invoke_decision before_invoke(const invocation& next) noexcept override {
    const bool drop = next.message<letter>() != nullptr;
    return {.what = drop ? invoke_decision::kind::drop : invoke_decision::kind::proceed};
  }
};

/// A system with one worker, where what happens is written down beside what is measured.
class metrics_of_a_script : public ::testing::Test {
protected:
  void SetUp() override {
    const auto watcher = system.spawn("watcher", [this](context&, const dead_letter& each) {
      ++seen_[std::to_underlying(each.reason)];
    });
    EXPECT_TRUE(system.events().subscribe<dead_letter>(watcher));
    system_steps::settle(system);
    before_ = system.metrics();
  }
  clerk::ref spawn(std::string_view name, const mailbox_options& mailbox = {},
                   const middleware_chain* filter = nullptr) {
    return system.spawn<clerk>({.name = name, .mailbox = mailbox, .middleware = filter});
  }
  /// `who` is busy for 3 ms, after a pause, in which `meanwhile` happens.
  template <class Meanwhile>
  void while_busy(const clerk::ref& who, const actor_ref<letter>& next, Meanwhile meanwhile) {
    system_steps::settle(system);
    clock.jump(1ms);  // a pause: the next turn is measured
    std::latch begun{1}, go_on{1};
    who.tell(be_busy{next, &begun, &go_on});
    begun.wait();
    meanwhile();
    clock.jump(3ms);
    go_on.count_down();
    system_steps::settle(system);
  }
  [[nodiscard]] std::uint64_t sent() const {
    return system.metrics().messages_sent - before_.messages_sent - events_handled();
  }
  [[nodiscard]] std::uint64_t handled() const {
    return system.metrics().messages_handled - before_.messages_handled - events_handled();
  }
  [[nodiscard]] std::uint64_t lost(drop_reason why) const {
    return system.metrics().dead_letters_for(why);
  }
  [[nodiscard]] actor_report of(std::string_view label) const {
    const metrics_report all = system.full_metrics();
    const auto found = std::ranges::find(all.actors, label, &actor_report::label);
    return found == all.actors.end() ? actor_report{} : *found;
  }
  /// Nothing waits: each message that was accepted was handled, or is a dead letter for one of
  /// `reasons`.
  void expect_sums(std::uint64_t lost_after_acceptance) const {
    EXPECT_EQ(sent(), handled() + lost_after_acceptance);
    const metrics_snapshot now = system.metrics();
    for (std::size_t i = 0; i < drop_reasons; ++i)
      EXPECT_EQ(now.dead_letters[i], seen_[i])
          << to_text(drop_reason{static_cast<std::uint8_t>(i)});
    const metrics_report all = system.full_metrics();
    actor_report sums;
    for (const actor_report& each : all.actors) {
      sums.duration += each.duration;
      sums.latency += each.latency;
      EXPECT_EQ(each.waiting, 0u) << each.label;
    }
    EXPECT_EQ(sums.duration, all.invoke_duration);
    EXPECT_EQ(sums.latency, all.latency);
  }

  manual_clock clock{1'000'000};
  actor_system system{system_config{.workers = 1,
                                    .clock = {.source = &clock, .use = clock_use::test},
                                    .metrics = {.level = metrics_level::actor}}};

private:
  /// Dead letters are messages to the watcher, too.
  [[nodiscard]] std::uint64_t events_handled() const {
    std::uint64_t all = 0;
    for (const std::uint64_t each : seen_)
      all += each;
    return all;
  }

  std::array<std::uint64_t, drop_reasons>
      seen_{};  // written by the worker, read when it is settled
  metrics_snapshot before_;
};

// case: MW-06
TEST_F(metrics_of_a_script, add_up_with_full_mailboxes_and_a_stop) {
  const auto idle = spawn("idle");
  const auto oldest = spawn("oldest", {.capacity = 2, .overflow = overflow_strategy::drop_oldest});
  const auto newest = spawn("newest", {.capacity = 2, .overflow = overflow_strategy::drop_newest});
  const auto stops = spawn("stops", {.capacity = 10});
  const auto send_five = [](const clerk::ref& to) {
    for (int i = 0; i < 5; ++i)
      to.tell(open_up{});
  };
  oldest.tell(letter{});
  while_busy(oldest, idle, [&] {
    send_five(oldest);
    EXPECT_EQ(of("/user/oldest").waiting, 2u);
    EXPECT_EQ(of("/user/oldest").taken, 1u);
  });
  EXPECT_EQ(lost(drop_reason::dropped_oldest), 3u);
  EXPECT_EQ(of("/user/oldest").taken, 4u) << "a letter, be_busy, and the two that were left";
  while_busy(newest, idle, [&] { send_five(newest); });
  EXPECT_EQ(lost(drop_reason::dropped_newest), 3u);
  EXPECT_EQ(of("/user/newest").taken, 3u);
  while_busy(stops, idle, [&] {
    send_five(stops);
    system.stop(stops);
  });
  stops.tell(letter{});
  system_steps::settle(system);
  EXPECT_EQ(lost(drop_reason::stopped), 6u);
  EXPECT_EQ(of("/user/stops").taken, 1u);
  idle.tell(open_up{});
  oldest.tell(open_up{});
  system_steps::settle(system);
  EXPECT_EQ(of("/user/idle").taken, 4u);

  EXPECT_EQ(sent(), 1 + 3 * 2 + 5 + 2 + 5 + 2u);
  expect_sums(3 + 5);
  const metrics_report all = system.full_metrics();
  EXPECT_EQ(all.invoke_duration.sum, 3 * 3'000'000u);
  EXPECT_GE(all.latency.size(), 1u);
  EXPECT_EQ(all.latency.sum % 3'000'000, 0u);
}

// case: MW-06
TEST_F(metrics_of_a_script, add_up_with_a_stash_a_middleware_and_a_coroutine) {
  drops_letters drop;
  middleware* const one[] = {&drop};
  const middleware_chain chain{one};
  const auto keeper = spawn("keeper");
  const auto filtered = spawn("filtered", {}, &chain);

  for (int i = 0; i < 4; ++i)
    keeper.tell(letter{});
  system_steps::settle(system);
  EXPECT_EQ(handled(), 0u) << "they are in the stash";
  EXPECT_EQ(of("/user/keeper").taken, 4u);
  keeper.tell(open_up{});
  system_steps::settle(system);
  EXPECT_EQ(handled(), 5u);
  EXPECT_EQ(of("/user/keeper").taken, 5u) << "those that were replayed had been taken";
  expect_sums(0);

  for (int i = 0; i < 3; ++i)
    filtered.tell(letter{});
  const actor_ref<postcard> wrong{actor_ref<>{filtered}.slot(), actor_ref<>{filtered}.generation()};
  wrong.tell(postcard{});
  filtered.tell(open_up{});
  system_steps::settle(system);
  EXPECT_EQ(lost(drop_reason::middleware), 3u);
  EXPECT_EQ(lost(drop_reason::unhandled), 1u);
  EXPECT_EQ(handled(), 6u);
  EXPECT_EQ(of("/user/filtered").taken, 5u);
  expect_sums(4);

  keeper.tell(begin_asking{filtered});  // the message, the ask and the answer
  system_steps::settle(system);
  EXPECT_EQ(handled(), 9u);
  EXPECT_EQ(of("/user/keeper").taken, 7u);
  EXPECT_EQ(of("/user/filtered").taken, 6u);
  expect_sums(4);

  keeper.tell(begin_asking_twice{filtered});
  system_steps::settle(system);
  EXPECT_EQ(handled(), 14u);
  EXPECT_EQ(of("/user/keeper").taken, 10u);
  EXPECT_EQ(of("/user/filtered").taken, 8u);
  expect_sums(4);
}

}  // namespace
}  // namespace tactor
