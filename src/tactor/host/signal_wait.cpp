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

// A store and a system call: both are safe in a handler.
void note(int signal) noexcept {
  arrived.store(static_cast<std::uint32_t>(signal), relaxed);  // relaxed: a number
  futex_wake(arrived);
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

int wait_for_signal() noexcept {
  arrived.store(0, relaxed);  // relaxed: a number
  const handled interrupt{SIGINT};
  const handled terminate{SIGTERM};
  std::uint32_t signal = 0;
  while ((signal = arrived.load(relaxed)) == 0)  // relaxed: a number
    (void)futex_wait(arrived, 0, std::nullopt);
  return static_cast<int>(signal);
}

}  // namespace tactor::inline v0::host
