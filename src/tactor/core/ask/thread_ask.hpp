// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/ask_word.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// Why an ask got no answer.
struct ask_error {
  ask_failure kind = ask_failure::timed_out;
  actor_ref<> target;
  std::string_view message_type;
  duration waited;  // from the ask until it ended: at the latest, until its timeout was over
};

/// Says in one sentence what happened and what to do: the text of its kind.
[[nodiscard]] constexpr const char* to_text(const ask_error& why) noexcept {
  return to_text(why.kind);
}

namespace internal {

/// One error for a message without a reply.
template <class Message, bool HasReply>
struct ask_check {
  static_assert(HasReply, "this message has no reply: add `using reply = ...;` to it, or use tell");
};

/// One error for an ask without a timeout.
template <class... Given>
struct timeout_check {
  static constexpr bool has_timeout = (std::is_convertible_v<Given, duration> || ...);
  static_assert(has_timeout, "an ask needs a timeout, a duration like 200ms after its message: "
                             "ask(ref, message, timeout), or ask<Message>(ref, timeout, parts...)");
};
/// No argument of an ask is a timeout.
template <class... Given>
concept without_timeout = !(std::is_convertible_v<Given, duration> || ...);

/// The ask of a thread, from outside of actors: the answer waits in the slot until the thread takes
/// it. An answer to a closed ask is a dead letter, as with any stale reference.
///
/// A thread that sleeps until the answer comes notes that in the slot's word, and sleeps while the
/// word stays as it is:
///
///     while (const auto seen = asked.prepare_sleep())
///       sleep_while_equal(asked.word(), *seen);
///
/// Context: one thread at a time.
class thread_ask {
public:
  using clock = ask_of_thread::clock;

  /// An ask that could not be opened: there was no memory.
  thread_ask() noexcept = default;
  thread_ask(thread_ask&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  thread_ask& operator=(thread_ask&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  thread_ask(const thread_ask&) = delete;
  thread_ask& operator=(const thread_ask&) = delete;
  ~thread_ask() { close(); }

  /// Opens an ask. `gate` is where late answers are reported; `by` is the clock of `set_deadline`.
  [[nodiscard]] static thread_ask open(system_gate* gate, clock by = clock::of_system) noexcept;

  [[nodiscard]] explicit operator bool() const noexcept { return slot_ != nullptr; }
  /// Answers that come after `until_ns` are late. Requires: the ask is not sent yet.
  void set_deadline(std::uint64_t until_ns) noexcept {
    if (slot_ != nullptr) slot_->as<ask_of_thread>().until_ns = until_ns;
  }
  /// The sender of the message that asks. Requires: an ask.
  [[nodiscard]] origin as_origin() const noexcept { return slot_->as_origin(); }
  /// Tells whether an answer has come.
  [[nodiscard]] bool answered() const noexcept {
    if (slot_ == nullptr) return false;
    const ask_word now{slot_->word.load(acquire)};  // pairs: ask.word
    return now.is_settled() && slot_->as<ask_of_thread>().answer != nullptr;
  }
  /// The time at which the answer came; `never_ns`: not known. Requires: `answered`.
  [[nodiscard]] std::uint64_t answered_ns() const noexcept {
    return slot_->as<ask_of_thread>().answered_ns;
  }
  /// The answer. Requires: `answered`; once.
  template <class Reply>
  [[nodiscard]] std::expected<Reply, ask_failure> take() {
    using sent = std::conditional_t<std::is_void_v<Reply>, acknowledged, Reply>;
    envelope& e = *slot_->as<ask_of_thread>().answer;
    if (same_type(*e.operations, operations_of<not_answered>))
      return std::unexpected{static_cast<not_answered*>(payload_of(e))->why};
    if constexpr (std::is_void_v<Reply>) {
      return {};
    } else {
      return std::move(*static_cast<sent*>(payload_of(e)));
    }
  }
  /// Closes the ask: it takes no answer from now on.
  void close() noexcept;

  // For code that lets a thread sleep until the answer comes.

  /// Prepares to sleep. Returns: what the word is while the thread has to sleep; nothing: the ask
  /// is answered, or no answer will come.
  [[nodiscard]] std::optional<std::uint32_t> prepare_sleep() noexcept;
  /// The word that changes when the answer comes. Requires: an ask.
  [[nodiscard]] const port::atomic<std::uint32_t>& word() const noexcept { return slot_->word; }

  // For an actor that takes over the ask: see `adopt_ask`.

  /// The slot. Requires: an ask that is not answered.
  [[nodiscard]] ask_slot& slot() noexcept { return *slot_; }
  /// From now on the answer goes to the actor that the slot names, which has the slot from now on.
  /// Returns: false, and nothing has changed, if an answer has come or comes at this moment.
  [[nodiscard]] bool pass_to_actor() noexcept;
  /// Waits for an answer that comes at this moment: for a few instructions of another thread.
  void await_settled() noexcept;

private:
  explicit thread_ask(ask_slot& opened) noexcept : slot_(&opened) {}

  ask_slot* slot_ = nullptr;
};

}  // namespace internal
}  // namespace tactor::inline v0
