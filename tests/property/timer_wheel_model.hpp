// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

/// The timer wheel next to a naive model of it; shared by the property tests and the fuzz target.
namespace tactor::property {

using namespace tactor::internal;

/// The sizes and limits of a wheel, and its start.
struct wheel_shape {
  std::size_t slots = 8;
  std::size_t overflow = 4;
  std::size_t batch_limit = 100;
  tick start;
  std::size_t timers = 24;  // how many entries there are to insert
};

/// One step of a history.
struct wheel_step {
  enum class action : std::uint8_t { insert, cancel, pop_one, pop_all, catch_up };
  action what = action::pop_one;
  std::size_t timer = 0;  // of insert and cancel
  tick when;              // the deadline of insert, `now` of the others
};

/// The specification of a wheel in its simplest form. `std::multimap` keeps equal keys in the order
/// of their insertion, which is T3.
///
/// Refusal is exact: a far timer is refused if and only if as many timers as the overflow holds are
/// out of range now. That follows from the contract (refused only after every entry in range was
/// moved out), so the model need not track where each entry is. It tracks that only for
/// `overflow_size` and the batch limit.
class wheel_model {
public:
  explicit wheel_model(const wheel_shape& shape) : shape_(shape), position_(shape.start) {}

  bool insert(std::size_t timer, tick deadline) {
    const tick due = std::max(deadline, later_by(position_, 1));
    const bool far = !in_range(due);
    if (far && overflow_size() == shape_.overflow) move_in(unlimited);
    if (far && out_of_range() == shape_.overflow) return false;
    timers_.insert({due, {.timer = timer, .in_overflow = far}});
    return true;
  }

  bool cancel(std::size_t timer) {
    const auto found = find(timer);
    if (found == timers_.end()) return false;
    timers_.erase(found);
    return true;
  }

  std::optional<std::size_t> pop_due(tick now) {
    now = std::max(std::min(now, last_tick), position_);
    if (timers_.empty() || timers_.begin()->first > now) {
      pass_to(now);
      return std::nullopt;
    }
    const auto first = timers_.begin();
    if (first->first > position_) open(first->first);
    const std::size_t timer = first->second.timer;
    timers_.erase(first);
    return timer;
  }

  void catch_up(tick now) {
    now = std::min(now, last_tick);
    if (!timers_.empty()) now = std::min(now, tick{timers_.begin()->first.count - 1});
    if (now > position_) pass_to(now);
  }

  [[nodiscard]] bool scheduled(std::size_t timer) const { return find(timer) != timers_.end(); }
  [[nodiscard]] std::optional<tick> deadline(std::size_t timer) const {
    const auto found = find(timer);
    return found == timers_.end() ? std::nullopt : std::optional{found->first};
  }
  [[nodiscard]] std::optional<tick> next_deadline() const {
    return timers_.empty() ? std::nullopt : std::optional{timers_.begin()->first};
  }
  [[nodiscard]] std::size_t size() const { return timers_.size(); }
  [[nodiscard]] tick position() const { return position_; }
  [[nodiscard]] std::size_t overflow_size() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(timers_, [](const auto& each) { return each.second.in_overflow; }));
  }
  [[nodiscard]] const wheel_shape& shape() const { return shape_; }

private:
  struct waiting {
    std::size_t timer;
    bool in_overflow;
  };
  using timers_by_deadline = std::multimap<tick, waiting>;

  // There always is a next tick: the very last tick never comes.
  static constexpr tick last_tick{std::numeric_limits<std::uint64_t>::max() - 1};
  static constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] bool in_range(tick deadline) const {
    return ticks_between(position_, deadline) <= shape_.slots;
  }
  [[nodiscard]] std::size_t out_of_range() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(timers_, [this](const auto& each) { return !in_range(each.first); }));
  }
  [[nodiscard]] timers_by_deadline::const_iterator find(std::size_t timer) const {
    return std::ranges::find_if(timers_,
                                [timer](const auto& each) { return each.second.timer == timer; });
  }

  // Entries due there leave the overflow, however many.
  void open(tick due) {
    pass_to(tick{due.count - 1});
    for (auto [each, end] = timers_.equal_range(due); each != end; ++each)
      each->second.in_overflow = false;
    pass_to(due);
  }
  void pass_to(tick now) {
    const std::uint64_t passed = ticks_between(position_, now);
    position_ = now;
    const bool too_many = shape_.batch_limit != 0 && passed > unlimited / shape_.batch_limit;
    move_in(too_many ? unlimited : passed * shape_.batch_limit);
  }
  void move_in(std::uint64_t at_most) {
    for (auto& [deadline, where] : timers_) {
      if (at_most == 0 || !in_range(deadline)) return;
      if (where.in_overflow) --at_most;
      where.in_overflow = false;
    }
  }

  wheel_shape shape_;
  tick position_;
  timers_by_deadline timers_;
};

/// The real wheel with its storage and entries, with the interface of the model.
class wheel_subject {
public:
  explicit wheel_subject(const wheel_shape& shape)
      : slots_(shape.slots),
        occupied_((shape.slots + word_bits - 1) / word_bits),
        overflow_(shape.overflow),
        entries_(shape.timers + 1),
        wheel_({.slots = slots_, .occupied = occupied_, .overflow = overflow_}, shape.start,
               {.batch_limit = shape.batch_limit}) {}

