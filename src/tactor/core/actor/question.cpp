// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/question.hpp"

#include "tactor/core/actor/life.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

namespace tactor::inline v0 {

question question::open(home_gate* gate) noexcept {
  cell* const c = program_memory.cells.take(this_thread().cells);
  if (c == nullptr) return {};
  c->gate.store(gate, relaxed);            // relaxed: opening the mailbox publishes it
  c->limits.store(0, relaxed);             // relaxed: as above
  c->coordinator.store(nullptr, relaxed);  // relaxed: as above; never parked, so never made ready
  c->box.open();
  return question{*c};
}

envelope* question::front() noexcept {
  thread_record& here = this_thread();
  while (envelope* const e = cell_->reader.front(cell_->box)) {
    if (e->generation == cell_->tenant) return e;
    // Late mail for an earlier tenant of the slot.
    cell_->reader.skip(cell_->box, *e);
    leave_mailbox(*cell_, *e);
    end_as_dead_letter(here, cell_, *e, drop_reason::stopped);
  }
  return nullptr;
}

void question::close() noexcept {
  if (cell_ == nullptr) return;
  cell& c = *std::exchange(cell_, nullptr);
  thread_record& here = this_thread();
  program_memory.cells.end_tenancy(c);
  envelope_chain answers = c.reader.close(c.box, nullptr);
  while (envelope* const e = answers.pop()) {
    leave_mailbox(c, *e);
    if (e->generation == c.tenant) {
      discard_envelope(here, *e);
    } else {
      end_as_dead_letter(here, &c, *e, drop_reason::stopped);
    }
  }
  end_system_mail(here, c);
  program_memory.cells.give_back(here.cells, c);
}

}  // namespace tactor::inline v0
