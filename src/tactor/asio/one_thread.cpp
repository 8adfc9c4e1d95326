// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/one_thread.hpp"

#include "tactor/asio/asio_context.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace tactor::inline v0::io {
namespace {

/// Runs further completions that are ready, so that one step of the system serves them all. A poll in vain is a system
/// call, so it tries about as many as were found lately.
class completions {
public:
  void run(net::io_context& of) {
    constexpr int most = 128;
    constexpr int rarely = 16;
    const int wanted = expected_ == 0 && ++waits_ % rarely == 0 ? 1 : expected_;
    int found = 0;
    while (found < wanted && of.poll_one() != 0)
      ++found;
    expected_ = found < wanted ? found : std::min(most, 2 * found);
  }

private:
  int expected_ = 0;
  unsigned waits_ = 0;
};

/// Waits for a completion until the system's next deadline, and runs it. Returns: whether there was one.
bool run_one_until(net::io_context& context, const std::optional<duration>& deadline) {
  constexpr std::chrono::hours longest{1};  // Asio adds it to the time
  if (!deadline) return context.run_one() != 0;
  if (deadline->nanoseconds() <= 0) return context.poll_one() != 0;
  const std::chrono::nanoseconds left{deadline->nanoseconds()};
  return context.run_one_for(std::min<std::chrono::nanoseconds>(left, longest)) != 0;
}

}  // namespace

void run_until(io_threads& on, cooperative_system& system, const std::function<bool()>& done) {
  constexpr std::size_t most = 1000;  // turns in a step
  net::io_context& context = context_of(on);
  completions also;
  bool was_busy = false;
  while (!done()) {
    const bool is_busy = system.poll(most) != 0;
    if (is_busy && was_busy)
      (void)context.poll_one();  // else actors that never rest would keep Asio out
    if (std::exchange(was_busy, is_busy) || is_busy) continue;
    if (run_one_until(context, system.next_deadline())) also.run(context);
  }
}

}  // namespace tactor::inline v0::io
