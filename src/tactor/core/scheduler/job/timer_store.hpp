// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/free_list.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/command_trail.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace tactor::inline v0 {
class scheduler;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

/// Event counters. On a 32-bit machine they count modulo 2^32.
struct timer_totals {
  // jobs
  total_count scheduled;
  total_count completed;
  total_count cancelled;
  total_count evicted;
  total_count undeliverable;
  // runs
  total_count fired;
  total_count executed;
  // the rest
  total_count cancelled_while_queued;
  total_count refused_runs;
  total_count handler_failures;
  total_count warnings;
  total_count refused;
};

/// Adds to a number that no other thread changes: without a locked instruction.
inline void add_alone(total_count& count, std::uintptr_t more) noexcept {
  count.store(count.load(relaxed) + more, relaxed);  // relaxed: a number
}

/// Jobs by what became of them: scheduled = the sum of the others.
struct job_counts {
  std::uintptr_t scheduled;
  std::uintptr_t completed;
  std::uintptr_t cancelled;
  std::uintptr_t evicted;
  std::uintptr_t undeliverable;
  std::uintptr_t active;
};

/// Holds what a scheduler calls for timers that fire more than once.
struct periodic_functions {
  void (*fire)(scheduler& by, timer_record& record, timer_plan& plan, tick now) noexcept;
  bool (*go_on)(timer_record& record, timer_state from) noexcept;
};
/// A board's program leaves it out if its timers fire once: see core/features.hpp.
extern const periodic_functions periodic_feature;

/// Holds what a scheduler calls to report on its timers: events, warnings, lateness.
struct timer_report_functions {
  void (*publish)(timer_store& of, scheduler_event_kind kind, const timer_record& about) noexcept;
  void (*warn)(timer_store& of, const scheduler_event& event) noexcept;
  void (*warn_about)(timer_store& of, scheduler_event_kind kind, const timer_record& about, tick at,
                     std::uint64_t value) noexcept;
  void (*note_lateness)(scheduler& of, timer_instant now) noexcept;
  void (*warn_if_nearly_full)(scheduler& of, tick now) noexcept;
  void (*warn_of_quota)(scheduler& of, tick now) noexcept;
  void (*check_for_stall)(scheduler& of, tick now) noexcept;
  void (*end_stall)(scheduler& of, tick now) noexcept;
};
/// A board's program without reports leaves it out.
extern const timer_report_functions timer_report_feature;

/// The part of a scheduler that all threads access: records, command queue, counters, and the wake
/// word of the driver.
///
/// It is type-stable: its memory is never freed while a handle may exist, and a later scheduler may
/// reuse it. So a handle stays valid forever, also after its scheduler is gone.
///
/// Thread safety: everything from any thread or interrupt, unless stated otherwise.
class timer_store {
public:
  /// Memory for a store. The first `reserved` records are for jobs of the runtime only.
  struct storage {
    std::span<timer_record> records;
    std::span<timer_plan> plans;
    std::size_t reserved = 0;
    std::span<command_trail::place> trail = {};
    // For payloads too large for their record, where there are no blocks: `room_size` bytes for
    // each record, aligned for 8.
    std::byte* rooms = nullptr;
    std::size_t room_size = 0;
  };
  /// Wakes the thread that sleeps on `wake_word`, which has changed. A function and not an object:
  /// it must work after its driver ended.
  using wake_function = void (*)(port::atomic<std::uint32_t>& wake_word) noexcept;

  constexpr timer_store() noexcept = default;
  /// Requires: `memory` is all-zero and lives forever, like the store. `blocks` may be null.
  explicit timer_store(storage memory, block_source* blocks = nullptr,
                       wake_function wake = nullptr) noexcept;

