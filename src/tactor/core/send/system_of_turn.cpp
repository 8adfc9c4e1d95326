// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/system_of_turn.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/observe/log_record.hpp"

namespace tactor::inline v0::internal {

system_services& system_of_turn(thread_record& here, cell& of) noexcept {
  const origin runs = here.sender;
  const bool is_its_turn =
      here.services != nullptr && runs.generation == of.tenant && runs.index() == of.slot;
  if (is_its_turn && of.object != nullptr) [[likely]]
    return *here.services;
  // relaxed: the actor is, or was, alive
  if (system_gate* const gate = of.gate.load(relaxed))
    gate->enter(here, [&](system_services& services) noexcept {
      services.log(of, log_level::error, "context used outside of its turn");
    });
  port::panic(panics::context_elsewhere);
}

}  // namespace tactor::inline v0::internal
