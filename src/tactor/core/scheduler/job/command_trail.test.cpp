// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/command_trail.hpp"

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor::inline v0::internal {
namespace {

using trail = command_trail<true, 32>;

TEST(command_trail, names_the_record_that_comes_some_steps_further_on) {
  trail sent;
  for (std::uint32_t number = 1; number <= 100; ++number)
    (void)sent.add(number);
  trail::walk walk{sent};
  EXPECT_EQ(walk.pass(100), 100 - trail::ahead);
  EXPECT_EQ(walk.pass(99), 99 - trail::ahead);
}

TEST(command_trail, knows_nothing_before_the_first_record) {
  trail sent;
  (void)sent.add(7);
  trail::walk walk{sent};
  EXPECT_EQ(walk.pass(7), 0u);
}

TEST(command_trail, a_record_that_was_left_out_does_not_shift_the_others) {
  trail sent;
  for (std::uint32_t number = 1; number <= 30; ++number)
    if (number != 29) (void)sent.add(number);
  trail::walk walk{sent};
  EXPECT_EQ(walk.pass(30), 30 - trail::ahead - 1);  // the one that is left out is in between
  (void)walk.pass(29);
  EXPECT_EQ(walk.pass(28), 28 - trail::ahead);
}

TEST(command_trail, records_in_another_order_do_not_shift_the_others) {
  trail sent;
  for (std::uint32_t number = 1; number <= 18; ++number)
    (void)sent.add(number);
  (void)sent.add(20);
  (void)sent.add(19);
  trail::walk walk{sent};
  (void)walk.pass(20);
  (void)walk.pass(19);
  EXPECT_EQ(walk.pass(18), 18 - trail::ahead);
}

TEST(command_trail, asks_for_the_driver_each_time_a_quarter_of_it_has_been_sent) {
  trail sent;
  for (std::uint32_t number = 1; number <= 100; ++number)
    EXPECT_EQ(sent.add(number), number % 8 == 0) << number;
}

TEST(command_trail, a_store_wakes_the_driver_before_the_trail_is_too_short) {
  if constexpr (port::has_interrupts) return;
  timer_records<1> records{};
  timer_store store{{.records = records, .extras = {}}};
  timer_record& sent = *store.take_record(timer_owner::user, false);
  store.wake_at.store(0,
                      relaxed);  // relaxed: one thread. The driver wakes up before each deadline.
  const std::uint32_t asleep = store.wake_word.load(relaxed);  // relaxed: one thread
  std::uint32_t commands = 0;
  while (store.wake_word.load(relaxed) == asleep && commands < 32768) {  // relaxed: one thread
    store.send_to_driver(sent, tick{1});
    (void)store.commands.take_all([](const timer_record&) {});
    ++commands;
  }
  EXPECT_EQ(commands, 8192u);
}

TEST(command_trail, a_store_lists_what_it_sends) {
  if constexpr (port::has_interrupts) return;
  constexpr std::uint32_t count = trail::ahead + 1;
  timer_records<count> records{};
  timer_store store{{.records = records, .extras = {}}};
  const timer_record* newest = nullptr;
  for (std::uint32_t each = 0; each < count; ++each) {
    timer_record* const taken = store.take_record(timer_owner::user, false);
    ASSERT_NE(taken, nullptr);
    store.send_to_driver(*taken, tick{1});
    newest = taken;
  }
  decltype(store.trail)::walk walk{store.trail};
  EXPECT_EQ(store.record_of(walk.pass(store.index_of(*newest) + 1)), records.all.data());
}

}  // namespace
}  // namespace tactor::inline v0::internal
