// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/io_threads.hpp"

#include "tactor/asio/asio_context.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/host/os/thread_setup.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace tactor::inline v0::io {
namespace {

/// Runs the context until it is stopped. An operation for which there is no memory ends; the others
/// continue.
// NOLINTNEXTLINE(bugprone-exception-escape): any other exception of a callback ends the program
void run_to_the_end(net::io_context& context) noexcept {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

/// Runs further completions that are ready, so that one step of the system serves them all. A poll
/// in vain is a system call, so the number of polls follows the number of recent completions.
class completions {
public:
  void run(net::io_context& of) {
    constexpr int most = 128;
    constexpr int rarely = 16;
    const int wanted = expected_ == 0 && ++waits_ % rarely == 0 ? 1 : expected_;
    int count = 0;
    while (count < wanted && of.poll_one() != 0)
      ++count;
    expected_ = count < wanted ? count : std::min(most, 2 * count);
  }

private:
  int expected_ = 0;
  unsigned waits_ = 0;
};

/// Waits for a completion until the system's next deadline, and runs it. Returns: false if there
/// was none.
bool run_one_until(net::io_context& context, const std::optional<duration>& deadline) {
  constexpr std::chrono::hours longest{1};  // Asio adds it to the time
  if (!deadline) return context.run_one() != 0;
  if (deadline->nanoseconds() <= 0) return context.poll_one() != 0;
  const std::chrono::nanoseconds left{deadline->nanoseconds()};
  return context.run_one_for(std::min<std::chrono::nanoseconds>(left, longest)) != 0;
}

}  // namespace

io_threads::io_threads(std::size_t threads) : parts_(std::make_unique<parts>()) {
  try {
    for (std::size_t number = 0; number < threads; ++number) {
      parts_->threads.emplace_back([this, number] {
        internal::set_up_thread("io", static_cast<std::uint32_t>(number));
        run_to_the_end(parts_->context);
      });
    }
  } catch (...) {
    end();
    throw;
  }
}
io_threads::~io_threads() {
  end();
}
void io_threads::end() noexcept {
  parts_->context.stop();
  for (std::thread& each : parts_->threads)
    each.join();
}
std::size_t io_threads::size() const noexcept {
  return parts_->threads.size();
}

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
