// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <expected>
#include <type_traits>

namespace tactor::inline v0 {

/// How user code failed: it returned an error, or threw where exceptions are on.
struct handler_error {
  /// How it came.
  enum class origin : std::uint8_t { returned, thrown };

  origin from = origin::returned;
  std::int32_t code = 0;  // the returned error if it is a number or an enumerator, otherwise 0

  friend constexpr bool operator==(handler_error, handler_error) noexcept = default;
};

/// What user code said: fine, or how it failed.
using run_result = std::expected<void, handler_error>;

namespace internal {

// The guard is compiled into the user's translation unit, with or without exceptions as that unit
// is. Each setting has a namespace of its own, so that units of both kinds can be linked together.
#if defined(__cpp_exceptions)
inline namespace with_exceptions {
#else
inline namespace without_exceptions {
#endif

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

/// Calls `call()`, which returns `void` or an `expected`, and turns whatever goes wrong into a
/// value. The only way in which the scheduler calls user code: nothing thrown ever crosses a frame
/// of the core.
template <class Call>
run_result guarded_call(Call&& call) noexcept {
#if defined(__cpp_exceptions)
  try {
    return guard::unguarded_call(call);
  } catch (...) {
    return std::unexpected{handler_error{.from = handler_error::origin::thrown}};
  }
#else
  return guard::unguarded_call(call);
#endif
}

}  // inline namespace
}  // namespace internal
}  // namespace tactor::inline v0
