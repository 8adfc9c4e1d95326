// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>

namespace tactor::inline v0 {

namespace panics {
inline constexpr port::panic_code timer_wheel_slots{
    .module = 3,
    .id = 1,
    .advice = "a timer wheel needs a power of two of slots, at least 2, and a bit for each"};
inline constexpr port::panic_code timer_scheduled_twice{
    .module = 3,
    .id = 2,
    .advice = "a timer entry is inserted while a wheel holds it: cancel it first"};
}  // namespace panics

/// The timers of one tick, newest first.
using timer_slot = internal::intrusive_list<timer_entry>;

/// Says why an entry is refused: it is beyond the wheel and the overflow is full.
enum class insert_error : std::uint8_t { overflow_full };

/// Timers by deadline, exact to the tick: a wheel of slots for near ones, a heap for far ones.
///
/// It has no clock and no callbacks: `now` is an argument, due entries are returned one by one, and
/// `next_deadline` says when to call again. Entries may be inserted and cancelled between calls.
///
/// Insert, cancel and expiry are O(1) for deadlines at most `slots` ticks ahead, O(log n) beyond.
/// Time passing costs O(deadlines passed), not O(ticks).
///
/// Context: owner only; not thread-safe. Storage outlives the wheel, entries their time in it.
///
/// inv 1  `position_` is the last tick whose entries have been taken out; all others have a later
///        deadline. Entries taken out and not yet returned are in `due_`; their deadline is
///        `position_`.
/// inv 2  A slot holds entries of one deadline only, at most `slots` ticks after `position_`; its
///        bit in `occupied_` says whether there are any.
/// inv 3  Entries of one deadline fire in the order of their insertion.
///
/// Within a slot (inv 3), the newest entry is the first of the list, so that an insert changes one
/// other entry, and the last one fires first. A deadline is first out of range, then in range, so
/// all entries that went through the overflow were inserted before all that went directly into the
/// slot, and the overflow returns its entries in order. An entry from the overflow is therefore
/// placed before the last entry that came that way, `last_moved_`, and behind the rest.
class timer_wheel {
public:
  /// Memory for a wheel; see `static_timing_storage`. `occupied` has a bit for each slot. All-zero
  /// is the valid start.
  struct storage {
    std::span<timer_slot> slots;
    std::span<std::size_t> occupied;
    std::span<internal::overflow_item> overflow;
  };

  /// A wheel positioned at `start`: the first tick that can fire is the next one.
  /// Requires: `check(config)` holds. (The sizes come from `memory`; of `config` only the batch
  /// limit is used.)
  timer_wheel(const storage& memory, tick start, const timing_config& config) noexcept;

  /// Schedules `fresh` for `deadline`, or for the next tick if that has passed. An entry out of
  /// range is refused only after every entry that has come into range was moved out of the
  /// overflow.
  /// Requires: `fresh` is in no wheel.
  [[nodiscard]] std::expected<void, insert_error> insert(timer_entry& fresh,
                                                         tick deadline) noexcept;

  /// Returns: whether `entry` was scheduled; it no longer is.
  bool cancel(timer_entry& entry) noexcept;

  /// Removes the entry of `rank` that was added last to the overflow, to free capacity.
  /// Returns: the entry, or null if there is none.
  timer_entry* evict_newest(std::size_t rank) noexcept;

  /// Removes and returns the next entry due at or before `now`, by deadline, then by insertion.
  /// Call until it returns null. Time does not go back: with an earlier `now` than before it
  /// returns only entries already due.
  [[nodiscard]] timer_entry* pop_due(tick now) noexcept;

  /// Advances the position without taking out due entries, and moves entries that came into range
  /// into the wheel. Useful before a batch of inserts after a long sleep: near and far are relative
  /// to the wheel's position.
  void catch_up(tick now) noexcept;

  /// Moves every entry in range out of the overflow, regardless of the batch limit.
  void bring_in() noexcept;

  /// The earliest deadline, in the past if an entry is due; nothing if no entry is scheduled.
  [[nodiscard]] std::optional<tick> next_deadline() const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t overflow_size() const noexcept { return overflow_.size(); }
  /// The number of entries of one rank in the overflow.
  [[nodiscard]] std::size_t overflow_size(std::size_t rank) const noexcept {
    return overflow_.size(rank);
  }
  [[nodiscard]] tick position() const noexcept { return position_; }
  /// Calls `show(entry)` for each entry of a slot, the newest first.
  template <class Show>
  void for_each_in(std::size_t slot, Show show) const {
    const timer_entry* each = slots_[slot].front();
    for (; each != nullptr; each = slots_[slot].next(*each))
      show(*each);
  }
  /// The slots, for drawings and dumps.
  [[nodiscard]] std::span<const timer_slot> slots() const noexcept { return slots_; }

private:
  [[nodiscard]] bool in_range(tick deadline) const noexcept;
  [[nodiscard]] std::size_t slot_of(tick deadline) const noexcept;
  [[nodiscard]] tick tick_after_position() const noexcept { return {position_.count + 1}; }
  [[nodiscard]] std::size_t next_occupied() const noexcept;
  void mark_occupied(std::size_t slot) noexcept;
  void mark_empty(std::size_t slot) noexcept;
  std::expected<void, insert_error> insert_far(timer_entry& fresh, tick due) noexcept;
  void open(tick next) noexcept;
  void move_position(tick to) noexcept;
  void move_in(std::uint64_t at_most) noexcept;
  void move_one_in() noexcept;

  std::span<timer_slot> slots_;
  std::span<std::size_t> occupied_;
  internal::overflow_queue overflow_;
  tick position_;
  timer_slot due_;
  timer_entry* last_moved_ = nullptr;  // of the deadline `moving_`; null: none is in its slot
  tick moving_;
  std::size_t size_ = 0;
  std::size_t batch_limit_;
};

/// Memory for a timer wheel of static size; all zero, so a static one is in `.bss`.
template <std::size_t Slots, std::size_t Overflow>
  requires(Slots >= 2 && std::has_single_bit(Slots))
class static_timing_storage {
public:
  /// The storage, for the constructor of one wheel. Requires: outlives the wheel.
  [[nodiscard]] constexpr timer_wheel::storage view() noexcept {
    return {.slots = slots_, .occupied = occupied_, .overflow = overflow_};
  }

private:
  static constexpr std::size_t word_bits = std::numeric_limits<std::size_t>::digits;

  std::array<timer_slot, Slots> slots_{};
  std::array<std::size_t, (Slots + word_bits - 1) / word_bits> occupied_{};
  std::array<internal::overflow_item, Overflow> overflow_{};
};

}  // namespace tactor::inline v0
