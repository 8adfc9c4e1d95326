// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/execution_batch.hpp"
#include "tactor/core/scheduler/periodic_runs.hpp"
#include "tactor/core/scheduler/run_result.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/small_task.hpp"
#include "tactor/core/scheduler/timer_job.hpp"
#include "tactor/core/scheduler/timer_payload.hpp"
#include "tactor/core/scheduler/timer_word.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0 {

class timer_store;
struct timer_totals;
/// A number that many threads add to.
using total_count = port::atomic<std::uintptr_t>;
/// One of the totals: how a job ended.
using timer_totals_member = total_count timer_totals::*;

/// What only some jobs need: periodic ones, and those with a hook or a wish for the end.
struct timer_extras : free_list_slot {
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

/// Everything the runtime keeps for one job. Type-stable: a record is never destroyed, only used
/// again.
///
/// Each hold is one count of `refs`: the driver's (`driven`), a dispatcher's or mailbox's
/// (`posted`), and each handle. Who gives up the last one gives the record back. `word` decides
/// everything else; plain members belong to whoever the word says: before it is published to the
/// one who schedules, then to the driver (times), the executor (payload while executing) or the one
/// whose exchange ended the job (payload otherwise).
class timer_record : public timer_entry,
                     public timer_job,
                     public mpsc_queue_node<timer_record>,
                     public free_list_slot {
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
    timer_word before{word.load(acquire)};  // pairs: timer.word
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
  change end_early(May may, timer_totals_member how) noexcept;

  // For whoever has it posted; see timer_job.
  /// As `timer_job::run`. Returns: what the callable said.
  run_result run() noexcept;
  /// As `timer_job::begin`.
  std::optional<execution_batch> begin() noexcept;
  /// As `timer_job::finish`.
  void finish(run_result said) noexcept;
  /// As `timer_job::discard`.
  void discard(post_result why) noexcept;
  /// Gives the due job to its dispatcher or receiver. Requires: `posted` is set and its hold is the
  /// caller's.
  void hand_out() noexcept;

  [[nodiscard]] job_mode mode() const noexcept {
    return extras == nullptr ? job_mode::once : extras->mode;
  }

  // Written by: those who come and go. Read by: the same. Publishes: all that was done, to the last
  // one.
  port::atomic<std::uint32_t> refs;
  // Written by: all who have to do with the job, through `update`. Read by: the same.
  // Publishes: the payload, to whoever runs or destroys it.
  port::atomic<std::uintptr_t> word;
  std::uint32_t tenancy = 0;
  bool is_message = false;
  port::cell<bool> has_hook;
  bool far = false;                 // a place in the overflow is set aside for it
  std::uint8_t displaces = nobody;  // the rank of which it pushes one out
  timer_payload payload;
  timer_extras* extras = nullptr;
  timer_store* store = nullptr;
  /// Where it goes when it is due.
  union target {
    /// Of a callable.
    job_dispatcher* dispatcher = nullptr;
    /// Of a message.
    envelope_sink* receiver;
  } to;
};

}  // namespace tactor::inline v0
