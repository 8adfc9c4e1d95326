// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/warning_reporter.hpp"

#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/thread_mark.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

// The states of the thread.
constexpr std::uint32_t asleep = 0;     // or about to sleep
constexpr std::uint32_t raised = 1;     // a warning has come, or `stop`
constexpr std::uint32_t reporting = 2;  // no warning has come since

}  // namespace

/// Shared with the thread, which may outlive the reporter.
struct warning_reporter::shared {
  void wake() noexcept {
    // Publishes `stopping`. The lock of the stream publishes a warning.
    // no mutant: the reporter is in no model yet
    if (word.exchange(raised, acq_rel) == asleep) futex_wake(word);  // pairs: reporter.word
  }

  void run(const std::function<void()>& report) noexcept {
    bool last = false;
    while (!last) {
      word.exchange(reporting, acq_rel);  // pairs: reporter.word; no mutant: see `wake`
      last = stopping.load(relaxed);      // relaxed: the word orders it
      report();
      std::uint32_t seen = reporting;
      // Publishes what was reported. no mutant: see `wake`
      if (last || !word.compare_exchange(seen, asleep, release)) continue;  // pairs: reporter.word
      if (futex_wait(word, asleep, std::nullopt) == futex_result::failed) return;
    }
  }

  // Written by: threads that raise warnings, `stop`, the thread. Read by: the same, `is_idle`.
  // Publishes: `stopping`; all that was reported.
  port::atomic<std::uint32_t> word;
  // Written by: stop. Read by: the thread. Publishes: nothing; the word orders it.
  port::atomic<bool> stopping;

  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;  // protected by mutex
};

warning_reporter::warning_reporter() : shared_(std::make_shared<shared>()) {}

void warning_reporter::start(diagnostics& stream, std::function<void()> report,
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
  shared_->stopping.store(true, relaxed);  // relaxed: the word orders it
  shared_->wake();
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

bool warning_reporter::is_idle() const noexcept {
  return shared_->word.load(acquire) == asleep;  // pairs: reporter.word; no mutant: see `wake`
}

void warning_reporter::hear(const scheduler_event& /*event*/) noexcept {
  shared_->wake();
}

}  // namespace tactor::inline v0::internal
