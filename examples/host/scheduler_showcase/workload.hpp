// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/timers.hpp"

#include "scheduler_showcase/inbox.hpp"
#include "scheduler_showcase/lateness.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <mutex>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace showcase {

/// The kinds of timers in the showcase. The kind decides what a timer does when it runs.
enum class timer_kind : std::uint8_t {
  near,      // one-shot; starts again after a short random delay
  far,       // one-shot; starts again beyond the wheel
  low,       // the same with low priority: pushed out when the overflow is full
  watchdog,  // one-shot; put off by each run of a `fold` job
  fold,      // fixed rate; missed runs become one execution
  burst,     // fixed rate; missed runs are made up for
  skip,      // fixed rate; missed runs are forgotten
  delay,     // fixed delay
  message,   // one-shot to a mailbox
};
inline constexpr std::size_t kinds = 9;

struct kind_description {
  const char* name;
  const char* what;
  std::size_t count;
};

inline constexpr std::array<kind_description, kinds> descriptions{{
    {.name = "near", .what = "one-shots, 5 to 400 ms", .count = 120},
    {.name = "far", .what = "one-shots, 0.7 to 4 s", .count = 100},
    {.name = "low", .what = "the same, low priority", .count = 40},
    {.name = "watchdog", .what = "2 s, put off by fold", .count = 40},
    {.name = "fold", .what = "rate, 10 to 100 ms", .count = 32},
    {.name = "burst", .what = "rate, 10 to 100 ms", .count = 16},
    {.name = "skip", .what = "rate, 10 to 100 ms", .count = 16},
    {.name = "delay", .what = "delay, 10 to 100 ms", .count = 32},
    {.name = "message", .what = "to a mailbox of 16", .count = 48},
}};

/// The figures of the timers of one kind.
struct kind_figures {
  std::uint64_t executions = 0;
  std::uint64_t missed = 0;   // runs without an execution of their own
  std::uint64_t put_off = 0;  // cancelled and started again
  lateness late;              // of an execution, beyond the deadline of its oldest run
};

/// The counts of the program itself, which must equal those of the scheduler in the end.
struct own_account {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t executions = 0;
  std::uint64_t early = 0;  // ran before the moment that was asked for
};

struct figures {
  std::array<kind_figures, kinds> by_kind;
  own_account own;
};

/// A few hundred timers of every kind on one scheduler.
/// Thread safety: everything from any thread, except `tend`: from one at a time.
class workload {
public:
  /// Starts all timers. Requires: `timers` is shut down before the workload is destroyed.
  explicit workload(const tactor::host::realtime_scheduler& timers);
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;

  /// Handles the messages in the mailbox, and starts timers again that were refused or pushed out.
  void tend();
  /// Takes out the messages that were cancelled while they waited. Called after the shutdown.
  void clear();

  [[nodiscard]] figures so_far();

  /// Schedules a callable that belongs to no kind, and counts it.
  template <class Callable>
  std::expected<tactor::cancellable, tactor::scheduler_error>
  once(tactor::duration delay, Callable callable, tactor::once_options options = {}) {
    return note(scheduler_.schedule_once(
        delay, [this, callable] { return counted(callable); }, std::move(options)));
  }
  template <class Callable>
  std::expected<tactor::cancellable, tactor::scheduler_error>
  at_rate(tactor::duration interval, Callable callable, tactor::periodic_options options = {}) {
    return note(scheduler_.schedule_at_fixed_rate(
        interval, interval, [this, callable] { return counted(callable); }, std::move(options)));
  }

private:
  /// One timer, and the time at which it is due.
  struct timer {
    timer_kind kind;
    bool idle = true;
    std::uint64_t due_ns = 0;    // not before this: its deadline, or that of its next run
    std::uint64_t slack_ns = 0;  // the deadline is at most that much later
    std::uint64_t period_ns = 0;
    tactor::cancellable handle;
  };
  struct note_to_self {
    timer* from;
  };
  using scheduled = std::expected<tactor::cancellable, tactor::scheduler_error>;

  void start(timer& idle);
  [[nodiscard]] scheduled schedule(timer& idle, std::chrono::nanoseconds delay);
  [[nodiscard]] scheduled schedule_periodic(timer& idle, std::chrono::nanoseconds period);
  void execute(timer& due, tactor::execution_batch batch);
  void record(timer& due, tactor::execution_batch batch, std::uint64_t now_ns);
  void put_off_one_watchdog();
  void became_idle(timer& ended);
  scheduled note(scheduled result);
  template <class Callable>
  auto counted(Callable& callable) {
    {
      const std::scoped_lock lock{mutex_};
      ++figures_.own.executions;
    }
    return callable();
  }
  [[nodiscard]] std::chrono::nanoseconds delay_of(timer_kind kind);
  [[nodiscard]] std::chrono::nanoseconds between(std::chrono::nanoseconds least,
                                                 std::chrono::nanoseconds most);
  [[nodiscard]] std::uint64_t deadline_ns(std::chrono::nanoseconds delay) const;
  [[nodiscard]] std::span<timer> all_of(timer_kind kind);

  tactor::scheduler& scheduler_;
  tactor::host::steady_clock clock_;
  inbox inbox_;

  // Recursive: keeping the account is also part of larger steps.
  std::recursive_mutex mutex_;
  // protected by mutex_
  std::vector<timer> timers_;  // in the order of their kinds; never grows, jobs point here
  std::size_t next_watchdog_ = 0;
  std::minstd_rand random_{1};
  figures figures_;
};

}  // namespace showcase
