// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include "embedded/semihosting.hpp"

// Ends in a panic; the build chooses the handler.
namespace {

using namespace tactor;

constexpr port::panic_code code{
    .module = 0x1234, .id = 0x5678, .advice = "advice that stays in the source"};

[[maybe_unused]] void leave_with_42(port::panic_code reported) noexcept {
  const bool same = reported.module == code.module && reported.id == code.id;
  embedded::leave(same && reported.advice == nullptr ? 42 : 1);
}

[[maybe_unused]] void panic_again(port::panic_code /*reported*/) noexcept {
  static constinit bool called = false;
  if (called) embedded::leave(1);
  called = true;
  port::panic(code);
}

}  // namespace

int main() {
  port::set_panic_handler(HANDLER);
  port::panic(code);
}
