// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_word.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

/// The receiver's side of a mailbox: what it has taken and not handled yet.
///
/// Taking is a load: the newest message stays where it is, as a marker, and is exchanged for "idle"
/// only after it was handled. So a single message costs two atomic operations, the send and this
/// exchange. The marker must therefore stay allocated until `advance` has released it.
///
/// Context: the worker that runs the cell. All-zero is the valid start.
///
/// inv 1  Between calls: if no taken message waits, there is no marker.
class mailbox_reader {
public:
  /// Tells what is left after a message was handled.
  enum class left : std::uint8_t {
    messages,  // `front` is the next message
    notice,    // none, but a request or a system message waits
    nothing,   // none that may be handled now; still running
    idle,      // none, and the cell is idle: it no longer belongs to the caller
  };

  constexpr mailbox_reader() noexcept = default;

  /// The oldest unhandled message, or null.
  [[nodiscard]] envelope* front(mailbox& box) noexcept {
    if (rest_ == nullptr) take_newer(box);
    return rest_;
  }

  /// Done with `front`: afterwards it may be freed, or queued again. Sets the cell idle if there is
  /// nothing else to do.
  left advance(mailbox& box, envelope& handled) noexcept {
    rest_ = handled.next.get();
    if (rest_ != nullptr) return left::messages;
    mailbox_word before{box.word_.load(acquire)};  // pairs: mailbox.word
    while (before.newest() == &handled) {
      marker_ = nullptr;  // before it is idle: then another worker may run the cell at once
      const bool stays = !before.may_become_idle();
      const mailbox_word after = stays ? before.emptied() : before.emptied().as_idle();
      if (box.word_.compare_exchange(before.bits, after.bits, acq_rel)) {  // pairs: mailbox.word
        if (!stays) return left::idle;
        return before.noticed() ? left::notice : left::nothing;
      }
      marker_ = &handled;
    }
    take_down_from(before.newest());
    return left::messages;
  }

  /// The only message, if there is exactly one and nothing else to do; null otherwise. It is not
  /// taken: after handling it, call `try_finish_single`, or `take_single` first. Most turns of most
  /// actors consist of this.
  [[nodiscard]] envelope* single(const mailbox& box) const noexcept {
    const mailbox_word word{box.word_.load(acquire)};  // pairs: mailbox.word
    envelope* const newest = word.newest_alone();
    const bool all_known = rest_ == nullptr;  // by inv 1
    if (newest == nullptr || !all_known) return nullptr;
    return newest->next.get() == nullptr ? newest : nullptr;
  }
  /// Takes `single` out, which was handled. Returns: true, and the cell is idle; or false if the
  /// word has changed, and nothing was done.
  [[nodiscard]] bool try_finish_single(mailbox& box, envelope& handled) noexcept {
    std::uintptr_t before = mailbox_word::with_single(handled).bits;
    const std::uintptr_t empty = mailbox_word::opened().as_idle().bits;
    return box.word_.compare_exchange(before, empty, acq_rel);  // pairs: mailbox.word
  }
  /// Marks the message as taken, like `front` does.
  void take_single(envelope& only) noexcept { rest_ = marker_ = &only; }

  /// Sets the cell idle. Returns: false, and it is still running, if there is a notice, or a
  /// message that may be handled now.
  [[nodiscard]] bool set_idle(mailbox& box) noexcept {
    mailbox_word before{box.word_.load(relaxed)};  // relaxed: only compared
    do {
      const bool mail = rest_ != nullptr || before.newest() != marker_ || before.in_side_queue();
      if (before.noticed() || (mail && !before.suspended())) return false;
    } while (!box.word_.compare_exchange(before.bits, before.as_idle().bits,
                                         acq_rel));  // pairs: mailbox.word
    return true;
  }

