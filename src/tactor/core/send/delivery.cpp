// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/delivery.hpp"

#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/send/deliver.hpp"
#include "tactor/core/send/offer_rules.hpp"

#include <cstddef>
#include <new>  // IWYU pragma: keep (std::launder)

namespace tactor::inline v0::internal {

void count_foreign_send(thread_record& here, const cell& to) noexcept {
  // relaxed: type-stable
  if (system_gate* const gate = to.gate.load(relaxed)) gate->count_send(&here);
}

envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept {
  program_memory.note(here);
  // A thread that runs no actors sends faster than the workers handle: before memory grows, they
  // get the processor, and the messages that they have handled meanwhile are used again.
  if (here.services == nullptr && !program_memory.envelopes.any_free(size_class)) {
    if (const thread_waiting* const how = program_memory.waiting()) how->give_way();
  }
  return program_memory.envelopes.allocate(here.envelopes, size_class);
}

void* new_block(thread_record& here, const message_operations& what) noexcept {
  program_memory.note(here);
  const unsigned size_class = envelope_pool::size_class_for(what.size, what.alignment);
  envelope* const e = size_class == large_size_class
                          ? program_memory.envelopes.allocate_large(what.size, what.alignment)
                          : program_memory.envelopes.allocate(here.envelopes, size_class);
  if (e == nullptr) return nullptr;
  e->operations = &what;
  return payload_of(*e);
}

void free_block(thread_record& here, void* block, std::size_t alignment) noexcept {
  std::byte* const start = static_cast<std::byte*>(block) - payload_offset(alignment);
  free_envelope(here, *std::launder(reinterpret_cast<envelope*>(start)));
}

tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  return deliver(
      here, to, generation, e,
      [&](const offer_result& why) { return refuse_send(here, to, e, why); },
      [&](mailbox_limits limits) { return send_with_care(here, *to, limits, e); });
}

}  // namespace tactor::inline v0::internal
