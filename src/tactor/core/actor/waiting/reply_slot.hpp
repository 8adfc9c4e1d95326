// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// Why an ask got no answer.
struct ask_error {
  ask_failure kind = ask_failure::timed_out;
  actor_ref<> target;
  std::string_view message_type;
  duration waited;  // until the asker knew it: with `get`, until that returned
};

/// What happened and what to do, in one sentence: the text of its kind.
[[nodiscard]] constexpr const char* to_text(const ask_error& why) noexcept {
  return to_text(why.kind);
}

namespace internal {

/// One error for a message without a reply.
template <class Message, bool HasReply>
struct ask_check {
  static_assert(HasReply, "this message has no reply: add `using reply = ...;` to it, or use tell");
};

/// Where the answer to an ask from outside of actors arrives: a slot with a mailbox and no actor.
/// An answer to a closed reply slot is a dead letter, as with any stale reference.
///
/// A thread that sleeps until the answer comes sets the mailbox idle, like an actor's. The answer
/// then makes the slot ready: `waker` sets the wait word and wakes the thread.
///
///     while (!asked.answered()) {
///       if (asked.prepare_wait()) sleep_while_zero(asked.wait_word());
///     }
///
/// inv 1  Between `prepare_wait` that returned true and `woken`, or `cancel_wait` that returned true,
///        the owner neither reads nor closes the slot.
///
/// Context: one thread at a time.
class reply_slot {
public:
  /// A reply slot that could not be opened: there was no memory.
  reply_slot() noexcept = default;
  reply_slot(reply_slot&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  reply_slot& operator=(reply_slot&& other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  reply_slot(const reply_slot&) = delete;
  reply_slot& operator=(const reply_slot&) = delete;
  ~reply_slot() { close(); }

  /// Opens a reply slot. `gate` is where late answers are reported; `waker` is told of an answer
  /// while a thread waits. Requires: `waker` is never destroyed; null: `prepare_wait` is not
  /// called.
  [[nodiscard]] static reply_slot open(system_gate* gate,
                                       ready_queue_coordinator* waker = nullptr) noexcept;

  [[nodiscard]] explicit operator bool() const noexcept { return cell_ != nullptr; }
  /// Answers that come after `until_ns` are late. The clock: that of threads that wait, if there is a
  /// `waker`, otherwise the system's. Requires: the ask is not sent yet.
  void set_deadline(std::uint64_t until_ns) noexcept;
  /// The sender of the message that asks.
  [[nodiscard]] origin as_origin() const noexcept {
    return origin::of_reply_slot(cell_->slot, cell_->tenant);
  }
  /// Whether an answer has come.
  [[nodiscard]] bool answered() noexcept { return cell_ != nullptr && front() != nullptr; }
  /// The answer. Requires: `answered`; once.
  template <class Reply>
  [[nodiscard]] std::expected<Reply, ask_failure> take() {
    using sent = std::conditional_t<std::is_void_v<Reply>, acknowledged, Reply>;
    envelope& e = *front();
    if (same_type(*e.operations, operations_of<not_answered>))
      return std::unexpected{static_cast<not_answered*>(payload_of(e))->why};
    if constexpr (std::is_void_v<Reply>) {
      return {};
    } else {
      return std::move(*static_cast<sent*>(payload_of(e)));
    }
  }
  /// Closes the slot: it takes no answers from now on.
  void close() noexcept;

  // For code that lets a thread sleep until the answer comes.

  /// Prepares to sleep. Returns: false if there may be an answer to check first.
  [[nodiscard]] bool prepare_wait() noexcept;
  /// 0 while the thread has to sleep. Requires: `prepare_wait` returned true.
  [[nodiscard]] const port::atomic<std::uint32_t>& wait_word() const noexcept {
    return reply_slot_view{*cell_}.wait_word;
  }
  /// Whether the waker has set the wait word: there may be an answer. Requires: as `wait_word`.
  [[nodiscard]] bool woken() const noexcept {
    // no mutant: the mailbox orders the answer, too; tried: model.ask accepts a relaxed one
    return wait_word().load(acquire) != 0;  // pairs: reply_slot.wait_word
  }
  /// The thread gives up waiting. Returns: false if the waker is about to set the wait word: the
  /// thread has to wait for that. Requires: as `wait_word`.
  [[nodiscard]] bool cancel_wait() noexcept;
  /// From now on `waker` is told of an answer, for the actor `courier`. Requires: no thread waits.
  void wake_courier(ready_queue_coordinator& waker, const actor_ref<>& courier) noexcept {
    const reply_slot_view view{*cell_};
    view.target = courier.slot();
    view.number.store(courier.generation(), relaxed);  // relaxed: `prepare_wait` publishes it
    cell_->coordinator.store(&waker, relaxed);         // relaxed: as above
  }
  /// For wakers: the actor that `wake_courier` named.
  [[nodiscard]] static actor_ref<> courier_of(ready_cell& asked) noexcept {
    const reply_slot_view view{static_cast<cell&>(asked)};
    return {view.target, view.number.load(relaxed)};  // relaxed: the answer's push has acquired it
  }
  /// For wakers: sets the wait word. Returns: the word on which the thread sleeps.
  [[nodiscard]] static port::atomic<std::uint32_t>& wake(ready_cell& asked) noexcept {
    port::atomic<std::uint32_t>& wait_word = reply_slot_view{static_cast<cell&>(asked)}.wait_word;
    wait_word.store(1, release);  // pairs: reply_slot.wait_word
    return wait_word;
  }

private:
  explicit reply_slot(cell& c) noexcept : cell_(&c) {}

  /// The answer; null: none yet.
  [[nodiscard]] envelope* front() noexcept;

  cell* cell_ = nullptr;
};

}  // namespace internal
}  // namespace tactor::inline v0
