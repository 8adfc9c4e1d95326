// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/execution_batch.hpp"
#include "tactor/core/scheduler/job/command_queue.hpp"
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/job/timer_target.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

class timer_store;
struct timer_totals;
/// A number that many threads add to.
using total_count = port::atomic<std::uintptr_t>;
/// One of the totals: how a job ended.
using timer_totals_member = total_count timer_totals::*;

/// What only some jobs need: periodic ones, and those with a hook or a wish for the end.
struct timer_extras : free_list_slot {
  timer_target to;
  std::uint64_t period_ns = 0;  // the interval or the delay
  grid_point next_run;          // driver only; fixed rate
  std::uint32_t backlog_limit = 0;
  job_mode mode = job_mode::once;
  missed missed_runs = missed::fold;
  on_shutdown at_shutdown = on_shutdown::cancel;
  bool burst_warned = false;  // driver only: since the backlog was last empty
  tick last_fired;            // driver only
  small_task on_cancelled;
  job_dispatcher* hook_dispatcher = nullptr;
};

/// What the threads that schedule, run and cancel a job touch. What a cancel needs stands first, in
/// 32 bytes.
struct shared_part : free_list_slot, command_node {
  // Written by: all who have to do with the job, through `update`. Read by: the same.
  // Publishes: the payload, to whoever runs or destroys it.
  port::atomic<std::uint32_t> word;
  // Written by: those who come and go. Read by: the same. Publishes: all that was done, to the last
  // one.
  port::atomic<std::uint32_t> refs;
  port::cell<std::int32_t> way_to_store;  // in units of `timer_record::way_unit` bytes
  std::uint32_t tenancy = 0;
  timer_payload payload;
  port::cell<timer_target> to;  // where it goes when it is due, or its extras
};

/// What the driver alone touches besides the entry, and before it the one who schedules.
struct driver_part {
  bool far = false;            // a place in the overflow is set aside for it
  std::uint8_t displaces = 0;  // the rank of which it pushes one out; `nobody`
  bool withdrawn = false;      // the call was refused: a held sink is still the caller's
};

/// Everything the runtime keeps for one job. Type-stable: a record is never destroyed, only used
/// again.
///
/// Each hold is one count of `refs`: the driver's (`driven`), a dispatcher's or mailbox's
/// (`posted`), and each handle. Who gives up the last one gives the record back. `word` decides
/// everything else; plain members belong to whoever the word says: before it is published to the
/// one who schedules, then to the driver (times), the executor (payload while executing) or the one
/// whose exchange ended the job (payload otherwise).
///
/// A million of them lie in memory, and most time goes into fetching them: so one is no longer than
/// one and a half cache lines, a cancel touches one line of it, and the driver another.
class timer_record : public shared_part, public timer_job, public timer_entry, public driver_part {
public:
  constexpr timer_record() noexcept = default;

  static constexpr std::uint8_t nobody = 0xFF;  // no rank

  /// A change of the word that was made, or refused.
  struct change {
    timer_word before;
    timer_word after;
    bool made = false;
  };

  /// Makes `next(word)` the new word, unless that is nothing. The only place where the word of a
  /// published job changes.
  template <class Next>
  change update(Next next) noexcept {
    return update(now(), next);
  }
  /// The same, by one who has just read the word.
  template <class Next>
  change update(timer_word before, Next next) noexcept {
    while (true) {
      const std::optional<timer_word> after = next(before);
      if (!after) return {.before = before, .after = before};
      if (word.compare_exchange(before.bits, after->bits, acq_rel)) {  // pairs: timer.word
        return {.before = before, .after = *after, .made = true};
      }
    }
  }

  [[nodiscard]] timer_word now() const noexcept {
    return {word.load(acquire)};  // pairs: timer.word
  }

  /// Takes one more hold. Requires: the caller has one.
  void hold() noexcept {
    refs.fetch_add(1, relaxed);  // relaxed: the caller has a hold already
  }
  /// Gives up one hold, and the record itself with the last one.
  void let_go() noexcept;

  /// Takes a hold unless nobody has one. For those who come across a record by chance.
  [[nodiscard]] bool try_hold() noexcept;

  /// Ends the job from outside. Returns: whether this call did it. Requires: a hold.
  bool cancel() noexcept;

  /// Ends the job for the runtime if `may(word)`, counted as `how`. The driver is not told: the
  /// caller is the driver, or does it. Requires: a hold.
  template <class May>
  change job_transitions(May may, timer_totals_member how) noexcept;

  // For whoever has it posted; see timer_job.
  /// As `timer_job::run`. Returns: what the callable said.
  run_result run() noexcept;
  /// As `timer_job::begin`.
  std::optional<execution_batch> begin() noexcept;
  /// As `timer_job::finish`.
  void finish(run_result said) noexcept;
  /// As `timer_job::discard`.
  bool discard(post_result why) noexcept;
  /// Gives the due job to its dispatcher or receiver. Requires: `posted` is set and its hold is the
  /// caller's.
  void hand_out() noexcept;

  [[nodiscard]] job_mode mode() const noexcept {
    const timer_extras* const more = extras();
    return more == nullptr ? job_mode::once : more->mode;
  }
  /// Null: it has none.
  [[nodiscard]] timer_extras* extras() const noexcept { return to.get().extras(); }
  /// Where it goes when it is due.
  [[nodiscard]] timer_target target() const noexcept {
    const timer_extras* const more = extras();
    return more == nullptr ? to.get() : more->to;
  }
  /// Writes down where it goes. Requires: nobody else knows the record.
  void set_target(timer_target target) noexcept {
    if (timer_extras* const more = extras()) {
      more->to = target;
    } else {
      to.set(target);
    }
  }

  [[nodiscard]] timer_store& store() const noexcept {
    const auto way = static_cast<std::uintptr_t>(std::intptr_t{way_to_store.get()} * way_unit);
    // A distance takes half the room of a pointer.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return *reinterpret_cast<timer_store*>(reinterpret_cast<std::uintptr_t>(this) + way);
  }
  /// Names its store and its extras (null: none); it goes nowhere yet. Requires: nobody else knows
  /// the record.
  void belong_to(timer_store& owner, timer_extras* with) noexcept {
    way_to_store.set(static_cast<std::int32_t>(way_to(owner) / way_unit));
    to.set(with == nullptr ? timer_target{} : timer_target{*with});
    if (with != nullptr) with->to = {};
  }
  /// Whether the store is near enough.
  [[nodiscard]] bool can_belong_to(timer_store& owner) const noexcept {
    const std::intptr_t way = way_to(owner);
    return way % way_unit == 0 && way / way_unit == static_cast<std::int32_t>(way / way_unit);
  }

private:
  static constexpr std::intptr_t way_unit = sizeof(void*) > 4 ? 8 : 1;
  [[nodiscard]] std::intptr_t way_to(timer_store& owner) const noexcept {
    return static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(&owner) -
                                      reinterpret_cast<std::uintptr_t>(this));
  }
};

static_assert(!port::has_real_layout || sizeof(timer_record) <= (sizeof(void*) == 8 ? 96 : 80));

}  // namespace tactor::inline v0::internal
