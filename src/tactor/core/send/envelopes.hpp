// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/traced_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

// How envelopes are made and freed, and other objects in blocks of their pool. Context: any thread
// or interrupt, with its own thread record.

/// Slow path of `new_envelope`: the thread's cache is empty. Returns: null if there is no memory.
[[nodiscard]] envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept;

/// Makes an envelope with space for a `Message`, without a sender. Returns: null if there is no
/// memory.
template <class Message>
[[nodiscard]] envelope* new_envelope(thread_record& here) noexcept {
  constexpr unsigned size_class = envelope_pool::size_class_for<Message>();
  if (may_trace(here)) [[unlikely]]
    return new_traced_envelope(here, operations_of<Message>);
  envelope* e = nullptr;
  if constexpr (size_class == large_size_class) {
    e = program_memory.envelopes.allocate_large(sizeof(Message), alignof(Message));
  } else {
    e = program_memory.envelopes.try_allocate(here.envelopes, size_class);
    if (e == nullptr) [[unlikely]]
      e = allocate_slowly(here, size_class);
  }
  if (e == nullptr) return nullptr;
  e->operations = &operations_of<Message>;
  e->kind = envelope_kind::message;
  e->detail = 0;
  return e;
}
/// Frees an envelope without payload.
inline void free_envelope(thread_record& here, envelope& e) noexcept {
  program_memory.envelopes.release(here.envelopes, e);
}
/// Destroys the payload and frees the envelope.
inline void discard_envelope(thread_record& here, envelope& e) noexcept {
  if (e.operations->destroy != nullptr) e.operations->destroy(payload_of(e));
  free_envelope(here, e);
}

/// Returns: memory for an object that `what` describes, from the envelopes' pool; null if there is
/// none.
[[nodiscard]] void* new_block(thread_record& here, const message_operations& what) noexcept;
/// Frees it. Requires: the object, of this alignment, is destroyed.
void free_block(thread_record& here, void* block, std::size_t alignment) noexcept;
/// Frees it. `what` describes the object.
inline void free_block(thread_record& here, void* block, const message_operations& what) noexcept {
  free_block(here, block, what.alignment);
}

/// Builds a `T` in a block of the runtime's memory. Returns: null if there is none.
template <class T>
[[nodiscard]] T* new_record(thread_record& here) noexcept {
  void* const block = new_block(here, operations_of<T>);
  return block == nullptr ? nullptr : ::new (block) T;
}
/// Destroys `record` and frees its memory. No effect if it is null.
template <class T>
void free_record(thread_record& here, T* record) noexcept {
  if (record == nullptr) return;
  record->~T();
  free_block(here, record, alignof(T));  // without its operations, which a board need not link
}

/// A message that the runtime passes to an actor without queueing it: an envelope on the stack.
template <class Message>
struct stack_envelope {
  static_assert(std::is_trivially_destructible_v<Message>,
                "a coroutine keeps a copy of the header, without contents to destroy");
  envelope head;
  Message body;

  stack_envelope(Message message, std::uint32_t generation) noexcept : body(std::move(message)) {
    head.operations = &operations_of<Message>;
    head.generation = generation;
    head.kind = envelope_kind::system;
    head.detail = 0;
    head.size_class = envelope_size_classes;  // no block of a pool: nothing is free behind `body`
  }
};

}  // namespace tactor::inline v0::internal
