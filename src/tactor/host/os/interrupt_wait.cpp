// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/interrupt_wait.hpp"

#include "tactor/host/os/thread_setup.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tactor::inline v0::internal {
namespace {

constinit interrupt_news news;

void note(int signal) noexcept {
  news.arrive(static_cast<std::uint32_t>(signal));
}

/// Replaces the action of a signal and restores it.
class handled {
public:
  explicit handled(int signal) noexcept : signal_(signal) {}
  void begin() noexcept {
    struct sigaction wanted{};
    wanted.sa_handler = note;
    wanted.sa_flags =
        SA_RESTART;  // it may interrupt any thread, also in a system call of a handler
    ::sigemptyset(&wanted.sa_mask);
    (void)::sigaction(signal_, &wanted, &before_);
  }
  [[nodiscard]] int signal() const noexcept { return signal_; }
  void end() noexcept { (void)::sigaction(signal_, &before_, nullptr); }

private:
  int signal_;
  struct sigaction before_{};
};

/// Handles the signals while at least one thread waits for them: several systems may wait, and stop
/// waiting in any order. A thread that waits does not block them.
class waits_for_signals {
public:
  waits_for_signals() noexcept {
    begin();
    signal_set unblocked = mask_;
    for (const handled& each : all)
      ::sigdelset(&unblocked, each.signal());
    set_signal_mask(unblocked);
  }
  ~waits_for_signals() {
    set_signal_mask(mask_);
    const std::scoped_lock lock{mutex};
    if (--waiting > 0) return;
    for (handled& each : all)
      each.end();
  }
  waits_for_signals(const waits_for_signals&) = delete;
  waits_for_signals& operator=(const waits_for_signals&) = delete;

private:
  static void begin() noexcept {
    const std::scoped_lock lock{mutex};
    if (waiting++ > 0) return;
    news.forget();
    for (handled& each : all)
      each.begin();
  }

  const signal_set mask_ = signal_mask();
  static inline constinit std::mutex mutex;
  // protected by mutex
  static inline std::size_t waiting = 0;
  static inline std::array all{handled{SIGINT}, handled{SIGTERM}};
};

}  // namespace

void end_signal_wait() noexcept {
  news.announce();
}

int wait_for_signal(const std::function<bool()>& done) {
  const waits_for_signals now;
  return static_cast<int>(news.wait(done));
}

}  // namespace tactor::inline v0::internal
