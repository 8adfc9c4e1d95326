// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// How a message of a user gets from a sender into a mailbox. Context: any thread or interrupt, with
// its own thread record; what interrupts share with the thread is atomic, or changed with
// interrupts masked.

/// The result of an offer, and the reason if it was refused.
struct offer_result {
  tell_result result = tell_result::ok;
  drop_reason why = drop_reason::stopped;

  [[nodiscard]] constexpr bool is_ok() const noexcept { return result == tell_result::ok; }
};

/// Says what becomes of a message for which a mailbox with `block_producer` has no permit.
enum class when_full : bool {
  refuse,
  wait,  // it waits in an outbox of the actor that sends it, or with the thread outside
};

/// Sends a message to the tenant `generation` of `to`. A refused message waits, if the strategy of
/// the mailbox says so, or becomes a dead letter. `to` null: no such actor.
tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept;
/// Offers a message. Unless the result is `ok`, the caller keeps it.
[[nodiscard]] offer_result offer(thread_record& here, cell* to, std::uint32_t generation,
                                 envelope& e) noexcept;
/// Offers a message that names its tenant, which other threads may read: that of a periodic timer
/// is offered again and again.
[[nodiscard]] offer_result offer_addressed(thread_record& here, cell* to, envelope& e) noexcept;
/// Sends a message whose place was reserved: past the limits of the mailbox, also while the actor
/// drains. If the actor has ended, it becomes a dead letter. Context: a thread.
void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept;

/// Counts an accepted message in the system of its receiver.
void count_foreign_send(thread_record& here, const cell& to) noexcept;
/// Counts an accepted message.
inline void count_send(thread_record& here, const cell& to) noexcept {
  if (here.fast_limits == thread_record::counted_elsewhere) [[unlikely]]
    return count_foreign_send(here, to);
  ++here.sends;
}
/// Ends a push of a user message: an idle actor becomes ready, an accepted message is counted.
offer_result after_pushing(thread_record& here, push_result pushed, cell& to) noexcept;

// Why a message is refused.

inline constexpr offer_result actor_gone{.result = tell_result::closed,
                                         .why = drop_reason::stopped};
inline constexpr offer_result no_such_actor{.result = tell_result::closed,
                                            .why = drop_reason::no_such_actor};

/// Returns: why a mailbox is closed: its actor has stopped, or is draining.
[[nodiscard]] offer_result closed_by(const cell& to, std::uint32_t generation) noexcept;
/// Returns: a refusal with the exact reason.
[[nodiscard]] inline offer_result explained(const offer_result& refused, const cell* to,
                                            std::uint32_t generation) noexcept {
  return refused.why == drop_reason::stopped ? closed_by(*to, generation) : refused;
}
/// Returns: why a message is refused for which there is no memory: what a send checks first comes
/// first.
[[nodiscard]] offer_result refusal_without_memory(const cell* to,
                                                  std::uint32_t generation) noexcept;
/// Returns: whether a message was refused because its actor accepts nothing any more.
[[nodiscard]] constexpr bool is_closed(drop_reason why) noexcept {
  return why == drop_reason::stopped || why == drop_reason::no_such_actor ||
         why == drop_reason::draining;
}

}  // namespace tactor::inline v0::internal