  bool insert(std::size_t timer, tick deadline) {
    return wheel_.insert(entries_[timer + 1], deadline).has_value();
  }
  bool cancel(std::size_t timer) { return wheel_.cancel(entries_[timer + 1]); }
  std::optional<std::size_t> pop_due(tick now) {
    const timer_entry* const due = wheel_.pop_due(now);
    if (due == nullptr) return std::nullopt;
    return static_cast<std::size_t>(due - entries_.data()) - 1;
  }
  void catch_up(tick now) { wheel_.catch_up(now); }

  [[nodiscard]] const timer_wheel& wheel() const { return wheel_; }
  [[nodiscard]] std::optional<tick> deadline(std::size_t timer) const {
    const timer_entry& entry = entries_[timer + 1];
    return entry.scheduled() ? std::optional{entry.deadline()} : std::nullopt;
  }

private:
  static constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

  std::vector<timer_slot> slots_;
  std::vector<std::size_t> occupied_;
  std::vector<overflow_item> overflow_;
  std::vector<timer_entry> entries_;  // the first is below the others, and not used
  timer_wheel wheel_;
};

/// Applies `step` to a model or a subject. Returns: what a caller can observe, the timers returned
/// or whether it worked.
template <class Wheel>
std::vector<std::size_t> perform(const wheel_step& step, Wheel& on) {
  std::vector<std::size_t> seen;
  switch (step.what) {
  case wheel_step::action::insert:
    seen.push_back(on.insert(step.timer, step.when) ? 1 : 0);
    break;
  case wheel_step::action::cancel:
    seen.push_back(on.cancel(step.timer) ? 1 : 0);
    break;
  case wheel_step::action::pop_one:
    if (const auto timer = on.pop_due(step.when)) seen.push_back(*timer);
    break;
  case wheel_step::action::pop_all:
    while (const auto timer = on.pop_due(step.when))
      seen.push_back(*timer);
    break;
  case wheel_step::action::catch_up:
    on.catch_up(step.when);
    break;
  }
  return seen;
}

/// Returns: true if the contract of the wheel allows `step`: no entry is inserted twice.
inline bool allowed(const wheel_step& step, const wheel_model& model) {
  return step.what != wheel_step::action::insert || !model.scheduled(step.timer);
}

inline std::string shown(const std::optional<tick>& when) {
  return when.has_value() ? std::to_string(when->count) : "never";
}

inline std::ostream& operator<<(std::ostream& out, const wheel_shape& shape) {
  return out << shape.slots << " slots, overflow " << shape.overflow << ", batch limit "
             << shape.batch_limit << ", start " << shape.start.count;
}

inline std::ostream& operator<<(std::ostream& out, const wheel_step& step) {
  constexpr const char* names[] = {"insert", "cancel", "pop_one", "pop_all", "catch_up"};
  out << names[static_cast<std::size_t>(step.what)];
  if (step.what <= wheel_step::action::cancel) out << " timer " << step.timer;
  if (step.what != wheel_step::action::cancel) out << " at " << step.when.count;
  return out;
}

/// Returns: true if every slot holds timers of one deadline only, at most a turn of the wheel
/// ahead.
inline bool slots_are_sound(const timer_wheel& wheel) {
  bool sound = true;
  for (std::size_t slot = 0; slot < wheel.slots().size(); ++slot) {
    wheel.for_each_in(slot, [&](const timer_entry& each) {
      const tick deadline = each.deadline();
      const std::uint64_t ahead = ticks_between(wheel.position(), deadline);
      sound = sound && deadline.count % wheel.slots().size() == slot && ahead > 0 &&
              ahead <= wheel.slots().size();
    });
  }
  return sound;
}

/// The current differences; empty if there are none.
inline std::string difference(const wheel_model& model, const wheel_subject& subject) {
  std::ostringstream out;
  const timer_wheel& wheel = subject.wheel();
  const auto compare = [&out](const char* what, const auto& expected, const auto& found) {
    if (expected != found) out << what << " is " << found << ", not " << expected << "; ";
  };
  if (model.next_deadline() != wheel.next_deadline()) {
    out << "next_deadline is " << shown(wheel.next_deadline()) << ", not "
        << shown(model.next_deadline()) << "; ";
  }
  compare("size", model.size(), wheel.size());
  compare("position", model.position().count, wheel.position().count);
  compare("overflow_size", model.overflow_size(), wheel.overflow_size());
  for (std::size_t timer = 0; timer < model.shape().timers; ++timer) {
    if (subject.deadline(timer) == model.deadline(timer)) continue;
    out << "timer " << timer << " is due " << shown(subject.deadline(timer)) << ", not "
        << shown(model.deadline(timer)) << "; ";
  }
  if (!slots_are_sound(wheel)) out << "a slot holds a timer that does not belong there";
  return out.str();
}

/// Applies `step` to both. Returns: the differences, if any.
inline std::string perform_on_both(const wheel_step& step, wheel_model& model,
                                   wheel_subject& subject) {
  const auto expected = perform(step, model);
  const auto found = perform(step, subject);
  std::ostringstream out;
  if (expected != found) {
    out << "'" << step << "' gave";
    for (const std::size_t each : found)
      out << ' ' << each;
    out << ", not";
    for (const std::size_t each : expected)
      out << ' ' << each;
    out << "; ";
  }
  return out.str() + difference(model, subject);
}

}  // namespace tactor::property
