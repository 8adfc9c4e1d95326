// SPDX-License-Identifier: BSL-1.0
#include "embedded/semihosting.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace embedded {
namespace {

// Numbers from "Semihosting for AArch32 and AArch64", ARM.
enum class request : std::uint32_t {
  open = 0x01,
  write_text = 0x04,
  write_bytes = 0x05,
  exit_extended = 0x20
};

std::uint32_t call(request what, const void* block) noexcept {
  register std::uint32_t number asm("r0") = std::to_underlying(what);
  register const void* argument asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(number) : "r"(argument) : "memory");
  return number;
}

}  // namespace

void write(const char* text) noexcept {
  (void)call(request::write_text, text);
}

void write_bytes(const void* bytes, std::size_t size) noexcept {
  static constinit std::uint32_t console = 0;  // a handle; 0: not open yet
  if (console == 0) {
    constexpr std::uint32_t to_write = 4;
    const struct {
      const char* name = ":tt";
      std::uint32_t mode = to_write;
      std::uint32_t length = 3;
    } block;
    console = call(request::open, &block);
  }
  const struct {
    std::uint32_t handle;
    const void* bytes;
    std::size_t size;
  } block{console, bytes, size};
  (void)call(request::write_bytes, &block);
}

void write_number(std::uint64_t number) noexcept {
  std::array<char, 21> text{};
  std::size_t first = text.size() - 1;
  do {
    text[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  write(&text[first]);
}

void write_number(std::int64_t number) noexcept {
  if (number < 0) write("-");
  const auto bits = static_cast<std::uint64_t>(number);
  write_number(number < 0 ? 0 - bits : bits);
}

void write_hex(std::uint32_t number) noexcept {
  std::array<char, 11> text{"0x"};
  for (std::size_t digit = 0; digit < 8; ++digit)
    text[2 + digit] = "0123456789abcdef"[number >> (28 - 4 * digit) & 0xF];
  write(text.data());
}

void leave(int status) noexcept {
  constexpr std::uint32_t application_exit = 0x20026;
  const std::array<std::uint32_t, 2> block{application_exit, static_cast<std::uint32_t>(status)};
  for (;;)
    (void)call(request::exit_extended, block.data());
}

void leave(ending reason) noexcept {
  leave(std::to_underlying(reason));
}

}  // namespace embedded
