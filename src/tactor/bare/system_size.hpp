// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_name.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_deadlines.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/mailbox/drop_oldest_queue.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tactor::inline v0::bare {

/// How many blocks of each size of the pool.
using block_counts = std::array<std::size_t, tactor::internal::envelope_size_classes>;

/// How much there is room for in a `bare::system`. Everything is counted by the linker; what is
/// asked for beyond it at run time is refused with an error value.
///
///     constinit bare::system<{.actors = 3, .envelopes = 16, .timers = 1}> sys;
struct system_size {
  /// Actors that live at a time.
  std::size_t actors = 8;
  /// Messages that are on their way at a time: queued, or being handled.
  std::size_t envelopes = 16;
  /// The size of the largest of these messages, and of those that timers send.
  std::size_t payload = 8;
  /// Timers that are live at a time; also one whose message waits or is being handled. All receive
  /// timeouts, back-offs of restarts and `resume_after` of an actor take one together, and a second one
  /// for the moment in which an earlier one is set.
  std::size_t timers = 4;
  /// The length of the longest name of an actor; 0: no actor has one.
  std::size_t name = 0;
  /// The size of the most arguments that an actor is made with; 0: all are made without.
  std::size_t arguments = 0;
  /// The size of the largest actor. Up to `cell::room_size` it costs nothing.
  std::size_t state = 0;
  /// Mailboxes with the rule `overflow::drop_oldest`.
  std::size_t drop_oldest = 0;

  // What few actors need. An actor may be counted under several of these.

  /// Actors that are given a strategy (`on_failure`) other than to stop.
  std::size_t supervision_state = 0;
  /// Watches that go on at a time: pairs of an actor and one that watches it.
  std::size_t watches = 0;
  /// Actors that have a receive timeout.
  std::size_t receive_timeouts = 0;
  /// Actors that are ever suspended, by themselves or by others. While an actor waits for its restart,
  /// it and its children are; of these only the children count here.
  std::size_t suspended = 0;
  /// Actors that get signals before they wait for them.
  std::size_t signalled = 0;
  /// Calls of `suspend`, `resume` and `signal` for other actors that are under way at a time.
  std::size_t suspension_commands = 0;

  /// Timers at most this many ticks ahead are the cheapest. A power of two.
  std::size_t wheel_slots = 32;
  /// Further blocks by size, 32 bytes and up (64 on a 64-bit machine), for what the other numbers do
  /// not name: a few larger messages, subscriptions to events, questions of actors, waiting for room in
  /// mailboxes (`when_capacity`).
  block_counts further = {};
};

namespace internal {

using namespace tactor::internal;

/// Counts blocks, by what lies in them.
class block_tally {
public:
  constexpr explicit block_tally(const block_counts& first) noexcept : counts_(first) {}

  /// Counts so many blocks for a `T`.
  template <class T>
  constexpr void add(std::size_t count) noexcept {
    counts_[envelope_pool::size_class_for<T>()] += count;
  }
  /// Nothing lies in no bytes.
  constexpr void add(std::size_t bytes, std::size_t count) noexcept {
    constexpr std::size_t word = alignof(std::max_align_t) < 8 ? alignof(std::max_align_t) : 8;
    if (bytes > 0) counts_[envelope_pool::size_class_for(bytes, word)] += count;
  }
  [[nodiscard]] constexpr const block_counts& counts() const noexcept { return counts_; }

private:
  block_counts counts_;
};

/// The records and letters of supervision, watches, receive timeouts and suspension.
constexpr void add_what_few_need(block_tally& tally, const system_size& size) noexcept {
  const std::size_t suspended =
      std::min(size.actors, size.supervision_state + size.suspended + size.signalled);
  const std::size_t in_watches = std::min(size.actors, 2 * size.watches);
  tally.add<actor_extras>(std::min(size.actors, suspended + in_watches + size.receive_timeouts));
  tally.add<supervision_state>(size.supervision_state);
  tally.add<child_failed>(size.supervision_state);
  tally.add<suspension>(suspended);
  tally.add<early_signals>(size.signalled);
  tally.add<suspension_command>(size.suspension_commands);
  tally.add<watch_lists>(in_watches);
  tally.add<watch_request>(size.watches);
  tally.add<watch_entry>(size.watches);
}

/// The blocks that a system of that size has.
[[nodiscard]] constexpr block_counts blocks_of(const system_size& size) noexcept {
  block_tally tally{size.further};
  tally.add(size.payload == 0 ? 1 : size.payload, size.envelopes);
  tally.add(timer_envelope::size_with(std::max(size.payload, sizeof(deadline_due))), size.timers);
  tally.add(size.name == 0 ? 0 : sizeof(actor_name) + size.name, size.actors);
  tally.add(size.arguments, size.actors);
  tally.add(size.state > cell::room_size ? size.state : 0, size.actors);
  add_what_few_need(tally, size);
  return tally.counts();
}

/// Whether every size asked for is one that the pool has blocks of.
[[nodiscard]] constexpr bool fits_blocks(const system_size& size) noexcept {
  constexpr std::size_t most =
      envelope_pool::block_size(envelope_size_classes - 1) - payload_offset(8);
  return timer_envelope::size_with(size.payload) <= most && size.name <= actor_name::longest &&
         size.arguments <= most && size.state <= most;
}

/// The bytes that these blocks take, and what else a system takes of its pages.
[[nodiscard]] constexpr std::size_t page_bytes(const system_size& size) noexcept {
  const block_counts counts = blocks_of(size);
  std::size_t bytes = 0;
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    bytes += envelope_pool::memory_for(size_class, counts[size_class]);
  return bytes + sizeof(system_gate) + size.drop_oldest * sizeof(drop_oldest_queue);
}

/// The slots it takes: one for each actor, and the guardian's.
[[nodiscard]] constexpr std::size_t cells_of(const system_size& size) noexcept {
  return size.actors + 1;
}

}  // namespace internal
}  // namespace tactor::inline v0::bare
