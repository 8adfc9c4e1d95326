// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/supervision/restart_history.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t s = 1'000 * ms;

// permit_restart

// spec: V1
// case: SV-05
TEST(permit_restart, of_max_zero_refuses_the_first) {
  restart_history past;
  EXPECT_FALSE(permit_restart({.max_restarts = 0}, past, 5 * s));
  EXPECT_FALSE(permit_restart({.max_restarts = 0, .within = 1s}, past, 500 * s));
}

// spec: V1
// case: SV-06
TEST(permit_restart, of_two_in_a_second_refuses_the_third_inside_and_allows_it_outside) {
  const restart limits{.max_restarts = 2, .within = 1s};
  restart_history inside;
  EXPECT_TRUE(permit_restart(limits, inside, 10 * s));
  EXPECT_TRUE(permit_restart(limits, inside, 10 * s + 500 * ms));
  EXPECT_FALSE(permit_restart(limits, inside, 11 * s));  // the last instant of the window

  restart_history outside;
  EXPECT_TRUE(permit_restart(limits, outside, 10 * s));
  EXPECT_TRUE(permit_restart(limits, outside, 10 * s + 500 * ms));
  EXPECT_TRUE(permit_restart(limits, outside, 11 * s + 1));
  // That began a new window, which does not include the second restart.
  EXPECT_TRUE(permit_restart(limits, outside, 11 * s + 2));
  EXPECT_FALSE(permit_restart(limits, outside, 12 * s + 1));
  EXPECT_TRUE(permit_restart(limits, outside, 12 * s + 2));
}

