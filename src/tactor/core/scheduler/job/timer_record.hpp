// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/base/half_word.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/execution_batch.hpp"
#include "tactor/core/scheduler/job/periodic_runs.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/job/timer_target.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/timer_priority.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace tactor::inline v0::internal {

class timer_store;
struct timer_totals;
/// A counter that several threads increment.
using total_count = port::atomic<std::uintptr_t>;
/// One of the totals: how a job ended.
using timer_totals_member = total_count timer_totals::*;

/// Whose job it is. The runtime's are outside of the quota and the capacity of the overflow.
enum class timer_owner : std::uint8_t { user, runtime };
/// The ranks of users' jobs are their priorities; the runtime's jobs have a rank above them.
inline constexpr std::uint8_t user_ranks = 3;
inline constexpr std::uint8_t runtime_rank = user_ranks;
static_assert(runtime_rank < timer_ranks);

/// The settings of a job with extras.
struct job_settings_of_host {
  job_mode mode = job_mode::once;
  missed missed_runs = missed::fold;
  on_shutdown at_shutdown = on_shutdown::cancel;
  bool burst_warned = false;  // driver only: since the backlog was last empty
};
/// Likewise, in one byte.
struct job_settings_of_board {
  job_mode mode : 2 = job_mode::once;
  missed missed_runs : 2 = missed::fold;
  on_shutdown at_shutdown : 1 = on_shutdown::cancel;
  bool burst_warned : 1 = false;
};
using job_settings =
    std::conditional_t<port::has_interrupts, job_settings_of_board, job_settings_of_host>;

/// The state that only some jobs need: periodic jobs, and jobs with a hook or `on_shutdown::run`.
struct timer_extras : free_list_slot, job_settings {
  timer_target to;
  std::uint64_t period_ns = 0;  // the interval or the delay
  // Driver only: the next point of the grid of a fixed-rate job. Two members, so that the third
  // takes the place of padding.
  tick next_run_tick;
  std::uint32_t next_run_rest_ns = 0;
  // Due runs that do not fit the word of a fixed-rate job. Written by: the driver, the executor (both add
  // and take). Read by: both. Publishes: nothing. Saturates if the word is narrow.
  port::atomic<std::uintptr_t> more_runs;
  std::uint32_t backlog_limit = 0;
  port::cell<timer_job*> link;  // see `mpsc_link<timer_job>`
  tick last_fired;              // driver only
  small_task on_cancelled;
  job_dispatcher* hook_dispatcher = nullptr;

  [[nodiscard]] grid_point next_run() const noexcept {
    return {.whole = next_run_tick, .rest_ns = next_run_rest_ns};
  }
  void set_next_run(grid_point point) noexcept {
    next_run_tick = point.whole;
    next_run_rest_ns = point.rest_ns;
  }
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

/// How a record finds its store: by the distance of the store, in units of `timer_record::offset_unit` bytes; on a board, where
/// the address of the store stands before the first record, by the index of the record. See `timer_records`.
using place_of_store = std::conditional_t<port::has_interrupts, half_word, std::int32_t>;

/// The state by which the threads that schedule, run and cancel a job agree. Half words: on a 32-bit machine there are fewer
/// than 2^16 records, and fewer holds of one. The link of the free list is the link of the command queue, too: a record is free or in use.
struct shared_part : free_list_slot {
  // Written by: scheduler, driver, executors, cancels, through `update`. Read by: the same threads.
  // Publishes: the payload, to the thread that runs or destroys it.
  port::atomic<timer_word::stored> word;
  // Written by: all holders. Read by: all holders. Publishes: all writes, to the last holder.
  port::atomic<half_word> refs;
  port::cell<place_of_store> store_place;
  port::cell<std::uint32_t> tenancy;
};

/// What the scheduling thread tells the driver about a job that is not in the wheel yet: the note of its entry. A value.
struct driver_note {
  half_word bits = 0;

  static constexpr half_word far_bit = 1;
  static constexpr half_word withdrawn_bit = 2;
  static constexpr unsigned rank_shift = 2;  // one more than the rank that it displaces; 0: none

