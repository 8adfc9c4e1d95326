// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <new>  // IWYU pragma: keep (std::exception, where exceptions are on)

// User code is called from the user's translation unit, with or without exceptions as that unit is
// compiled. Each setting has an inline namespace of its own, so that units of both kinds can be
// linked together. The only place that knows the setting.
#if defined(__cpp_exceptions)
#define TACTOR_EXCEPTION_MODE with_exceptions
#else
#define TACTOR_EXCEPTION_MODE without_exceptions
#endif

namespace tactor::inline v0::panics {
inline constexpr port::panic_code thread_ended{
    .module = 2,
    .id = 4,
    .advice = "a handler or callable must not end its thread (pthread_exit, pthread_cancel)"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {
inline namespace TACTOR_EXCEPTION_MODE {

/// Returns `call()`, or `on_throw(what)` if it throws: `what` is the text of a `std::exception`,
/// which may be null, or says that it was none.
template <class Call, class OnThrow>
[[gnu::always_inline]] inline decltype(auto)
call_or_catch(Call&& call, [[maybe_unused]] OnThrow&& on_throw) noexcept {
#if defined(__cpp_exceptions)
  try {
    return call();
    // NOLINTNEXTLINE(misc-include-cleaner): <exception> is banned here; <new> declares what is
    // thrown
  } catch (const std::exception& thrown) {
    return on_throw(thrown.what());
  } catch (...) {
    // The end of a thread unwinds its stack like an exception, but has no type and cannot be
    // stopped.
    if (port::thrown_type() == nullptr) port::panic(panics::thread_ended);
    return on_throw("something that is no std::exception");
  }
#else
  return call();
#endif
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal
