// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/envelopes.hpp"

#include "tactor/core/cell/thread_waiting.hpp"

#include <cstddef>
#include <new>  // IWYU pragma: keep (std::launder)

namespace tactor::inline v0::internal {

envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept {
  program_memory.note(here);
  // A thread that runs no actors sends faster than the workers handle: before memory grows, they
  // get the processor, and the messages that they have handled meanwhile are used again.
  const thread_waiting* const how = here.services == nullptr ? program_memory.waiting() : nullptr;
  if (how != nullptr && !program_memory.envelopes.any_free(size_class)) how->give_way();
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

}  // namespace tactor::inline v0::internal
