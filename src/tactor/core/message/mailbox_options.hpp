// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// The rule for a message that finds its mailbox full.
enum class overflow_strategy : std::uint8_t {
  drop_oldest,     // the oldest of the least urgent messages becomes a dead letter
  drop_newest,     // the new message becomes a dead letter; `tell` returns `dropped`
  reject,          // `tell` returns `full`, and the message is a dead letter
  dead_letter,     // the new message becomes a dead letter; `tell` returns `ok`
  block_producer,  // a thread that runs no actors waits; an actor's message waits in its outbox
};

/// In which order a mailbox hands out its messages.
enum class mailbox_order : std::uint8_t {
  /// In the order of arrival.
  arrival,
  /// Control messages first (`is_control_message`), then the smallest number, and of one number as
  /// they arrive. The number of a message is its member `priority`: a constant, `static constexpr
  /// int priority = 5;`, a function without arguments that is `noexcept`, or a data member; 0 to
  /// 255, and what is beyond counts as the nearest of these. Without it: `default_priority`. A
  /// message of a timer has the number of its type only. Costs a block of about 2 KiB (1 KiB on a
  /// 32-bit machine).
  priority,
};

namespace internal {
// The last enumerators. A larger value is refused at spawn.
inline constexpr auto last_overflow_strategy = overflow_strategy::block_producer;
inline constexpr auto last_mailbox_order = mailbox_order::priority;
}  // namespace internal

/// Limits how many messages a mailbox holds, and says what happens beyond that.
struct mailbox_options {
  /// No limit.
  static constexpr std::uint32_t unbounded = 0xFFFF'FFFF;
  /// The largest limit.
  static constexpr std::uint32_t most = 0x0FFF'FFFF;

  /// User messages that may wait, 1 to `most`, or `unbounded`. The message being handled does not
  /// count.
  std::uint32_t capacity = unbounded;
  /// Any other than `reject` needs a capacity.
  overflow_strategy overflow = overflow_strategy::reject;
  /// System messages that may wait at a time, besides those that are always accepted: stop,
  /// suspend, resume, and the notifications of death watch.
  std::uint32_t reserve_for_system = unbounded;
  /// The longest time that a thread waits for capacity; then it gets `full`.
  std::uint32_t push_timeout_ms = 1000;
  /// One `mailbox_pressure` is published when so many user messages wait; the next one after fewer
  /// than three quarters of them waited. 0: none. At most the capacity.
  std::uint32_t pressure_at = 0;
  mailbox_order order = mailbox_order::arrival;
};

/// Common mailboxes, for `spawn_options::mailbox`.
namespace mailbox_presets {

/// Holds any number of messages.
inline constexpr mailbox_options unbounded{};
/// Holds any number of messages, the most urgent first.
inline constexpr mailbox_options prioritized{.order = mailbox_order::priority};
/// Holds at most `capacity` messages and refuses more.
[[nodiscard]] constexpr mailbox_options bounded(std::uint32_t capacity) noexcept {
  return {.capacity = capacity, .overflow = overflow_strategy::reject};
}
/// Holds the newest message only.
inline constexpr mailbox_options newest_only{.capacity = 1,
                                             .overflow = overflow_strategy::drop_oldest};
/// Holds at most `capacity` messages. Senders wait for capacity: threads block for at most
/// `push_timeout`, actors are suspended after the handler.
///
/// Some messages do not wait, and are dead letters while the mailbox is full: more than 64 of one
/// handler to one receiver (`ctx.outbox_room(ref)` says how many fit), a send that would close a
/// cycle of waiting actors, timers that another actor or thread has scheduled, what callables of
/// timers and calls of `run_blocking` send, and an ask whose timeout is over. Events of the stream
/// are not sent to a full mailbox. Answers, results of `to_actor`, and timers of the actor to
/// itself have places of their own.
[[nodiscard]] constexpr mailbox_options lossless(std::uint32_t capacity) noexcept {
  return {.capacity = capacity, .overflow = overflow_strategy::block_producer};
}

}  // namespace mailbox_presets

}  // namespace tactor::inline v0
