// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

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

  /// A signal has arrived. Context: signal handlers; two stores and a system call.
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
