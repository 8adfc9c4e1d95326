// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/priority_levels.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace tactor::inline v0::bare {

/// The number of blocks of each size of the pool.
using block_counts = std::array<std::size_t, tactor::internal::envelope_size_classes>;

/// The capacity of a `bare::system`. All of it is static memory; a request beyond it is refused at
/// run time with an error value.
///
///     constinit bare::system<{.actors = 3, .envelopes = 16, .timers = 1}> sys;
struct system_size {
  /// For `periodic`.
  static constexpr std::size_t as_many_as_timers = ~std::size_t{0};

  /// Live actors.
  std::size_t actors = 8;
  /// Messages that are queued or being handled.
  std::size_t envelopes = 16;
  /// The size of the largest message, including messages that timers send, and what makes the
  /// messages of periodic timers.
  std::size_t payload = 8;
  /// Live timers of the program, including those whose message is queued or being handled. Those of
  /// the runtime come on top: one for each actor counted in `supervised`, `receive_timeouts` and
  /// `suspended`, and one more for the moment in which an earlier deadline is set.
  std::size_t timers = 4;
  /// The number of `timers` that are periodic, or have a hook or `on_shutdown::run`; one more is
  /// refused
  /// (`capacity_exceeded`).
  std::size_t periodic = as_many_as_timers;
  /// The length of the longest actor name; 0: no actor has a name.
  std::size_t name = 0;
  /// The size of the largest constructor arguments of an actor; 0: no actor has arguments.
  std::size_t arguments = 0;
  /// The size of the largest actor. Actors up to the default are stored in their cells; if this is
  /// more, there is a block for each actor.
  std::size_t state = tactor::internal::cell::storage_size;
  /// True if any mailbox has a capacity, reports pressure or limits system messages; `drop_oldest`
  /// and `prioritized` say so, too. Otherwise such an actor is refused (`no_memory`), and the pool
  /// is the only limit.
  bool bounded = false;
  /// The number of priorities that actors have, at most 32; `spawn_options::priority` is one of 0
  /// to `priorities` - 1. 0 or 1: all actors have the same, and an actor with another one is
  /// refused.
  std::size_t priorities = 0;
  /// Mailboxes with the overflow strategy `drop_oldest`.
  std::size_t drop_oldest = 0;
  /// Mailboxes with `mailbox_order::priority`: more than 1 KiB each on a 32-bit machine.
  std::size_t prioritized = 0;

  // Needed by few actors. An actor may be counted in several of these.

  /// Keys by which actors start timers (`start_timer`), counted for each actor. An active timer
  /// also counts in `timers`, and one more while it is replaced. A key that does not fit is refused
  /// (`capacity_exceeded`).
  std::size_t keyed_timers = 0;

  /// Actors with a strategy (`on_failure`) other than stop. 0: such an actor is refused
  /// (`no_memory`).
  std::size_t supervised = 0;
  /// Asks of actors that are open at the same time, with continuations or awaited, and other
  /// results that coroutines await. One more is refused (`ask_failure::refused`).
  std::size_t asks = 0;
  /// Watches: pairs of an actor and its watcher.
  std::size_t watches = 0;
  /// Actors that have a receive timeout, ask, or have coroutines.
  std::size_t receive_timeouts = 0;
  /// Actors that are ever suspended. While an actor waits for its restart, it and its children are
  /// suspended; of these only the children count here.
  std::size_t suspended = 0;
  /// Actors that receive signals before they wait for them.
  std::size_t signalled = 0;
  /// Pending calls of `suspend`, `resume` and `signal` for other actors.
  std::size_t suspension_commands = 0;

  /// True if handlers are coroutines. Otherwise an actor with one is refused by the compiler, where
  /// it can know it, or its first coroutine panics (`coroutines_left_out`).
  bool coroutines = false;
  /// True if actors put messages into their stash. Otherwise that is refused (`no_memory`).
  bool stash = false;

