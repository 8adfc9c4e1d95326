// SPDX-License-Identifier: BSL-1.0
// How a system counts and reports messages that no actor handles. A board that does neither does not link it.
#include "tactor/core/actor/delivery/lost_messages.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0::internal {
namespace {

// A board links with it:
[[gnu::used]] void (*const needs_lost_messages)() noexcept = link_lost_messages;

}  // namespace

void link_dead_letters() noexcept {}

/// While the whole system stops, that is the reason why an actor is gone.
drop_reason system_core::reason_of(drop_reason why) const noexcept {
  const bool gone = why == drop_reason::stopped || why == drop_reason::draining;
  return gone && now_in() != phase::running ? drop_reason::system_stopping : why;
}

void system_core::dead_letter(const lost_message& lost) noexcept {
  const bool suppressed = lost.operations.suppress_dead_letter;
  const drop_reason why = reason_of(lost.why);
  count([&](worker_counters& block) {
    block.count_dead_letter(why);
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  if (!suppressed) report_dead_letter(lost, why);
}

}  // namespace tactor::inline v0::internal