  /// Whether capacity of the overflow is reserved for it.
  [[nodiscard]] constexpr bool far() const noexcept { return (bits & far_bit) != 0; }
  /// Whether the call was refused: a held sink is still the caller's.
  [[nodiscard]] constexpr bool withdrawn() const noexcept { return (bits & withdrawn_bit) != 0; }
  /// The rank of the entry that it displaces, if any.
  [[nodiscard]] constexpr std::optional<std::uint8_t> displaces() const noexcept {
    if (bits >> rank_shift == 0) return std::nullopt;
    return static_cast<std::uint8_t>((bits >> rank_shift) - 1);
  }
  [[nodiscard]] static constexpr driver_note of_far_job() noexcept { return {far_bit}; }
  [[nodiscard]] static constexpr driver_note of_refused_job() noexcept { return {withdrawn_bit}; }
  [[nodiscard]] constexpr driver_note displacing(std::uint8_t rank) const noexcept {
    return {static_cast<half_word>(bits | (rank + 1U) << rank_shift)};
  }
};
static_assert(driver_note::of_far_job().displacing(2).displaces() == 2);
static_assert(driver_note::of_far_job().displacing(2).far());

/// What the job does.
struct payload_part {
  timer_payload payload;
  port::cell<timer_target> to;  // its target, or its extras
};

/// The state of one job. Type-stable: a record is never destroyed, only reused.
///
/// Each hold is one count of `refs`: the driver's (`driven`), a dispatcher's or mailbox's
/// (`posted`), and each handle. Releasing the last hold gives the record back. `word` decides
/// everything else, including the owner of the plain members: before publication the scheduling
/// thread, then the driver (times), the executor (payload while executing) or the thread whose
/// exchange ended the job (payload otherwise).
///
/// With a million records most time goes into fetching them, so a record of the host is one cache line long. (The entry is first: it has
/// the strictest alignment, and what follows takes the place of its padding.)
class timer_record : public timer_entry, public shared_part, public payload_part, public timer_job {
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
      timer_word::stored found = before.to_store();
      if (word.compare_exchange(found, after->to_store(), acq_rel)) {  // pairs: timer.word
        return {.before = before, .after = *after, .made = true};
      }
      before.bits = found;
    }
  }

  [[nodiscard]] timer_word now() const noexcept {
    // no mutant: a thread that reads more of the record has acquired it by a hold, or by its queue
    return {word.load(acquire)};  // pairs: timer.word
  }

  /// Adds a hold. Requires: the caller has one.
  void hold() noexcept {
    refs.fetch_add(1, relaxed);  // relaxed: the caller has a hold already
  }
  /// Releases a hold; with the last one, gives the record back.
  void let_go() noexcept;

  /// Releases a hold if it is the only one. Returns: whether it did; then the caller gives the record back.
  [[nodiscard]] bool let_go_alone() noexcept {
    half_word last = refs.load(relaxed);  // relaxed: only compared
    // A thread that iterates over the records may add a hold in between.
    return last == 1 && refs.compare_exchange(last, 0, acquire);  // pairs: timer.refs
  }

  /// Adds a hold unless the count is zero. For iterating over records without owning them.
  [[nodiscard]] bool try_hold() noexcept;

  /// See `driver_note`. Context: before publication the scheduling thread, then the driver. Requires: it is not in the wheel.
  [[nodiscard]] driver_note driver() const noexcept { return {note()}; }
  /// Likewise.
  void tell_driver(driver_note about) noexcept { set_note(about.bits); }

  /// Destroys the payload, if any. Context: its owner.
  void destroy_payload() noexcept;

  /// Ends the job. Returns: whether this call did it. Requires: a hold.
  bool cancel() noexcept;

  /// Ends the job for the driver if `may(word)`, counted as `how`, and runs no user code. If it was
  /// not posted, it is now, and the caller hands it out, without a lock. Requires: a hold.
  template <class May>
  change end_by_driver(May may, timer_totals_member how) noexcept;

  // For the dispatcher or receiver that has it posted; see timer_job.
  /// See `timer_job::run`. Returns: the result of the callable.
  run_result run() noexcept;
  /// See `timer_job::begin`.
  std::optional<execution_batch> begin() noexcept;
  /// See `timer_job::finish`.
  void finish(run_result said) noexcept;
  /// See `timer_job::discard`.
  bool discard(post_result why) noexcept;
  // For a close task, which shares a callable with the dispatcher that has it posted.
  /// Takes the run of a posted one-shot job. Returns: false if it has begun or ended. Requires: a hold,
  /// which is the close task's if it returns true.
  [[nodiscard]] bool begin_for_close() noexcept;
  /// Calls the callable. Returns: its result. Requires: `begin_for_close` returned true.
  run_result run_for_close() noexcept;
  /// Ends the job that has begun: it failed, or was cancelled, or will not run after all.
  void end_begun() noexcept;

  /// Passes the due job to its dispatcher or receiver; destroys the payload of a job that the driver has
  /// ended. Requires: `posted` is set, the caller owns its hold and holds no lock.
  void hand_out() noexcept;

  /// Whether it is a due callable of `dispatcher`.
  [[nodiscard]] bool is_due_at(const job_dispatcher& dispatcher) const noexcept {
    return !target().is_message() && target().dispatcher() == &dispatcher && !now().payload_left();
  }

  [[nodiscard]] job_mode mode() const noexcept {
    const timer_extras* const more = extras();
    return more == nullptr ? job_mode::once : more->mode;
  }
  [[nodiscard]] bool runs_at_shutdown() const noexcept {
    return extras() != nullptr && extras()->at_shutdown == on_shutdown::run;
  }
  [[nodiscard]] timer_owner owner() const noexcept {
    return rank() == runtime_rank ? timer_owner::runtime : timer_owner::user;
  }
  [[nodiscard]] timer_priority priority() const noexcept {
    return owner() == timer_owner::runtime ? timer_priority::high
                                           : static_cast<timer_priority>(rank());
  }
  /// Null if it has none.
  [[nodiscard]] timer_extras* extras() const noexcept { return to.get().extras(); }
  /// Its dispatcher or receiver.
  [[nodiscard]] timer_target target() const noexcept {
    const timer_extras* const more = extras();
    return more == nullptr ? to.get() : more->to;
  }
  /// Sets the target. Requires: no other thread knows the record.
  void set_target(timer_target target) noexcept {
    if (timer_extras* const more = extras()) {
      more->to = target;
    } else {
      to.set(target);
    }
  }

  [[nodiscard]] timer_store& store() const noexcept {
    if constexpr (port::has_interrupts) {
      return *store_before(*(this - store_place.get()));
    } else {
      const auto offset =
          static_cast<std::uintptr_t>(std::intptr_t{store_place.get()} * offset_unit);
      // An offset is half as wide as a pointer.
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      return *reinterpret_cast<timer_store*>(reinterpret_cast<std::uintptr_t>(this) + offset);
    }
  }
  /// Sets its store, where it has this index, and its extras (null: none); the target is empty. Requires: no
  /// other thread knows the record.
  void belong_to(timer_store& owner, std::uint32_t index, timer_extras* with) noexcept {
    if constexpr (port::has_interrupts) {
      store_place.set(static_cast<place_of_store>(index));
    } else {
      store_place.set(static_cast<place_of_store>(offset_to(owner) / offset_unit));
    }
    to.set(with == nullptr ? timer_target{} : timer_target{*with});
    if (with != nullptr) with->to = {};
  }
  /// Removes its target and its extras; the record still belongs to its store. Requires: it has no holds.
  void leave_target() noexcept { to.set({}); }
  /// Whether the store is close enough for the offset.
  [[nodiscard]] bool can_belong_to(timer_store& owner) const noexcept {
    if constexpr (port::has_interrupts) return true;
    const std::intptr_t offset = offset_to(owner);
    return offset % offset_unit == 0 &&
           offset / offset_unit == static_cast<place_of_store>(offset / offset_unit);
  }
  /// On a board: the address of the store, in front of its first record. Requires: `first` is the first of a `timer_records`.
  [[nodiscard]] static timer_store*& store_before(const timer_record& first) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(&first) - sizeof(timer_store*);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the object that holds the record
    return *reinterpret_cast<timer_store**>(address);
  }

