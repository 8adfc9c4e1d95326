// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/scheduler/job/execution_batch.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/port/port.hpp"

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

/// The place of a small payload: in its job.
struct room_in_job {
  /// What else a payload needs: the source of blocks, or null.
  struct memory {
    constexpr memory(block_source* from, std::byte*, std::size_t, std::size_t) noexcept
        : blocks(from) {}
    block_source* blocks;
  };
  static constexpr std::size_t size = 16;

  [[nodiscard]] static constexpr bool fits(const payload_operations& of, memory) noexcept {
    return of.size <= size && of.alignment <= alignof(void*);
  }
  [[nodiscard]] void* at(memory) noexcept { return bytes; }

  alignas(void*) std::byte bytes[size] = {};
};

/// The place of a small payload on a board: in its store, where each job has as many bytes as the largest message needs.
struct room_in_store {
  /// The rooms of all jobs, each `room_size` bytes, aligned for 8; and the source of blocks, or null.
  struct memory {
    constexpr memory(block_source* from, std::byte* rooms, std::size_t room_size,
                     std::size_t index) noexcept
        : blocks(from), room(rooms + index * room_size), size(room_size) {}
    block_source* blocks;
    std::byte* room;
    std::size_t size;
  };

  [[nodiscard]] static constexpr bool fits(const payload_operations& of,
                                           const memory& with) noexcept {
    return of.size <= with.size && of.alignment <= 8;
  }
  [[nodiscard]] static void* at(const memory& with) noexcept { return with.room; }
};

/// The callable or message of one timer: in its room if it is small, otherwise in a block, whose address is there.
/// All-zero is the valid empty state. Context: the thread that the job's word designates.
class timer_payload {
  using room = std::conditional_t<port::has_interrupts, room_in_store, room_in_job>;

public:
  /// What every function needs: always the same for one job.
  using memory = room::memory;

  constexpr timer_payload() noexcept = default;
  timer_payload(const timer_payload&) = delete;
  timer_payload& operator=(const timer_payload&) = delete;
  ~timer_payload() = default;  // `reset` destroys the payload: it knows the block source

  /// Takes the storage of a payload. Returns: false if a block is needed and none is available.
  [[nodiscard]] bool reserve(const payload_operations& operations, const memory& with) noexcept {
    if (!room::fits(operations, with)) {
      void* const block = with.blocks == nullptr
                              ? nullptr
                              : with.blocks->allocate(operations.size, operations.alignment);
      if (block == nullptr) return false;
      ::new (room_.at(with)) void*(block);
    }
    operations_ = &operations;
    return true;
  }
  /// Builds the payload. Requires: reserved with the operations of `T`.
  template <class T>
  void construct(T&& object, const memory& with) noexcept {
    using stored = std::decay_t<T>;
    static_assert(std::is_nothrow_move_constructible_v<stored>,
                  "a timer's callable or message must be movable without throwing");
    ::new (this->object(with)) stored(std::forward<T>(object));
  }
  /// Releases reserved storage in which nothing was built; does nothing if none is reserved.
  void release(const memory& with) noexcept {
    if (operations_ == nullptr) return;
    const payload_operations& operations = *std::exchange(operations_, nullptr);
    if (!room::fits(operations, with))
      with.blocks->release(block(with), operations.size, operations.alignment);
  }

  /// Destroys the payload, if any.
  void reset(const memory& with) noexcept {
    if (operations_ == nullptr) return;
    operations_->destroy(object(with));
    release(with);
  }

  [[nodiscard]] const payload_operations& operations() const noexcept { return *operations_; }
  /// The payload. Requires: not empty.
  [[nodiscard]] void* object(const memory& with) noexcept {
    return room::fits(*operations_, with) ? room_.at(with) : block(with);
  }

private:
  [[nodiscard]] void* block(const memory& with) noexcept {
    return *std::launder(static_cast<void**>(room_.at(with)));
  }

  const payload_operations* operations_ = nullptr;
  [[no_unique_address]] room room_;
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

/// What can be scheduled without a receiver: a callable that takes nothing or an `execution_batch`,
/// and returns nothing or an `expected`.
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

template <class Callable>
inline constexpr payload_operations callable_operations{.call = call_payload<Callable>,
                                                        .take = nullptr,
                                                        .destroy = destroy_payload<Callable>,
                                                        .message_type = nullptr,
                                                        .size = sizeof(Callable),
                                                        .alignment = alignof(Callable)};

/// Taken once: the message itself is moved out.
template <class Message>
inline constexpr payload_operations message_operations{.call = nullptr,
                                                       .take = move_message<Message>,
                                                       .destroy = destroy_payload<Message>,
                                                       .message_type = &message_type_key<Message>,
                                                       .size = sizeof(Message),
                                                       .alignment = alignof(Message)};

/// Taken repeatedly: each run gets a copy.
template <class Message>
inline constexpr payload_operations copied_message_operations{.call = nullptr,
                                                              .take = copy_message<Message>,
                                                              .destroy = destroy_payload<Message>,
                                                              .message_type =
                                                                  &message_type_key<Message>,
                                                              .size = sizeof(Message),
                                                              .alignment = alignof(Message)};

/// Taken repeatedly: each run gets a message that the factory makes from the batch.
template <class Factory, class Message = std::invoke_result_t<Factory&, execution_batch>>
inline constexpr payload_operations factory_operations{.call = nullptr,
                                                       .take = make_message<Message, Factory>,
                                                       .destroy = destroy_payload<Factory>,
                                                       .message_type = &message_type_key<Message>,
                                                       .size = sizeof(Factory),
                                                       .alignment = alignof(Factory)};

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