  /// Clears the notice; requests made before it are visible afterwards.
  void take_notice(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.without_notice(); });
  }
  /// The system messages, oldest first.
  [[nodiscard]] envelope_chain take_system(mailbox& box) noexcept {
    // relaxed: a sender that pushed has left a notice, which was taken
    if (box.system_.load(relaxed) == mailbox::system_open) return {};
    return turn_round(
        system_mail(box.system_.exchange(mailbox::system_open, acquire)));  // pairs: mailbox.system
  }

  /// The only system message, if there is exactly one; null otherwise. It is not taken: see
  /// `take_single_system`.
  [[nodiscard]] envelope* single_system(const mailbox& box) const noexcept {
    envelope* const newest = system_mail(box.system_.load(acquire));  // pairs: mailbox.system
    return newest != nullptr && newest->next.get() == nullptr ? newest : nullptr;
  }
  /// Takes what `single_system` returned. Returns: false, and nothing was taken, if others have
  /// come. Requires: the notice was taken since, so that later ones give another.
  [[nodiscard]] bool take_single_system(mailbox& box, envelope& only) noexcept {
    std::uintptr_t before = reinterpret_cast<std::uintptr_t>(&only) | mailbox::system_open;
    // relaxed: `single_system` has acquired it
    return box.system_.compare_exchange(before, mailbox::system_open, relaxed);
  }

  /// Like `front`, for a mailbox with a side queue. A message leaves the side queue only here, to
  /// be handled: until then it can be evicted.
  [[nodiscard]] envelope* front(mailbox& box, locked_queue& side_queue) noexcept {
    if (rest_ == nullptr && mail_in(box, side_queue)) rest_ = side_queue.pop();
    return rest_;
  }
  /// Puts `front` back into the side queue, as its next message. Returns: what was evicted, or
  /// null; the caller disposes of it.
  [[nodiscard]] envelope* put_back(mailbox& box, locked_queue& side_queue,
                                   std::uint8_t priority) noexcept {
    envelope* const evicted = side_queue.put_back(*std::exchange(rest_, nullptr), priority);
    change(box, [](mailbox_word was) { return was.pushed_in_side_queue(); });
    return evicted;
  }
  /// Like `advance`, for a mailbox with a side queue.
  left advance(mailbox& box, locked_queue& side_queue) noexcept {
    rest_ = nullptr;
    if (!side_queue.strays.empty() || mail_in(box, side_queue)) return left::messages;
    if (box.peek().noticed()) return left::notice;
    if (!box.peek().open() || box.peek().suspended()) return left::nothing;
    return set_idle(box) ? left::idle : left::nothing;
  }
  /// The messages outside the side queue that were not handled yet, see `locked_queue::strays`.
  [[nodiscard]] envelope_chain& strays(mailbox& box, locked_queue& side_queue) noexcept {
    if (side_queue.strays.empty() && box.peek().newest() != nullptr) {
      const mailbox_word before = change(box, [](mailbox_word was) { return was.emptied(); });
      side_queue.strays = turn_round(before.newest());
    }
    return side_queue.strays;
  }
  /// Clears the bit set for an earlier tenant's side queue. Requires: there is no side queue.
  void forget_side_queue(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.without_side_queue(); });
  }

  /// From now on user messages wait.
  void suspend(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.suspending(); });
  }
  /// User messages no longer wait.
  void resume(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.resumed(); });
  }
  /// `take_notice` and `resume` in one exchange.
  void resume_by_notice(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.without_notice().resumed(); });
  }
  /// `suspend` and `set_idle` in one exchange. Returns: false, and nothing has changed, if there is
  /// a notice.
  [[nodiscard]] bool suspend_idle(mailbox& box) noexcept {
    mailbox_word before{box.word_.load(relaxed)};  // relaxed: only compared
    do {
      if (before.noticed()) return false;
    } while (!box.word_.compare_exchange(before.bits, before.suspending().as_idle().bits,
                                         acq_rel));  // pairs: mailbox.word
    return true;
  }

  /// Queues a message of the receiver to itself, behind the others, also after `refuse`.
  void push_own(mailbox& box, envelope& own) noexcept {
    change(box, [&](mailbox_word was) {
      own.next.set(was.newest());
      return was.pushed(own);
    });
  }

  /// Takes no more user messages; queued ones stay.
  void refuse(mailbox& box) noexcept {
    change(box, [](mailbox_word was) { return was.refusing(); });
  }

  /// Takes no more user messages, and returns the queued ones, without `handled`, the message
  /// handled just now, if any.
  [[nodiscard]] envelope_chain close(mailbox& box, envelope* handled) noexcept {
    if (handled != nullptr) rest_ = handled->next.get();
    envelope* const taken = rest_;
    // One message at a time is taken out of a side queue, without a marker.
    envelope* const newest_taken = marker_ != nullptr ? marker_ : rest_;
    const mailbox_word before =
        change(box, [](mailbox_word was) { return was.refusing().emptied(); });
    take_down_from(before.newest());
    envelope* const newer = rest_;
    rest_ = nullptr;
    marker_ = nullptr;
    if (taken == nullptr) return envelope_chain{newer};
    newest_taken->next.set(newer);
    return envelope_chain{taken};
  }
  /// Takes no more system messages either, and returns the queued ones. Afterwards the slot may
  /// have another tenant.
  [[nodiscard]] envelope_chain close_system(mailbox& box) noexcept {
    return turn_round(system_mail(
        box.system_.exchange(mailbox::system_closed, acq_rel)));  // pairs: mailbox.system
  }

  /// Counts the messages that wait, up to `most`. It walks the queue.
  [[nodiscard]] std::size_t size(const mailbox& box,
                                 std::size_t most = ~std::size_t{0}) const noexcept {
    std::size_t count = 0;
    for (const envelope* e = rest_; e != nullptr && count < most; e = e->next.get())
      ++count;
    const mailbox_word now{box.word_.load(acquire)};  // pairs: mailbox.word
    for (const envelope* e = now.newest(); e != marker_ && count < most; e = e->next.get())
      ++count;
    return count;
  }

  /// Tells whether `is` holds for a message that waits. It walks the queue.
  template <class Is>
  [[nodiscard]] bool any_of(const mailbox& box, Is is) const noexcept {
    for (const envelope* e = rest_; e != nullptr; e = e->next.get())
      if (is(*e)) return true;
    // no mutant: as in `size`
    const mailbox_word newer{box.word_.load(acquire)};  // pairs: mailbox.word
    for (const envelope* e = newer.newest(); e != marker_; e = e->next.get())
      if (is(*e)) return true;
    return false;
  }

private:
  static envelope* system_mail(std::uintptr_t newest) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): tagged
    return reinterpret_cast<envelope*>(newest & ~std::uintptr_t{mailbox::system_flags});
  }
  static envelope_chain turn_round(envelope* from) noexcept {
    envelope* oldest = nullptr;
    while (from != nullptr) {
      envelope* const older = from->next.get();
      from->next.set(oldest);
      oldest = std::exchange(from, older);
    }
    return envelope_chain{oldest};
  }

  template <class Next>
  static mailbox_word change(mailbox& box, Next next) noexcept {
    mailbox_word before{box.word_.load(relaxed)};  // relaxed: only compared
    while (!box.word_.compare_exchange(before.bits, next(before).bits,
                                       acq_rel)) {  // pairs: mailbox.word
    }
    return before;
  }

  static bool mail_in(mailbox& box, locked_queue& side_queue) noexcept {
    if (side_queue.size() > 0) return true;
    if (!box.peek().in_side_queue()) return false;
    change(box, [](mailbox_word was) { return was.without_side_queue(); });
    return side_queue.size() > 0;  // sees what was pushed before the bit was cleared
  }

  /// Takes the messages that arrived after the marker.
  void take_newer(mailbox& box) noexcept {
    take_down_from(mailbox_word{box.word_.load(acquire)}.newest());  // pairs: mailbox.word
  }
  void take_down_from(envelope* newest) noexcept {
    envelope* oldest = nullptr;
    for (envelope* from = newest; from != marker_;) {
      envelope* const older = from->next.get();
      from->next.set(oldest);
      oldest = std::exchange(from, older);
    }
    rest_ = oldest;
    marker_ = newest;
  }

  envelope* rest_ = nullptr;    // the oldest taken and unhandled message
  envelope* marker_ = nullptr;  // the newest taken message
};

}  // namespace tactor::inline v0::internal
