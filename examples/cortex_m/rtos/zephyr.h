// SPDX-License-Identifier: BSL-1.0
// The part of Zephyr's interface that zephyr.cpp uses, as declarations: so that it is compiled
// without Zephyr.
#pragma once

#include <cstdint>

struct k_msgq;
struct k_sem;
struct k_timeout_t {
  std::int64_t ticks;
};
constexpr k_timeout_t K_NO_WAIT{0};
constexpr k_timeout_t K_FOREVER{-1};
constexpr k_timeout_t K_TICKS(std::int64_t ticks) {
  return {ticks};
}

extern "C" {
int k_msgq_get(k_msgq* queue, void* into, k_timeout_t wait);
int k_sem_take(k_sem* semaphore, k_timeout_t wait);
void k_sem_give(k_sem* semaphore);
}
