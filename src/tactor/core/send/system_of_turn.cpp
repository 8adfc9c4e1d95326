// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/system_of_turn.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/observe/log_record.hpp"

namespace tactor::inline v0::internal {

system_services& system_of_turn(thread_record& here, cell& of) noexcept {
  if (here.services != nullptr) [[likely]]
    return *here.services;
  tell_services(here, &of, [&](system_services& services) noexcept {
    services.log(of, log_level::error, "the context of this actor was used on another thread");
  });
  port::panic(panics::context_elsewhere);
}

}  // namespace tactor::inline v0::internal
