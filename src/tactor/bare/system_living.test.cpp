// SPDX-License-Identifier: BSL-1.0

// Supervision, watches, receive timeouts and suspension in memory that was counted for them.
#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>

namespace tactor::bare {

using namespace internal;

struct job {
  std::uint32_t number;
};

namespace {

using std::chrono::milliseconds;

constexpr system_size size{.actors = 3,
                           .envelopes = 3,
                           .payload = 4,
                           .timers = 1,
                           .arguments = 8,
                           .supervised = 1,
                           .watches = 1,
                           .receive_timeouts = 1,
                           .suspended = 1,
                           .signalled = 1,
                           .suspension_commands = 2};

std::uint32_t time_ms = 0;
std::uint32_t read_milliseconds() noexcept {
  return time_ms;
}
constinit counter_clock board_clock{read_milliseconds, 1'000'000};
constinit system<size> sys;

void start() {
  static bool started = false;
  if (!started) sys.start(board_clock);
  started = true;
}
void run_to_idle() {
  while (sys.poll()) {
  }
}
void pass(std::uint32_t length_ms) {
  for (; length_ms >= 10; length_ms -= 10) {
    time_ms += 10;
    run_to_idle();
  }
}

std::size_t all_blocks(const system_size& of) {
  std::size_t sum = 0;
  for (const std::size_t each : blocks_of(of))
    sum += each;
  return sum;
}

// spec: E1
TEST(bare_system_living, what_is_not_asked_for_costs_nothing) {
  constexpr system_size plain{.actors = 4, .envelopes = 2, .payload = 8, .timers = 3};
  EXPECT_EQ(all_blocks(plain), 5u);
}

// spec: E1
TEST(bare_system_living, what_is_asked_for_is_counted) {
  const system_size none{.actors = 4, .envelopes = 0, .timers = 0};
  const auto with = [&none](auto change) {
    system_size changed = none;
    change(changed);
    return all_blocks(changed);
  };
  // Its parts, the strategy, the suspension, the envelope to its parent, two timers of the
  // runtime.
  EXPECT_EQ(with([](system_size& s) { s.supervised = 1; }), 6u);
  // For each timer also two entries in the list of its actor, and the parts of that actor.
  EXPECT_EQ(with([](system_size& s) { s.supervised = s.timers = 1; }), 6u + 1u + 3u);
  // The parts of two actors, and two letters.
  EXPECT_EQ(with([](system_size& s) { s.watches = 1; }), 4u);
  EXPECT_EQ(with([](system_size& s) { s.receive_timeouts = 1; }), 3u);
  EXPECT_EQ(with([](system_size& s) { s.suspended = 1; }), 4u);
  EXPECT_EQ(with([](system_size& s) { s.signalled = 1; }), 3u);
  EXPECT_EQ(with([](system_size& s) { s.suspension_commands = 1; }), 1u);
  // There are never more parts than actors.
  EXPECT_EQ(with([](system_size& s) { s.watches = 10; }), 4u + 20u);
}

struct worker : actor<job> {
  std::expected<void, failure> receive(context&, job j) {
    if (j.number == 0) return std::unexpected{failure{"no job"}};
    done += j.number;
    return {};
  }
  static inline std::uint32_t done = 0;
};

struct boss : actor<job> {
  void pre_start(context& ctx) {
    const auto made = ctx.try_spawn<worker>(
        {.on_failure = restart{.max_restarts = 1,
                               .delay = {.min = milliseconds{50}, .max = milliseconds{50}}}});
    ASSERT_TRUE(made.has_value());
    hand = *made;
    EXPECT_TRUE(ctx.watch(hand, *this).has_value());
    EXPECT_TRUE(ctx.set_receive_timeout(milliseconds{200}, *this).has_value());
  }
  void receive(context&, job j) { hand.tell(j); }
  void receive(context&, const receive_timeout&) { ++silences; }
  void receive(context&, const terminated& t) { lost = t.who == hand; }

