// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// The state of an ask slot, and the generation of its ask: in one word, so that an answer and the
/// end of the ask are decided by one compare-exchange. A value.
///
/// Two parties share a slot. The asker opens it, and ends the ask: it takes the answer, or leaves.
/// Whoever answers claims the ask, hands the answer over and settles. The one that is done last
/// gives the slot back.
///
///            open               claim               settle
///     ended ───────▶ open ───────────────▶ claimed ────────▶ settled
///       ▲             │                    │     │              │
///       │    leave    │               take │     │ leave        │ leave
///       ├─────────────┘                    │     ▼              │
///       ├──────────────────────────────────┘    left            │
///       │                           settle       │              │
///       ├────────────────────────────────────────┘              │
///       └───────────────────────────────────────────────────────┘
///
/// - open: nobody has answered. The word says who is told of the answer: the thread that asks, or a
///   continuation or a coroutine of the actor that asks.
/// - claimed: one answer is on its way. All others are late.
/// - settled: the answer lies in the slot (a thread asks), or will not come (it was dropped).
/// - left: the asker wants no answer any more, and the one that is on its way ends.
/// - A thread that sleeps until the word changes notes that in a bit of the word. Another bit says
///   that a thread has asked, also when an actor has taken over the ask.
///
/// Generations count the asks of a slot. When they are used up the slot is retired, so a late
/// answer never finds another ask.
struct ask_word {
  enum class phase : std::uint8_t {
    ended,
    open_to_thread,
    open_to_continuation,
    open_to_coroutine,
    claimed,
    settled,
    left,
  };

  std::uint32_t bits = 0;  // the phase, whether a thread sleeps, whether one asks, the generation

  [[nodiscard]] constexpr phase now() const noexcept {
    return static_cast<phase>(bits & phase_mask);
  }
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return bits >> generation_shift;
  }
  /// Tells whether an answer to the ask `wanted` is not late.
  [[nodiscard]] constexpr bool is_open_for(std::uint32_t wanted) const noexcept {
    return generation() == wanted && is_open();
  }
  /// Tells whether an answer is on its way.
  [[nodiscard]] constexpr bool is_claimed() const noexcept { return now() == phase::claimed; }
  [[nodiscard]] constexpr bool is_settled() const noexcept { return now() == phase::settled; }
  /// Tells whether nobody uses the slot any more: who has made this change gives it back.
  [[nodiscard]] constexpr bool is_ended() const noexcept { return now() == phase::ended; }
  [[nodiscard]] constexpr bool has_sleeper() const noexcept { return (bits & sleeper_bit) != 0; }
  /// Tells whether it is the ask `wanted`, of an actor that waits for the answer.
  [[nodiscard]] constexpr bool is_of_actor(std::uint32_t wanted) const noexcept {
    return generation() == wanted && (is_open() || is_claimed()) && (bits & thread_bit) == 0;
  }
  /// Tells whether the slot can have no more asks.
  [[nodiscard]] constexpr bool used_up() const noexcept { return generation() == last_generation; }

  /// The next ask of the slot. Requires: ended.
  [[nodiscard]] constexpr ask_word opened_to(phase whom) const noexcept {
    const std::uint32_t of = whom == phase::open_to_thread ? thread_bit : 0;
    return {with(generation() + 1, whom).bits | of};
  }
  /// An actor takes over the ask of a thread, with a continuation. Requires: open.
  [[nodiscard]] constexpr ask_word passed_to_continuation() const noexcept {
    return {with(generation(), phase::open_to_continuation).bits | thread_bit};
  }
  /// The thread that asks is about to sleep. Requires: open or claimed.
  [[nodiscard]] constexpr ask_word with_sleeper() const noexcept { return {bits | sleeper_bit}; }
  /// An answer claims the ask. Requires: open.
  [[nodiscard]] constexpr ask_word claimed() const noexcept {
    return {(bits & ~phase_mask) | static_cast<std::uint32_t>(phase::claimed)};
  }
  /// The answer has been handed over, or dropped. Requires: claimed or left.
  [[nodiscard]] constexpr ask_word settled() const noexcept {
    return with(generation(), now() == phase::left ? phase::ended : phase::settled);
  }
  /// The asker has taken the answer out of its mailbox. Requires: claimed.
  [[nodiscard]] constexpr ask_word taken() const noexcept {
    return with(generation(), phase::ended);
  }
  /// The asker wants no answer any more. Requires: neither ended nor left.
  [[nodiscard]] constexpr ask_word without_asker() const noexcept {
    return with(generation(), is_claimed() ? phase::left : phase::ended);
  }

  /// A slot whose last ask was this one.
  [[nodiscard]] static constexpr ask_word ended_at(std::uint32_t generation) noexcept {
    return with(generation, phase::ended);
  }

private:
  static constexpr std::uint32_t phase_mask = 7;
  static constexpr std::uint32_t sleeper_bit = 8;
  static constexpr std::uint32_t thread_bit = 16;
  static constexpr unsigned generation_shift = 5;

  [[nodiscard]] constexpr bool is_open() const noexcept {
    return now() >= phase::open_to_thread && now() <= phase::open_to_coroutine;
  }
  [[nodiscard]] static constexpr ask_word with(std::uint32_t generation, phase now) noexcept {
    return {generation << generation_shift | static_cast<std::uint32_t>(now)};
  }

public:
  static constexpr std::uint32_t last_generation = ~std::uint32_t{0} >> generation_shift;
};

inline constexpr ask_word first_ask = ask_word{}.opened_to(ask_word::phase::open_to_thread);
static_assert(ask_word{}.is_ended() && first_ask.generation() == 1);
static_assert(first_ask.is_open_for(1) && !first_ask.is_open_for(2), "the answer to another ask");
static_assert(!first_ask.claimed().is_open_for(1), "a second answer is late");
static_assert(first_ask.with_sleeper().claimed().has_sleeper());
static_assert(!first_ask.is_of_actor(1) && !first_ask.passed_to_continuation().is_of_actor(1));
static_assert(ask_word{}.opened_to(ask_word::phase::open_to_coroutine).claimed().is_of_actor(1));
static_assert(first_ask.claimed().with_sleeper().is_claimed());
static_assert(!first_ask.with_sleeper().passed_to_continuation().has_sleeper());
static_assert(first_ask.without_asker().is_ended());
static_assert(!first_ask.claimed().without_asker().is_ended());
static_assert(first_ask.claimed().without_asker().settled().is_ended());
static_assert(first_ask.claimed().settled().without_asker().is_ended());
static_assert(ask_word::ended_at(ask_word::last_generation).used_up());

}  // namespace tactor::inline v0::internal
