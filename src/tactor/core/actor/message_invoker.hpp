// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_type.hpp"
#include "tactor/core/actor/cell.hpp"
#include "tactor/core/actor/failure.hpp"
#include "tactor/core/actor/home.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"

#include <cstdint>

namespace tactor::inline v0 {

/// Runs cells: system messages and requests first, then messages of users, one at a time. It judges
/// what comes of a turn; the executor acts on it.
///
/// Nothing but this ever calls an actor. Context: a thread of the system, with cells that were
/// drained from its coordinator.
class message_invoker {
public:
  /// Requires: `home` outlives it.
  explicit message_invoker(actor_home& home) noexcept : home_(home) {}

  /// One turn of `c`: at most `most` messages of users.
  invoke_result invoke_batch(cell& c, std::uint32_t most) noexcept;
  /// One turn of `c`, within the system's limits.
  invoke_result invoke(cell& c) noexcept { return invoke_batch(c, home_.limits.messages); }

  /// What `c` is doing. Requires: the caller runs it, or it is parked.
  [[nodiscard]] static actor_state state_of(const cell& c) noexcept;

private:
  /// How far a turn has come.
  struct progress {
    std::uint32_t most;
    std::uint32_t sent_before;  // by this thread, when it began
    std::uint32_t handled = 0;
    bool failed = false;
  };
  [[gnu::noinline]] invoke_result go_on(thread_record& here, cell& c, progress so_far) noexcept;
  [[gnu::noinline]] invoke_result after_handler(thread_record& here, cell& c, call_result said,
                                                const failure& why, progress so_far) noexcept;
  [[nodiscard]] std::uint64_t end_of_turn(duration length) noexcept;

  actor_home& home_;
};

}  // namespace tactor::inline v0
