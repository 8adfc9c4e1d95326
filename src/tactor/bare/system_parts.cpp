// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/system_parts.hpp"

#include "tactor/bare/absent_features.hpp"
#include "tactor/base/assert.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace tactor::inline v0::bare::internal {

namespace {

/// Makes the blocks of one size now, so that no other use takes their memory.
void make_blocks(unsigned size_class, std::size_t count) noexcept {
  envelope_caches& caches = this_thread().envelopes;
  envelope* made = nullptr;
  for (; count > 0; --count) {
    envelope* const fresh = program_memory.envelopes.allocate(caches, size_class);
    TACTOR_ASSERT(fresh != nullptr, panics::system_memory);
    fresh->next.set(made);
    made = fresh;
  }
  while (made != nullptr) {
    envelope& each = *made;
    made = each.next.get();
    program_memory.envelopes.release(caches, each);
  }
}

}  // namespace

static_memory::static_memory(const system_storage& storage) noexcept : pages_(storage.pages) {
  if constexpr (port::has_interrupts) absent_features();
  TACTOR_ASSERT(program_memory.cells.made() == 0, panics::system_memory);
  program_memory.pages.provide(pages_);
  program_memory.cells.confine_to(storage.cells);
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    make_blocks(size_class, storage.blocks[size_class]);
}

system_parts::system_parts(const system_config& config, const monotonic_clock& clock,
                           const system_storage& storage) noexcept
    : memory_(storage),
      resolution_(config.scheduler.timing.resolution),
      timers_(make_scheduler(config.scheduler, {.records = storage.records,
                                                .wheel = storage.wheel,
                                                .clock = clock,
                                                .dispatcher = callables_,
                                                .driver = this})),
      core_(config, {.clock = clock,
                     .timers = timers_,
                     .coordinator = coordinator_,
                     .warnings = storage.warnings}),
      loop_(core_, coordinator_) {}

std::size_t system_parts::poll(std::size_t most) noexcept {
  if (feed_watchdog != nullptr) {
    feed_watchdog();
    most = 1;  // each turn may take as long as the watchdog permits
  }
  const std::size_t turns = loop_.poll(most);
  (void)callables_.run_waiting();
  return turns;
}

bool system_parts::has_work(std::optional<tick> next) noexcept {
  if (coordinator_.poll_wait_signal() == wait_signal::ready || !callables_.empty()) return true;
  return core_.clock().now().ticks >= reading_at(next);
}

tick system_parts::this_tick() const noexcept {
  return tick_at(core_.clock().now(), resolution_);
}

std::uint64_t system_parts::reading_at(std::optional<tick> next) const noexcept {
  return next ? timers_.first_reading_at(*next) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace tactor::inline v0::bare::internal
