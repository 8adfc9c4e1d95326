// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_word.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Tells a sender what it has to do after it pushed to a mailbox.
enum class [[nodiscard]] push_result : std::uint8_t {
  queued,      // nothing
  make_ready,  // the receiver was idle: the sender makes it ready
  closed,      // refused: the sender keeps the envelope
};

/// The two queues of an actor, user messages and system messages, and the word that says whether
/// the actor has to be run. It owns nothing.
///
/// Thread safety: `push`, `push_system` and `give_notice` from any thread or interrupt, lock-free;
/// everything else through `mailbox_reader` by the worker that runs the cell.
///
/// The queues are stacks, which the reader reverses: a sender that is interrupted half-way hides
/// nothing, one operation takes any number of messages, and a refused push has changed nothing.
/// docs/design/mailbox.md holds the protocol.
///
/// inv 1  From `newest()` on, `next` leads through the messages from the newest to the reader's
///        marker, which was taken already; nothing reads below the marker.
/// inv 2  The order of the successful compare-exchanges is the order of delivery.
class mailbox {
public:
  constexpr mailbox() noexcept = default;

  /// Queues a user message. Requires: `fresh` is in no queue and aligned to `envelope_alignment`.
  push_result push(envelope& fresh) noexcept {
    // An integer and no `mailbox_word`: g++ keeps in memory what an exchange changes inside of an
    // object.
    std::uintptr_t before = word_.load(relaxed);  // relaxed: only compared, never dereferenced
    mailbox_word after;
    do {
      const mailbox_word was{before};
      if (!was.open()) return push_result::closed;
      fresh.next.set(was.newest());
      after = was.pushed(fresh);
      // Acquire: the sender that makes the cell ready reads `coordinator`, published by `open()`.
    } while (!word_.compare_exchange(before, after.bits, acq_rel));  // pairs: mailbox.word
    return mailbox_word{before}.waits_for_mail() ? push_result::make_ready : push_result::queued;
  }

  /// Records that a user message waits in the side queue.
  push_result mark_side_queue() noexcept {
    return change([](mailbox_word was) { return was.pushed_in_side_queue(); });
  }

  /// Queues a system message, whether or not the mailbox is open for user messages.
  push_result push_system(envelope& fresh) noexcept {
    std::uintptr_t newest = system_.load(relaxed);  // relaxed: only compared
    do {
      if ((newest & system_closed) != 0 || newest == 0) return push_result::closed;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): tagged
      fresh.next.set(reinterpret_cast<envelope*>(newest & ~std::uintptr_t{system_flags}));
      // The word changed next publishes it, too; this order is for a reader that takes it because
      // of an earlier notice.
    } while (!system_.compare_exchange(newest,
                                       reinterpret_cast<std::uintptr_t>(&fresh) | system_open,
                                       release));  // pairs: mailbox.system
    return give_notice();
  }

  /// Makes the worker that runs the cell handle its requests and system messages, now or soon.
  /// Harmless if there are none, and harmless to a later tenant of the slot.
  push_result give_notice() noexcept {
    return change([](mailbox_word was) { return was.with_notice(); });
  }

  /// A snapshot. Context: any; a hint unless the caller runs the cell.
  [[nodiscard]] mailbox_word peek() const noexcept {
    return {word_.load(relaxed)};  // relaxed: a hint
  }

  /// Tells whether it takes user messages; if so, everything written before `open` is visible.
  /// Context: any; a hint unless something keeps it from closing.
  [[nodiscard]] bool is_open() const noexcept {
    return mailbox_word{word_.load(acquire)}.open();  // pairs: mailbox.word
  }

  /// Takes over a cell that is idle, as if the caller were a worker that runs it: until the caller
  /// has called `mailbox_reader::set_idle`, and made the cell ready if that returned false, no
  /// other thread runs it. Messages may come meanwhile. Returns: false if the cell is not idle.
  /// Context: any thread.
  [[nodiscard]] bool try_take_idle() noexcept {
    return take_if([](mailbox_word now) { return now.idle(); });
  }
  /// Does so only if the cell is suspended, too.
  [[nodiscard]] bool try_take_suspended() noexcept {
    return take_if([](mailbox_word now) { return now.idle() && now.suspended(); });
  }

  // For the worker that runs the cell.

  /// Opens it for the slot's next tenant, which counts as running. The last step of a spawn. A
  /// notice stays: the tenant may get a request before this, and a late sender may have left a
  /// system message whose notice this is.
  void open() noexcept {
    system_.store(system_open, relaxed);  // relaxed: published by the next line
    (void)change([](mailbox_word was) { return was.reopened(); });
  }

private:
  friend class mailbox_reader;

  static constexpr std::uintptr_t system_open = 1;
  static constexpr std::uintptr_t system_closed = 2;
  static constexpr std::uintptr_t system_flags = 3;

  static push_result must_ready(mailbox_word before, mailbox_word after) noexcept {
    return before.idle() && !after.idle() ? push_result::make_ready : push_result::queued;
  }
  template <class Next>
  push_result change(Next next) noexcept {
    mailbox_word before{word_.load(relaxed)};  // relaxed: only compared
    mailbox_word after = next(before);
    // Also when nothing changes: through this exchange the reader, which clears the bit, sees this
    // thread's writes.
    while (!word_.compare_exchange(before.bits, after.bits, acq_rel))  // pairs: mailbox.word
      after = next(before);
    return must_ready(before, after);
  }

  template <class Condition>
  bool take_if(Condition condition) noexcept {
    mailbox_word before{word_.load(relaxed)};  // relaxed: only compared
    do {
      if (!condition(before)) return false;
    } while (!word_.compare_exchange(before.bits, before.taken().bits,
                                     acq_rel));  // pairs: mailbox.word
    return true;
  }

  // Written by: senders, the reader. Read by: senders, the reader. Publishes: the queued messages
  // and their links; requests made before a notice; from the worker that sets the cell idle to the
  // worker that runs it next, the whole cell.
  port::atomic<std::uintptr_t> word_;
  // Written by: senders, the reader. Read by: senders, the reader. Publishes: system messages. 0:
  // the mailbox has no tenant.
  port::atomic<std::uintptr_t> system_;
};

}  // namespace tactor::inline v0::internal
