// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Everything about a mailbox that sender and receiver decide together, in one word: the newest
/// message and the receiver's state. So a send is one compare-exchange, which also says whether the
/// receiver exists and whether it must be made ready. A value: queries are functions, changes
/// return a new word. All-zero: the mailbox has no tenant.
///
/// inv 1  Idle: the cell is in no ready queue and on no worker. Clearing it means making it ready.
/// inv 2  An idle mailbox that is not suspended has no messages and no notice.
struct mailbox_word {
  std::uintptr_t bits = 0;

  /// Takes user messages.
  [[nodiscard]] constexpr bool open() const noexcept { return (bits & open_bit) != 0; }
  [[nodiscard]] constexpr bool idle() const noexcept { return (bits & idle_bit) != 0; }
  /// User messages wait, and do not make the cell ready.
  [[nodiscard]] constexpr bool suspended() const noexcept { return (bits & suspended_bit) != 0; }
  /// A system message or a request waits.
  [[nodiscard]] constexpr bool noticed() const noexcept { return (bits & notice_bit) != 0; }
  /// Messages wait in the side queue.
  [[nodiscard]] constexpr bool in_side_queue() const noexcept {
    return (bits & side_queue_bit) != 0;
  }
  [[nodiscard]] envelope* newest() const noexcept {
    return reinterpret_cast<envelope*>(bits & ~flags);  // NOLINT(performance-no-int-to-ptr): tagged
  }

  /// The newest message, if there is one and nothing else to do; null otherwise.
  [[nodiscard]] envelope* newest_alone() const noexcept {
    return (bits & flags) == open_bit ? newest() : nullptr;
  }
  /// A mailbox with one message or more, the newest of which is `newest`, and nothing else to do.
  [[nodiscard]] static mailbox_word with_single(envelope& newest) noexcept {
    return {reinterpret_cast<std::uintptr_t>(&newest) + open_bit};
  }
  /// A mailbox that is about to be run for the first time.
  [[nodiscard]] static constexpr mailbox_word opened() noexcept { return {open_bit}; }
  /// For the slot's next tenant: a notice stays, it may already be meant for that tenant.
  [[nodiscard]] constexpr mailbox_word reopened() const noexcept {
    return {open_bit | (bits & notice_bit)};
  }

  /// Tells whether the mailbox may become idle once it has no messages.
  [[nodiscard]] constexpr bool may_become_idle() const noexcept {
    return (bits & (open_bit | suspended_bit | notice_bit | side_queue_bit)) == open_bit;
  }

  // Senders' transitions.
  /// Tells whether a message makes the cell ready.
  [[nodiscard]] constexpr bool waits_for_mail() const noexcept {
    return (bits & (idle_bit | suspended_bit)) == idle_bit;
  }
  /// With one more message.
  [[nodiscard]] mailbox_word pushed(envelope& fresh) const noexcept {
    return with_newest(fresh).woken_by_mail();
  }
  /// With one more message, which does not wake the reader.
  [[nodiscard]] mailbox_word with_newest(envelope& fresh) const noexcept {
    return {(bits & flags) | reinterpret_cast<std::uintptr_t>(&fresh)};
  }
  [[nodiscard]] constexpr mailbox_word pushed_in_side_queue() const noexcept {
    return mailbox_word{bits | side_queue_bit}.woken_by_mail();
  }
  [[nodiscard]] constexpr mailbox_word with_notice() const noexcept {
    return {(bits | notice_bit) & ~idle_bit};
  }

  // The receiver's transitions.
  [[nodiscard]] constexpr mailbox_word without_notice() const noexcept {
    return {bits & ~notice_bit};
  }
  [[nodiscard]] constexpr mailbox_word without_side_queue() const noexcept {
    return {bits & ~side_queue_bit};
  }
  [[nodiscard]] constexpr mailbox_word emptied() const noexcept { return {bits & flags}; }
  [[nodiscard]] constexpr mailbox_word as_idle() const noexcept { return {bits | idle_bit}; }
  [[nodiscard]] constexpr mailbox_word taken() const noexcept { return {bits & ~idle_bit}; }
  [[nodiscard]] constexpr mailbox_word refusing() const noexcept { return {bits & ~open_bit}; }
  [[nodiscard]] constexpr mailbox_word suspending() const noexcept {
    return {bits | suspended_bit};
  }
  [[nodiscard]] constexpr mailbox_word resumed() const noexcept { return {bits & ~suspended_bit}; }

  friend constexpr bool operator==(mailbox_word, mailbox_word) noexcept = default;

private:
  static constexpr std::uintptr_t open_bit = 1;
  static constexpr std::uintptr_t idle_bit = 2;
  static constexpr std::uintptr_t suspended_bit = 4;
  static constexpr std::uintptr_t notice_bit = 8;
  static constexpr std::uintptr_t side_queue_bit = 16;
  static constexpr std::uintptr_t flags = envelope_alignment - 1;

  [[nodiscard]] constexpr mailbox_word woken_by_mail() const noexcept {
    if (suspended()) [[unlikely]]
      return *this;
    return {bits & ~idle_bit};
  }
};

static_assert(!mailbox_word{}.open() && !mailbox_word{}.idle());
static_assert(!mailbox_word::opened().as_idle().with_notice().idle());
static_assert(mailbox_word::opened().suspending().as_idle().pushed_in_side_queue().idle());
static_assert(!mailbox_word::opened().as_idle().pushed_in_side_queue().idle());

}  // namespace tactor::inline v0::internal
