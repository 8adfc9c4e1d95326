// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"

#include <cstddef>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

/// Type-erased operations on a payload.
struct payload_operations {
  run_result (*call)(void* object, execution_batch batch) noexcept;  // null: a message
  /// Builds the message; null: a callable. On failure there is no message.
  run_result (*take)(void* object, execution_batch batch, void* message) noexcept;
  void (*destroy)(void* object) noexcept;
  const void* message_type;  // a unique address for each type; null: a callable
  std::size_t size;
  std::size_t alignment;
};

/// Gives a block to a payload that does not fit into its job: the room of its job in the store if
/// it fits there, otherwise one of the source. A value.
struct payload_blocks {
  block_source* source = nullptr;  // null: none
  std::byte* room = nullptr;       // aligned for 8
  std::size_t room_size = 0;

  /// Returns: null if there is no memory.
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) const noexcept {
    if (size <= room_size && alignment <= 8) return room;
    return source == nullptr ? nullptr : source->allocate(size, alignment);
  }
  void release(void* block, std::size_t size, std::size_t alignment) const noexcept {
    if (block != room) source->release(block, size, alignment);
  }
};

/// The callable or message of one timer: here if it is small, otherwise in a block, whose address
/// is here. All-zero is the valid empty state. Context: the thread that the job's word designates.
class timer_payload {
public:
  /// The size and alignment of what fits here.
  static constexpr std::size_t own_size = 16;
  static constexpr std::size_t own_alignment = 8;

  constexpr timer_payload() noexcept = default;
  timer_payload(const timer_payload&) = delete;
  timer_payload& operator=(const timer_payload&) = delete;
  ~timer_payload() = default;  // `reset` destroys the payload: it knows the blocks

  /// Takes the storage of a payload. Returns: false if a block is needed and none is available.
  [[nodiscard]] bool reserve(const payload_operations& operations,
                             const payload_blocks& blocks) noexcept {
    if (!fits(operations)) {
      void* const block = blocks.allocate(operations.size, operations.alignment);
      if (block == nullptr) return false;
      ::new (static_cast<void*>(bytes_)) void*(block);
    }
    operations_ = &operations;
    return true;
  }
  /// Builds the payload. Requires: reserved with the operations of `T`.
  template <class T>
  void construct(T&& object) noexcept {
    using stored = std::decay_t<T>;
    static_assert(std::is_nothrow_move_constructible_v<stored>,
                  "a timer's callable or message must be movable without throwing");
    ::new (this->object()) stored(std::forward<T>(object));
  }
  /// Releases reserved storage in which nothing was built; does nothing if none is reserved.
  void release(const payload_blocks& blocks) noexcept {
    if (operations_ == nullptr) return;
    const payload_operations& operations = *std::exchange(operations_, nullptr);
    if (!fits(operations)) blocks.release(block(), operations.size, operations.alignment);
  }

  /// Destroys the payload, if any.
  void reset(const payload_blocks& blocks) noexcept {
    if (operations_ == nullptr) return;
    operations_->destroy(object());
    release(blocks);
  }

  [[nodiscard]] const payload_operations& operations() const noexcept { return *operations_; }
  /// The payload. Requires: not empty.
  [[nodiscard]] void* object() noexcept { return fits(*operations_) ? bytes_ : block(); }

private:
  [[nodiscard]] static constexpr bool fits(const payload_operations& of) noexcept {
    return of.size <= own_size && of.alignment <= own_alignment;
  }
  [[nodiscard]] void* block() noexcept { return *std::launder(reinterpret_cast<void**>(bytes_)); }

  const payload_operations* operations_ = nullptr;
  alignas(own_alignment) std::byte bytes_[own_size] = {};
};

template <class Result>
concept nothing_or_expected = std::is_void_v<Result> || requires(const Result& said) {
  said.has_value();
  said.error();
};

template <class Callable>
consteval bool can_be_scheduled() noexcept {
  if constexpr (std::is_invocable_v<Callable&, execution_batch>) {
    return nothing_or_expected<std::invoke_result_t<Callable&, execution_batch>>;
  } else if constexpr (std::is_invocable_v<Callable&>) {
    return nothing_or_expected<std::invoke_result_t<Callable&>>;
  } else {
    return false;
  }
}

}  // namespace internal

/// Names what can be scheduled without a receiver: a callable that takes nothing or an
/// `execution_batch`, and returns nothing or an `expected`.
template <class Callable>
concept schedulable = internal::can_be_scheduled<std::decay_t<Callable>>();

