// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <functional>
#include <limits>

namespace tactor::inline v0::internal {

/// Waits for SIGINT or SIGTERM, delivered to any thread of the program. Meanwhile these signals
/// have no other effect, and the calling thread does not block them; afterwards the thread's mask
/// and the previous handlers are restored, so that a second Ctrl-C ends a program whose shutdown
/// takes too long. Also returns when `done()` holds, which is checked again after each
/// `end_signal_wait`. Returns: the signal; 0: none. Context: any number of threads; a signal ends
/// the wait of all.
int wait_for_signal(const std::function<bool()>& done);
/// Makes every `wait_for_signal` check `done()`. Context: any thread, signal handlers.
void end_signal_wait() noexcept;

/// Carries what a signal handler tells the threads that wait for a signal.
///
/// inv 1  A thread that waits reads `news_` before its checks; a thread that changes what is
///        checked increments `news_` afterwards. So a change during the check prevents the sleep.
class interrupt_news {
public:
  constexpr interrupt_news() noexcept = default;
  interrupt_news(const interrupt_news&) = delete;
  interrupt_news& operator=(const interrupt_news&) = delete;
  ~interrupt_news() = default;

  /// Takes a signal that has arrived. Context: signal handlers; two stores and a system call.
  void arrive(std::uint32_t signal) noexcept {
    arrived_.store(signal, relaxed);  // relaxed: a number
    announce();
  }
  /// Makes every thread that waits check again. Context: any thread, signal handlers.
  void announce() noexcept {
    news_.fetch_add(1, release);  // pairs: signal.news
    wake_waiters(news_);
  }
  /// Forgets the signal. Requires: no thread waits.
  void forget() noexcept { arrived_.store(0, relaxed); }  // relaxed: a number

  /// Waits for a signal, or until `done()` holds. Returns: the signal; 0: none.
  template <class Done>
  [[nodiscard]] std::uint32_t wait(const Done& done) {
    while (true) {
      const std::uint32_t seen = news_.load(acquire);       // pairs: signal.news; keeps inv 1
      const std::uint32_t signal = arrived_.load(relaxed);  // relaxed: a number
      if (signal != 0 || done()) return signal;
      (void)wait_on_word(news_, seen, never_ns);
    }
  }

private:
  // A sleep with a timeout ends when a signal arrives, also if the signal restarts system calls. So
  // the check follows at once even if a tool such as ThreadSanitizer runs the handler only later on
  // this thread.
  static constexpr std::uint64_t never_ns = std::numeric_limits<std::int64_t>::max();

  // Written by: arrive, forget. Read by: wait. Publishes: nothing. 0: none yet.
  port::atomic<std::uint32_t> arrived_;
  // Written by: announce. Read by: wait. Publishes: what was written before.
  port::atomic<std::uint32_t> news_;
};

}  // namespace tactor::inline v0::internal
