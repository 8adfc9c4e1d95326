// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/command_trail.hpp"

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::size_t ahead = command_trail::ahead;

struct fixture {
  std::array<command_trail::place, 32> places{};
  std::array<timer_record, 100> records{};
  command_trail sent{places};

  void add(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i)
      sent.add(records[i]);
  }
};

TEST(command_trail, names_the_record_that_comes_some_steps_further_on) {
  fixture f;
  f.add(0, 99);
  command_trail::walk walk{f.sent};
  EXPECT_EQ(walk.pass(f.records[99]), &f.records[99 - ahead]);
  EXPECT_EQ(walk.pass(f.records[98]), &f.records[98 - ahead]);
}

TEST(command_trail, knows_nothing_before_the_first_record_and_without_memory) {
  fixture f;
  f.add(7, 7);
  command_trail::walk walk{f.sent};
  EXPECT_EQ(walk.pass(f.records[7]), nullptr);

  command_trail none;
  none.add(f.records[7]);
  command_trail::walk nowhere{none};
  EXPECT_EQ(nowhere.pass(f.records[7]), nullptr);
}

TEST(command_trail, a_record_that_was_left_out_does_not_shift_the_others) {
  fixture f;
  f.add(0, 28);
  f.add(30, 30);
  command_trail::walk walk{f.sent};
  EXPECT_EQ(walk.pass(f.records[30]), &f.records[30 - ahead - 1]);  // 29 is in between
  (void)walk.pass(f.records[29]);
  EXPECT_EQ(walk.pass(f.records[28]), &f.records[28 - ahead]);
}

TEST(command_trail, records_in_another_order_do_not_shift_the_others) {
  fixture f;
  f.add(0, 18);
  f.add(20, 20);
  f.add(19, 19);
  command_trail::walk walk{f.sent};
  (void)walk.pass(f.records[20]);
  (void)walk.pass(f.records[19]);
  EXPECT_EQ(walk.pass(f.records[18]), &f.records[18 - ahead]);
}

TEST(command_trail, a_store_lists_what_it_sends) {
  fixture f;
  timer_store store{{.records = f.records, .plans = {}, .trail = f.places}};
  std::array<timer_record*, ahead + 1> sent{};
  for (timer_record*& each : sent) {
    each = store.take_record(timer_owner::user, false);
    store.send_to_driver(*each, tick{1});
  }
  command_trail::walk walk{store.trail};
  EXPECT_EQ(walk.pass(*sent[ahead]), sent[0]);
}

}  // namespace
}  // namespace tactor