  /// True if actors subscribe to events; `reports` says so, too. Otherwise that panics
  /// (`events_left_out`).
  bool events = false;
  /// True if actors subscribe to events of the runtime (`dead_letter`, `actor_failed`, …).
  /// Otherwise that panics (`reports_left_out`).
  bool reports = false;
  /// True if the system writes a log; its sink is given to `start`.
  bool log = false;
  /// True if the system, or any of its actors, has middleware, or the system has spawn middleware.
  bool middleware = false;
  /// True if messages of actors to full mailboxes with `block_producer` wait in outboxes, whose
  /// blocks are counted in `further`. Otherwise they are refused.
  bool outboxes = false;

  /// Timers at most this many ticks ahead are cheapest. A power of two.
  std::size_t wheel_slots = 32;
  /// Further blocks by size, 32 bytes and up (64 on a 64-bit machine), for what the other numbers
  /// do not cover: a few larger messages, subscriptions to events, continuations larger than 8
  /// bytes, coroutines, waiting for capacity of mailboxes (`when_capacity`).
  block_counts further = {};
};

namespace internal {

using namespace tactor::internal;

/// Memory for `Count` objects. If there is none, it takes no byte of a class (`std::array` does).
template <class T, std::size_t Count>
struct room_for : std::array<T, Count> {};
template <class T>
struct room_for<T, 0> {
  constexpr operator std::span<T>() const noexcept { return {}; }
  [[nodiscard]] static constexpr T* data() noexcept { return nullptr; }
};

/// Counts blocks by their contents.
class block_tally {
public:
  constexpr explicit block_tally(const block_counts& first) noexcept : counts_(first) {}