// spec: V1
// case: SV-07
TEST(permit_restart, of_two_without_a_window_refuses_the_third_however_late) {
  restart_history past;
  const restart limits{.max_restarts = 2};
  EXPECT_TRUE(permit_restart(limits, past, 1 * s));
  EXPECT_TRUE(permit_restart(limits, past, 100'000 * s));
  EXPECT_FALSE(permit_restart(limits, past, 10'000'000 * s));
  EXPECT_FALSE(permit_restart(limits, past, 100'000'000 * s));
}

// spec: V1
// case: SV-07 SV-09
TEST(permit_restart, without_a_limit_allows_all) {
  for (const std::optional<duration> within :
       {std::optional<duration>{}, std::optional<duration>{1ns}, std::optional<duration>{1h}}) {
    restart_history past;
    for (std::uint64_t i = 0; i < 1000; ++i)
      ASSERT_TRUE(permit_restart({.within = within}, past, i));
  }
}

/// Of ten failures at this distance, this many are allowed to restart.
std::uint64_t allowed_of_ten(std::uint32_t most, std::optional<duration> within,
                             std::uint64_t between_ns) {
  restart_history past;
  const restart limits{.max_restarts = most, .within = within};
  std::uint64_t allowed = 0;
  while (allowed < 10 && permit_restart(limits, past, 1 * s + allowed * between_ns))
    ++allowed;
  return allowed;
}

// spec: V1
// case: SV-09
TEST(permit_restart, follows_the_table_of_limits_and_windows) {
  EXPECT_EQ(allowed_of_ten(0, {}, 1 * ms), 0u);
  EXPECT_EQ(allowed_of_ten(0, 1s, 1 * ms), 0u);
  EXPECT_EQ(allowed_of_ten(0, 1s, 2 * s), 0u);
  EXPECT_EQ(allowed_of_ten(1, {}, 1 * ms), 1u);
  EXPECT_EQ(allowed_of_ten(1, {}, 100 * s), 1u);
  EXPECT_EQ(allowed_of_ten(1, 1s, 1 * ms), 1u);
  EXPECT_EQ(allowed_of_ten(1, 1s, 1 * s), 1u);
  EXPECT_EQ(allowed_of_ten(1, 1s, 1 * s + 1), 10u);
  EXPECT_EQ(allowed_of_ten(2, 1s, 500 * ms), 2u);
  EXPECT_EQ(allowed_of_ten(2, 1s, 600 * ms), 10u);
  EXPECT_EQ(allowed_of_ten(3, 1s, 500 * ms), 10u);
  EXPECT_EQ(allowed_of_ten(9, {}, 1 * ms), 9u);
  EXPECT_EQ(allowed_of_ten(9, 1h, 1 * ms), 9u);
  EXPECT_EQ(allowed_of_ten(10, {}, 1 * ms), 10u);
  EXPECT_EQ(allowed_of_ten(restart::unlimited, {}, 0), 10u);
  EXPECT_EQ(allowed_of_ten(restart::unlimited, 1s, 1 * ms), 10u);
  EXPECT_EQ(allowed_of_ten(restart::unlimited, 1ns, 0), 10u);
}

// spec: V1
TEST(permit_restart, counts_time_in_64_bits) {
  const restart limits{.max_restarts = 1, .within = 10s};  // more than 2^32 ns
  restart_history past;
  EXPECT_TRUE(permit_restart(limits, past, 1 * s));
  // In 32 bits this would be past the window.
  EXPECT_FALSE(permit_restart(limits, past, 1 * s + 9 * s));
  // And this would be inside: it is 2^32 ns later.
  const restart brief{.max_restarts = 1, .within = 1s};
  past = {};
  EXPECT_TRUE(permit_restart(brief, past, 0));
  EXPECT_TRUE(permit_restart(brief, past, std::uint64_t{1} << 32U));
  EXPECT_TRUE(permit_restart(brief, past, std::numeric_limits<std::uint64_t>::max()));
}

// spec: V1
TEST(permit_restart, may_begin_its_window_when_the_clock_begins) {
  const restart limits{.max_restarts = 1, .within = 1s};
  restart_history past;
  EXPECT_TRUE(permit_restart(limits, past, 0));
  EXPECT_FALSE(permit_restart(limits, past, 0));
  EXPECT_FALSE(permit_restart(limits, past, 1 * s));
  EXPECT_TRUE(permit_restart(limits, past, 1 * s + 1));
}

// delay_of

// spec: V1
// case: SV-15
TEST(delay_of_a_restart, doubles_from_min_to_max) {
  const backoff how{.min = 10ms, .max = 50ms};
  const duration expected[] = {10ms, 20ms, 40ms, 50ms, 50ms};
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_TRUE(delay_of(how, i, 12345) == expected[i]) << i;
  EXPECT_TRUE(delay_of(how, std::numeric_limits<std::uint32_t>::max(), 1) == duration{50ms});
}

// spec: V1
TEST(delay_of_a_restart, is_always_min_without_max) {
  const backoff how{.min = 10ms};
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_TRUE(delay_of(how, i, 12345) == duration{10ms}) << i;
}

// spec: V1
TEST(delay_of_a_restart, is_nothing_without_back_off) {
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_TRUE(delay_of({}, i, 7 * i) == duration{});
}

// spec: V1
TEST(delay_of_a_restart, never_overflows) {
  const duration longest = std::chrono::nanoseconds{std::numeric_limits<std::int64_t>::max()};
  const backoff how{.min = 1ns, .max = longest, .jitter_percent = 100};
  duration before = {};
  for (std::uint32_t i = 0; i < 100; ++i) {
    const duration now = delay_of(how, i, 0);
    EXPECT_FALSE(now < before) << i;
    before = now;
  }
  EXPECT_TRUE(before == longest);
  EXPECT_TRUE(delay_of(how, 99, std::numeric_limits<std::uint64_t>::max()) == longest);
}

// spec: V1
// case: SV-15
TEST(delay_of_a_restart, with_jitter_stays_within_its_bounds_and_uses_them) {
  const backoff how{.min = 10ms, .max = 50ms, .jitter_percent = 20};
  const duration exact[] = {10ms, 20ms, 40ms, 50ms, 50ms};
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    std::int64_t longest = 0;
    for (std::uint64_t chance = 0; chance < 10'000; ++chance) {
      const std::int64_t drawn = delay_of(how, i, chance * 0x9E37'79B9'7F4A'7C15U).nanoseconds();
      shortest = drawn < shortest ? drawn : shortest;
      longest = drawn > longest ? drawn : longest;
    }
    const std::int64_t base = exact[i].nanoseconds();
    EXPECT_GE(shortest, base);
    EXPECT_LE(longest, base + base / 5);
    EXPECT_LT(shortest, base + base / 50);
    EXPECT_GT(longest, base + base / 5 - base / 50);
  }
}

// judge

verdict judged(const supervision& how, restart_history& past, std::uint64_t now_ns) {
  failure why{"any"};
  return judge(how, past, why, now_ns, 0);
}

// spec: V1
// case: SV-15
TEST(judge, lengthens_the_delay_of_failures_in_a_row_and_forgets_them_after_a_quiet_period) {
  const supervision how = restart{.delay = {.min = 10ms, .max = 50ms, .reset_after = 1s}};
  restart_history past;
  std::uint64_t now = 5 * s;
  const duration expected[] = {10ms, 20ms, 40ms, 50ms, 50ms};
  for (const duration each : expected) {
    const verdict said = judged(how, past, now);
    EXPECT_TRUE(said.what == directive::restart);
    EXPECT_TRUE(said.delay == each);
    // The quiet period begins when it is restarted, not when it failed.
    now += static_cast<std::uint64_t>(said.delay.nanoseconds()) + 1 * s - 1;
  }
  now += 1;
  EXPECT_TRUE(judged(how, past, now).delay == duration{10ms});
  EXPECT_EQ(past.restarts, 6u);
}

// spec: V1
TEST(judge, delays_an_actor_that_fails_to_start_twice_if_no_delay_is_given) {
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume}}) {
    restart_history past;
    failure why{"any"};
    std::uint64_t now = 5 * s;
    const duration expected[] = {0ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 640ms, 1s, 1s};
    for (const duration each : expected) {
      const verdict said = judge(how, past, why, now, 0, failed_in::start);
      EXPECT_TRUE(said.delay == each);
      now += static_cast<std::uint64_t>(said.delay.nanoseconds());
    }
    // It has started, and fails in a message.
    EXPECT_TRUE(judge(how, past, why, now, 0, failed_in::message).delay == duration{});
  }
  // A delay that is given applies to all failures.
  const supervision own = restart{.delay = {.min = 5ms}};
  restart_history past;
  failure why{"any"};
  EXPECT_TRUE(judge(own, past, why, 5 * s, 0, failed_in::start).delay == duration{5ms});
}

