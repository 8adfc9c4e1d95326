// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/waiting/reply_slot.hpp"

#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

namespace tactor::inline v0::internal {

namespace {

/// Whether `e` is the answer, and not a late message for an earlier tenant of the slot.
bool is_answer(const cell& asked, const envelope& e) noexcept {
  return is_user_message(e.kind) && e.generation == asked.tenant;
}

}  // namespace

reply_slot reply_slot::open(system_gate* gate, ready_queue_coordinator* waker) noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  cell* const c = program_memory.cells.take(here.cells);
  if (c == nullptr) return {};
  c->gate.store(gate, relaxed);          // relaxed: opening the mailbox publishes it
  c->limits.store(0, relaxed);           // relaxed: as above
  c->coordinator.store(waker, relaxed);  // relaxed: as above
  c->box.open();
  return reply_slot{*c};
}

void reply_slot::set_deadline(std::uint64_t until_ns) noexcept {
  using clock = ask_deadline::clock;
  if constexpr (cell::keeps_ask_deadline) {
    if (cell_ == nullptr) return;
    const bool threads_wait =
        cell_->coordinator.load(relaxed) != nullptr;  // relaxed: set in `open`
    cell_->set_deadline_of_ask(
        ask_deadline::at(until_ns, threads_wait ? clock::of_threads : clock::of_system));
  }
}

envelope* reply_slot::front() noexcept {
  thread_record& here = this_thread();
  while (envelope* const e = cell_->reader.front(cell_->box)) {
    if (is_answer(*cell_, *e)) return e;
    cell_->reader.skip(cell_->box, *e);
    release_permit(*cell_, *e);
    end_as_dead_letter(here, cell_, *e, drop_reason::stopped);
  }
  return nullptr;
}

bool reply_slot::prepare_wait() noexcept {
  // What late senders to an earlier tenant have left would keep the slot ready.
  if (cell_->box.peek().noticed()) cell_->reader.take_notice(cell_->box);
  if (cell_->box.peek().in_side_queue()) cell_->reader.forget_side_queue(cell_->box);
  reply_slot_view{*cell_}.wait_word.store(0,
                                          relaxed);  // relaxed: no waker before the next line
  return cell_->reader.set_idle(cell_->box);
}

bool reply_slot::cancel_wait() noexcept {
  if (cell_->box.give_notice() != push_result::make_ready) return false;
  cell_->reader.take_notice(cell_->box);
  return true;
}

void reply_slot::close() noexcept {
  if (cell_ == nullptr) return;
  cell& c = *std::exchange(cell_, nullptr);
  thread_record& here = this_thread();
  program_memory.note(here);  // another thread may have opened the slot
  program_memory.cells.end_tenancy(c);
  if constexpr (cell::keeps_ask_deadline) c.set_deadline_of_ask({});
  envelope_chain answers = c.reader.close(c.box, nullptr);
  while (envelope* const e = answers.pop()) {
    release_permit(c, *e);
    if (is_answer(c, *e)) {
      discard_envelope(here, *e);
    } else {
      end_as_dead_letter(here, &c, *e, drop_reason::stopped);
    }
  }
  end_system_mail(here, c);
  program_memory.cells.give_back(here.cells, c);
}

}  // namespace tactor::inline v0::internal
