// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::stress {

/// True if a sanitizer watches: everything is ten times slower, and finds more.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool instrumented = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool instrumented = true;
#else
inline constexpr bool instrumented = false;
#endif
#else
inline constexpr bool instrumented = false;
#endif

/// So many, and `fewer` where a sanitizer watches.
constexpr std::uint32_t scaled(std::uint32_t many, std::uint32_t fewer) {
  return instrumented ? fewer : many;
}

}  // namespace tactor::stress
