// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/keyed_tree.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/keyed_timers.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_chain.hpp"

#include <cstdint>

namespace tactor::inline v0 {

struct middleware_chain;

namespace internal {

struct stash_record;

/// What an actor keeps that watches or is watched, has more system messages than it handles in a
/// step, puts messages aside, or has timers by key or middleware: few actors do.
struct rare_lists {
  keyed_tree watching;  // the actors it watches
  // The requests of its watchers and its own watches, newest first. The order of the tree is that
  // of slots, which differs from run to run.
  envelope* watches = nullptr;
  intrusive_fifo<envelope> deferred;             // terminations to deliver when it runs again
  envelope_chain system_mail;                    // system messages for the next step
  std::uint32_t system_steps = 0;                // steps in a row that left system messages
  stash_record* stash = nullptr;                 // messages put aside; null: none yet
  keyed_timers timers;                           // of the actor to itself
  const middleware_chain* middleware = nullptr;  // of this actor
};

/// The lists of an actor, made if there are none. Returns: null if there is no memory.
[[nodiscard]] rare_lists* rare_lists_of(thread_record& here, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
