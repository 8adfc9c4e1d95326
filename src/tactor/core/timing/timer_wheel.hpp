// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>

namespace tactor::inline v0 {

namespace panics {
inline constexpr port::panic_code timing_wheel_slots{
    .module = 3,
    .id = 1,
    .advice = "a timing wheel needs a power of two of slots, at least 2, and a bit for each"};
inline constexpr port::panic_code timer_scheduled_twice{
    .module = 3,
    .id = 2,
    .advice = "a timer entry is inserted while a wheel holds it: cancel it first"};
}  // namespace panics

/// The timers of one tick.
using timer_slot = internal::intrusive_list<timer_entry>;

/// Why an entry is refused: it is beyond the wheel and the overflow holds as many as it can.
enum class insert_error : std::uint8_t { overflow_full };

/// Timers by deadline, exact to the tick: a wheel of slots for near ones, a heap for far ones.
///
/// It has no clock and calls nobody: `now` is an argument, what is due is handed out one by one,
/// and `next_deadline` says when to come back. Between two hand-outs anything may be inserted or
/// cancelled.
///
/// Insert, cancel and expiry are O(1) for deadlines at most `slots` ticks ahead, O(log n) beyond.
/// Time passing costs O(deadlines passed), not O(ticks).
///
/// Context: owner only; not thread-safe. Entries and room must outlive their stay.
///
/// inv 1  `position_` is the last tick whose entries have been taken out; all others have a later
///        deadline. Those taken out and not yet handed out are in `due_`.
/// inv 2  A slot holds entries of one deadline only, at most `slots` ticks after `position_`; its
///        bit in `occupied_` says whether there are any.
/// inv 3  Entries of one deadline fire in the order of their insertion. For the wheel: a slot is in
///        order. Across: a deadline is first out of range, then in range, so all that went through
///        the overflow came before all that went straight into the slot, and those of the overflow
///        leave it in order. So an entry from the overflow goes behind the last one that came that
///        way, `last_moved_`, and ahead of the rest.
class timer_wheel {
public:
  /// Memory for a wheel; see `static_timing_storage`. `occupied` has a bit for each slot. All-zero is
  /// the valid start.
  struct room {
    std::span<timer_slot> slots;
    std::span<std::size_t> occupied;
    std::span<internal::overflow_item> overflow;
  };

  /// A wheel that stands at `start`: the first tick that can fire is the one after.
  /// Requires: `check(config)` holds. (The sizes are the room's; of `config` the threshold and the
  /// batch limit are used.)
  timer_wheel(room memory, tick start, const timing_config& config) noexcept;

  /// Schedules `fresh` for `deadline`, or for the next tick if that has passed. An entry out of
  /// range is refused only after everything that has come into range was moved out of the overflow.
  /// Requires: no wheel holds `fresh`.
  [[nodiscard]] std::expected<void, insert_error> insert(timer_entry& fresh,
                                                         tick deadline) noexcept;

  /// Returns: true if `entry` was scheduled and now is not; false if it was not.
  bool cancel(timer_entry& entry) noexcept;

  /// Takes the entry of `rank` that came last out of the overflow, to make room. Returns: it, or
  /// null if none is there.
  timer_entry* evict_newest(std::size_t rank) noexcept;

  /// Hands out the next entry that is due at or before `now`, by deadline, then by order of
  /// insertion. Call until it returns null. Time does not go back: an earlier `now` than before
  /// hands out what is already due.
  [[nodiscard]] timer_entry* pop_due(tick now) noexcept;

  /// Tells the wheel that time has passed without taking out what is due; brings what came into
  /// range into the wheel. Worth a call before a batch of inserts after a long sleep: deadlines are
  /// near or far from the wheel's position.
  void catch_up(tick now) noexcept;

  /// Moves everything that has come into range out of the overflow, whatever the batch limit says:
  /// to make room.
  void bring_in() noexcept;

  /// The earliest deadline, exactly; nothing if no entry is scheduled. A past one if something is
  /// due.
  [[nodiscard]] std::optional<tick> next_deadline() const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t overflow_size() const noexcept { return overflow_.size(); }
  /// Of one rank.
  [[nodiscard]] std::size_t overflow_size(std::size_t rank) const noexcept {
    return overflow_.size(rank);
  }
  [[nodiscard]] tick position() const noexcept { return position_; }
  /// Whether the overflow is filled to its warning threshold.
  [[nodiscard]] bool near_capacity() const noexcept { return overflow_.size() >= warning_size_; }
  /// The slots, for whoever draws or dumps them.
  [[nodiscard]] std::span<const timer_slot> slots() const noexcept { return slots_; }

private:
  [[nodiscard]] bool in_range(tick deadline) const noexcept;
  [[nodiscard]] std::size_t slot_of(tick deadline) const noexcept;
  [[nodiscard]] std::optional<tick> next_in_wheel() const noexcept;
  [[nodiscard]] timer_slot& list_of(const timer_entry& entry) noexcept;
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
  std::size_t warning_size_;
  std::size_t batch_limit_;
};

}  // namespace tactor::inline v0
