// SPDX-License-Identifier: BSL-1.0
// A task of FreeRTOS that runs actors. Compiled by the tests with rtos/freertos.h, not linked.
#include "freertos.h"

#include "lamp.hpp"

#include <optional>

extern QueueHandle_t requests;
extern TaskHandle_t actors;
static on request;

void actors_task(void* argument);
void from_isr();
void from_another_task(on wanted);

void actors_task(void*) {
  for (;;) {
    while (xQueueReceive(requests, &request, 0) == pdTRUE)
      lamp.tell(request);
    const std::optional<tactor::tick> next = board.run_once();
    ulTaskNotifyTake(pdTRUE, next ? ticks_until(*next) : portMAX_DELAY);
  }
}
void from_isr() {
  BaseType_t woken = pdFALSE;
  lamp.tell(on{});
  vTaskNotifyGiveFromISR(actors, &woken);
  portYIELD_FROM_ISR(woken);
}
void from_another_task(on wanted) {
  xQueueSend(requests, &wanted, 0);
  xTaskNotifyGive(actors);
}
