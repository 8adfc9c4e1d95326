// SPDX-License-Identifier: BSL-1.0
// Start-up code as a vendor has it: vectors, and memory before `main`.
#include <cstddef>
#include <cstdint>

int main();

extern "C" {
extern std::uint32_t data_begin, data_end, data_in_flash, bss_begin, bss_end, stack_top;
void sys_tick_handler();

[[noreturn]] void reset() {
  const std::uint32_t* from = &data_in_flash;
  for (std::uint32_t* to = &data_begin; to != &data_end; ++to)
    *to = *from++;
  for (std::uint32_t* to = &bss_begin; to != &bss_end; ++to)
    *to = 0;
  (void)main();
  for (;;) {
  }
}
[[noreturn]] void fault() {
  for (;;) {
  }
}

void* memcpy(void* to, const void* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
void* memmove(void* to, const void* from, std::size_t size) {
  if (to <= from) return memcpy(to, from, size);
  for (std::size_t i = size; i > 0; --i)
    static_cast<char*>(to)[i - 1] = static_cast<const char*>(from)[i - 1];
  return to;
}
std::size_t strlen(const char* text) {
  std::size_t length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}
void* memset(void* to, int value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    static_cast<char*>(to)[i] = static_cast<char>(value);
  return to;
}
}

using handler = void (*)();
struct vector_table {
  std::uint32_t* stack;
  handler handlers[15];
};
[[gnu::section(".vectors"), gnu::used]] const vector_table vectors = {
    &stack_top,
    {reset, fault, fault, fault, fault, fault, nullptr, nullptr, nullptr, nullptr, fault, fault,
     nullptr, fault, sys_tick_handler}};
