// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <new>  // IWYU pragma: keep (std::exception, where exceptions are on)

namespace tactor::inline v0::internal {

// The guard is compiled into the user's translation unit, with or without exceptions as that unit
// is. Each setting has a namespace of its own, so that units of both kinds can be linked together.
#if defined(__cpp_exceptions)
inline namespace with_exceptions {
#else
inline namespace without_exceptions {
#endif

/// Calls `call()`, which returns a `call_result`, and turns whatever it throws into a failure. The
/// only way in which an actor's code is called: nothing thrown ever crosses a frame of the core.
template <class Call>
call_result guarded(failure& why, Call&& call) noexcept {
#if defined(__cpp_exceptions)
  try {
    return call();
    // NOLINTNEXTLINE(misc-include-cleaner): <exception> is banned here; <new> declares what is thrown
  } catch (const std::exception& thrown) {
    why = failure::of_thrown(thrown.what(), port::thrown_type());
  } catch (...) {
    why = failure::of_thrown("something that is no std::exception", port::thrown_type());
  }
  return call_result::failed;
#else
  (void)why;
  return call();
#endif
}

}  // inline namespace
}  // namespace tactor::inline v0::internal
