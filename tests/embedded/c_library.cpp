// SPDX-License-Identifier: BSL-1.0

// The few functions that the compiler calls implicitly. The images link no C library, so that a use
// of anything else of it, the heap first of all, is a link error.
#include "embedded/semihosting.hpp"

#include <cstddef>
#include <cstdint>

extern "C" {

void* memcpy(void* into, const void* from, std::size_t size) {
  auto* to = static_cast<std::uint8_t*>(into);
  const auto* next = static_cast<const std::uint8_t*>(from);
  while (size-- != 0)
    *to++ = *next++;
  return into;
}

void* memmove(void* into, const void* from, std::size_t size) {
  auto* to = static_cast<std::uint8_t*>(into);
  const auto* source = static_cast<const std::uint8_t*>(from);
  if (to <= source) return memcpy(into, from, size);
  while (size-- != 0)
    to[size] = source[size];
  return into;
}

void* memset(void* into, int value, std::size_t size) {
  auto* to = static_cast<std::uint8_t*>(into);
  while (size-- != 0)
    *to++ = static_cast<std::uint8_t>(value);
  return into;
}

int memcmp(const void* left, const void* right, std::size_t size) {
  const auto* a = static_cast<const std::uint8_t*>(left);
  const auto* b = static_cast<const std::uint8_t*>(right);
  for (; size != 0; --size, ++a, ++b)
    if (*a != *b) return *a - *b;
  return 0;
}

std::size_t strlen(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0')
    ++length;
  return length;
}

[[noreturn]] void abort() {
  embedded::leave(embedded::ending::aborted);
}

[[noreturn]] void __cxa_pure_virtual() {
  abort();
}
}