namespace internal {

inline namespace TACTOR_EXCEPTION_MODE {

namespace payloads {

/// Identifies a message type within one program.
template <class Message>
inline constexpr char message_type_key = 0;

template <class Callable>
run_result call_payload(void* object, execution_batch batch) noexcept {
  Callable& callable = *static_cast<Callable*>(object);
  if constexpr (std::is_invocable_v<Callable&, execution_batch>) {
    return guarded_call([&] { return callable(batch); });
  } else {
    return guarded_call([&] { return callable(); });
  }
}

template <class T>
void destroy_payload(void* object) noexcept {
  static_cast<T*>(object)->~T();
}

template <class Message>
run_result move_message(void* object, execution_batch, void* message) noexcept {
  ::new (message) Message(std::move(*static_cast<Message*>(object)));
  return {};
}

template <class Message>
run_result copy_message(void* object, execution_batch, void* message) noexcept {
  return guarded_call([&] { ::new (message) Message(*static_cast<const Message*>(object)); });
}

template <class Message, class Factory>
run_result make_message(void* object, execution_batch batch, void* message) noexcept {
  return guarded_call([&] { ::new (message) Message((*static_cast<Factory*>(object))(batch)); });
}

/// The operations of a payload that is called.
template <class Callable>
inline constexpr payload_operations callable_operations{.call = call_payload<Callable>,
                                                        .take = nullptr,
                                                        .destroy = destroy_payload<Callable>,
                                                        .message_type = nullptr,
                                                        .size = sizeof(Callable),
                                                        .alignment = alignof(Callable)};

/// The operations of a payload that gives a `Message`.
template <class Message, class Stored>
constexpr payload_operations giving(run_result (*take)(void*, execution_batch,
                                                       void*) noexcept) noexcept {
  return {.call = nullptr,
          .take = take,
          .destroy = destroy_payload<Stored>,
          .message_type = &message_type_key<Message>,
          .size = sizeof(Stored),
          .alignment = alignof(Stored)};
}
/// Taken once: the message itself is moved out.
template <class Message>
inline constexpr auto message_operations = giving<Message, Message>(move_message<Message>);
/// Taken repeatedly: each run gets a copy.
template <class Message>
inline constexpr auto copied_message_operations = giving<Message, Message>(copy_message<Message>);
/// Taken repeatedly: each run gets a message that the factory makes from the batch.
template <class Factory, class Message = std::invoke_result_t<Factory&, execution_batch>>
inline constexpr auto factory_operations = giving<Message, Factory>(make_message<Message, Factory>);

/// The operations of a job that calls a callable.
template <class Callable>
const payload_operations& of_callable() noexcept {
  constexpr bool can_be_called = schedulable<Callable>;
  static_assert(can_be_called,
                "a callable takes nothing or an execution_batch, and returns nothing or an "
                "expected; a message needs a receiver, named before it");
  if constexpr (can_be_called) {
    return callable_operations<std::decay_t<Callable>>;
  } else {
    return message_operations<std::remove_cvref_t<Callable>>;  // a stub
  }
}
/// The callable as it is stored in a timer. If copying it throws, it throws here, in the caller's
/// code, before anything has been taken.
template <class Callable>
decltype(auto) stored(Callable&& callable) {
  using kept = std::decay_t<Callable>;
  if constexpr (std::is_nothrow_constructible_v<kept, Callable>) {
    return std::forward<Callable>(callable);
  } else {
    return kept(std::forward<Callable>(callable));
  }
}
/// The operations of a job that sends a message repeatedly: a copy of it, or what a factory makes.
template <class Message>
const payload_operations& of_repeated() noexcept {
  constexpr bool is_factory = std::is_invocable_v<Message&, execution_batch>;
  constexpr bool can_be_repeated = is_factory || std::is_copy_constructible_v<Message>;
  static_assert(can_be_repeated,
                "a periodic timer sends a copy each time: make the message copyable, or give a "
                "factory like [](tactor::execution_batch) { return Message{...}; }");
  if constexpr (is_factory) {
    return factory_operations<Message>;
  } else if constexpr (!can_be_repeated) {
    return message_operations<Message>;  // a stub
  } else {
    return copied_message_operations<Message>;
  }
}

}  // namespace payloads
}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace internal
}  // namespace tactor::inline v0
