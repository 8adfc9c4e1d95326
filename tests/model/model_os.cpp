// SPDX-License-Identifier: BSL-1.0
#include "model_os.hpp"

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/os/wait_on_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

wait_result wait_on_word(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                         std::optional<std::uint64_t> until_ns) noexcept {
  if (until_ns == 0U) return wait_result::timed_out;
  model::model_os::current->futex.sleep(word, seen);
  return wait_result::woken;
}
void wake_waiter(port::atomic<std::uint32_t>& /*word*/) noexcept {
  model::model_os::current->futex.wake_one();
}
void wake_waiters(port::atomic<std::uint32_t>& /*word*/) noexcept {
  model::model_os::current->futex.wake_all();
}

void set_up_thread(std::string_view /*role*/) noexcept {}
void sleep_exactly() noexcept {}
std::uintptr_t this_thread_mark() noexcept {
  return static_cast<std::uintptr_t>(rl::ctx().threadx_->index_) + 1;
}

void find_clock_counter() noexcept {}

}  // namespace tactor::inline v0::internal

namespace tactor::inline v0::host {

timer_instant steady_clock::now() const noexcept {
  return {.ticks = 0, .resolution_ns = 1};
}

timer_instant steady_clock::stamp() const noexcept {
  return now();
}

}  // namespace tactor::inline v0::host
