// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/tick.hpp"

#include "property.hpp"  // IWYU pragma: keep
#include "timer_wheel_model.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tactor::property {
namespace {

using action = wheel_step::action;

template <class T>
T any_of(std::initializer_list<T> choices) {
  return *rc::gen::elementOf(std::vector<T>(choices));
}

std::uint64_t any_between(std::uint64_t first, std::uint64_t last) {
  return *rc::gen::inRange(first, last + 1);
}

// An instant like a user of the wheel might choose: near, at an edge, far, past, or that of an
// existing timer.
tick any_deadline(const wheel_model& model) {
  const std::uint64_t slots = model.shape().slots;
  switch (any_between(0, 9)) {
  case 0:
  case 1:
  case 2:
    return later_by(model.position(), any_between(1, std::min<std::uint64_t>(slots, 6)));
  case 3:
    return later_by(model.position(), any_between(1, slots));
  case 4:
    return later_by(model.position(), any_between(slots - 1, slots + 2));
  case 5:
    return later_by(model.position(), slots * any_between(1, 4) + any_between(0, 2));
  case 6:
    return later_by(model.position(), any_between(slots + 1, 6 * slots));
  case 7: {
    const auto shared = model.deadline(any_between(0, model.shape().timers - 1));
    return shared.value_or(model.position());
  }
  case 8:
    return tick{model.position().count - std::min(model.position().count, any_between(0, 5))};
  default:
    return any_of({later_by(model.position(), 0x7FFF'FFFF), tick{}, tick::max(),
                   tick{tick::max().count - 1}, later_by(model.position(), 1ull << 35)});
  }
}

// A time to poll: now, a little later, near the next deadline, a turn or more later, or earlier.
tick any_now(const wheel_model& model) {
  const std::uint64_t slots = model.shape().slots;
  const tick next = model.next_deadline().value_or(model.position());
  switch (any_between(0, 9)) {
  case 0:
  case 1:
  case 2:
    return later_by(model.position(), any_between(0, 3));
  case 3:
  case 4:
    return next;
  case 5:
    return tick{std::max(next.count, std::uint64_t{1}) - 1};
  case 6:
    return later_by(next, any_between(1, 3));
  case 7:
    return later_by(model.position(), any_between(slots - 1, 2 * slots + 1));
  case 8:
    return tick{model.position().count / any_between(1, 2)};
  default:
    return later_by(model.position(), any_of<std::uint64_t>({8 * slots, 1'000'000, 1ull << 33}));
  }
}

wheel_step any_step(const wheel_model& model) {
  wheel_step step;
  step.what = any_of({action::insert, action::insert, action::insert, action::cancel,
                      action::pop_one, action::pop_one, action::pop_all, action::catch_up});
  step.timer = any_between(0, model.shape().timers - 1);
  step.when = step.what == action::insert ? any_deadline(model) : any_now(model);
  return step;
}

class step_command final : public rc::state::Command<wheel_model, wheel_subject> {
public:
  explicit step_command(const wheel_model& model) : step_(any_step(model)) {}

  void checkPreconditions(const wheel_model& model) const override {
    RC_PRE(allowed(step_, model));
  }
  void apply(wheel_model& model) const override { perform(step_, model); }
  void run(const wheel_model& before, wheel_subject& subject) const override {
    wheel_model model = before;
    RC_ASSERT(perform_on_both(step_, model, subject) == std::string{});
  }
  void show(std::ostream& out) const override { out << step_; }

private:
  wheel_step step_;
};

wheel_shape any_shape(std::size_t slots) {
  constexpr std::uint64_t end = tick::max().count;
  wheel_shape shape;
  shape.slots = slots;
  shape.overflow = any_of<std::size_t>({0, 1, 3, 8, 64});
  shape.batch_limit = any_of<std::size_t>({0, 1, 100});
  shape.start = tick{any_of<std::uint64_t>({0, 1, (1ull << 32) - 5, (1ull << 63) - 3, end - 20})};
  return shape;
}

// After every step of any history of inserts, cancels and polls, wheel and model are equal.
void is_as_the_model(const wheel_shape& shape) {
  RC_LOG() << shape << '\n';
  const wheel_model model{shape};
  wheel_subject subject{shape};
  const auto history = *rc::gen::scale(
      4.0, rc::state::gen::commands(model, rc::state::gen::execOneOfWithArgs<step_command>()));
  rc::state::runAll(history, model, subject);
}

// spec: T2 T3 T4 T5 T8
RC_GTEST_PROP(timer_wheel_property, a_wheel_of_2_slots_does_what_the_model_does, ()) {
  is_as_the_model(any_shape(2));
}

// spec: T2 T3 T4 T5 T8
RC_GTEST_PROP(timer_wheel_property, a_wheel_of_8_slots_does_what_the_model_does, ()) {
  is_as_the_model(any_shape(8));
}

// spec: T2 T3 T4 T5 T8
RC_GTEST_PROP(timer_wheel_property, a_wheel_of_512_slots_does_what_the_model_does, ()) {
  is_as_the_model(any_shape(512));
}

// spec: T2 T3 T4 T5 T8
RC_GTEST_PROP(timer_wheel_property, a_wheel_as_large_as_a_word_does_what_the_model_does, ()) {
  is_as_the_model(any_shape(any_of<std::size_t>({32, 64, 128})));
}

// Polls while a thousand timers come and go on few deadlines: long chains, many ties.
// spec: T3
RC_GTEST_PROP(timer_wheel_property, ties_stay_in_order_through_overflow_and_wheel, ()) {
  wheel_shape shape = any_shape(any_of<std::size_t>({2, 4, 8}));
  shape.overflow = 64;
  shape.timers = 64;
  shape.start = tick{1000};
  wheel_model model{shape};
  wheel_subject subject{shape};
  const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
  std::mt19937_64 random{seed};

  for (int round = 0; round < 200; ++round) {
    wheel_step step;
    step.timer = random() % shape.timers;
    // All on three deadlines, one of them a turn or two ahead, so that each is reached both ways.
    step.when = tick{(model.position().count / 16 + 1) * 16 + random() % 3};
    step.what = model.scheduled(step.timer) ? action::cancel : action::insert;
    if (random() % 8 == 0) {
      step.what = random() % 2 == 0 ? action::pop_one : action::pop_all;
      step.when = later_by(model.position(), random() % 4);
    }
    RC_ASSERT(perform_on_both(step, model, subject) == std::string{});
  }
}

// spec: T3 T4
// case: SO-10
TEST(timer_wheel_property, ten_thousand_random_delays_fire_by_deadline_then_by_order_of_issue) {
  constexpr std::size_t timers = 10'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::size_t slots : {2u, 8u, 512u}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", slots " + std::to_string(slots));
      wheel_subject subject{{.slots = slots, .overflow = timers, .start = {}, .timers = timers}};
      std::mt19937_64 random{seed};
      std::multimap<std::uint64_t, std::size_t> expected;
      for (std::size_t timer = 0; timer < timers; ++timer) {
        const std::uint64_t deadline = 1 + random() % 4096;
        ASSERT_TRUE(subject.insert(timer, tick{deadline}));
        expected.insert({deadline, timer});
      }

      auto next = expected.begin();
      for (std::uint64_t now = 0; now <= 4096; now += 1 + random() % 5) {
        while (const auto timer = subject.pop_due(tick{now})) {
          ASSERT_NE(next, expected.end());
          ASSERT_EQ(*timer, next->second);
          ASSERT_LE(next->first, now);
          ++next;
        }
        ASSERT_TRUE(next == expected.end() || next->first > now);  // and nothing is left behind
      }
      while (const auto timer = subject.pop_due(tick{4096}))
        ASSERT_EQ(*timer, next++->second);
      ASSERT_EQ(next, expected.end());
    }
  }
}

}  // namespace
}  // namespace tactor::property
