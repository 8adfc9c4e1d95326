// SPDX-License-Identifier: BSL-1.0
// The slow path of messages from the stash. A board without one does not link it.
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

void link_replays() noexcept {}

/// Handles messages of the stash: a few, then the limits of the turn are checked.
turn_step slow_path::replay(envelope& oldest) noexcept {
  constexpr std::uint32_t most = 16;
  for (envelope* next = &oldest; next != nullptr; next = next_replayed(cell_)) {
    replay_one(*next);
    if (cell_.wanted.stop) return stop(nullptr);
    if (!runs() || result_.handled >= most || cell_.box.peek().noticed()) break;
  }
  return step::continue_turn;
}

/// It leaves the stash afterwards, also if its handler failed; not if a middleware holds it.
void slow_path::replay_one(envelope& stashed) noexcept {
  const bool asked = cell_.filtered && stashed.kind != envelope_kind::system;
  const admission said = asked ? admit(stashed) : admission::proceed;
  if (said == admission::hold) return;
  ++result_.handled;
  ++here_.replayed;
  if (said == admission::proceed && stashed.kind != envelope_kind::system) --here_.unhandled;
  if (said == admission::drop) return drop_replayed(here_, cell_, drop_reason::middleware);
  receive(stashed);
  if (is_kept(stashed)) {
    (void)take_replayed(cell_);
  } else {
    end_replayed(here_, cell_);
  }
}

}  // namespace tactor::inline v0::internal
