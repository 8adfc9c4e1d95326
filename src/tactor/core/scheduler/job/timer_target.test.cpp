// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_target.hpp"

#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

namespace tactor {

using namespace tactor::internal;

namespace {

class some_dispatcher final : public job_dispatcher {
public:
  void dispatch(timer_job&) noexcept override {}
};
class some_sink final : public envelope_sink {
public:
  post_result post(timer_job&) noexcept override { return post_result::closed; }
};
class some_held_sink final : public held_sink {
public:
  post_result post(timer_job&) noexcept override { return post_result::closed; }
  void let_go() noexcept override {}
};

TEST(timer_target, says_where_a_job_goes) {
  some_dispatcher dispatcher;
  some_sink sink;
  some_held_sink held;
  timer_plan plan;

  const timer_target callable{dispatcher};
  EXPECT_FALSE(callable.is_message());
  EXPECT_EQ(callable.dispatcher(), &dispatcher);
  EXPECT_TRUE(callable.held() == nullptr && callable.plan() == nullptr);
  EXPECT_EQ(callable.address(), &dispatcher);

  const timer_target message{sink_ref{sink}};
  EXPECT_TRUE(message.is_message());
  EXPECT_EQ(message.receiver(), &sink);
  EXPECT_TRUE(message.held() == nullptr && message.plan() == nullptr);

  const timer_target held_message{sink_ref{held}};
  EXPECT_TRUE(held_message.is_message());
  EXPECT_EQ(held_message.receiver(), &held);
  EXPECT_EQ(held_message.held(), &held);
  EXPECT_EQ(held_message.plan(), nullptr);

  const timer_target elsewhere{plan};
  EXPECT_FALSE(elsewhere.is_message());
  EXPECT_EQ(elsewhere.plan(), &plan);
  EXPECT_EQ(elsewhere.held(), nullptr);

  EXPECT_TRUE(timer_target{}.plan() == nullptr && timer_target{}.dispatcher() == nullptr);
}

TEST(timer_target, a_record_with_a_plan_keeps_it_there) {
  std::array<timer_record, 1> records{};
  std::array<timer_plan, 1> plans{};
  timer_store store{{.records = records, .plans = plans}};
  some_sink sink;

  for (const bool with_plan : {false, true}) {
    timer_record* const record = store.take_record(timer_owner::user, with_plan);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(&record->store(), &store);
    EXPECT_EQ(record->plan(), with_plan ? plans.data() : nullptr);
    record->set_target(timer_target{sink_ref{sink}});
    EXPECT_EQ(record->plan(), with_plan ? plans.data() : nullptr);
    EXPECT_EQ(record->target().receiver(), &sink);
    store.give_back_fresh(*record);
    EXPECT_EQ(record->plan(), nullptr);
  }
}

}  // namespace
}  // namespace tactor
