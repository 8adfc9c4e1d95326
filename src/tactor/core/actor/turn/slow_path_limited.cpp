// SPDX-License-Identifier: BSL-1.0
// The slow path of mailboxes with limits. A board without any does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/mailbox/locked_queue.hpp"

#include <utility>

namespace tactor::inline v0::internal {

void link_limited_turns() noexcept {}

void release_held_permit(cell& c, envelope& e) noexcept {
  e.detail = 0;
  notify_capacity(program_memory.producers.release(c));
  note_emptied(c, c.counts().waiting.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

void release_in_turn(thread_record& here, cell& c, envelope& e) noexcept {
  if (here.may_block) return release_held_permit(c, e);
  e.detail = 0;
  bool kept = false;
  notify_capacity(program_memory.producers.release_in_turn(c, kept));
  if (kept) {
    here.keeps_permits = &c;
    return;
  }
  note_emptied(c, c.counts().waiting.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

void settle_permits(thread_record& here) noexcept {
  cell& c =
      *std::exchange(here.keeps_permits, nullptr);  // it may have ended, and have a next tenant
  notify_capacity(program_memory.producers.settle(c));
  note_emptied(c, c.counts().waiting.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

void end_side_queue(thread_record& here, cell& c) noexcept {
  locked_queue& side_queue = *c.own_side_queue();
  side_queue.close();
  const auto end = [&](envelope& e) {
    release_permit(c, e);
    end_as_dead_letter(here, &c, e, drop_reason::stopped);
  };
  while (envelope* const e = side_queue.strays.pop())
    end(*e);
  while (envelope* const e = side_queue.pop())
    end(*e);
}

/// The next message of a mailbox with a side queue.
turn_step slow_path::process_side_queue() noexcept {
  locked_queue& side_queue = *cell_.own_side_queue();
  envelope_chain& strays = cell_.reader.strays(cell_.box, side_queue);
  if (!strays.empty()) return process_stray(strays);
  envelope* const e = cell_.reader.front(cell_.box, side_queue);
  if (e == nullptr) return on_idle();
  return cell_.filtered ? process_filtered(*e) : process_envelope(*e);
}

bool slow_path::waits_in_side_queue() noexcept {
  locked_queue& side_queue = *cell_.own_side_queue();
  return !cell_.reader.strays(cell_.box, side_queue).empty() ||
         cell_.reader.front(cell_.box, side_queue) != nullptr;
}

/// `leave`, for a mailbox with a side queue.
turn_step slow_path::leave_side_queue() noexcept {
  locked_queue& side_queue = *cell_.own_side_queue();
  notify_capacity(program_memory.producers.leave(cell_));
  note_emptied(cell_, side_queue.counted_size());
  if (cell_.wanted.has_receive_timeout) {  // it becomes idle after its activity has been recorded
    cell_.reader.skip_in_side_queue();
    return step::continue_turn;
  }
  const mailbox_reader::left rest = cell_.reader.advance(cell_.box, side_queue);
  return rest == mailbox_reader::left::idle ? step::idle : step::continue_turn;
}

/// Removes what late senders to an earlier tenant have left in a side queue this tenant does not
/// have.
void slow_path::tidy_up() noexcept {
  if (cell_.own_side_queue() == nullptr && cell_.box.peek().in_side_queue())
    cell_.reader.forget_side_queue(cell_.box);
}

/// Handles the oldest message that bypassed the side queue. The others wait, so that a suspension, a stop and the
/// limits of the turn take effect between two of them. A held message stays where it is.
turn_step slow_path::process_stray(envelope_chain& strays) noexcept {
  envelope& e = *strays.oldest();
  const bool reserved = is_user_message(e.kind) && e.generation == cell_.tenant;
  const admission said = reserved && cell_.filtered ? admit(e) : admission::proceed;
  if (said == admission::hold) return step::continue_turn;
  (void)strays.pop();
  release_permit(cell_, e);
  if (reserved) {
    take_reserved(e, said);
  } else if (e.kind == envelope_kind::answer && continue_ask(e)) {
    discard_envelope(here_, e);
  } else {
    end_as_dead_letter(here_, &cell_, e, drop_reason::stopped);
  }
  return cell_.wanted.stop ? stop(nullptr) : step::continue_turn;
}

/// A message with a reserved place.
void slow_path::take_reserved(envelope& e, admission said) noexcept {
  ++result_.handled;
  if (said == admission::proceed) {
    receive(e);
    if (!is_kept(e)) discard_envelope(here_, e);
  } else {
    ++here_.unhandled;
    end_as_dead_letter(here_, &cell_, e, drop_reason::middleware);
  }
}

}  // namespace tactor::inline v0::internal
