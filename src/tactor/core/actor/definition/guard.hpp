// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0 {

inline namespace TACTOR_EXCEPTION_MODE {

/// Calls `call()`, which returns a `call_result`, and turns whatever it throws into a failure. The
/// only way in which an actor's code is called: nothing thrown ever crosses a frame of the core.
template <class Call>
call_result guarded(failure& why, Call&& call) noexcept {
  return call_or_catch(call, [&](const auto* thrown) {
    why = failure::of_thrown(thrown == nullptr ? "something that is no std::exception"
                                               : thrown->what(),
                             port::thrown_type());
    return call_result::failed;
  });
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0
