// SPDX-License-Identifier: BSL-1.0
// The program of the consumers: uses a header and a linked function; exits with 0 if both work.
#include "tactor/actor.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

constexpr tactor::port::panic_code planned{.module = 900, .id = 1, .advice = "planned by the test"};

void leave(tactor::port::panic_code code) noexcept {
  std::_Exit(code.id == planned.id ? 0 : 1);
}

}  // namespace

int main() {
  std::printf("tactor %d.%d.%d\n", tactor::version.major, tactor::version.minor,
              tactor::version.patch);
  std::fflush(stdout);
  tactor::port::set_panic_handler(leave);
  TACTOR_ASSERT(tactor::version.major > 900, planned);
  return 1;
}
