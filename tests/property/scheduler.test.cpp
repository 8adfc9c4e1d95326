// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler.hpp"

#include "property.hpp"  // IWYU pragma: keep
#include "scheduler_model.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace tactor::property {
namespace {

using action = scheduler_step::action;

template <class T>
T any_of(std::initializer_list<T> choices) {
  return *rc::gen::elementOf(std::vector<T>(choices));
}

std::uint64_t any_between(std::uint64_t first, std::uint64_t last) {
  return *rc::gen::inRange(first, last + 1);
}

// A delay in quarters of a tick: near, at the edge of the wheel, far, or none at all.
std::uint64_t any_delay() {
  switch (any_between(0, 5)) {
  case 0:
    return any_between(0, 8);
  case 1:
    return any_between(1, 32);
  case 2:
    return any_between(28, 40);
  default:
    return any_between(33, 120);
  }
}

void choose_schedule(scheduler_step& step) {
  step.amount = any_delay();
  step.mode = any_of({job_mode::once, job_mode::once, job_mode::fixed_rate, job_mode::fixed_delay});
  step.policy = any_of({missed::fold, missed::burst, missed::skip});
  step.priority = any_of({timer_priority::low, timer_priority::normal});
  step.period = any_of<std::uint64_t>({0, 1, 3, 4, 5, 10, 40, 50});
  step.backlog_limit = any_of<std::uint32_t>({1, 3, 0xFFFF'FFFF, 0xFFFF'FFFF});
  step.fails = any_between(0, 9) == 0;
  step.runs_at_end = step.mode == job_mode::once && any_between(0, 3) == 0;
  step.has_hook = any_between(0, 3) == 0;
}

scheduler_step any_step(const scheduler_model& model) {
  scheduler_step step;
  step.what = any_of({action::schedule, action::schedule, action::schedule, action::schedule,
                      action::schedule, action::cancel, action::cancel, action::drop,
                      action::advance, action::advance, action::jump, action::poll, action::run_one,
                      action::run_one, action::run_all});
  if (any_between(0, 99) == 0) step.what = action::close;
  if (step.what == action::schedule) choose_schedule(step);
  if (step.what == action::advance || step.what == action::jump) {
    step.amount = any_of({any_between(0, 4), any_between(0, 40), any_between(30, 200)});
  }
  if (model.jobs() > 0) step.job = static_cast<std::size_t>(any_between(0, model.jobs() - 1));
  return step;
}

class step_command final : public rc::state::Command<scheduler_model, scheduler_subject> {
public:
  explicit step_command(const scheduler_model& model)
      : step_(any_step(model)), asks_(any_of({asking::no, asking::yes})) {}

  void checkPreconditions(const scheduler_model& model) const override {
    RC_PRE(model.allows(step_));
  }
  void apply(scheduler_model& model) const override { (void)model.perform(step_, asks_); }
  void run(const scheduler_model& before, scheduler_subject& subject) const override {
    scheduler_model model = before;
    RC_ASSERT(perform_on_both(step_, asks_, model, subject) == std::string{});
  }
  void show(std::ostream& out) const override { out << step_; }

private:
  scheduler_step step_;
  asking asks_;
};

// After every step of any history scheduler and model are equal; nothing is left at the end.
void is_as_the_model(const scheduler_shape& shape) {
  RC_LOG() << shape << '\n';
  const scheduler_model model{shape};
  scheduler_subject subject{shape};
  const auto history = *rc::gen::scale(
      3.0, rc::state::gen::commands(model, rc::state::gen::execOneOfWithArgs<step_command>()));
  rc::state::runAll(history, model, subject);
  RC_ASSERT(subject.complaint_at_the_end() == std::string{});
}

// spec: S1a S3 S4 S6 S7 S9 S11 S12 S13 X4
RC_GTEST_PROP(scheduler_property, a_scheduler_with_ample_capacity_does_what_the_model_does, ()) {
  is_as_the_model({.quota = 20, .overflow = 64});
}

// spec: S9 S13
RC_GTEST_PROP(scheduler_property, a_scheduler_with_a_small_quota_does_what_the_model_does, ()) {
  is_as_the_model({.quota = any_of<std::size_t>({1, 3, 6}), .overflow = 64});
}

// spec: S10 S13
RC_GTEST_PROP(scheduler_property, a_scheduler_with_a_small_overflow_does_what_the_model_does, ()) {
  is_as_the_model({.quota = 20,
                   .overflow = any_of<std::size_t>({0, 1, 2, 4}),
                   .batch_limit = any_of<std::size_t>({0, 1, 100})});
}

}  // namespace
}  // namespace tactor::property