// spec: V1
TEST(judge, takes_the_longest_delay_for_the_quiet_period_if_none_is_given) {
  const supervision how = restart{.delay = {.min = 10ms, .max = 50ms}};
  restart_history past;
  EXPECT_TRUE(judged(how, past, 1 * s).delay == duration{10ms});
  EXPECT_TRUE(judged(how, past, 1 * s + 59 * ms).delay == duration{20ms});
  // Restarted at 1 s + 79 ms.
  EXPECT_TRUE(judged(how, past, 1 * s + 129 * ms).delay == duration{10ms});
}

// spec: V1
// case: SV-20
TEST(judge, stops_with_a_remark_when_the_limit_is_used_up) {
  const supervision how = restart{.max_restarts = 10};
  restart_history past;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const verdict said = judged(how, past, i * s);
    EXPECT_TRUE(said.what == directive::restart);
    EXPECT_TRUE(said.remark == nullptr);
    EXPECT_EQ(past.restarts, i + 1);
  }
  const verdict last = judged(how, past, 11 * s);
  EXPECT_TRUE(last.what == directive::stop);
  ASSERT_TRUE(last.remark != nullptr);
  EXPECT_TRUE(std::string_view{last.remark}.ends_with("than max_restarts allows"));
  EXPECT_EQ(past.restarts, 10u);
}

// spec: V1
TEST(judge, passes_on_what_is_said_about_siblings_and_children) {
  restart_history past;
  const verdict all =
      judged(restart{.scope = failure_scope::all_for_one, .keep_children = true}, past, 1 * s);
  EXPECT_TRUE(all.scope == failure_scope::all_for_one);
  EXPECT_TRUE(all.keep_children);
  const verdict one = judged(directive::resume, past, 1 * s);
  EXPECT_TRUE(one.what == directive::resume);
  EXPECT_TRUE(one.scope == failure_scope::one_for_one);
  EXPECT_FALSE(one.keep_children);
}

// spec: V1
TEST(judge, resumes_only_the_actor_that_failed) {
  restart_history past;
  const supervision all{directive::resume, failure_scope::all_for_one};
  EXPECT_TRUE(judged(all, past, 1 * s).scope == failure_scope::one_for_one);
  const supervision none{directive::stop, failure_scope::all_for_one};
  EXPECT_TRUE(judged(none, past, 1 * s).scope == failure_scope::all_for_one);
}

