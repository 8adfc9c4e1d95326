// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/report/diagnostics.hpp"

#include "tactor/core/scheduler/report/scheduler_event.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor {
namespace {

scheduler_event event(std::uint64_t number) {
  return {.kind = scheduler_event_kind::fired, .job = number};
}

// spec: X2
TEST(diagnostics, is_observed_only_while_it_has_listeners) {
  diagnostics stream;
  EXPECT_FALSE(stream.observed());
  {
    std::array<scheduler_event, 1> storage{};
    const diagnostics_subscription reader{stream, storage};
    EXPECT_TRUE(stream.observed());
  }
  EXPECT_FALSE(stream.observed());
}

// spec: X2
TEST(diagnostics, a_notice_takes_the_place_of_the_first_dropped_event) {
  diagnostics stream;
  std::array<scheduler_event, 2> storage{};
  diagnostics_subscription reader{stream, storage};
  for (std::uint64_t number = 1; number <= 4; ++number)
    stream.publish(event(number));
  EXPECT_EQ(reader.try_next()->job, 1u);
  stream.publish(event(5));  // fits again
  stream.publish(event(6));  // does not fit

  EXPECT_EQ(reader.try_next()->job, 2u);
  const auto notice = reader.try_next();
  ASSERT_TRUE(notice.has_value());
  EXPECT_EQ(notice->kind, scheduler_event_kind::diagnostics_dropped);
  EXPECT_EQ(notice->value, 3u);
  EXPECT_EQ(reader.try_next()->job, 5u);
  EXPECT_FALSE(reader.try_next().has_value());
}

// spec: X2
TEST(diagnostics, a_reader_without_storage_still_learns_how_much_it_missed) {
  diagnostics stream;
  diagnostics_subscription reader{stream, {}};
  stream.publish(event(1));
  stream.publish(event(2));
  EXPECT_EQ(reader.try_next()->value, 2u);
  EXPECT_FALSE(reader.try_next().has_value());
}

// spec: X2
TEST(diagnostics, each_reader_has_its_own_gap) {
  diagnostics stream;
  std::array<scheduler_event, 1> small{};
  std::array<scheduler_event, 2> large{};
  diagnostics_subscription slow{stream, small};
  diagnostics_subscription fast{stream, large};
  stream.publish(event(1));
  stream.publish(event(2));
  EXPECT_EQ(fast.try_next()->job, 1u);
  EXPECT_EQ(fast.try_next()->job, 2u);
  EXPECT_FALSE(fast.try_next().has_value());
  EXPECT_EQ(slow.try_next()->job, 1u);
  EXPECT_EQ(slow.try_next()->value, 1u);
}

}  // namespace
}  // namespace tactor
