// SPDX-License-Identifier: BSL-1.0
#include "model_os.hpp"

#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

futex_result futex_wait(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                        std::optional<std::uint64_t> until_ns) noexcept {
  if (until_ns == 0U) return futex_result::timed_out;
  model::model_os::current->futex.sleep(word, seen);
  return futex_result::woken;
}
void futex_wake(port::atomic<std::uint32_t>& /*word*/) noexcept {
  model::model_os::current->futex.wake_one();
}
void futex_wake_all(port::atomic<std::uint32_t>& /*word*/) noexcept {
  model::model_os::current->futex.wake_all();
}

void set_up_thread(std::string_view /*role*/) noexcept {}
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

timer_instant steady_clock::quick() const noexcept {
  return now();
}

std::uint64_t steady_clock::quick_error_ns() const noexcept {
  return 0;
}

}  // namespace tactor::inline v0::host
