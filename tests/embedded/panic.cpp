// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include "embedded/semihosting.hpp"

namespace {

using namespace tactor;

constexpr port::panic_code code{
    .module = 0x1234, .id = 0x5678, .advice = "advice that stays in the source"};

void check(port::panic_code reported) noexcept {
  const bool same = reported.module == code.module && reported.id == code.id;
  embedded::leave(same && reported.advice == nullptr ? 42 : 1);
}

}  // namespace

int main() {
  if (WITH_HANDLER) port::set_panic_handler(check);
  port::panic(code);
}
