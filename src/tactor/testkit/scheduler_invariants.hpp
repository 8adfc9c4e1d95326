// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/testkit/verdict.hpp"

#include <cstdint>

namespace tactor::inline v0::testkit {

/// Whether counters, records and wheel of a scheduler agree with each other:
///
/// inv 1  scheduled = completed + cancelled + evicted + undeliverable + active, and the quota
///        counts exactly the active ones.
/// inv 2  As many records are live, and periodic, as the counters say.
/// inv 3  The wheel holds exactly the records it is said to hold, each in the slot of its deadline.
/// inv 4  As many places of the overflow are set aside, by priority, as are taken.
///
/// inv 3 and 4 are judged only when no command is on its way. Context: one thread; not in a look.
[[nodiscard]] verdict check_invariants(scheduler& timers) noexcept;

/// Whether nothing is left of any job: no record in use, nothing in the wheel, no place set aside.
/// Requires: no handle is kept and no job waits in a dispatcher or mailbox.
[[nodiscard]] verdict check_nothing_left(scheduler& timers) noexcept;

/// Cancels one of the jobs that can be cancelled, chosen by `seed`. Returns: its id, or 0 if there
/// was none.
std::uint64_t cancel_any(tactor::internal::timer_store& store, std::uint64_t seed) noexcept;

}  // namespace tactor::inline v0::testkit
