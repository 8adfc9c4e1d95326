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
TEST(diagnostics, wants_only_the_kinds_of_its_listeners) {
  using kind = scheduler_event_kind;
  diagnostics stream;
  EXPECT_FALSE(stream.wants(kind::fired));
  std::array<scheduler_event, 1> storage{};
  const diagnostics_subscription drift{stream, storage, kind::drift_exceeded};
  {
    const diagnostics_subscription fires{stream, storage, kind::fired | kind::cancelled};
    EXPECT_TRUE(stream.wants(kind::fired));
    EXPECT_TRUE(stream.wants(kind::cancelled));
    EXPECT_TRUE(stream.wants(kind::drift_exceeded));
    EXPECT_FALSE(stream.wants(kind::scheduled));
  }
  EXPECT_FALSE(stream.wants(kind::fired));
  EXPECT_TRUE(stream.wants(kind::drift_exceeded)) << "of the listener that is left";
}

// spec: X2
TEST(diagnostics, a_reader_gets_the_kinds_it_named_and_no_other_takes_its_storage) {
  using kind = scheduler_event_kind;
  diagnostics stream;
  std::array<scheduler_event, 2> few{};
  std::array<scheduler_event, 4> many{};
  diagnostics_subscription some{stream, few, kind::cancelled | kind::quota_reached};
  diagnostics_subscription warnings{stream, many, scheduler_event_kinds::warnings()};
  for (const kind each : {kind::scheduled, kind::fired, kind::cancelled, kind::undeliverable,
                          kind::drift_exceeded, kind::quota_reached})
    stream.publish({.kind = each});
  EXPECT_EQ(some.try_next()->kind, kind::cancelled);
  EXPECT_EQ(some.try_next()->kind, kind::quota_reached);
  EXPECT_FALSE(some.try_next().has_value());
  EXPECT_EQ(warnings.try_next()->kind, kind::drift_exceeded);
  EXPECT_EQ(warnings.try_next()->kind, kind::quota_reached);
  EXPECT_FALSE(warnings.try_next().has_value());
}

TEST(diagnostics, every_kind_is_in_the_set_of_all_and_warnings_are_those_of_is_warning) {
  for (std::uint8_t number = 0; number <= 15; ++number) {
    const auto kind = static_cast<scheduler_event_kind>(number);
    EXPECT_TRUE(scheduler_event_kinds::all().has(kind));
    EXPECT_EQ(scheduler_event_kinds::warnings().has(kind), is_warning(kind));
  }
}

TEST(diagnostics, has_a_listener_also_if_that_wants_nothing) {
  diagnostics stream;
  EXPECT_FALSE(stream.has_listeners());
  const diagnostics_subscription nothing{stream, {}, scheduler_event_kinds{}};
  EXPECT_TRUE(stream.has_listeners());
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
