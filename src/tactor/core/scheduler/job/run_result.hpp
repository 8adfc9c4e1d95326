// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"

#include <cstdint>
#include <expected>
#include <type_traits>

namespace tactor::inline v0 {

/// Says how user code failed: it returned an error, or threw (with exceptions enabled).
struct handler_error {
  /// Says if the error was returned or thrown.
  enum class origin : std::uint8_t { returned, thrown };

  origin from = origin::returned;
  std::int32_t code = 0;  // the returned error if it is a number or an enumerator, otherwise 0

  friend constexpr bool operator==(handler_error, handler_error) noexcept = default;
};

/// The result of user code: success, or how it failed.
using run_result = std::expected<void, handler_error>;

namespace internal {

// The guard is compiled into the user's translation unit, with that unit's exception setting.
inline namespace TACTOR_EXCEPTION_MODE {

namespace guard {

template <class Error>
constexpr std::int32_t error_code(const Error& error) noexcept {
  if constexpr (std::is_enum_v<Error> || std::is_integral_v<Error>) {
    return static_cast<std::int32_t>(error);
  } else {
    return 0;
  }
}

template <class Call>
run_result unguarded_call(Call& call) {
  using result = decltype(call());
  if constexpr (std::is_void_v<result>) {
    call();
    return {};
  } else {
    const auto said = call();
    if (said.has_value()) return {};
    return std::unexpected{
        handler_error{.from = handler_error::origin::returned, .code = error_code(said.error())}};
  }
}

}  // namespace guard

/// Calls `call()`, which returns `void` or an `expected`, and turns any failure into a value. The
/// scheduler calls user code only through this function: no exception crosses a frame of the core.
template <class Call>
run_result guarded_call(Call&& call) noexcept {
  return call_or_catch([&] { return guard::unguarded_call(call); },
                       [](const void*) -> run_result {
                         return std::unexpected{
                             handler_error{.from = handler_error::origin::thrown}};
                       });
}

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace internal
}  // namespace tactor::inline v0
