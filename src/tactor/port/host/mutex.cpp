// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <mutex>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code lost_by_fork{
    .module = 1,
    .id = 1,
    .advice = "this process was forked while a system ran, and a lock of that system is held by a "
              "thread that does not exist here: fork before the start, or exec at once"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::port {

void wait_for_lock(std::mutex& taken) noexcept {
  if (locks_may_be_lost.load(relaxed)) panic(panics::lost_by_fork);  // relaxed: of this process
  taken.lock();
}

}  // namespace tactor::inline v0::port
