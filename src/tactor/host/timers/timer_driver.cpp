// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/timer_driver.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>

namespace tactor::inline v0::internal {
namespace {

/// Wraps where a coarse clock counts further, so only differences mean something.
std::uint64_t nanoseconds(timer_instant instant) {
  return instant.ticks * instant.resolution_ns;
}

/// Returns how far the system's clock is ahead of `clock`. Too large by at most the time between
/// two readings, so that the driver does not wake too early.
std::int64_t system_ahead_of(const monotonic_clock& clock) {
  constexpr int readings = 8;  // so that one of them is not interrupted in between
  const host::steady_clock system;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int reading = 0; reading < readings; ++reading) {
    const std::uint64_t theirs = nanoseconds(clock.now());
    const auto ahead = static_cast<std::int64_t>(nanoseconds(system.now()) - theirs);
    least = std::min(least, ahead);
  }
  return least;
}

}  // namespace

timer_driver::turn::turn(timer_driver& of) : driver_(of) {
  const lock_guard next{driver_.next_turn_};
  driver_.mutex_.lock();
  driver_.whose_turn_.store(this_thread_mark(), relaxed);  // relaxed: see whose_turn_
}

timer_driver::turn::~turn() {
  driver_.whose_turn_.store(0, relaxed);  // relaxed: see whose_turn_
  driver_.mutex_.unlock();
}

void timer_driver::attach(scheduler& driven) noexcept {
  const turn mine{*this};
  scheduler_ = &driven;
}

void timer_driver::start(const void* owner) {
  system_ahead_ns_ = system_ahead_of(*scheduler_->store().clock);
  thread_ = std::thread{[this, owner] {
    const thread_mark mark{owner};
    set_up_thread("timer");
    find_clock_counter();
    sleep_exactly();
    run();
  }};
}

void timer_driver::stop() noexcept {
  if (!thread_.joinable()) return;
  end_run();
  if (thread_.get_id() == std::this_thread::get_id()) return;  // it ends when its user code returns
  thread_.join();
}

void timer_driver::end_run() noexcept {
  stopping_.store(true, relaxed);  // relaxed: the wake word orders it
  scheduler_->store().wake_driver();
}

void timer_driver::run() noexcept {
  const port::atomic<std::uint32_t>& wake_word = scheduler_->store().wake_word;
  while (true) {
    // Read before the poll: a wake during or after the poll prevents the sleep.
    const std::uint32_t seen = wake_word.load(acquire);  // pairs: timer.wake_word
    if (stopping_.load(relaxed)) return;                 // relaxed: the wake word orders it
    std::optional<std::uint64_t> until_ns;               // nothing: without a timeout
    in_turn([&] {
      planned_ = poll_scheduler();
      if (planned_) until_ns = system_ns(*planned_);
    });
    if (sleep_(wake_word, seen, until_ns) == wait_result::failed) break;
  }
  if (!stopping_.load(relaxed)) scheduler_->report_driver_end();  // relaxed: a report too many
}

/// Jobs that other threads find meanwhile are handed out here, too, but not for ever: the driver
/// goes on then, or the next poll.
void timer_driver::hand_out(mpsc_chain<timer_job> found) noexcept {
  constexpr int most_rounds = 16;
  for (int round = 1; !found.empty(); ++round) {
    who_hands_out_.store(this_thread_mark(), relaxed);  // relaxed: see who_hands_out_
    scheduler_->hand_out(found);
    who_hands_out_.store(0, relaxed);  // relaxed: see who_hands_out_
    const turn next{*this};
    scheduler_->end_hand_out();
    if (round < most_rounds) {
      found = scheduler_->begin_hand_out();
    } else if (scheduler_->has_found()) {
      scheduler_->store().wake_driver();
    }
  }
}

void timer_driver::await_hand_out() noexcept {
  if (who_hands_out_.load(relaxed) == this_thread_mark())
    return;  // relaxed: compared with this thread only
  for (bool over = false; !over; std::this_thread::yield())
    in_turn([&] { over = !scheduler_->is_handing_out(); });  // hands out itself if no other does
}

void timer_driver::poll_now() noexcept {
  if (whose_turn_.load(relaxed) == this_thread_mark())
    return;  // relaxed: compared with this thread only
  in_turn([this] {
    if (scheduler_ != nullptr) poll_for_the_driver();
  });
}

void timer_driver::run_exclusively(void (*call)(void* with), void* with) noexcept {
  if (whose_turn_.load(relaxed) == this_thread_mark())
    return call(with);  // relaxed: compared with this thread only
  in_turn([&] { call(with); });
}

std::size_t timer_driver::close() noexcept {
  return exclusively([this] {
    const std::size_t cancelled = scheduler_->end_all();
    poll_for_the_driver();  // so that the driver waits for no cancelled deadline
    return cancelled;
  });
}

void timer_driver::poll_for_the_driver() noexcept {
  const std::optional<tick> next = poll_scheduler();
  const bool sleeps_too_long = next && (!planned_ || *next < *planned_);
  if (!sleeps_too_long) return;
  planned_ = next;
  scheduler_->store().wake_driver();  // keeps inv 2
}

/// Returns: when to poll next. Commands that have come meanwhile wait for the next tick: none of
/// them is due before, and a poll for many of them takes less time than many polls.
std::optional<tick> timer_driver::poll_scheduler() noexcept {
  const tick soon = later_by(scheduler_->store().now(), 1);
  const poll_result result = scheduler_->collect();
  if (!result.housekeeping && !result.again) return result.next_deadline;
  return result.next_deadline ? std::min(*result.next_deadline, soon) : soon;
}

std::uint64_t timer_driver::system_ns(tick when) const noexcept {
  const auto tick_ns =
      static_cast<std::uint32_t>(scheduler_->config().timing.resolution.nanoseconds());
  // Both wrap, but not the sum: a deadline is less than 2^31 seconds away.
  const std::uint64_t ns = nanoseconds({.ticks = when.count, .resolution_ns = tick_ns}) +
                           static_cast<std::uint64_t>(system_ahead_ns_);
  return static_cast<std::int64_t>(ns) < 0 ? 0 : ns;  // before the system's clock began: now
}

}  // namespace tactor::inline v0::internal
