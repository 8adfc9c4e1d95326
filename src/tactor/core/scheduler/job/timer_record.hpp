// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/job/timer_target.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace tactor::inline v0::internal {

class timer_store;
struct timer_totals;
/// A counter that several threads increment.
using total_count = port::atomic<std::uintptr_t>;
/// One of the totals: how a job ended.
using timer_totals_member = total_count timer_totals::*;

/// Whose job it is. The runtime's are outside of the quota and the capacity of the overflow.
enum class timer_owner : std::uint8_t { user, runtime };
/// The rank of a job is its priority: users' jobs have two, the runtime's jobs are above them.
inline constexpr std::uint8_t user_ranks = 2;
inline constexpr auto runtime_rank = static_cast<std::uint8_t>(job_priority::high);
static_assert(runtime_rank == user_ranks && runtime_rank < timer_ranks);

/// How a job goes on after its first run, or ends: of periodic jobs, and jobs with a hook or
/// `on_shutdown::run`.
struct timer_plan : free_list_slot {
  job_mode mode = job_mode::once;
  missed missed_runs = missed::fold;
  on_shutdown at_shutdown = on_shutdown::cancel;
  bool burst_warned = false;  // driver only: since the backlog was last empty
  timer_target to;
  std::uint64_t period_ns = 0;  // the interval or the delay
  grid_point next_run;          // driver only: of a fixed-rate job
  // Due runs that do not fit the word of a fixed-rate job. Written by: the driver, the executor
  // (both add and take). Read by: both. Publishes: nothing. Saturates.
  port::atomic<std::uintptr_t> more_runs;
  std::uint32_t backlog_limit = 0;
  tick last_fired;  // driver only
  small_task on_cancelled;
  job_dispatcher* hook_dispatcher = nullptr;

  /// Takes the due runs that do not fit the word.
  [[nodiscard]] std::uintptr_t take_more_runs() noexcept {
    // relaxed: a number. Read first: it is nearly always zero.
    return more_runs.load(relaxed) == 0 ? 0 : more_runs.exchange(0, relaxed);  // relaxed: a number
  }
  /// Adds due runs that do not fit the word.
  void add_more_runs(std::uint64_t runs) noexcept {
    constexpr std::uintptr_t most = std::numeric_limits<std::uintptr_t>::max();
    std::uintptr_t before = more_runs.load(relaxed);  // relaxed: a number
    std::uintptr_t after = most;
    do {
      after = runs < most - before ? before + static_cast<std::uintptr_t>(runs) : most;
    } while (!more_runs.compare_exchange(before, after, relaxed));  // relaxed: a number
  }
};

