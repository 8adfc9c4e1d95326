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
/// inv 2  The numbers of live and of periodic records equal the counters.
/// inv 3  The wheel holds exactly the records marked as being in it, each in the slot of its deadline.
/// inv 4  The overflow entries reserved for each priority equal those in use.
///
/// inv 3 and 4 are checked only when no command is queued. Context: one thread; not inside a poll.
[[nodiscard]] verdict check_invariants(scheduler& timers) noexcept;

/// Whether nothing is left of any job: no record in use, an empty wheel, nothing reserved.
/// Requires: no handle is kept and no job waits in a dispatcher or mailbox.
[[nodiscard]] verdict check_nothing_left(scheduler& timers) noexcept;

/// Cancels one of the jobs that can be cancelled, chosen by `seed`. Returns: its id, or 0 if there
/// was none.
std::uint64_t cancel_any(tactor::internal::timer_store& store, std::uint64_t seed) noexcept;

}  // namespace tactor::inline v0::testkit
