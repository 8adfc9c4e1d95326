// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace tactor::inline v0::internal {

/// The timer of an actor's deadlines sends this to the actor, as a system message.
struct deadline_due {
  using suppress_dead_letter = void;
};

/// Says whether the limits of the mailbox apply to the message of a timer.
enum class timer_place : std::uint8_t {
  of_mailbox,
  own,    // no limit: it is a timer of the receiver to itself
  keyed,  // likewise, and it has a key: refused because the actor ends, it is no dead letter
};

/// The envelope of a timer's message. It is made when the timer is scheduled, so that the delivery
/// cannot fail for lack of memory, and lives as long as the job. It is queued for each run; the
/// message itself stays with the job, where a cancel can destroy it, and is built in the envelope
/// when the receiver begins.
///
/// This object stands behind the payload, in the envelope's own block.
class timer_envelope final : public held_sink {
public:
  /// Makes an envelope for a `Message`. Returns: null if there is no memory.
  template <class Message>
  [[nodiscard]] static timer_envelope* make(const actor_ref<>& to, origin sender,
                                            timer_place place = timer_place::of_mailbox) noexcept;

  [[nodiscard]] post_result post(timer_job& due) noexcept override;
  void let_go() noexcept override;
  [[nodiscard]] const void* receiver() const noexcept override { return to_; }

  /// The timer envelope of `e`. Requires: its kind is `timer`.
  [[nodiscard]] static timer_envelope& of(envelope& e) noexcept {
    const std::size_t at = payload_offset(e.operations->alignment) + padded(e.operations->size);
    return *std::launder(reinterpret_cast<timer_envelope*>(reinterpret_cast<std::byte*>(&e) + at));
  }

  /// The size of a message of `size` bytes together with this object behind it.
  [[nodiscard]] static constexpr std::size_t size_with(std::size_t size) noexcept {
    return padded(size) + sizeof(timer_envelope);
  }

  /// To which tenancy of the receiver's slot it is addressed, and the type of the message.
  /// Constant. Context: any thread, while the job is held.
  [[nodiscard]] std::uint32_t generation() const noexcept { return envelope_.generation; }
  [[nodiscard]] const message_operations& message() const noexcept { return *envelope_.operations; }

  [[nodiscard]] timer_place place() const noexcept { return place_; }

  /// The job that was posted last. Context: the owner of the envelope.
  [[nodiscard]] timer_job& job() const noexcept { return *job_; }
  /// Returns: how many runs the message being handled stands for. Context: the receiver.
  [[nodiscard]] execution_batch batch() const noexcept { return {.runs = runs_, .mode = mode_}; }
  /// Sets it. More runs than a word counts are as many as it counts.
  void set_batch(execution_batch of) noexcept {
    constexpr std::uintptr_t most = std::numeric_limits<std::uintptr_t>::max();
    runs_ = of.runs < most ? static_cast<std::uintptr_t>(of.runs) : most;
    mode_ = of.mode;
  }

private:
  timer_envelope(envelope& e, cell* to, const message_operations& whole, timer_place place) noexcept
      : envelope_(e), to_(to), block_(whole), place_(place) {}
  timer_envelope(const timer_envelope&) = delete;
  timer_envelope& operator=(const timer_envelope&) = delete;
  ~timer_envelope() = default;

  template <class Message>
  struct block;
  static constexpr std::size_t padded(std::size_t size) noexcept {
    constexpr std::size_t alignment = alignof(timer_envelope);
    static_assert(sizeof(envelope) % alignment == 0, "or the object behind it is not aligned");
    return (size + alignment - 1) / alignment * alignment;
  }

  envelope& envelope_;
  cell* to_;                         // null: no such actor
  const message_operations& block_;  // of the whole block, for the pool
  timer_job* job_ = nullptr;
  // Of the batch. A word and not 64 bits: on a board, an envelope with a message of 8 bytes then
  // fits 64 bytes.
  std::uintptr_t runs_ = 1;
  job_mode mode_ = job_mode::once;
  timer_place place_;
};

static_assert(!port::has_real_layout || sizeof(timer_envelope) <= 7 * sizeof(void*));

/// The payload and the timer envelope behind it, as one object for the pool.
template <class Message>
struct timer_envelope::block {
  static constexpr std::size_t own_offset = padded(sizeof(Message));
  alignas(Message) alignas(void*) std::byte storage[own_offset + sizeof(timer_envelope)];
  static constexpr const char* type_name = "timer envelope";
};

template <class Message>
timer_envelope* timer_envelope::make(const actor_ref<>& to, origin sender,
                                     timer_place place) noexcept {
  envelope* const e = new_envelope<block<Message>>(this_thread());
  if (e == nullptr) return nullptr;
  const message_operations& whole = *e->operations;
  if (e->size_class == large_size_class) e->detail = 0;  // a trailer is found by `operations`
  e->operations = &operations_of<Message>;
  e->kind = envelope_kind::timer;
  e->generation = to.generation();
  e->from = sender;
  std::byte* const at =
      reinterpret_cast<std::byte*>(e) + payload_offset(alignof(Message)) + padded(sizeof(Message));
  return ::new (static_cast<void*>(at)) timer_envelope(*e, to.slot(), whole, place);
}

/// `end_as_dead_letter` of a timer's message: its timer is settled, and the envelope may be freed.
/// A deadline of an ended actor is no dead letter.
void end_timer_as_dead_letter(thread_record& here, cell* to, envelope& e, drop_reason why) noexcept;

}  // namespace tactor::inline v0::internal
