// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// The state of a job. See docs/design/scheduler.md for the diagram.
enum class timer_state : std::uint8_t {
  unused,     // not in use
  pending,    // on its way to the driver
  scheduled,  // waiting for its deadline or, once due, for its execution
  executing,  // its handler runs
  completed,  // ran, or could not be delivered
  cancelled,  // will not run (again)
};

/// Says if a job runs once or repeatedly: a periodic job can still be cancelled while it executes.
enum class repetition : bool { once, periodic };

/// The state of a job that several threads decide about, in one word, so that each decision (run or
/// cancel, post or wait) is one compare-exchange. A value: queries are functions, changes return a
/// new word.
///
/// inv 1  `driven`: the driver has it, in the command queue (`commanded`) or in the wheel.
/// inv 2  `posted`: a dispatcher or mailbox has it, waiting or executing; and no close task took
///        its run.
/// inv 3  `due_runs`: runs that are due and have not been passed to a handler; what is beyond
///        2^23 - 1 is counted in `timer_plan::more_runs`.
/// inv 4  `periodic` and `hooked` do not change after the job is published.
/// inv 5  `payload_left`: the driver cancelled the job; the thread that has it posted destroys its
///        payload. Uses the bits of `due_runs`, which a cancelled job does not need.
/// inv 6  `far`: the call counted the job in `timer_store::far_coming`, and the driver has yet to
///        take it in.
/// inv 7  `taken_back`: the call was refused after it had published the job, and a held sink is
///        still the caller's. Uses the bits of `due_runs`, too.
struct timer_word {
  std::uint32_t bits = 0;

  [[nodiscard]] constexpr timer_state state() const noexcept {
    return static_cast<timer_state>(bits & state_mask);
  }
  [[nodiscard]] constexpr bool posted() const noexcept { return (bits & posted_bit) != 0; }
  [[nodiscard]] constexpr bool driven() const noexcept { return (bits & driven_bit) != 0; }
  [[nodiscard]] constexpr bool commanded() const noexcept { return (bits & commanded_bit) != 0; }
  [[nodiscard]] constexpr bool periodic() const noexcept { return (bits & periodic_bit) != 0; }
  [[nodiscard]] constexpr bool hooked() const noexcept { return (bits & hooked_bit) != 0; }
  [[nodiscard]] constexpr bool far() const noexcept { return (bits & far_bit) != 0; }
  [[nodiscard]] constexpr std::uint32_t due_runs() const noexcept { return bits >> runs_shift; }

  [[nodiscard]] constexpr bool ended() const noexcept {
    return state() == timer_state::completed || state() == timer_state::cancelled;
  }
  [[nodiscard]] constexpr bool is_taken_back() const noexcept {
    return state() == timer_state::unused && due_runs() != 0;
  }
  /// Returns true if the payload of an ended job is left to the thread that has it posted.
  [[nodiscard]] constexpr bool payload_left() const noexcept {
    return state() == timer_state::cancelled && due_runs() != 0;
  }
  /// Returns true if `cancel` can still succeed.
  [[nodiscard]] constexpr bool cancellable() const noexcept {
    const bool waiting = state() == timer_state::pending || state() == timer_state::scheduled;
    return waiting || (state() == timer_state::executing && periodic());
  }

  // Transitions of the scheduling thread.
  /// On its way to the driver.
  [[nodiscard]] static constexpr timer_word fresh(repetition kind) noexcept {
    const std::uint32_t repeats = kind == repetition::periodic ? periodic_bit : 0;
    return timer_word{driven_bit | commanded_bit | repeats}.in(timer_state::pending);
  }
  /// With a hook that runs if it is cancelled.
  [[nodiscard]] constexpr timer_word with_hook() const noexcept { return {bits | hooked_bit}; }
  /// Counted as far ahead.
  [[nodiscard]] constexpr timer_word with_far() const noexcept { return {bits | far_bit}; }
  /// Not in use, and not the owner of its sink.
  [[nodiscard]] static constexpr timer_word taken_back() noexcept {
    return timer_word{}.with_runs(1);
  }

  // Transitions of the driver.
  /// Out of the command queue, into the wheel.
  [[nodiscard]] constexpr timer_word applied() const noexcept {
    return timer_word{bits & ~(commanded_bit | far_bit)}.in(timer_state::scheduled);
  }
  /// Out of the wheel and posted to a dispatcher or mailbox, for one run.
  [[nodiscard]] constexpr timer_word fired_once() const noexcept {
    return timer_word{(bits & ~driven_bit) | posted_bit}.with_runs(1);
  }
  /// Returns how many of `runs` more fit.
  [[nodiscard]] constexpr std::uint32_t fitting(std::uint64_t runs) const noexcept {
    const std::uint32_t left = most_runs - due_runs();
    return runs < left ? static_cast<std::uint32_t>(runs) : left;
  }
  /// Posted to a dispatcher or mailbox with `runs` more to do, as many as fit, and still in the
  /// wheel.
  [[nodiscard]] constexpr timer_word fired_again(std::uint64_t runs) const noexcept {
    return timer_word{bits | posted_bit}.with_runs(due_runs() + fitting(runs));
  }
  /// No longer the driver's.
  [[nodiscard]] constexpr timer_word dropped_by_driver() const noexcept {
    return {bits & ~(driven_bit | commanded_bit)};
  }

