// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/one_thread.hpp"

#include "tactor/asio/asio_context.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace tactor::inline v0::io {

void run_until(io_threads& on, cooperative_system& system, const std::function<bool()>& done) {
  constexpr std::size_t most = 1000;        // turns in a step
  constexpr std::chrono::hours longest{1};  // Asio adds it to the time
  net::io_context& context = context_of(on);
  bool was_busy = false;
  while (!done()) {
    const bool is_busy = system.poll(most) != 0;
    if (is_busy && was_busy)
      (void)context.poll_one();  // else actors that never rest would keep Asio out
    if (std::exchange(was_busy, is_busy) || is_busy) continue;
    const auto next = system.next_deadline();
    if (!next) {
      (void)context.run_one();
    } else if (next->nanoseconds() <= 0) {
      (void)context.poll_one();
    } else {
      (void)context.run_one_for(std::min<std::chrono::nanoseconds>(
          std::chrono::nanoseconds{next->nanoseconds()}, longest));
    }
  }
}

}  // namespace tactor::inline v0::io
