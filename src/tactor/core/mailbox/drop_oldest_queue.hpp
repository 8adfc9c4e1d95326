// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// A bounded queue that makes room by giving its oldest message up: the lane of a mailbox with the
/// rule `drop_oldest`. A sender has to reach the oldest end, which it cannot in a stack, so this one
/// has a lock; nothing but a few links is touched under it.
///
/// Type-stable: it is never destroyed, only given to another cell. Who comes with a stale reference
/// finds another tenancy and is refused. Context: any thread; `pop` only who runs the cell.
class drop_oldest_queue {
public:
  /// What became of a message.
  struct outcome {
    bool accepted = false;        // false: the tenancy is over, the message is still the sender's
    envelope* evicted = nullptr;  // the caller's to dispose of
  };

  constexpr drop_oldest_queue() noexcept = default;

  /// Begins a tenancy: `cell` with `generation` is whom it belongs to.
  void open(const void* cell, std::uint32_t generation, std::uint32_t capacity) noexcept {
    const lock_guard guard{mutex_};
    cell_ = cell;
    generation_ = generation;
    capacity_ = capacity;
  }

  /// Queues a message, and gives out the oldest if there is no room.
  outcome push(const void* cell, envelope& fresh) noexcept {
    const lock_guard guard{mutex_};
    if (cell != cell_ || fresh.generation != generation_) return {};
    fresh.next.set(nullptr);
    if (newest_ == nullptr) {
      oldest_ = &fresh;
    } else {
      newest_->next.set(&fresh);
    }
    newest_ = &fresh;
    ++size_;
    return {.accepted = true, .evicted = size_ > capacity_ ? take_oldest() : nullptr};
  }

  /// The oldest message, or null.
  [[nodiscard]] envelope* pop() noexcept {
    const lock_guard guard{mutex_};
    return take_oldest();
  }

  /// Ends the tenancy for senders; what is queued can still be popped.
  void close() noexcept {
    const lock_guard guard{mutex_};
    cell_ = nullptr;
  }

  /// How many wait.
  [[nodiscard]] std::uint32_t size() noexcept {
    const lock_guard guard{mutex_};
    return size_;
  }

  /// For whoever keeps the unused ones.
  port::cell<drop_oldest_queue*> next;

private:
  envelope* take_oldest() noexcept {
    envelope* const oldest = oldest_;
    if (oldest == nullptr) return nullptr;
    oldest_ = oldest->next.get();
    if (oldest_ == nullptr) newest_ = nullptr;
    --size_;
    oldest->next.set(nullptr);
    return oldest;
  }

  port::mutex mutex_;
  // protected by mutex_
  const void* cell_ = nullptr;
  std::uint32_t generation_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t size_ = 0;
  envelope* oldest_ = nullptr;
  envelope* newest_ = nullptr;
};

}  // namespace tactor::inline v0::internal