  static inline worker::ref hand;
  static inline int silences = 0;
  static inline bool lost = false;
};

// spec: E1 V1 V3 R1
TEST(bare_system_living, restarts_watches_and_minds_silence) {
  start();
  const auto made = sys.try_spawn<boss>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  made->tell(job{0});
  made->tell(job{5});
  run_to_idle();
  EXPECT_EQ(worker::done, 0u);
  EXPECT_EQ(sys.metrics().failures, 1u);

  pass(50);
  EXPECT_EQ(worker::done, 5u);
  EXPECT_EQ(sys.metrics().restarts, 1u);
  EXPECT_FALSE(boss::lost);

  made->tell(job{0});
  run_to_idle();
  EXPECT_TRUE(boss::lost);
  EXPECT_EQ(boss::silences, 0);

  pass(450);
  EXPECT_EQ(boss::silences, 2);
  sys.stop(*made);
  run_to_idle();
  EXPECT_EQ(sys.live(), 0u);
}

// spec: E1 P1 P2
TEST(bare_system_living, suspends_and_resumes) {
  start();
  worker::done = 0;
  constexpr signal_key ready{7};
  const auto made = sys.try_spawn<worker>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(sys.suspend(*made).has_value());
  made->tell(job{1});
  run_to_idle();
  EXPECT_EQ(worker::done, 0u);
  EXPECT_TRUE(sys.resume(*made).has_value());
  run_to_idle();
  EXPECT_EQ(worker::done, 1u);

  // A signal that comes early, and an awaited one.
  EXPECT_TRUE(sys.signal(*made, ready).has_value());
  EXPECT_TRUE(sys.suspend(*made, suspend_reason::await_external, on_signal(ready)).has_value());
  made->tell(job{2});
  run_to_idle();
  EXPECT_EQ(worker::done, 3u);
  EXPECT_TRUE(
      sys.suspend(*made, suspend_reason::rate_limit, resume_after(milliseconds{100})).has_value());
  made->tell(job{3});
  pass(90);
  EXPECT_EQ(worker::done, 3u);
  pass(20);
  EXPECT_EQ(worker::done, 6u);
  sys.stop(*made);
  run_to_idle();
}

struct dozing : actor<job> {
  void receive(context& ctx, job j) {
    EXPECT_TRUE(ctx.set_receive_timeout(milliseconds{j.number}, *this).has_value());
  }
  void receive(context&, const receive_timeout&) { ++silences; }
  static inline int silences = 0;
};

struct repeating : actor<job> {
  void receive(context& ctx, job j) {
    if (j.number == 0) return;
    EXPECT_TRUE(ctx.schedule_once(milliseconds{j.number}, ctx.self(), job{0}).has_value());
  }
};

// spec: E1 V2b
TEST(bare_system_living, remembers_as_many_timers_of_actors_to_themselves_as_there_are_timers) {
  start();
  const auto made = sys.try_spawn<repeating>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  for (int again = 0; again < 5; ++again) {
    made->tell(job{10});
    run_to_idle();
    pass(10);  // its timer is over
  }
  sys.stop(*made);
  run_to_idle();
}

// spec: E1 S9
TEST(bare_system_living, has_a_timer_for_a_timeout_although_the_programs_timers_are_used_up) {
  start();
  const auto made = sys.try_spawn<dozing>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  const auto kept = sys.schedule_once(milliseconds{10}, *made, job{1000});
  ASSERT_TRUE(kept.has_value());
  pass(10);  // it has ended, and the handle keeps its memory
  EXPECT_FALSE(sys.schedule_once(milliseconds{10}, *made, job{1}).has_value());
  for (const std::uint32_t shorter : {500u, 200u, 100u}) {
    made->tell(job{shorter});
    run_to_idle();
  }
  EXPECT_EQ(dozing::silences, 0);
  pass(210);
  EXPECT_EQ(dozing::silences, 2);
  sys.stop(*made);
  run_to_idle();
}

/// Tries everything that takes memory. Returns: how much of it was refused.
struct greedy : actor<job> {
  void receive(context& ctx, job j) {
    if (j.number != 0) return;
    refused = 0;
    const actor_ref<> nobody;
    if (const auto watched = ctx.watch(nobody, *this);
        !watched && watched.error() == watch_error::no_memory)
      ++refused;
    if (!ctx.set_receive_timeout(milliseconds{1000}, *this)) ++refused;
    if (!ctx.suspend(suspend_reason::rate_limit, resume_after(milliseconds{10}))) ++refused;
    if (!sys.signal(ctx.self(), {.value = 1})) ++refused;
    const auto child = ctx.try_spawn<worker>({.on_failure = restart{}});
    if (!child && child.error() == spawn_error::no_memory) ++refused;
  }
  void receive(context&, const receive_timeout&) {}
  void receive(context&, const terminated&) {}

  static inline int refused = 0;
};

// spec: E1
// case: XT-02
TEST(bare_system_living, what_is_missing_is_an_error_value) {
  start();
  const auto made = sys.try_spawn<greedy>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  run_to_idle();
  EXPECT_EQ(made->tell(job{0}), tell_result::ok);
  while (made->tell(job{1}) == tell_result::ok) {
  }
  run_to_idle();
  EXPECT_EQ(greedy::refused, 5);

  made->tell(job{0});
  run_to_idle();
  EXPECT_EQ(greedy::refused, 0);
  sys.stop(*made);
  run_to_idle();
  EXPECT_EQ(sys.live(), 0u);
}

}  // namespace
}  // namespace tactor::bare