private:
  friend class timer_job;
  void* object() noexcept;
  run_result call(execution_batch batch) noexcept;

  static constexpr std::intptr_t offset_unit = sizeof(void*) > 4 ? 8 : 1;
  [[nodiscard]] std::intptr_t offset_to(timer_store& owner) const noexcept {
    return static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(&owner) -
                                      reinterpret_cast<std::uintptr_t>(this));
  }
};

static_assert(!port::has_real_layout || sizeof(timer_record) <= (sizeof(void*) == 8 ? 64 : 32));

/// Memory for the records of a store that lives forever. On a board the address of the store stands in front of the records, once
/// for all of them.
template <std::size_t Count>
struct timer_records {
  struct nothing {};
  using front = std::conditional_t<port::has_interrupts, timer_store*, nothing>;

  constexpr timer_records() noexcept {
    static_assert(!port::has_interrupts || Count == 0 ||
                  sizeof(timer_records) == sizeof(timer_store*) + sizeof(all));
  }

  [[no_unique_address]] front store{};
  std::array<timer_record, Count> all{};
};

/// The records of a store: on a board, of a `timer_records`; elsewhere, of any array.
class record_span : public std::span<timer_record> {
public:
  constexpr record_span() noexcept = default;
  template <std::size_t Count>
  constexpr record_span(timer_records<Count>& of) noexcept : span(of.all) {}  // implicit: a view
  template <class Array>
    requires(!port::has_interrupts && std::is_convertible_v<Array, std::span<timer_record>>)
  constexpr record_span(Array&& of) noexcept : span(of) {}  // implicit: likewise
};

/// Ends a run of a periodic job, handled or not. Returns: false if the job was cancelled meanwhile.
bool continue_periodic(timer_record& record, timer_state from) noexcept;
/// Does nothing: a board links what follows after a run of a periodic job only if the program names this.
void link_next_runs() noexcept;

}  // namespace tactor::inline v0::internal
