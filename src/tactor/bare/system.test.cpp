// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/system.hpp"

#include "tactor/bare/counter_clock.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace tactor::bare {

using namespace internal;

struct ping {};
struct number {
  int value;
};
struct due {};
struct wide {
  std::uint64_t values[3];
};

namespace {

using std::chrono::milliseconds;

std::uint32_t time_ms = 0;

std::uint32_t read_milliseconds() noexcept {
  return time_ms;
}

constinit counter_clock board_clock{read_milliseconds, 1'000'000};
constinit system<{.actors = 4,
                  .envelopes = 8,
                  .payload = 24,
                  .timers = 2,
                  .name = 12,
                  .arguments = 8,
                  .events = true}>
    sys;

/// There is one system in a program: all tests share it.
void start() {
  static bool started = false;
  if (!started) sys.start(board_clock);
  started = true;
}

void run_to_idle() {
  while (sys.poll()) {
  }
}
void stop_and_bury(const actor_ref<>& whom) {
  sys.stop(whom);
  run_to_idle();
}

struct adder : actor<number> {
  explicit adder(int* to) : sum(to) {}
  void receive(context&, number n) { *sum += n.value; }
  int* sum;
};

TEST(bare_system, runs_actors_when_it_is_polled) {
  start();
  int sum = 0;
  const auto made = sys.try_spawn<adder>("adder", &sum);
  ASSERT_TRUE(made.has_value());
  made->tell(number{40});
  made->tell(number{2});
  EXPECT_EQ(sum, 0);

  run_to_idle();

  EXPECT_EQ(sum, 42);
  EXPECT_EQ(sys.live(), 1u);
  stop_and_bury(*made);
  EXPECT_EQ(sys.live(), 0u);
}

TEST(bare_system, runs_a_budget_of_turns_and_says_when_to_call_again) {
  start();
  int first = 0;
  int second = 0;
  const auto one = sys.try_spawn<adder>("one", &first);
  ASSERT_TRUE(one.has_value());
  const auto other = sys.try_spawn<adder>("other", &second);
  ASSERT_TRUE(other.has_value());
  run_to_idle();
  one->tell(number{1});
  other->tell(number{1});

  EXPECT_TRUE(sys.ready());
  const std::optional<tick> at_once = sys.run_once(1);
  EXPECT_EQ(at_once, tick{time_ms / 10});
  EXPECT_EQ(first + second, 1);
  EXPECT_EQ(sys.run_once(), std::nullopt);
  EXPECT_EQ(first + second, 2);
  EXPECT_FALSE(sys.ready());

  stop_and_bury(*one);
  stop_and_bury(*other);
}

TEST(bare_system, feeds_the_watchdog_before_each_turn) {
  start();
  static int fed = 0;
  static int fed_at_last_message = 0;
  const auto made =
      sys.try_spawn("fed", [](tactor::context&, number) { fed_at_last_message = fed; });
  ASSERT_TRUE(made.has_value());
  const auto other = sys.try_spawn("other", [](tactor::context&, number) {});
  ASSERT_TRUE(other.has_value());
  run_to_idle();
  sys.set_watchdog([]() noexcept { ++fed; });
  other->tell(number{1});
  made->tell(number{1});

  EXPECT_TRUE(sys.poll());
  EXPECT_EQ(fed, 1);
  EXPECT_FALSE(sys.poll());
  EXPECT_EQ(fed_at_last_message, 2);

  sys.set_watchdog(nullptr);
  stop_and_bury(*made);
  stop_and_bury(*other);
}

TEST(bare_system, spawns_a_lambda) {
  start();
  int sum = 0;
  const auto made = sys.try_spawn("lambda", [&sum](context&, const number& n) { sum += n.value; });
  ASSERT_TRUE(made.has_value());
  made->tell(number{7});

  run_to_idle();

  EXPECT_EQ(sum, 7);
  stop_and_bury(*made);
}

struct metronome : actor<due> {
  explicit metronome(std::uint32_t* to) : beats(to) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.schedule_at_fixed_rate(milliseconds{20}, milliseconds{20}, ctx.self(), due{})
                    .has_value());
  }
  void receive(context& ctx, due) { *beats += static_cast<std::uint32_t>(ctx.batch().runs); }
  std::uint32_t* beats;
};

