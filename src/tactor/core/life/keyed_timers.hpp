// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0::internal {

// The timers that an actor has started by key: gone when it restarts or stops. Context: the worker
// that runs the cell.

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

/// One of them: a node of the tree by key, and of a ring in the order in which the keys were used
/// first. It stays when its timer is over, until a later key needs its memory.
struct keyed_timer : keyed_node {
  static constexpr const char* type_name = "keyed timer";
  keyed_timer* next = nullptr;  // in the ring
  weak_cancellable job;
  timer_key_text text;
  bool once = false;

  [[nodiscard]] timer_key_name name() const noexcept { return text.name(key); }
};

/// All of them. All-zero: none.
struct keyed_timers {
  keyed_tree by_key;
  keyed_timer* newest = nullptr;
};

/// The timer of the key, made if there is none; `text`: what observers see. Also forgets timers
/// that are over: it remembers at most twice as many timers as are live. Returns: null if there is
/// no memory.
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
/// Whether a message of the timer of a key is still to be handled, other than the message being
/// handled.
[[nodiscard]] bool is_keyed_timer_active(const cell& c, std::uint64_t key) noexcept;
/// Cancels all of them and forgets them.
void end_keyed_timers(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
