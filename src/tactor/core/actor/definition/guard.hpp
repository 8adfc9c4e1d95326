// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

inline namespace TACTOR_EXCEPTION_MODE {

/// Records what was thrown. Context: while the exception is handled.
[[gnu::cold]] inline call_result keep_thrown(failure& why, const char* what) noexcept {
  why = failure::of_thrown(what == nullptr ? "" : what, port::thrown_type());
  return call_result::failed;
}

/// Calls `call()`, which returns a `call_result`, and turns an exception into a failure. All code
/// of actors is called through it: no exception ever crosses a frame of the core.
template <class Call>
call_result guarded(failure& why, Call&& call) noexcept {
  return call_or_catch(call, [&](const char* what) { return keep_thrown(why, what); });
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal
