// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

/// Drives one scheduler from a thread of its own, `tactor-timer`. The thread sleeps until the next
/// deadline and is woken only for an earlier one, for a long queue of commands, or after a tick to
/// remove cancelled jobs: with no timer due it does not wake up.
///
/// Thread safety: `poll_now`, `close`, `exclusively` and `end_run` from any thread; the rest by the
/// owner.
///
/// inv 1  A thread that calls the scheduler's functions for the owner holds `mutex_`.
/// inv 2  A poll by another thread wakes the driver if the driver would sleep past the next
///        deadline.
/// inv 3  A thread that waits for its turn gets it next: a driver that polls again and again,
///        because others schedule all the time, holds up no other thread.
/// inv 4  No user code runs in a turn. The jobs that a turn has found are handed out after it, by
///        one thread at a time, in the order of the turns: a thread that finds a job while another
///        thread hands out leaves it to that thread.
class timer_driver final : public timer_poller {
public:
  /// Sleeps on the wake word; see `wait_on_word`.
  using sleep_function = wait_result (*)(const port::atomic<std::uint32_t>& wake_word,
                                         std::uint32_t seen,
                                         std::optional<std::uint64_t> until_ns) noexcept;

  timer_driver() noexcept = default;
  explicit timer_driver(sleep_function sleep) noexcept : sleep_(sleep) {}
  timer_driver(const timer_driver&) = delete;
  timer_driver& operator=(const timer_driver&) = delete;
  ~timer_driver() { stop(); }

  /// Sets the scheduler to drive. Requires: called once; it outlives the driver's last action.
  void attach(scheduler& driven) noexcept;
  /// Starts the thread, with the `thread_mark` of `owner`. Requires: attached; the scheduler's
  /// clock runs at the rate of the system's monotonic clock. Throws: std::system_error if the
  /// thread cannot be started.
  void start(const void* owner);
  /// Ends the thread. From then on only `poll_now` polls. On that thread, which runs user code
  /// then, it does not wait, and another call has to follow on another thread.
  void stop() noexcept;

  /// Drives the scheduler on the calling thread until `end_run`; `start` makes a thread that does.
  /// Requires: attached.
  void run() noexcept;
  /// Makes `run` return. Context: any thread.
  void end_run() noexcept;

  /// Polls on the calling thread; inside a poll it has no effect.
  void poll_now() noexcept override;
  void run_exclusively(void (*call)(void* with), void* with) noexcept override;
  /// Called by what is being handed out, it does not wait.
  void await_hand_out() noexcept override;
  /// Closes the scheduler and polls once more. Returns: see `scheduler::close`.
  std::size_t close() noexcept;

  /// Calls `call` while no poll runs. Returns: its result. Requires: it does not block and runs no
  /// user code.
  template <class Call>
  auto exclusively(Call&& call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      in_turn(call);
    } else {
      std::optional<decltype(call())> result;
      in_turn([&] { result.emplace(call()); });
      return *std::move(result);
    }
  }

private:
  /// Holds `mutex_`, and records which thread does.
  class turn {
  public:
    explicit turn(timer_driver& of);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    timer_driver& driver_;
  };

  /// Calls `call` in a turn, and then hands out what the scheduler has found. Keeps inv 4.
  template <class Call>
  void in_turn(Call&& call) {
    mpsc_chain<timer_job> found;
    {
      const turn mine{*this};
      call();
      if (scheduler_ != nullptr) found = scheduler_->begin_hand_out();
    }
    hand_out(found);
  }
  /// Context: after the turn in which `found` was taken.
  void hand_out(mpsc_chain<timer_job> found) noexcept;

  void poll_for_the_driver() noexcept;
  [[nodiscard]] std::optional<tick> poll_scheduler() noexcept;
  [[nodiscard]] std::uint64_t system_ns(tick when) const noexcept;

  // constant after `start`
  sleep_function sleep_ = wait_on_word;
  scheduler* scheduler_ = nullptr;
  std::int64_t system_ahead_ns_ = 0;  // of the clock
  std::thread thread_;

  // Written by: end_run. Read by: the driver's thread. Publishes: nothing; the wake word orders it.
  port::atomic<bool> stopping_;
  // Written by: the constructor and destructor of `turn`. Read by: poll_now. Publishes: nothing; a
  // thread only compares it with itself.
  port::atomic<std::uintptr_t> whose_turn_;
  // Written by: the thread that hands out. Read by: await_hand_out. Publishes: nothing; a thread
  // only compares it with itself.
  port::atomic<std::uintptr_t> who_hands_out_;
  port::mutex next_turn_;  // held while waiting for `mutex_`: keeps inv 3
  port::mutex mutex_;
  // protected by mutex_
  std::optional<tick> planned_;  // the thread sleeps at most until then; nothing: without a timeout
};

}  // namespace tactor::inline v0::internal