  // Records.
  /// Returns: a record with two holds (driver, handle) and a new id, with a plan if requested; null
  /// if all are in use.
  [[nodiscard]] timer_record* take_record(timer_owner owner, bool with_plan) noexcept;
  /// Returns a record without holds to the free list.
  void give_back(timer_record& record) noexcept;
  /// Returns a record as `give_back` does, but it is free only after the next `free_given_back`,
  /// which needs one exchange for all of them. Context: the driver.
  void give_back_later(timer_record& record) noexcept;
  /// Context: the driver.
  void free_given_back() noexcept { free_records_.put(given_back_); }
  /// Releases the two holds of a record that was never published, or was taken back. A thread that
  /// iterates over the records may have a third hold.
  void give_back_fresh(timer_record& record) noexcept;
  /// The index of the record. Requires: `take_record` has returned it.
  [[nodiscard]] std::uint32_t index_of(const timer_record& record) const noexcept {
    return static_cast<std::uint32_t>(&record - records_.data());
  }
  /// Records that have been used; the word of each says whether it is in use.
  [[nodiscard]] std::span<timer_record> used_records() const noexcept {
    return records_.first(reserved_ + free_records_.used());
  }
  /// The blocks of the record's payload.
  [[nodiscard]] payload_blocks blocks_of(const timer_record& record) const noexcept {
    std::byte* const room = room_size_ == 0 ? nullptr : rooms_ + index_of(record) * room_size_;
    return {.source = blocks_, .room = room, .room_size = room_size_};
  }

  /// Returns how many jobs of users are live: the places of the quota in use.
  [[nodiscard]] std::uintptr_t live_of_users() const noexcept {
    // no mutant: a thread that counts acquires the ends with the starts, too
    return live_of_users_.load(acquire);  // pairs: timer.places
  }
  /// Returns how many jobs have been admitted and have not ended. A thread that sees that a job no
  /// longer counts here sees everything the job did.
  [[nodiscard]] std::uintptr_t live() const noexcept {
    // no mutant: as for `live_of_users`
    return live_of_users() + live_of_runtime_.load(acquire);  // pairs: timer.places
  }
  /// Admits a job of a user unless `quota` of them are live; `release_place` undoes it. Returns:
  /// whether it is admitted.
  [[nodiscard]] bool admit(std::uintptr_t quota) noexcept;
  /// Admits a job of the runtime, which no limit refuses.
  void admit_for_runtime() noexcept {
    // no mutant: as in `admit`
    live_of_runtime_.fetch_add(1, acquire);  // pairs: timer.places
  }
  /// Ends the counting of a job as live.
  void release_place(timer_owner owner) noexcept {
    // Both publish what the job did, and that its end was counted.
    if (owner == timer_owner::runtime) {
      // no mutant: the mutant of `live_of_users_` stands for both
      live_of_runtime_.fetch_sub(1, release);  // pairs: timer.places
    } else {
      live_of_users_.fetch_sub(1, release);  // pairs: timer.places
    }
  }
  /// Returns how many users' jobs of this rank and above are far ahead.
  [[nodiscard]] std::uintptr_t far_jobs_from(std::size_t rank) const noexcept {
    std::uintptr_t sum = 0;
    for (; rank < user_ranks; ++rank)  // relaxed: numbers
      sum += far_coming[rank].load(relaxed) + far_waiting[rank].load(relaxed);
    return sum;
  }

  /// The counts at one moment: no more are active than there were places.
  [[nodiscard]] job_counts count_jobs() const noexcept;

  /// Counts the end of a job that was in `before`. Called once, by the thread that ended it.
  void count_end(const timer_record& ended, timer_word before, timer_totals_member how) noexcept;
  /// Tells the driver that the job has ended, if the driver has it.
  void report_end(timer_record& ended, const timer_record::change& end) noexcept;
  /// Requests a poll within one tick, to remove ended jobs.
  void ask_for_housekeeping() noexcept;
  /// Publishes an event about a job.
  void publish(scheduler_event_kind kind, const timer_record& about) noexcept {
    if (reports != nullptr && events.wants(kind)) reports->publish(*this, kind, about);
  }
  /// Counts and publishes a warning.
  void warn(const scheduler_event& event) noexcept {
    if (reports != nullptr) reports->warn(*this, event);
  }
  /// Does so about a job.
  void warn_about(scheduler_event_kind kind, const timer_record& about, tick at,
                  std::uint64_t value) noexcept {
    if (reports != nullptr) reports->warn_about(*this, kind, about, at, value);
  }

  /// Resets all counters to zero. Requires: no scheduler uses the store, and no job is live.
  void begin_anew() noexcept;
  /// Ids begin again, too: a simulation whose store was used before gives the same ones. Requires:
  /// as `begin_anew`, and no handle refers to a record.
  void number_anew() noexcept;

  /// Returns the present tick.
  [[nodiscard]] tick now() const noexcept { return tick_at(clock->now(), resolution); }