TEST(bare_system, says_when_it_wants_to_run_again) {
  start();
  std::uint32_t beats = 0;
  EXPECT_EQ(sys.next_deadline(), std::nullopt);
  const auto made = sys.try_spawn<metronome>("metronome", &beats);
  ASSERT_TRUE(made.has_value());
  run_to_idle();

  for (std::uint32_t beat = 1; beat <= 3; ++beat) {
    const std::optional<tick> next = sys.next_deadline();
    ASSERT_TRUE(next.has_value());
    time_ms = static_cast<std::uint32_t>(next.value_or(tick{}).count * 10);
    run_to_idle();
    EXPECT_EQ(beats, beat);
  }
  stop_and_bury(*made);
  time_ms += 100;
  run_to_idle();
  EXPECT_EQ(beats, 3u);
  EXPECT_EQ(sys.next_deadline(), std::nullopt);
}

TEST(bare_system, sends_timer_messages_from_outside) {
  start();
  int sum = 0;
  const auto made = sys.try_spawn<adder>("adder", &sum);
  ASSERT_TRUE(made.has_value());
  ASSERT_TRUE(sys.schedule_once(milliseconds{50}, *made, number{5}).has_value());
  run_to_idle();
  EXPECT_EQ(sum, 0);

  time_ms += 60;
  run_to_idle();

  EXPECT_EQ(sum, 5);
  stop_and_bury(*made);
}

struct wide_adder : actor<wide> {
  explicit wide_adder(std::uint64_t* to) : sum(to) {}
  void receive(context&, const wide& w) { *sum += w.values[0] + w.values[1] + w.values[2]; }
  std::uint64_t* sum;
};

TEST(bare_system, a_timer_sends_a_message_as_large_as_any) {
  if constexpr (!port::has_interrupts) return;  // elsewhere large ones need a source of blocks
  start();
  std::uint64_t sum = 0;
  const auto made = sys.try_spawn<wide_adder>("wide", &sum);
  ASSERT_TRUE(made.has_value());
  auto at_rate = sys.schedule_at_fixed_rate(milliseconds{10}, milliseconds{10}, *made,
                                            wide{{1ull << 40, 2, 3}});
  const auto once = sys.schedule_once(milliseconds{10}, *made, wide{{4, 5, 6}});
  ASSERT_TRUE(at_rate.has_value() && once.has_value());
  for (int step = 0; step < 2; ++step) {
    time_ms += 10;
    run_to_idle();
  }
  EXPECT_EQ(sum, 2 * ((1ull << 40) + 5) + 15);
  EXPECT_TRUE(at_rate->cancel());
  stop_and_bury(*made);
}

struct player : actor<ping> {
  void receive(context& ctx, ping) {
    if (ctx.sender()) ++returned;
    ctx.self().tell(ping{});
  }
  static inline int returned = 0;
};

TEST(bare_system, poll_returns_although_actors_keep_themselves_busy) {
  start();
  const auto made = sys.try_spawn<player>("player");
  ASSERT_TRUE(made.has_value());
  made->tell(ping{});

  EXPECT_TRUE(sys.poll());
  EXPECT_TRUE(sys.poll());

  EXPECT_GT(player::returned, 0);
  stop_and_bury(*made);
}

TEST(bare_system, a_subscription_ends_with_its_actor) {
  start();
  int sum = 0;
  const auto made = sys.try_spawn<adder>("adder", &sum);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(sys.events().has_no_subscriber());
  ASSERT_TRUE(sys.events().subscribe<number>(*made));

  EXPECT_EQ(sys.events().publish(number{3}), 1u);
  run_to_idle();

  EXPECT_EQ(sum, 3);
  stop_and_bury(*made);
  EXPECT_TRUE(sys.events().has_no_subscriber());
}

struct sleeper : actor<due> {
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.schedule_once(milliseconds{30}, ctx.self(), due{}).has_value());
  }
  void receive(context& ctx, due) {
    woken = true;
    ctx.stop();
  }
  static inline bool woken = false;
};

// The last one: afterwards the system is gone.
TEST(bare_system, sleeps_until_the_deadline_and_returns_when_it_has_stopped) {
  start();
  ASSERT_TRUE(sys.try_spawn<sleeper>("sleeper").has_value());
  int sleeps = 0;

  sys.run([&sleeps](std::optional<tick> until) {
    ++sleeps;
    if (until) {
      time_ms = static_cast<std::uint32_t>(until->count * 10);
    } else {
      sys.begin_stop();  // nothing left to wait for
    }
  });

  EXPECT_TRUE(sleeper::woken);
  EXPECT_TRUE(sys.stopped());
  EXPECT_EQ(sleeps, 2);
  EXPECT_EQ(sys.try_spawn<sleeper>("late").error(), spawn_error::stopping);
}

}  // namespace
}  // namespace tactor::bare
