// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

namespace tactor::inline v0::bare {

/// Sleeps until an interrupt is pending, even a masked one, so that none is lost between the last
/// check and the sleep. Where there are no interrupts (unit tests on the host) it does not sleep.
inline void wait_for_interrupt() noexcept {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
  asm volatile("dsb\n\twfi" : : : "memory");
#else
  port::cpu_relax();
#endif
}

}  // namespace tactor::inline v0::bare
