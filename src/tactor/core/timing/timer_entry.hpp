// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
class overflow_queue;
}  // namespace internal

/// One timer in a timer wheel; derive from it or hold it as a member. All-zero is the valid state
/// of an entry that is not scheduled. Context: owner of the wheel only.
///
/// inv 1  The links of a scheduled entry are those of one list: of its slot, of the due entries, or
///        of its rank in the overflow. `place_` says which.
class timer_entry : public internal::intrusive_list_node<timer_entry> {
public:
  constexpr timer_entry() noexcept = default;
  timer_entry(const timer_entry&) = delete;
  timer_entry& operator=(const timer_entry&) = delete;
  ~timer_entry() = default;

  /// Returns true if it is in a wheel.
  [[nodiscard]] bool scheduled() const noexcept { return place_.get() != place::nowhere; }

  /// The deadline at which it is or was due, or the value given to `set_deadline`.
  [[nodiscard]] tick deadline() const noexcept { return deadline_.get(); }
  /// Stores a deadline for a later insert. Requires: not scheduled.
  void set_deadline(tick deadline) noexcept { deadline_.set(deadline); }

  /// The order of eviction from a full overflow: 0 before 1 before 2. Requires: not scheduled.
  void set_rank(std::uint8_t rank) noexcept { rank_.set(rank); }
  /// Context: any thread that knows the entry.
  [[nodiscard]] std::uint8_t rank() const noexcept { return rank_.get(); }

private:
  friend class timer_wheel;
  friend class internal::overflow_queue;

  enum class place : std::uint8_t { nowhere, wheel, overflow };

  port::plain<tick> deadline_;
  port::plain<std::uint32_t> position_;  // in the heap of the overflow
  port::plain<place> place_;
  port::plain<std::uint8_t> rank_;
};

}  // namespace tactor::inline v0
