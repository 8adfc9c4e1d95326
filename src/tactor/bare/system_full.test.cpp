// SPDX-License-Identifier: BSL-1.0

// A system as small as it can be: what does not fit is refused, and everything comes back.
#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::bare {

using namespace internal;

struct small {
  std::uint32_t bits;
};

namespace {

// Bounded, so that an actor can have a name, for which there are no blocks.
constexpr system_size size{.actors = 3,
                           .envelopes = 5,
                           .payload = 4,
                           .timers = 2,
                           .periodic = 1,
                           .name = 4,
                           .bounded = true};
// Blocks are made singly on a narrow machine, and by the magazine on a wide one.
constexpr bool exact = sizeof(void*) == 4;

std::uint32_t read_nothing() noexcept {
  return 0;
}
constinit counter_clock board_clock{read_nothing, 1'000'000};
constinit system<size> sys;

void start() {
  static bool started = false;
  if (!started) sys.start(board_clock, {.dispatch = {.throughput = 2}});
  started = true;
}
void run_to_idle() {
  while (sys.poll()) {
  }
}

struct taker : actor<small> {
  void receive(context&, small) { ++taken; }
  static inline int taken = 0;
};

// spec: E1
// case: XT-02
TEST(bare_system_full, has_capacity_for_exactly_the_requested_actors) {
  start();
  std::array<actor_ref<small>, size.actors> all;
  for (int round = 0; round < 3; ++round) {
    for (auto& each : all) {
      const auto made = sys.try_spawn<taker>(spawn_options{});
      ASSERT_TRUE(made.has_value());
      each = *made;
    }
    EXPECT_EQ(sys.try_spawn<taker>(spawn_options{}).error(), spawn_error::too_many_actors);
    for (const auto& each : all)
      sys.stop(each);
    run_to_idle();
    EXPECT_EQ(sys.live(), 0u);
  }
}

/// Tells `whom` until there is no room for one more. Returns: how many there was room for.
std::size_t fill(const actor_ref<small>& whom) {
  std::size_t told = 0;
  while (whom.tell(small{}) == tell_result::ok)
    ++told;
  return told;
}

// The settings are gone when `start` has returned: the system has kept what it needs.
TEST(bare_system_full, a_turn_is_as_long_as_the_settings_say) {
  start();
  const auto made = sys.try_spawn<taker>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  run_to_idle();
  const int before = taker::taken;
  EXPECT_GE(fill(*made), 3u);

  (void)sys.run_once(1);

  EXPECT_EQ(taker::taken, before + 2);
  sys.stop(*made);
  run_to_idle();
}

// spec: E1
// case: XT-02
TEST(bare_system_full, a_name_that_does_not_fit_is_an_error) {
  start();
  const auto made = sys.try_spawn<taker>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  // Where there is no block of their own size left, messages take a timer's.
  EXPECT_GE(fill(*made), size.envelopes + size.timers);

  EXPECT_EQ(sys.try_spawn<taker>("name").error(), spawn_error::no_memory);
  EXPECT_EQ(sys.live(), 1u);

  run_to_idle();
  const auto named = sys.try_spawn<taker>("name");
  ASSERT_TRUE(named.has_value());
  sys.stop(*named);
  sys.stop(*made);
  run_to_idle();
}

// spec: E1
// case: XT-02
TEST(bare_system_full, has_capacity_for_exactly_the_requested_messages) {
  start();
  // What belongs to names would do for messages as well.
  const auto made = sys.try_spawn<taker>("a");
  const auto second = sys.try_spawn<taker>("b");
  const auto third = sys.try_spawn<taker>("c");
  ASSERT_TRUE(made.has_value() && second.has_value() && third.has_value());
  std::array<cancellable, size.timers> held;
  for (auto& each : held) {  // what belongs to the timers would do for messages as well
    auto timer = sys.schedule_once(std::chrono::hours{1}, *made, small{});
    ASSERT_TRUE(timer.has_value());
    each = std::move(*timer);
  }
  const std::uint64_t lost_before = sys.metrics().dead_letters_for(drop_reason::no_memory);
  const std::size_t storage = fill(*made);
  EXPECT_EQ(storage == size.envelopes, exact);
  EXPECT_GE(storage, size.envelopes);
  EXPECT_EQ(made->tell(small{}), tell_result::full);
  EXPECT_EQ(sys.metrics().dead_letters_for(drop_reason::no_memory), lost_before + 2);

  taker::taken = 0;
  run_to_idle();
  EXPECT_EQ(taker::taken, static_cast<int>(storage));
  EXPECT_EQ(fill(*made), storage);
  run_to_idle();
  for (auto& each : held)
    EXPECT_TRUE(each.cancel());
  for (const auto& each : {*made, *second, *third})
    sys.stop(each);
  run_to_idle();
}

// spec: E1
// case: XT-02
TEST(bare_system_full, has_capacity_for_exactly_the_requested_timers) {
  start();
  const auto made = sys.try_spawn<taker>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  for (int round = 0; round < 3; ++round) {
    std::array<cancellable, size.timers> held;
    for (auto& each : held) {
      auto timer = sys.schedule_once(std::chrono::hours{1}, *made, small{});
      ASSERT_TRUE(timer.has_value());
      each = std::move(*timer);
    }
    EXPECT_FALSE(sys.schedule_once(std::chrono::hours{1}, *made, small{}).has_value());
    for (auto& each : held)
      EXPECT_TRUE(each.cancel());
  }
  sys.stop(*made);
  run_to_idle();
}

// spec: E1
// case: XT-02
TEST(bare_system_full, has_capacity_for_exactly_the_requested_periodic_timers) {
  start();
  const auto made = sys.try_spawn<taker>(spawn_options{});
  ASSERT_TRUE(made.has_value());
  constexpr std::chrono::hours hour{1};
  for (int round = 0; round < 2; ++round) {  // a timer takes its memory until its handle is gone
    auto periodic = sys.schedule_at_fixed_rate(hour, hour, *made, small{});
    ASSERT_TRUE(periodic.has_value());
    const auto another = sys.schedule_at_fixed_rate(hour, hour, *made, small{});
    ASSERT_FALSE(another.has_value());
    EXPECT_TRUE(another.error() == scheduler_error::capacity_exceeded);
    auto once = sys.schedule_once(hour, *made, small{});
    ASSERT_TRUE(once.has_value()) << "the refused timer has taken nothing";
    EXPECT_TRUE(once->cancel());
    EXPECT_TRUE(periodic->cancel());
  }
  sys.stop(*made);
  run_to_idle();
}

}  // namespace
}  // namespace tactor::bare