// spec: V1
TEST(judge, counts_restarts_with_siblings_under_all_for_one) {
  const supervision together =
      restart{.max_restarts = 2, .within = 1min, .scope = failure_scope::all_for_one};
  restart_history past;
  count_with_sibling(together, past, 1 * s);
  EXPECT_TRUE(judged(together, past, 2 * s).what == directive::restart);
  EXPECT_EQ(past.restarts, 2u);
  EXPECT_TRUE(judged(together, past, 3 * s).what == directive::stop);
  EXPECT_TRUE(judged(together, past, 62 * s).what == directive::restart);  // the window is over

  // With one_for_one, restarts with siblings do not count.
  const supervision alone = restart{.max_restarts = 1};
  restart_history own;
  count_with_sibling(alone, own, 1 * s);
  count_with_sibling(alone, own, 2 * s);
  EXPECT_EQ(own.restarts, 2u);
  EXPECT_TRUE(judged(alone, own, 3 * s).what == directive::restart);
  EXPECT_TRUE(judged(alone, own, 4 * s).what == directive::stop);
}

bool by_code(const failure& why, decision& said, failure& /*why_not*/) noexcept {
  said = static_cast<directive>(why.code());
  return true;
}

// spec: V1
// case: SV-19
TEST(judge, asks_the_decider_about_each_kind_of_failure) {
  const supervision how{by_code, restart{.max_restarts = 1}};
  restart_history past;
  const auto said = [&](directive wanted) {
    failure why{"kind", static_cast<std::int32_t>(wanted)};
    return judge(how, past, why, 1 * s, 0).what;
  };
  EXPECT_TRUE(said(directive::stop) == directive::stop);
  EXPECT_TRUE(said(directive::resume) == directive::resume);
  EXPECT_TRUE(said(directive::escalate) == directive::escalate);
  EXPECT_EQ(past.restarts, 0u) << "only restarts count";
  EXPECT_TRUE(said(directive::restart) == directive::restart);
  EXPECT_TRUE(said(directive::resume) == directive::resume);
  EXPECT_TRUE(said(directive::restart) == directive::stop) << "its limit is 1";
}

constexpr supervision patient = restart{.max_restarts = 2, .delay = {.min = 10ms, .max = 10ms}};
bool delegates(const failure& why, decision& said, failure& /*why_not*/) noexcept {
  said = why.code() == 7 ? decision{patient} : decision{directive::resume};
  return true;
}

// spec: V1
// case: SV-19
TEST(judge, lets_another_strategy_decide_with_limits_of_its_own) {
  const supervision how{delegates, restart{.max_restarts = 0}};
  restart_history past;
  failure seven{"seven", 7};
  failure other{"other"};
  EXPECT_TRUE(judge(how, past, other, 1 * s, 0).what == directive::resume);
  const verdict said = judge(how, past, seven, 1 * s, 0);
  EXPECT_TRUE(said.what == directive::restart);
  EXPECT_TRUE(said.delay == duration{10ms});
  EXPECT_TRUE(judge(how, past, seven, 1 * s, 0).what == directive::restart);
  EXPECT_TRUE(judge(how, past, seven, 1 * s, 0).what == directive::stop);
}

int asked = 0;
bool to_itself(const failure& why, decision& said, failure& why_not) noexcept;
constexpr supervision circular{to_itself, {}};
bool to_itself(const failure& /*why*/, decision& said, failure& /*why_not*/) noexcept {
  ++asked;
  said = decision{circular};
  return true;
}

// spec: V1
TEST(judge, escalates_with_advice_when_strategies_delegate_in_a_cycle) {
  asked = 0;
  restart_history past;
  const verdict said = judged(circular, past, 1 * s);
  EXPECT_TRUE(said.what == directive::escalate);
  ASSERT_TRUE(said.remark != nullptr);
  EXPECT_TRUE(std::string_view{said.remark}.starts_with("the strategies delegate"));
  EXPECT_LT(asked, 100);
  EXPECT_EQ(past.restarts, 0u);
}

bool fails(const failure& why, decision& said, failure& why_not) noexcept {
  said = directive::resume;  // does not count
  why_not = failure{"the decider", why.code() + 1};
  return false;
}

// spec: V1
TEST(judge, escalates_the_failure_of_a_decider_instead_of_the_actors_failure) {
  const supervision how{fails, {}};
  restart_history past;
  failure why{"the actor", 4};
  const verdict said = judge(how, past, why, 1 * s, 0);
  EXPECT_TRUE(said.what == directive::escalate);
  EXPECT_TRUE(said.remark != nullptr);
  EXPECT_EQ(why.text(), std::string_view{"the decider"});
  EXPECT_EQ(why.code(), 5);
}

}  // namespace
}  // namespace tactor
