// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/command_trail.hpp"

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {
namespace {

using trail = command_trail<true>;

TEST(command_trail, names_the_record_that_was_sent_a_whole_length_before) {
  trail sent;
  for (std::uint32_t number = 1; number <= trail::length; ++number)
    EXPECT_EQ(sent.add(number), 0u);
  for (std::uint32_t number = 1; number <= 3 * trail::length; ++number)
    EXPECT_EQ(sent.add(number + trail::length), number);
}

struct stored {
  static constexpr std::size_t count = trail::length + 2;
  timer_records<count> records{};
  timer_store store{{.records = records, .extras = {}}};

  timer_record* take() { return store.take_record(timer_owner::user, false); }
};

TEST(command_trail, a_record_on_its_way_to_the_driver_knows_the_one_before) {
  if constexpr (port::has_interrupts) return;
  stored at;
  std::array<timer_record*, stored::count> sent{};
  for (timer_record*& each : sent) {
    each = at.take();
    ASSERT_NE(each, nullptr);
    at.store.send_to_driver(*each, tick{1});
  }
  EXPECT_EQ(at.store.sent_before(*sent[trail::length - 1]), nullptr);
  EXPECT_EQ(at.store.sent_before(*sent[trail::length]), sent[0]);
  EXPECT_EQ(at.store.sent_before(*sent[trail::length + 1]), sent[1]);
}

TEST(command_trail, leaves_the_free_records_as_they_were) {
  stored at;
  for (int round = 0; round < 3; ++round) {
    std::size_t taken = 0;
    for (; timer_record* const each = at.take(); ++taken)
      at.store.send_to_driver(*each, tick{1});
    EXPECT_EQ(taken, stored::count);
    auto commands = at.store.commands.take_all([](const timer_record&) {});
    while (timer_record* const each = commands.pop())
      at.store.give_back_fresh(*each);
  }
}

}  // namespace
}  // namespace tactor::inline v0::internal
