// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"
#include "tactor/core/cell/actor_ref_base.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

// The timers of an actor: by handle, those of its messages to itself and of the callables that it
// has scheduled, and by key. All are cancelled when it restarts or stops. Context: the worker that
// runs the cell.

/// A timer by handle, in the ring of its actor. Names the job without keeping its record.
struct own_timer {
  static constexpr const char* type_name = "own timer";
  own_timer* next = nullptr;
  weak_cancellable job;
};

/// Memory to remember a timer, taken before the timer is scheduled: what was accepted can always be
/// cancelled.
class own_timer_slot {
public:
  /// Takes none if `owner`, the actor that runs, is null.
  explicit own_timer_slot(cell* owner) noexcept : owner_(owner) {
    const own_timer_functions* const own = program_features().own_timers;
    if (owner != nullptr && own != nullptr) entry_ = own->take(this_thread(), *owner);
  }
  own_timer_slot(const own_timer_slot&) = delete;
  own_timer_slot& operator=(const own_timer_slot&) = delete;
  ~own_timer_slot() {
    if (entry_ != nullptr) program_features().own_timers->give_back(this_thread(), *entry_);
  }

  /// False: memory is needed, and there is none.
  [[nodiscard]] bool usable() const noexcept { return owner_ == nullptr || entry_ != nullptr; }
  /// The timer was scheduled.
  void remember(const cancellable& scheduled) noexcept {
    if (owner_ == nullptr) return;
    program_features().own_timers->remember(this_thread(), *owner_, *std::exchange(entry_, nullptr),
                                            scheduled);
  }

private:
  cell* owner_ = nullptr;       // null: nothing to remember
  own_timer* entry_ = nullptr;  // not in the list yet
};

/// The name of a key, as people read it: a number, or the beginning of a text.
struct timer_key_name {
  static constexpr std::size_t longest = 23;
  std::uint64_t number = 0;
  std::uint8_t length = 0;  // 0: a number
  std::array<char, longest> text{};

  [[nodiscard]] std::string_view view() const noexcept { return {text.data(), length}; }
};

/// The beginning of the text of a key; empty: it is a number.
class timer_key_text {
public:
  /// Adds a letter, if there is room for it.
  constexpr void add(char letter) noexcept {
    if (length_ < text_.size()) text_[length_++] = letter;
  }
  [[nodiscard]] timer_key_name name(std::uint64_t number) const noexcept {
    return {.number = number, .length = length_, .text = text_};
  }

private:
  std::array<char, timer_key_name::longest> text_{};
  std::uint8_t length_ = 0;
};

/// A timer by key: a node of the tree by key, and of a ring in the order in which the keys were
/// used first. It stays when its timer is over, until a later key needs its memory.
struct keyed_timer : keyed_node {
  static constexpr const char* type_name = "keyed timer";
  keyed_timer* next = nullptr;  // in the ring
  weak_cancellable job;
  timer_key_text text;
  bool once = false;

  [[nodiscard]] timer_key_name name() const noexcept { return text.name(key); }
};

/// The timers by key of one actor. All-zero: none.
struct keyed_timers {
  keyed_tree by_key;
  keyed_timer* newest = nullptr;
};

/// Returns the timer of the key, made if there is none; `text` is what observers see. Also forgets
/// timers that are over: it remembers at most twice as many timers as are live. Returns: null if
/// there is no memory.
[[nodiscard]] keyed_timer* timer_of_key(thread_record& here, cell& c, std::uint64_t key,
                                        const timer_key_text& text) noexcept;
/// `started` takes the place of the key's timer, which is cancelled, also if its message is queued.
inline void replace(keyed_timer& of_key, const cancellable& started, repetition how) noexcept {
  of_key.job.cancel();
  of_key.once = how == repetition::once;
  of_key.job = weak_cancellable{started};
}
/// Cancels the timer of a key. Returns: false if there was none, or if it was over.
bool cancel_keyed_timer(cell& c, std::uint64_t key) noexcept;
/// Tells whether a message of the timer of a key is still to be handled, other than the message
/// being handled.
[[nodiscard]] bool is_keyed_timer_active(const cell& c, std::uint64_t key) noexcept;
/// Cancels all timers by key and forgets them.
void end_keyed_timers(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
