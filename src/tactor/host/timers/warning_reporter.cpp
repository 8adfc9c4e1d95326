// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/warning_reporter.hpp"

#include "tactor/host/os/report_signal.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/port/port.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace tactor::inline v0::internal {

/// Shared with the thread, which may outlive the reporter.
struct warning_reporter::shared {
  void run(const report_function& report) noexcept {
    bool last = false;
    bool can_sleep = true;
    while (!last && can_sleep) {
      signal.begin();
      last = stopping.load(relaxed);  // relaxed: the signal orders it
      const auto again = report();
      if (last) return;
      can_sleep = signal.sleep(
          again ? std::optional{monotonic_ns() + static_cast<std::uint64_t>(again->count())}
                : std::nullopt);
    }
  }

  report_signal signal;
  // Written by: stop. Read by: the thread. Publishes: nothing; the signal orders it.
  port::atomic<bool> stopping;

  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;  // protected by mutex
};

warning_reporter::warning_reporter() : shared_(std::make_shared<shared>()) {}

void warning_reporter::start(diagnostics& stream, report_function report,
                             std::shared_ptr<const void> keep, const void* owner) {
  thread_ = std::thread{
      [state = shared_, report = std::move(report), keep = std::move(keep), owner]() mutable {
        set_up_thread("report");
        {
          const thread_mark mark{owner};
          state->run(report);
        }
        keep.reset();
        const std::scoped_lock lock{state->mutex};
        state->ended = true;
        state->changed.notify_all();
      }};
  stream.attach(*this, scheduler_event_kinds::warnings());
  stream_ = &stream;
}

bool warning_reporter::stop(std::chrono::steady_clock::time_point until) noexcept {
  if (stream_ == nullptr) return true;
  std::exchange(stream_, nullptr)->detach(*this);
  shared_->stopping.store(true, relaxed);  // relaxed: the signal orders it
  shared_->signal.raise();
  std::unique_lock lock{shared_->mutex};
  const bool ended = shared_->changed.wait_until(lock, until, [&] { return shared_->ended; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
  return ended;
}

report_signal& warning_reporter::signal() const noexcept {
  return shared_->signal;
}

bool warning_reporter::is_idle() const noexcept {
  return shared_->signal.is_idle();
}

void warning_reporter::hear(const scheduler_event& /*event*/) noexcept {
  shared_->signal.raise();
}

}  // namespace tactor::inline v0::internal
