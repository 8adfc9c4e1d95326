// SPDX-License-Identifier: BSL-1.0
// A thread of Zephyr that runs actors. Compiled by the tests with rtos/zephyr.h, not linked.
#include "zephyr.h"

#include "lamp.hpp"

#include <optional>

extern k_msgq requests;
extern k_sem work;
static on request;

void actors_thread();
void from_isr();

void actors_thread() {
  for (;;) {
    while (k_msgq_get(&requests, &request, K_NO_WAIT) == 0)
      lamp.tell(request);
    const std::optional<tactor::tick> next = board.run_once();
    k_sem_take(&work, next ? K_TICKS(ticks_until(*next)) : K_FOREVER);
  }
}
void from_isr() {
  lamp.tell(on{});
  k_sem_give(&work);
}