/// The state of one job. Type-stable: a record is never destroyed, only reused.
///
/// Each hold is one count of `refs`: the driver's (`driven`), a dispatcher's or mailbox's
/// (`posted`), and each handle. Releasing the last hold gives the record back. `word` decides
/// everything else, including the owner of the plain members: before publication the scheduling
/// thread, then the driver (times), the executor (payload while executing) or the thread whose
/// exchange ended the job (payload otherwise).
///
/// It may be in the wheel, in the command queue and in the queue of a dispatcher at once, and has a
/// link for each. The members that the driver needs come first: with many records it spends most of
/// its time on fetching them.
class timer_record : public timer_entry,
                     public mpsc_queue_node<timer_record>,
                     public timer_job,
                     public free_list_slot {
public:
  constexpr timer_record() noexcept = default;

  /// The result of `update`: whether the change was made.
  struct change {
    timer_word before;
    timer_word after;
    bool made = false;
  };

  /// Makes `next(word)` the new word, unless it returns nothing. The word of a published job
  /// changes only here.
  template <class Next>
  change update(Next next) noexcept {
    return update(now(), next);
  }
  /// Overload for a caller that has just read the word.
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
    // no mutant: a thread that reads more of the record has acquired it by a hold, or by its queue
    return {word.load(acquire)};  // pairs: timer.word
  }

  /// Releases a hold if it is the only one. Returns: whether it did; then the caller gives the
  /// record back.
  [[nodiscard]] bool let_go_alone() noexcept {
    std::uint32_t last = refs.load(relaxed);  // relaxed: only compared
    // A thread that iterates over the records may add a hold in between.
    return last == 1 && refs.compare_exchange(last, 0, acquire);  // pairs: timer.refs
  }

  /// Adds a hold unless there is none, for a thread that iterates over records without owning them.
  /// A thread that has a hold calls `hold` and `let_go` of `timer_job`.
  [[nodiscard]] bool try_hold() noexcept;

  /// Destroys the payload, if any. Context: its owner.
  void destroy_payload() noexcept;

  /// Ends the job. Returns: whether this call did it. Requires: a hold.
  bool cancel() noexcept;

  /// Ends the job for the driver if at least `least_due` runs are due, counted as `how`, and runs
  /// no user code. A job that was not posted is posted now, and the caller hands it out, without a
  /// lock. Requires: a hold.
  change end_by_driver(timer_totals_member how, std::uint64_t least_due = 0) noexcept;

  // For a close task, which shares a callable with the dispatcher that has it posted.
  /// Takes the run of a posted one-shot job. Returns: false if it has begun or ended. Requires: a
  /// hold, which is the close task's if it returns true.
  [[nodiscard]] bool begin_for_close() noexcept;
  /// Calls the callable. Returns: its result. Requires: `begin_for_close` returned true.
  run_result run_for_close() noexcept;
  /// Ends a job that has begun: it failed, or was cancelled, or will not run after all.
  void end_begun() noexcept;

  /// Passes the due job to its dispatcher or receiver; destroys the payload of a job that the
  /// driver has ended. Requires: `posted` is set, the caller owns its hold and holds no lock.
  void hand_out() noexcept;

  [[nodiscard]] job_mode mode() const noexcept {
    const timer_plan* const more = plan();
    return more == nullptr ? job_mode::once : more->mode;
  }
  [[nodiscard]] bool runs_at_shutdown() const noexcept {
    return plan() != nullptr && plan()->at_shutdown == on_shutdown::run;
  }
  [[nodiscard]] timer_owner owner() const noexcept {
    return rank() == runtime_rank ? timer_owner::runtime : timer_owner::user;
  }
  [[nodiscard]] job_priority priority() const noexcept { return static_cast<job_priority>(rank()); }
  /// Returns its plan, or null if it has none.
  [[nodiscard]] timer_plan* plan() const noexcept { return to_.get().plan(); }
  /// Returns its dispatcher or receiver.
  [[nodiscard]] timer_target target() const noexcept {
    const timer_plan* const more = plan();
    return more == nullptr ? to_.get() : more->to;
  }
  /// Sets the target. Requires: no other thread knows the record.
  void set_target(timer_target target) noexcept {
    if (timer_plan* const more = plan()) {
      more->to = target;
    } else {
      to_.set(target);
    }
  }

  [[nodiscard]] timer_store& store() const noexcept { return *store_.get(); }
  /// Sets its store and its plan (null: none); the target is empty. Requires: no other thread
  /// knows the record.
  void belong_to(timer_store& owner, timer_plan* with) noexcept {
    store_.set(&owner);
    to_.set(with == nullptr ? timer_target{} : timer_target{*with});
    if (with != nullptr) with->to = {};
  }
  /// Removes its target and its plan; the record still belongs to its store. Requires: it has no
  /// holds.
  void leave_target() noexcept { to_.set({}); }

  // Written by: scheduler, driver, executors, cancels, through `update`. Read by: the same threads.
  // Publishes: the payload, to the thread that runs or destroys it.
  port::atomic<std::uint32_t> word;
  // Written by: all holders. Read by: all holders. Publishes: all writes, to the last holder.
  port::atomic<std::uint32_t> refs;
  port::plain<std::uint32_t> tenancy;  // how many jobs have had this record, this one included
  timer_payload payload;

private:
  friend timer_job;
  run_result call(execution_batch batch) noexcept;

  port::plain<timer_target> to_;  // or its plan, which then holds the target
  port::plain<timer_store*> store_;
};

/// Ends a run of a periodic job, handled or not. Returns: false if the job was cancelled meanwhile.
bool continue_periodic(timer_record& record, timer_state from) noexcept;

}  // namespace tactor::inline v0::internal