  // Transition of the thread that closes the scheduler, for a job that runs at shutdown: posted,
  // and removed from the driver.
  [[nodiscard]] constexpr timer_word claimed_for_close() const noexcept {
    return timer_word{bits | posted_bit}.with_runs(1).in(timer_state::scheduled).told_to_driver();
  }

  // Transition of a close task that takes the run of a posted job: the holder that has it posted
  // finds nothing to do.
  [[nodiscard]] constexpr timer_word begun_for_close() const noexcept {
    return begun(due_runs()).not_posted();
  }

  // Transitions of the executor.
  /// Executing, for `runs_taken` runs.
  [[nodiscard]] constexpr timer_word begun(std::uint32_t runs_taken) const noexcept {
    return in(timer_state::executing).with_runs(due_runs() - runs_taken);
  }
  /// Back to waiting; still posted if more runs are due.
  [[nodiscard]] constexpr timer_word run_over() const noexcept {
    const timer_word waiting = in(timer_state::scheduled);
    return due_runs() > 0 ? waiting : waiting.not_posted();
  }
  /// Back to the driver, for the next deadline.
  [[nodiscard]] constexpr timer_word rearmed() const noexcept {
    return timer_word{in(timer_state::scheduled).not_posted().bits | driven_bit | commanded_bit};
  }
  [[nodiscard]] constexpr timer_word not_posted() const noexcept { return {bits & ~posted_bit}; }
  /// Posted to a dispatcher, for its hook.
  [[nodiscard]] constexpr timer_word for_hook() const noexcept { return {bits | posted_bit}; }

  // Transitions that end a job. If the driver has it in the wheel, it becomes `commanded`.
  /// By the driver, which runs no user code: posted, to be handed out without a lock, unless it is.
  [[nodiscard]] constexpr timer_word cancelled_by_driver() const noexcept {
    return timer_word{cancelled().bits | posted_bit}.with_runs(1);
  }
  [[nodiscard]] constexpr timer_word cancelled() const noexcept {
    return with_runs(0).in(timer_state::cancelled).told_to_driver();
  }
  [[nodiscard]] constexpr timer_word completed() const noexcept {
    return with_runs(0).in(timer_state::completed).told_to_driver();
  }

private:
  static constexpr std::uint32_t state_mask = 7;
  static constexpr std::uint32_t posted_bit = 8;
  static constexpr std::uint32_t driven_bit = 16;
  static constexpr std::uint32_t commanded_bit = 32;
  static constexpr std::uint32_t periodic_bit = 64;
  static constexpr std::uint32_t hooked_bit = 128;
  static constexpr std::uint32_t far_bit = 256;
  static constexpr unsigned runs_shift = 9;
  static constexpr std::uint32_t most_runs =
      std::numeric_limits<std::uint32_t>::max() >> runs_shift;

  [[nodiscard]] constexpr timer_word in(timer_state state) const noexcept {
    return {(bits & ~state_mask) | static_cast<std::uint32_t>(state)};
  }
  [[nodiscard]] constexpr timer_word with_runs(std::uint32_t runs) const noexcept {
    return {(bits & ((std::uint32_t{1} << runs_shift) - 1)) | runs << runs_shift};
  }
  [[nodiscard]] constexpr timer_word told_to_driver() const noexcept {
    return driven() ? timer_word{bits | commanded_bit} : *this;
  }
};

static_assert(!timer_word{}.cancellable());
static_assert(timer_word::fresh(repetition::once).cancellable());
static_assert(timer_word::fresh(repetition::once).applied().cancelled().commanded());
static_assert(!timer_word::fresh(repetition::once).applied().fired_once().begun(1).cancellable());
static_assert(
    timer_word::fresh(repetition::periodic).applied().fired_again(3).begun(1).cancellable());
static_assert(timer_word::fresh(repetition::once).applied().cancelled_by_driver().payload_left());
static_assert(!timer_word::fresh(repetition::once).applied().cancelled().payload_left());
static_assert(
    timer_word::fresh(repetition::periodic).applied().fired_again(3).begun(1).run_over().posted());

}  // namespace tactor::inline v0::internal
