// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

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
