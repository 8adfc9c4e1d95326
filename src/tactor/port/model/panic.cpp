// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tactor::inline v0::port {
namespace {

// Plain: an atomic created outside of a scenario may not be accessed inside, and no two fibers
// run at once.
constinit panic_handler current_handler = nullptr;

}  // namespace

void internal::fail(rl::test_result_e kind, const char* what, const source_line& where) noexcept {
  if (in_scenario()) rl::ctx().fail_test(what, kind, info(where));  // does not return
  std::fprintf(stderr, "tactor: %s:%u: %s\n", where.file_name(), unsigned{where.line()}, what);
  std::abort();
}

void panic(panic_code code) noexcept {
  if (current_handler != nullptr) current_handler(code);
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "panic %u.%u: %s", unsigned{code.module},
                unsigned{code.id}, code.advice);
  internal::fail(rl::test_result_user_assert_failed, text.data(), source_line::current());
}

panic_handler set_panic_handler(panic_handler handler) noexcept {
  return std::exchange(current_handler, handler);
}

}  // namespace tactor::inline v0::port
