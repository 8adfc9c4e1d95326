// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// A bounded queue that evicts its oldest message when it is full: the side queue of a mailbox with
/// the strategy `drop_oldest`. It has a lock because a sender must reach the oldest end, which a
/// stack cannot offer; only a few links change under the lock.
///
/// Type-stable: never destroyed, only given to another cell. A sender with a stale reference names
/// another tenancy and is refused. Context: any thread; `pop`: the worker that runs the cell.
class drop_oldest_queue {
public:
  /// What became of a message.
  struct outcome {
    bool accepted = false;        // false: the tenancy has ended, the sender keeps the message
    envelope* evicted = nullptr;  // the caller disposes of it
    std::uint32_t waiting = 0;    // with this message
  };

  constexpr drop_oldest_queue() noexcept = default;

  /// Begins a tenancy: the queue belongs to `cell` with `generation`.
  void open(const void* cell, std::uint32_t generation, std::uint32_t capacity) noexcept {
    const lock_guard guard{mutex_};
    cell_ = cell;
    generation_ = generation;
    capacity_ = capacity;
  }

  /// Queues a message, and evicts the oldest if the queue is full.
  outcome push(const void* cell, envelope& fresh) noexcept {
    const lock_guard guard{mutex_};
    if (cell != cell_ || fresh.generation != generation_) return {};
    messages_.push(fresh);
    envelope* const evicted = messages_.size() > capacity_ ? take_oldest() : nullptr;
    return {.accepted = true,
            .evicted = evicted,
            .waiting = static_cast<std::uint32_t>(messages_.size())};
  }

  /// The oldest message, or null.
  [[nodiscard]] envelope* pop() noexcept {
    const lock_guard guard{mutex_};
    return take_oldest();
  }

  /// Ends the tenancy for senders; queued messages can still be popped.
  void close() noexcept {
    const lock_guard guard{mutex_};
    cell_ = nullptr;
  }

  /// How many messages wait.
  [[nodiscard]] std::uint32_t size() noexcept {
    const lock_guard guard{mutex_};
    return static_cast<std::uint32_t>(messages_.size());
  }

  /// Link in the list of unused queues.
  port::cell<drop_oldest_queue*> next;

private:
  envelope* take_oldest() noexcept {
    envelope* const oldest = messages_.pop();
    if (oldest != nullptr) oldest->next.set(nullptr);
    return oldest;
  }

  port::mutex mutex_;
  // protected by mutex_
  const void* cell_ = nullptr;
  std::uint32_t generation_ = 0;
  std::uint32_t capacity_ = 0;
  counted_fifo<envelope> messages_;
};

}  // namespace tactor::inline v0::internal
