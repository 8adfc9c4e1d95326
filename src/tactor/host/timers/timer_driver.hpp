// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tactor::inline v0::internal {

/// Drives one scheduler from a thread of its own, `tactor-timer`. It sleeps until the next deadline
/// and is woken only by an earlier one, or after a tick to clear away what was cancelled: with no
/// timer due nothing wakes up.
///
/// Thread safety: `poll_now`, `close` and `exclusively` from any thread; the rest by the owner.
///
/// inv 1  Whoever does the owner's part of the scheduler has `mutex_`.
/// inv 2  A look by another thread wakes the driver if it sleeps longer than that look found right.
class timer_driver final : public timer_poller {
public:
  /// How to sleep on the bell; see `futex_wait`.
  using sleep_function = futex_result (*)(const port::atomic<std::uint32_t>& wake_word,
                                          std::uint32_t seen,
                                          std::optional<std::uint64_t> until_ns) noexcept;

  timer_driver() noexcept = default;
  explicit timer_driver(sleep_function sleep) noexcept : sleep_(sleep) {}
  timer_driver(const timer_driver&) = delete;
  timer_driver& operator=(const timer_driver&) = delete;
  ~timer_driver() { stop(); }

  /// Names the scheduler to drive. Requires: once; both outlive the driver's last action.
  void attach(scheduler& driven, const monotonic_clock& clock) noexcept;
  /// Begins to drive. Requires: attached; the clock is in step with the system's monotonic clock.
  /// Throws: std::system_error if there is no thread.
  void start();
  /// Ends the thread. From then on only `poll_now` looks.
  void stop() noexcept;

  /// Looks at once, on the calling thread. From within a look it does nothing.
  void poll_now() noexcept override;
  /// Closes the scheduler and looks a last time. Returns: as `scheduler::close`.
  std::size_t close() noexcept;

  /// Calls `call` while nobody looks. Requires: it waits for nobody and runs no user code.
  template <class Call>
  decltype(auto) exclusively(Call&& call) {
    const turn mine{*this};
    return std::forward<Call>(call)();
  }

private:
  /// The right to do the owner's part, and a note of who has it.
  class turn {
  public:
    explicit turn(timer_driver& of);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    timer_driver& driver_;
  };

  void run() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> look_and_plan() noexcept;
  [[nodiscard]] std::optional<tick> next_poll(const poll_result& result) const noexcept;
  [[nodiscard]] std::uint64_t system_ns(tick when) const noexcept;

  // constant after `start`
  sleep_function sleep_ = futex_wait;
  scheduler* scheduler_ = nullptr;
  const monotonic_clock* clock_ = nullptr;
  std::int64_t system_ahead_ns_ = 0;  // of the clock
  std::thread thread_;

  // Written by: stop. Read by: the driver's thread. Publishes: nothing; the bell orders it.
  port::atomic<bool> stopping_;
  // Written by: who takes and ends a turn. Read by: poll_now. Publishes: nothing; a thread finds
  // itself or not.
  port::atomic<std::uintptr_t> whose_turn_;
  std::mutex mutex_;
  // protected by mutex_
  std::optional<tick> planned_;  // the thread sleeps no longer than until then; nothing: for ever
};

}  // namespace tactor::inline v0::internal
