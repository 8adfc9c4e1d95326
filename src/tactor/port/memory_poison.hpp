// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TACTOR_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TACTOR_POISONS 1
#endif
#endif

#if defined(TACTOR_POISONS)
#include <sanitizer/asan_interface.h>
#endif

namespace tactor::inline v0::port {

/// Marks these bytes as inaccessible: AddressSanitizer reports every access. Otherwise a no-op.
inline void poison([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(TACTOR_POISONS)
  __asan_poison_memory_region(start, bytes);
#endif
}

/// Undoes `poison`.
inline void unpoison([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(TACTOR_POISONS)
  __asan_unpoison_memory_region(start, bytes);
#endif
}

}  // namespace tactor::inline v0::port
