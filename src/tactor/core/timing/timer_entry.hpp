// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/half_word.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactor::inline v0 {

namespace internal {
class overflow_queue;
class timer_list;
}  // namespace internal

/// One timer in a timer wheel; derive from it or hold it as a member. All-zero is the valid state
/// of an entry that is not scheduled. Context: owner of the wheel only.
///
/// An entry is small because its two words are used for one thing at a time: while it is scheduled for its links, before for its
/// deadline, and afterwards for what its user keeps there.
///
/// inv 1  While it is scheduled, the words are its links in a `timer_list`, or its deadline in an overflow that has no such lists; where it is
///        says which.
class alignas(void*) timer_entry {
public:
  constexpr timer_entry() noexcept = default;
  timer_entry(const timer_entry&) = delete;
  timer_entry& operator=(const timer_entry&) = delete;
  ~timer_entry() = default;

  /// Whether it is in a wheel.
  [[nodiscard]] bool scheduled() const noexcept { return where() != place::nowhere; }

  /// The deadline at which it was due, or the value given to `set_deadline`. Requires: not scheduled, and `pop_due` or
  /// `evict_newest` has returned it, or one was set. While it is scheduled: `timer_wheel::deadline_of`.
  [[nodiscard]] tick deadline() const noexcept {
    return {std::uint64_t{second_.get()} << 32U | first_.get()};
  }
  /// Stores a deadline for a later insert. Requires: not scheduled.
  void set_deadline(tick deadline) noexcept {
    first_.set(static_cast<std::uint32_t>(deadline.count));
    second_.set(static_cast<std::uint32_t>(deadline.count >> 32U));
  }

  /// Keeps an address in the place of the deadline, until the entry is inserted. Requires: not scheduled.
  void keep_address(void* address) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    first_.set(static_cast<std::uint32_t>(bits));
    if constexpr (sizeof(void*) > 4) second_.set(static_cast<std::uint32_t>(bits >> 32U));
  }
  /// The address kept last. Requires: not scheduled, and one was kept.
  [[nodiscard]] void* kept_address() const noexcept {
    std::uintptr_t bits = first_.get();
    if constexpr (sizeof(void*) > 4) bits |= std::uintptr_t{second_.get()} << 32U;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the two words of an address
    return reinterpret_cast<void*>(bits);
  }

  /// The order of eviction from a full overflow: 0 before 1 before 2 before 3. Requires: not
  /// scheduled.
  void set_rank(std::uint8_t rank) noexcept {
    // relaxed: a number
    place_.store(static_cast<internal::half_word>((bits() & ~rank_bits) | rank), relaxed);
  }
  /// Context: any thread that knows the entry.
  [[nodiscard]] std::uint8_t rank() const noexcept {
    return static_cast<std::uint8_t>(bits() & rank_bits);
  }

  /// Keeps a number for the user of the entry, until the entry is inserted; from then on it is 0. Requires: not scheduled; `note` is
  /// at most `most_far`.
  void set_note(internal::half_word note) noexcept { put(place::nowhere, note); }
  /// The number kept last; 0 if there is none. Requires: not scheduled.
  [[nodiscard]] internal::half_word note() const noexcept { return number(); }

private:
  // The parts of `place_`, from the lowest bit on: rank, place, number.
  static constexpr internal::half_word rank_bits = 3;
  static constexpr unsigned place_shift = 2;
  static constexpr unsigned number_shift = 4;
  /// Where an entry is, and what its number says.
  enum class place : std::uint8_t {
    nowhere,   // a note of its user
    wheel,     // its slot: in the list of that slot, or in the list of due entries
    overflow,  // its position there
  };

public:
  /// The largest number of slots, and of entries of an overflow.
  static constexpr std::size_t most_far =
      std::numeric_limits<internal::half_word>::max() >> number_shift;

private:
  friend class timer_wheel;
  friend class internal::overflow_queue;
  friend class internal::timer_list;

  [[nodiscard]] internal::half_word bits() const noexcept {
    return place_.load(relaxed);  // relaxed: a number
  }
  [[nodiscard]] place where() const noexcept {
    return static_cast<place>(bits() >> place_shift & 3U);
  }
  [[nodiscard]] internal::half_word number() const noexcept {
    return static_cast<internal::half_word>(bits() >> number_shift);
  }
  void put(place where, std::size_t number) noexcept {
    const auto now = static_cast<internal::half_word>(
        number << number_shift | std::size_t{static_cast<std::uint8_t>(where)} << place_shift |
        rank());
    place_.store(now, relaxed);  // relaxed: a number
  }

  port::cell<std::uint32_t> first_;   // of a deadline: the low half; of links: the next entry
  port::cell<std::uint32_t> second_;  // the high half; the previous entry
  // Written by: the user of the entry, then the owner of the wheel; the rank does not change then. Read by: the same; its rank by any
  // thread. Publishes: nothing.
  port::atomic<internal::half_word> place_;
};

static_assert(!port::has_real_layout || sizeof(timer_entry) <= (sizeof(void*) == 8 ? 16 : 12));

}  // namespace tactor::inline v0