  // Commands and the wake word.
  /// Sends a job to the driver and wakes it if it sleeps past `deadline`.
  void send_to_driver(timer_record& record, tick deadline) noexcept;
  /// Wakes the driver.
  void wake_driver() noexcept;

  // Public like the members of a plain struct: the scheduler and its records are the only users.
  mpsc_queue<timer_record> commands;  // jobs on their way to the driver
  command_trail trail;                // of `commands`
  timer_totals totals;
  diagnostics events;
  // Written by: schedule, and the thread that ends a job. Read by: metrics. Publishes: nothing.
  port::atomic<std::uintptr_t> live_periodic;
  // Written by: close. Read by: schedule. Publishes: nothing; seq_cst against new jobs' words.
  port::atomic<bool> closed;
  // Timers that run at shutdown, owned by the scheduler. Filled by close, and by a dispatcher that
  // accepts nothing any more.
  mpsc_queue<timer_job> close_timers;
  // Written by: cancels (set), the driver (clears). Read by: both. Publishes: nothing.
  port::atomic<bool> housekeeping_asked;
  // Set if the last poll found too many commands. Written by: the driver. Read by: schedule.
  // Publishes: nothing.
  port::atomic<bool> behind;
  // Written by: threads that wake the driver. Read by: the sleeping driver. Publishes: the reason,
  // so that a driver that has read the new value finds it.
  port::atomic<std::uint32_t> wake_word;
  // Written by: the driver, before it sleeps. Read by: schedule. Publishes: nothing; seq_cst
  // against the command queue.
  port::atomic<std::uintptr_t> wake_at;
  // The tick by which the driver should poll, commands on their way included. Written by: the
  // driver, and schedule (earlier). Read by: stall checks. Publishes: nothing.
  port::atomic<std::uintptr_t> poll_expected;
  // For each rank of users: how many far jobs are on their way to the driver, and how many wait in
  // the overflow. A call reads both before it adds a job, so more jobs than the capacity may be
  // admitted in a race; the driver evicts what is too much. Written by: schedule (adds) and the
  // driver (subtracts); the driver. Read by: schedule. Publishes: nothing.
  std::array<total_count, user_ranks> far_coming;
  std::array<total_count, user_ranks> far_waiting;
  // constant while a scheduler uses the store
  const periodic_functions* periodic = nullptr;     // null: every timer fires once
  const timer_report_functions* reports = nullptr;  // null: nothing is reported
  const monotonic_clock* clock = nullptr;
  duration resolution;
  job_dispatcher* default_dispatcher = nullptr;

  /// `wake_at` of a driver that sleeps until it is woken.
  static constexpr std::uintptr_t never = std::numeric_limits<std::uintptr_t>::max();
  /// A driver that finds more commands than this in one poll is `behind`. Applying them takes a
  /// millisecond or two.
  static constexpr std::size_t commands_in_time = 16384;
  /// So many timers are scheduled before a driver that sleeps is woken for them.
  static constexpr std::size_t commands_in_sleep = 8192;

private:
  void expect_poll_at(std::uintptr_t wanted) noexcept;
  void send(timer_record& record) noexcept;
  std::uint32_t take_index(timer_owner owner) noexcept;
  void put_index(std::uint32_t index) noexcept;
  held_sink* clear(timer_record& record) noexcept;

  std::span<timer_record> records_;
  std::span<timer_plan> plans_;
  std::uint32_t reserved_ = 0;
  free_list<timer_record> free_reserved_;  // the first `reserved_` records
  free_list<timer_record> free_records_;   // the others
  free_list<timer_plan> free_plans_;
  free_list<timer_record>::batch given_back_;  // driver only: to be freed
  block_source* blocks_ = nullptr;
  wake_function wake_ = nullptr;
  // The number of live jobs of users. Written by: schedule, the thread that ends a job. Read by:
  // the same, metrics. Publishes: all that the jobs did that no longer count as live.
  port::atomic<std::uintptr_t> live_of_users_;
  // The number of live jobs of the runtime. Written by, read by: as `live_of_users_`.
  port::atomic<std::uintptr_t> live_of_runtime_;
  // constant after construction
  std::byte* rooms_ = nullptr;
  std::size_t room_size_ = 0;
};

}  // namespace tactor::inline v0::internal
