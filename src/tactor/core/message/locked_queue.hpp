// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/message/priority_levels.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

/// The side queue of a mailbox with the strategy `drop_oldest`, or with priorities: a queue that
/// evicts its oldest message when it is full, in order of arrival, or of priority. It has a lock
/// because a sender must reach the messages that wait, which a stack cannot offer; only a few links
/// change under the lock, and no code of a user runs there.
///
/// Type-stable: never destroyed, only given to another cell. A sender with a stale reference names
/// another tenancy and is refused. Context: any thread; `pop`, `put_back`: the worker that runs the
/// cell.
class locked_queue {
public:
  /// Tells what became of a message.
  struct outcome {
    bool accepted = false;        // false: the tenancy has ended, the sender keeps the message
    envelope* evicted = nullptr;  // the caller disposes of it; it may be the message itself
    std::uint32_t waiting = 0;    // with this message; control messages do not count
  };
  /// The order of the messages, and what they may use.
  struct settings {
    std::uint32_t capacity = ~std::uint32_t{0};  // beyond it a message is evicted
    priority_levels* levels = nullptr;           // null: in order of arrival
  };

  constexpr locked_queue() noexcept = default;

  /// Begins a tenancy: the queue belongs to `cell` with `generation`. Requires: the levels are
  /// empty.
  void open(const void* cell, std::uint32_t generation, const settings& with) noexcept {
    const lock_guard guard{mutex_};
    cell_ = cell;
    generation_ = generation;
    capacity_ = with.capacity;
    levels_.store(with.levels, relaxed);  // relaxed: the lock orders it
  }

  /// Tells whether messages have priorities. Context: any thread; it may read an ended tenancy.
  [[nodiscard]] bool has_priorities() const noexcept {
    return levels_.load(relaxed) != nullptr;  // relaxed: only compared
  }

  /// Queues a message, and evicts one if the queue is full: the least urgent, of these the oldest.
  outcome push(const void* cell, envelope& fresh, std::uint8_t priority = 0) noexcept {
    const lock_guard guard{mutex_};
    if (!is_for(cell, fresh)) return {};
    priority_levels* const levels = own_levels();
    if (levels == nullptr) {
      messages_.push(fresh);
    } else {
      levels->push(fresh, priority);
    }
    envelope* const evicted = counted() > capacity_ ? evict() : nullptr;
    return {.accepted = true, .evicted = evicted, .waiting = counted()};
  }
  /// Queues a control message, before all others. It does not count against the capacity. Requires:
  /// the queue of this tenancy has priorities.
  outcome push_control(const void* cell, envelope& fresh) noexcept {
    const lock_guard guard{mutex_};
    if (!is_for(cell, fresh)) return {};
    messages_.push(fresh);
    return {.accepted = true, .waiting = counted()};
  }

  /// The next message, or null.
  [[nodiscard]] envelope* pop() noexcept {
    const lock_guard guard{mutex_};
    if (held_ != nullptr) return take_held();
    envelope* const oldest = take_oldest();
    priority_levels* const levels = own_levels();
    return oldest != nullptr || levels == nullptr ? oldest : levels->pop();
  }

  /// Puts back what `pop` returned: it is the next message again. Returns: what was evicted if the
  /// queue is full by now, or null; the caller disposes of it, and it may be the message itself.
  [[nodiscard]] envelope* put_back(envelope& popped, std::uint8_t priority = 0) noexcept {
    const lock_guard guard{mutex_};
    const bool is_control = own_levels() != nullptr && popped.operations->control;
    held_ = &popped;
    held_priority_ = priority;
    held_counted_ = is_control ? 0 : 1;
    return counted() > capacity_ ? evict() : nullptr;
  }

  /// Ends the tenancy for senders; queued messages can still be popped.
  void close() noexcept {
    const lock_guard guard{mutex_};
    cell_ = nullptr;
  }
  /// Takes away the levels; null: it had none. Requires: it is closed, and empty.
  [[nodiscard]] priority_levels* take_levels() noexcept {
    return levels_.exchange(nullptr, relaxed);  // relaxed: senders are refused under the lock
  }

  /// Counts the messages that wait.
  [[nodiscard]] std::uint32_t size() noexcept {
    const lock_guard guard{mutex_};
    const priority_levels* const levels = own_levels();
    return static_cast<std::uint32_t>(messages_.size()) + (levels == nullptr ? 0 : levels->size()) +
           (held_ == nullptr ? 0 : 1);
  }
  /// Counts those that count against the capacity.
  [[nodiscard]] std::uint32_t counted_size() noexcept {
    const lock_guard guard{mutex_};
    return counted();
  }

  /// Messages that the receiver has taken out of the mailbox itself, and not handled yet: answers
  /// and messages with a reserved place, which bypass the limits, and messages of late senders to
  /// an earlier tenant that had no side queue. They come before the messages of the side queue, and
  /// wait here while the actor is suspended. Context: the worker that runs the cell.
  envelope_chain strays;

  /// Link in the list of unused queues.
  port::plain<locked_queue*> next;

private:
  [[nodiscard]] bool is_for(const void* cell, const envelope& fresh) const noexcept {
    return cell == cell_ && fresh.generation == generation_;
  }
  [[nodiscard]] priority_levels* own_levels() const noexcept {
    return levels_.load(relaxed);  // relaxed: the lock orders it
  }
  [[nodiscard]] std::uint32_t counted() const noexcept {
    const priority_levels* const levels = own_levels();
    return held_counted_ +
           (levels == nullptr ? static_cast<std::uint32_t>(messages_.size()) : levels->size());
  }
  envelope* evict() noexcept {
    priority_levels* const levels = own_levels();
    // The message that was put back is the oldest of its priority.
    const bool is_first = levels == nullptr || held_priority_ >= levels->least_urgent();
    if (held_counted_ != 0 && is_first) return take_held();
    return levels == nullptr ? take_oldest() : levels->pop_least_urgent();
  }
  envelope* take_held() noexcept {
    held_counted_ = 0;
    return std::exchange(held_, nullptr);
  }
  envelope* take_oldest() noexcept {
    envelope* const oldest = messages_.pop();
    if (oldest != nullptr) oldest->next.set(nullptr);
    return oldest;
  }

  [[no_unique_address]] port::interrupt_mutex mutex_;
  // Written by: spawn, stop. Read by: senders; dereferenced under the lock. Publishes: nothing.
  port::atomic<priority_levels*> levels_;
  // protected by mutex_
  const void* cell_ = nullptr;
  std::uint32_t generation_ = 0;
  std::uint32_t capacity_ = 0;
  counted_fifo<envelope> messages_;  // if there are levels: the control messages
  envelope* held_ = nullptr;         // what was put back, before all others
  std::uint32_t held_counted_ = 0;   // 1 if it counts against the capacity
  std::uint8_t held_priority_ = 0;
};

}  // namespace tactor::inline v0::internal
