// SPDX-License-Identifier: BSL-1.0
#include "tactor/bare/system_parts.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/priority_coordinator.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

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

// A program has one system. All-zero, so a program without timers has neither.
alignas(timer_store) constinit std::byte store_bytes[sizeof(timer_store)] = {};
alignas(scheduler) constinit std::byte scheduler_bytes[sizeof(scheduler)] = {};

template <class Coordinator>
Coordinator make_coordinator(const system_storage& storage) noexcept {
  if constexpr (std::is_constructible_v<Coordinator, std::span<priority_coordinator::level>>) {
    return Coordinator{storage.levels};
  } else {
    return {};
  }
}

}  // namespace

scheduler& make_timers(const scheduler_config& config, const monotonic_clock& clock,
                       const system_storage& storage, job_dispatcher& callables,
                       timer_poller& driver) noexcept {
  auto& store = *::new (static_cast<void*>(store_bytes)) timer_store(storage.records);
  return *::new (static_cast<void*>(scheduler_bytes))
      scheduler(config, {.wheel = storage.wheel,
                         .store = store,
                         .close_tasks = {},
                         .clock = clock,
                         .dispatcher = callables,
                         .driver = &driver,
                         .periodic = program_features().periodic,
                         .reports = program_features().timer_reports});
}

reporter& make_reporter(std::byte* at, const system_config& config, const monotonic_clock& clock,
                        scheduler* timers, std::span<scheduler_event> warnings) noexcept {
  return *::new (static_cast<void*>(at)) reporter(config.log, config.name, clock, timers, warnings);
}

static_memory::static_memory(const system_storage& storage) noexcept : pages_(storage.pages) {
  TACTOR_ASSERT(program_memory.cells.made() == 0, panics::system_memory);
  program_memory.pages.provide(pages_);
  program_memory.cells.confine_to({reinterpret_cast<cell*>(storage.slots), storage.slot_count});
  program_memory.asks.confine_to(storage.asks);
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    make_blocks(size_class, (*storage.blocks)[size_class]);
}

template <class Coordinator>
system_parts<Coordinator>::system_parts(const system_config& config, const monotonic_clock& clock,
                                        const system_storage& storage) noexcept
    : memory_(storage),
      resolution_(config.scheduler.timing.resolution),
      coordinator_(make_coordinator<Coordinator>(storage)),
      timers_(storage.make_timers == nullptr
                  ? nullptr
                  : &storage.make_timers(config.scheduler, clock, storage, callables_, *this)),
      core_(config, {.clock = clock,
                     .timers = timers_,
                     .coordinator = coordinator_,
                     .reports = storage.make_reporter == nullptr
                                    ? nullptr
                                    : &storage.make_reporter(storage.reporter_at, config, clock,
                                                             timers_, storage.warnings)}),
      loop_(core_, coordinator_) {}

template <class Coordinator>
std::size_t system_parts<Coordinator>::poll(std::size_t most) noexcept {
  if (feed_watchdog != nullptr) {
    feed_watchdog();
    most = 1;  // each turn may take as long as the watchdog permits
  }
  const std::size_t turns = loop_.poll(most);
  if (timers_ != nullptr) (void)program_features().scheduling->run_callables(callables_);
  return turns;
}

template <class Coordinator>
bool system_parts<Coordinator>::has_work() noexcept {
  if (coordinator_.poll_wait_signal() == wait_signal::ready || !callables_.empty()) return true;
  return core_.clock().now().ticks >= reading_at(next_deadline());
}

template <class Coordinator>
tick system_parts<Coordinator>::this_tick() const noexcept {
  return tick_at(core_.clock().now(), resolution_);
}

template <class Coordinator>
std::uint64_t system_parts<Coordinator>::reading_at(const std::optional<tick>& next) noexcept {
  return next ? program_features().scheduling->first_reading_at(*timers_, *next)
              : std::numeric_limits<std::uint64_t>::max();
}

template class system_parts<single_thread_coordinator>;
template class system_parts<priority_coordinator>;

}  // namespace tactor::inline v0::bare::internal