  /// Adds blocks for a `T`.
  template <class T>
  constexpr void add(std::size_t count) noexcept {
    counts_[envelope_pool::size_class_for<T>()] += count;
  }
  /// Zero bytes need no block.
  constexpr void add(std::size_t bytes, std::size_t count) noexcept {
    constexpr std::size_t word = alignof(std::max_align_t) < 8 ? alignof(std::max_align_t) : 8;
    if (bytes > 0) counts_[envelope_pool::size_class_for(bytes, word)] += count;
  }
  [[nodiscard]] constexpr const block_counts& counts() const noexcept { return counts_; }

private:
  block_counts counts_;
};

/// The timers of the runtime: all deadlines of an actor share one.
[[nodiscard]] constexpr std::size_t runtime_timers_of(const system_size& size) noexcept {
  const std::size_t actors =
      std::min(size.actors, size.supervised + size.receive_timeouts + size.suspended);
  return actors == 0 ? 0 : actors + 1;
}

/// Returns the address of `row` if the program needs it, null otherwise.
template <class Row>
[[nodiscard]] consteval const Row* row_if(bool needed, const Row& row) noexcept {
  return needed ? &row : nullptr;
}

/// Returns the features that a size names.
[[nodiscard]] consteval features features_of(const system_size& size) noexcept {
  const bool deadlines = runtime_timers_of(size) > 0;
  const bool timers = size.timers > 0 || deadlines;
  const bool reports = size.log || size.reports;
  const bool supervises = size.supervised > 0;
  const bool limits = size.bounded || size.outboxes || size.drop_oldest + size.prioritized > 0;
  const bool suspends = size.suspended + size.signalled + size.suspension_commands > 0 ||
                        size.outboxes || size.coroutines || size.middleware;
  const bool options = limits || supervises || size.priorities > 1 || size.middleware;
  return {.asks = row_if(size.asks > 0 || size.coroutines, ask_feature),
          .coroutines = row_if(size.coroutines, coroutine_feature),
          .deadlines = row_if(deadlines, deadline_feature),
          .events = row_if(size.events || size.reports, event_feature),
          .limits = row_if(limits, limit_feature),
          .middleware = row_if(size.middleware, middleware_feature),
          .names = row_if(size.name > 0, name_feature),
          .outboxes = row_if(size.outboxes, outbox_feature),
          .own_timers = row_if(supervises, own_timer_feature),
          .periodic = row_if(size.timers > 0 && size.periodic > 0, periodic_feature),
          .receive_timeouts = row_if(size.receive_timeouts > 0, receive_timeout_feature),
          .scheduling = row_if(timers, scheduler_feature),
          .spawn_options = row_if(options, spawn_option_feature),
          .stash = row_if(size.stash, stash_feature),
          .supervision = row_if(supervises, supervision_feature),
          .suspension = row_if(suspends, suspension_feature),
          .timer_reports = row_if(timers && reports, timer_report_feature),
          .timers = row_if(timers, timer_feature),
          .watches = row_if(size.watches > 0, watch_feature),
          .reports = reports};
}

/// Adds the records and envelopes of supervision, watches, receive timeouts and suspension.
constexpr void add_what_few_need(block_tally& tally, const system_size& size) noexcept {
  const std::size_t suspended =
      std::min(size.actors, size.supervised + size.suspended + size.signalled);
  const std::size_t in_watches = std::min(size.actors, 2 * size.watches);
  // A restart cancels the timers that an actor has scheduled to itself; see own_timer_slot.
  const std::size_t own_timers = size.supervised > 0 ? size.timers : 0;
  tally.add<own_timer>(2 * own_timers);
  tally.add<keyed_timer>(size.keyed_timers);
  tally.add<actor_parts>(std::min(size.actors, suspended + in_watches + size.receive_timeouts +
                                                   own_timers + size.keyed_timers));
  tally.add<pending_asks>(std::min(size.actors, size.asks));
  tally.add<supervision_state>(size.supervised);
  tally.add<child_failed>(size.supervised);
  tally.add<suspension>(suspended);
  tally.add<early_signals>(size.signalled);
  tally.add<suspension_command>(size.suspension_commands);
  tally.add<watch_request>(size.watches);
  tally.add<watch_entry>(size.watches);
}

/// The blocks of a system of this size.
[[nodiscard]] constexpr block_counts blocks_of(const system_size& size) noexcept {
  block_tally tally{size.further};
  tally.add(size.payload == 0 ? 1 : size.payload, size.envelopes);
  tally.add(timer_envelope::size_with(std::max(size.payload, sizeof(deadline_due))), size.timers);
  tally.add(timer_envelope::size_with(sizeof(deadline_due)), runtime_timers_of(size));
  tally.add(size.name == 0 ? 0 : sizeof(actor_name) + size.name, size.actors);
  tally.add(size.arguments, size.actors);
  tally.add(size.state > cell::storage_size ? size.state : 0, size.actors);
  add_what_few_need(tally, size);
  return tally.counts();
}

/// The bytes that each timer has for a message that does not fit into its record: as many as the
/// largest one takes. They are aligned for 8.
[[nodiscard]] constexpr std::size_t room_of_timer(const system_size& size) noexcept {
  return size.payload <= timer_payload::own_size ? 0 : (size.payload + 7) / 8 * 8;
}

/// Returns true if the pool has blocks for every requested size.
[[nodiscard]] constexpr bool fits_blocks(const system_size& size) noexcept {
  constexpr std::size_t most =
      envelope_pool::block_size(envelope_size_classes - 1) - payload_offset(8);
  return timer_envelope::size_with(size.payload) <= most && size.name <= actor_name::longest &&
         size.arguments <= most && size.state <= most;
}

/// The bytes of these blocks, and of everything else that a system takes from its pages.
[[nodiscard]] constexpr std::size_t page_bytes(const system_size& size) noexcept {
  const block_counts counts = blocks_of(size);
  std::size_t bytes = 0;
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    bytes += envelope_pool::memory_for(size_class, counts[size_class]);
  return bytes + sizeof(system_gate) +
         (size.drop_oldest + size.prioritized) * sizeof(locked_queue) +
         size.prioritized * sizeof(priority_levels);
}

/// The slots of a system: one for each actor, and the guardian's.
[[nodiscard]] constexpr std::size_t cells_of(const system_size& size) noexcept {
  return size.actors + 1;
}

}  // namespace internal
}  // namespace tactor::inline v0::bare
