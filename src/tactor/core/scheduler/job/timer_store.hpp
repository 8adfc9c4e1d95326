// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/free_list.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/scheduler/job/command_queue.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code timer_store_far_from_records{
    .module = 4,
    .id = 1,
    .advice = "a timer store lies within 16 GB of its records: put them into one object"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// How often what happened. On a 32-bit machine they count modulo 2^32.
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
  total_count handler_failures;
  total_count warnings;
  total_count refused;
};

/// The side of a scheduler that any thread touches: records, command queue, counters, and the bell
/// that wakes the driver.
///
/// It is type-stable: its memory is never given back while a handle may exist, and a later
/// scheduler may use it again. So a handle is safe for ever, also when its scheduler is long gone.
///
/// Thread safety: everything from any thread or interrupt, unless it says otherwise.
class timer_store {
public:
  /// Memory for a store.
  struct room {
    std::span<timer_record> records;
    std::span<timer_extras> extras;
  };
  /// Wakes whoever sleeps on `bell`, which has changed. A function and not an object: it must work
  /// after its driver ended.
  using wake_function = void (*)(port::atomic<std::uint32_t>& wake_word) noexcept;

  constexpr timer_store() noexcept = default;
  /// Requires: the room is all-zero and stays for ever, as does the store, which lies near it: best
  /// in the same object. `blocks` may be null.
  explicit timer_store(room memory, block_source* blocks = nullptr,
                       wake_function wake = nullptr) noexcept;

  // Records.
  /// Returns: a record with two holds (driver, handle) and a new id, and extras if asked; null if
  /// all are in use.
  [[nodiscard]] timer_record* take_record(bool with_extras) noexcept;
  /// Puts a record that nobody holds back among the free ones.
  void give_back(timer_record& record) noexcept;
  /// Gives up the two holds of a record that was never published, or was taken back. Somebody who
  /// came across it may have a third.
  void give_back_fresh(timer_record& record) noexcept;
  /// Its place in the array.
  [[nodiscard]] std::uint32_t index_of(const timer_record& record) const noexcept {
    return static_cast<std::uint32_t>(&record - records_.data());
  }
  /// Records that have been used; the word of each says whether it is in use.
  [[nodiscard]] std::span<timer_record> used_records() const noexcept {
    return records_.first(free_records_.used());
  }
  [[nodiscard]] block_source* blocks() const noexcept { return blocks_; }

  /// How many jobs have been admitted and have not ended. Whoever sees the end of a job counted here
  /// sees all of its life. The ends are read first: a job that ends meanwhile is live in this
  /// picture, never missing.
  [[nodiscard]] std::uintptr_t live() const noexcept {
    const std::uintptr_t ended = ended_jobs();
    return totals.scheduled.load(relaxed) - ended;  // relaxed: a number
  }
  /// Admits one more job unless `quota` are live. To take it back: `withdraw_job`.
  [[nodiscard]] bool admit_job(std::uintptr_t quota) noexcept;
  /// Takes one job back that was admitted and never came to life.
  void withdraw_job() noexcept {
    totals.scheduled.fetch_sub(1, relaxed);  // relaxed: a number
  }

  /// Counts the end of a job that was in `before`. Called by the one whose exchange made the end, once.
  void count_end(timer_word before, timer_totals_member how) noexcept;
  /// Tells the driver, if it has the job, that the job has ended.
  void report_end(timer_record& ended, const timer_record::change& end) noexcept;
  /// Asks for a look within a tick: there is something to clear away.
  void ask_for_housekeeping() noexcept;
  /// Publishes something about a job.
  void publish(scheduler_event_kind kind, const timer_record& about) noexcept;
  /// Counts and publishes a warning.
  void warn(const scheduler_event& event) noexcept;

  /// Lets all counters begin at zero again. Requires: no scheduler uses the store, and no job is
  /// live.
  void begin_anew() noexcept;

  // Commands and the bell.
  /// Sends a job to the driver and wakes it if it sleeps past `deadline`.
  void send_to_driver(timer_record& record, tick deadline) noexcept;
  /// Wakes the driver.
  void wake_driver() noexcept;

  // Public like the members of a plain struct: the scheduler and its records are the only users.
  command_queue<timer_record> commands;
  timer_totals totals;
  diagnostics events;
  // Written by: schedule, and whoever ends a job. Read by: metrics. Publishes: nothing.
  port::atomic<std::uintptr_t> live_periodic;
  // Written by: shutdown. Read by: schedule. Publishes: nothing; seq_cst against the words of fresh
  // jobs.
  port::atomic<bool> closed;
  // Written by: cancels (ask), the driver (grants). Read by: both. Publishes: nothing.
  port::atomic<bool> housekeeping_asked;
  // Written by: those who ring. Read by: the driver that sleeps on it. Publishes: the wish, so that
  // a driver that has read the new value finds it.
  port::atomic<std::uint32_t> wake_word;
  // Written by: the driver, before it sleeps. Read by: schedule. Publishes: nothing; seq_cst
  // against the command queue.
  port::atomic<std::uintptr_t> wake_at;
  // When the driver should look at the latest, also for what it has not been told of yet. Written
  // by: the driver, and schedule (earlier). Read by: those who look for a stall. Publishes: nothing.
  port::atomic<std::uintptr_t> look_expected;
  // Written by: schedule (sets aside), the driver (lets go). Read by: the same. Publishes: nothing.
  port::atomic<std::uintptr_t> far_total;
  std::array<port::atomic<std::uintptr_t>, timer_ranks> far_by_rank;
  // Claimed entries that left the overflow by themselves.
  std::array<port::atomic<std::uintptr_t>, timer_ranks> claims_satisfied;
  // constant while a scheduler uses the store
  const monotonic_clock* clock = nullptr;
  duration resolution;
  job_dispatcher* default_dispatcher = nullptr;

  /// `wake_at` of a driver that sleeps until it is woken.
  static constexpr std::uintptr_t never = std::numeric_limits<std::uintptr_t>::max();

private:
  [[nodiscard]] std::uintptr_t ended_jobs() const noexcept;
  void expect_look_at(tick deadline) noexcept;

  std::span<timer_record> records_;
  std::span<timer_extras> extras_;
  free_list<timer_record> free_records_;
  free_list<timer_extras> free_extras_;
  block_source* blocks_ = nullptr;
  wake_function wake_ = nullptr;
};

}  // namespace tactor::inline v0::internal
