// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/signal_wait.hpp"

#include "tactor/host/futex.hpp"
#include "tactor/port/port.hpp"

#include <csignal>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::host {
namespace {

// Written by: the handler, wait_for_signal. Read by: wait_for_signal. Publishes: nothing. 0: none yet.
constinit port::atomic<std::uint32_t> arrived;

// Written by: who has news. Read by: wait_for_signal. Publishes: what was written before.
constinit port::atomic<std::uint32_t> news;

// Two stores and a system call: all are safe in a handler.
void note(int signal) noexcept {
  arrived.store(static_cast<std::uint32_t>(signal), relaxed);  // relaxed: a number
  end_signal_wait();
}

/// Handles one signal as long as it lives.
class handled {
public:
  explicit handled(int signal) noexcept : signal_(signal) {
    struct sigaction wanted{};
    wanted.sa_handler = note;
    ::sigemptyset(&wanted.sa_mask);
    (void)::sigaction(signal, &wanted, &before_);
  }
  ~handled() { (void)::sigaction(signal_, &before_, nullptr); }
  handled(const handled&) = delete;
  handled& operator=(const handled&) = delete;

private:
  int signal_;
  struct sigaction before_{};
};

}  // namespace

void end_signal_wait() noexcept {
  news.fetch_add(1, port::release);  // pairs: signal.news
  futex_wake(news);
}

int wait_for_signal(const std::function<bool()>& done) {
  arrived.store(0, relaxed);  // relaxed: a number
  const handled interrupt{SIGINT};
  const handled terminate{SIGTERM};
  while (true) {
    const std::uint32_t seen = news.load(acquire);       // pairs: signal.news
    const std::uint32_t signal = arrived.load(relaxed);  // relaxed: a number
    if (signal != 0 || done()) return static_cast<int>(signal);
    (void)futex_wait(news, seen, std::nullopt);
  }
}

}  // namespace tactor::inline v0::host
