// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/watch_tree.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/scheduler/cancellable.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// The timers that an actor has started by key: gone when it restarts or stops. Context: the worker
// that runs the cell.

/// One of them: a node of the tree by key, and of a ring in the order in which the keys were used
/// first. It stays when its timer is over, until a later key needs its memory.
struct keyed_timer : watch_node {
  static constexpr const char* type_name = "keyed timer";
  keyed_timer* next = nullptr;  // in the ring
  weak_cancellable job;
};

/// All of them. All-zero: none.
struct keyed_timers {
  watch_tree by_key;
  keyed_timer* newest = nullptr;
};

/// The timer of the key, made if there is none. Also forgets timers that are over: it remembers at
/// most twice as many timers as are live. Returns: null if there is no memory.
[[nodiscard]] keyed_timer* timer_of_key(thread_record& here, cell& c, std::uint64_t key) noexcept;
/// `started` takes the place of the key's timer, which is cancelled, also if its message is queued.
inline void replace(keyed_timer& of_key, const cancellable& started) noexcept {
  of_key.job.cancel();
  of_key.job = weak_cancellable{started};
}
/// Cancels the timer of a key. Returns: false if there was none, or if it was over.
bool cancel_keyed_timer(cell& c, std::uint64_t key) noexcept;
/// Whether the timer of a key is neither over nor cancelled.
[[nodiscard]] bool is_keyed_timer_active(const cell& c, std::uint64_t key) noexcept;
/// Cancels all of them and forgets them.
void end_keyed_timers(thread_record& here, cell& c) noexcept;

}  // namespace tactor::inline v0::internal
