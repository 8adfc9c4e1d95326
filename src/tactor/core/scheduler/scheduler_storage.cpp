// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/scheduler_storage.hpp"

#include <cstddef>
#include <new>

namespace tactor::inline v0::internal {
namespace {

alignas(timer_store) constinit std::byte store_of_board[sizeof(timer_store)] = {};
alignas(scheduler) constinit std::byte timers_of_board[sizeof(scheduler)] = {};

}  // namespace

scheduler& make_scheduler(const scheduler_config& config, const board_timers& with) noexcept {
  auto& store = *::new (static_cast<void*>(store_of_board)) timer_store(with.records);
  return *::new (static_cast<void*>(timers_of_board))
      scheduler(config, {.wheel = with.wheel,
                         .store = store,
                         .close_tasks = {},
                         .clock = with.clock,
                         .dispatcher = with.dispatcher,
                         .driver = with.driver,
                         .periodic = with.periodic,
                         .reports = with.reports});
}

}  // namespace tactor::inline v0::internal
