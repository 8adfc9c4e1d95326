// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/timing/timer_wheel.hpp"

#include "tactor/base/assert.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace {

constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

// `tick::max()` is never reached, so that a next tick always exists: a deadline there never comes.
constexpr tick end_of_time{tick::max().count - 1};

}  // namespace

// Inline, in the few functions that call them: a call takes more on a small processor.

inline std::size_t timer_wheel::slot_of(tick deadline) const noexcept {
  return static_cast<std::size_t>(deadline.count) & (slots_.size() - 1);
}

inline bool timer_wheel::in_range(tick deadline) const noexcept {
  return ticks_between(position_, deadline) <= slots_.size();
}

inline void timer_wheel::mark_occupied(std::size_t slot) noexcept {
  occupied_[slot / word_bits] |= std::size_t{1} << slot % word_bits;
}

inline void timer_wheel::mark_empty(std::size_t slot) noexcept {
  occupied_[slot / word_bits] &= ~(std::size_t{1} << slot % word_bits);
}

/// The first occupied slot, or the number of slots if there is none: scans the bitmap once around,
/// from the slot after `position_`.
inline std::size_t timer_wheel::next_occupied() const noexcept {
  const std::size_t start = slot_of(tick_after_position());
  const std::size_t words = (slots_.size() + word_bits - 1) / word_bits;
  std::size_t index = start / word_bits;
  std::size_t bits = occupied_[index] & ~std::size_t{0} << start % word_bits;
  // The bits before the start come last: then all of that word is looked at, and its other bits are
  // 0.
  for (std::size_t step = 0; bits == 0; bits = occupied_[index]) {
    if (step++ == words) return slots_.size();
    index = (index + 1) & (words - 1);  // a power of two, as the slots
  }
  return index * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
}

timer_wheel::timer_wheel(const storage& memory, tick start, const timing_config& config) noexcept
    : slots_(memory.slots),
      occupied_(memory.occupied),
      overflow_(memory.overflow),
      position_(std::min(start, end_of_time)),
      moving_(position_),
      batch_limit_(config.batch_limit) {
  const bool sound = slots_.size() >= 2 && std::has_single_bit(slots_.size()) &&
                     occupied_.size() * word_bits >= slots_.size();
  TACTOR_ASSERT(sound, panics::timer_wheel_slots);
}

std::expected<void, insert_error> timer_wheel::insert(timer_entry& fresh, tick deadline) noexcept {
  TACTOR_ASSERT(!fresh.scheduled(), panics::timer_scheduled_twice);
  const tick due = deadline.count > position_.count ? deadline : tick_after_position();
  if (due.count - position_.count > slots_.size()) return insert_far(fresh, due);
  const std::size_t place = slot_of(due);
  timer_slot& slot = slots_[place];
  if (slot.empty()) mark_occupied(place);
  fresh.set_deadline(due);
  fresh.place_.set(timer_entry::place::wheel);
  slot.push_front(fresh);
  ++size_;
  return {};
}

/// Separate, so that the near path does not pay for the registers needed here: 5.5 against 3.4 ns.
[[gnu::noinline]] std::expected<void, insert_error> timer_wheel::insert_far(timer_entry& fresh,
                                                                            tick due) noexcept {
  if (overflow_.full()) move_in(std::numeric_limits<std::uint64_t>::max());
  if (overflow_.full()) return std::unexpected{insert_error::overflow_full};
  overflow_.push(fresh, due);
  ++size_;
  return {};
}

bool timer_wheel::cancel(timer_entry& entry) noexcept {
  if (!entry.scheduled()) return false;
  --size_;
  if (entry.place_.get() == timer_entry::place::overflow) {
    overflow_.erase(entry);
    return true;
  }
  entry.place_.set(timer_entry::place::nowhere);
  if (entry.deadline() == position_) {  // inv 1
    due_.erase(entry);
    return true;
  }
  const std::size_t slot = slot_of(entry.deadline());
  if (&entry == last_moved_) last_moved_ = slots_[slot].next(entry);
  slots_[slot].erase(entry);
  if (slots_[slot].empty()) mark_empty(slot);
  return true;
}

timer_entry* timer_wheel::evict_newest(std::size_t rank) noexcept {
  timer_entry* const newest = overflow_.newest(rank);
  if (newest != nullptr) cancel(*newest);
  return newest;
}

timer_entry* timer_wheel::pop_due(tick now) noexcept {
  now = std::min(now, end_of_time);
  if (due_.empty()) {
    const std::optional<tick> next = next_deadline();
    if (!next || *next > now) {
      move_position(std::max(position_, now));
      return nullptr;
    }
    open(*next);
  }
  timer_entry& first = *due_.pop_back();
  first.place_.set(timer_entry::place::nowhere);
  --size_;
  return &first;
}

void timer_wheel::catch_up(tick now) noexcept {
  now = std::min(now, end_of_time);
  const std::optional<tick> next = next_deadline();
  const tick last_empty = next && *next <= now ? tick{next->count - 1} : now;
  if (due_.empty() && last_empty > position_) move_position(last_empty);
}

void timer_wheel::bring_in() noexcept {
  move_in(std::numeric_limits<std::uint64_t>::max());
}

std::optional<tick> timer_wheel::next_deadline() const noexcept {
  if (!due_.empty()) return position_;
  const std::size_t slot = next_occupied();
  if (slot == slots_.size())
    return overflow_.empty() ? std::nullopt : std::optional{overflow_.next_deadline()};
  const tick near = slots_[slot].front()->deadline();
  // Entries in range may still be in the overflow, so either may come first.
  const bool overflow_is_first = !overflow_.empty() && overflow_.next_deadline() < near;
  return overflow_is_first ? overflow_.next_deadline() : near;
}

/// Moves the entries of `next`, the earliest deadline, to `due_`. Requires: `due_` is empty.
void timer_wheel::open(tick next) noexcept {
  move_position(tick{next.count - 1});
  while (!overflow_.empty() && overflow_.next_deadline() == next)
    move_one_in();
  due_ = std::exchange(slots_[slot_of(next)], {});
  mark_empty(slot_of(next));
  move_position(next);
}

void timer_wheel::move_position(tick to) noexcept {
  const std::uint64_t passed = ticks_between(position_, to);
  position_ = to;
  std::uint64_t moves = 0;
  if (__builtin_mul_overflow(passed, batch_limit_, &moves)) moves = tick::max().count;
  move_in(moves);
}

/// Moves entries that have come into range out of the overflow, before they are due.
void timer_wheel::move_in(std::uint64_t at_most) noexcept {
  while (at_most > 0 && !overflow_.empty() && in_range(overflow_.next_deadline())) {
    move_one_in();
    --at_most;
  }
}

void timer_wheel::move_one_in() noexcept {
  timer_entry& first = overflow_.pop();
  if (first.deadline() != moving_) last_moved_ = nullptr;
  moving_ = first.deadline();
  const std::size_t slot = slot_of(moving_);
  first.place_.set(timer_entry::place::wheel);
  slots_[slot].insert_before(last_moved_, first);  // keeps inv 3
  last_moved_ = &first;
  mark_occupied(slot);
}

}  // namespace tactor::inline v0
