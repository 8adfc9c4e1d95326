// SPDX-License-Identifier: BSL-1.0
// The part of FreeRTOS's interface that freertos.cpp uses, as declarations: so that it is compiled
// without FreeRTOS.
#pragma once

#include <cstdint>

using BaseType_t = long;
using TickType_t = std::uint32_t;
using TaskHandle_t = void*;
using QueueHandle_t = void*;
constexpr BaseType_t pdTRUE = 1;
constexpr BaseType_t pdFALSE = 0;
constexpr TickType_t portMAX_DELAY = 0xFFFF'FFFF;

extern "C" {
BaseType_t xQueueReceive(QueueHandle_t queue, void* into, TickType_t wait);
BaseType_t xQueueSend(QueueHandle_t queue, const void* item, TickType_t wait);
std::uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t wait);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t* woken);
void portYIELD_FROM_ISR(BaseType_t woken);
}
