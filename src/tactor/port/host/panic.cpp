// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <cstdio>
#include <cstdlib>

namespace tactor::inline v0::port {
namespace {

// Written by: set_panic_handler. Read by: panic. Publishes: nothing but the pointer, handlers are
// code.
constinit atomic<panic_handler> current_handler;

}  // namespace

void panic(panic_code code) noexcept {
  const panic_handler handler = current_handler.load(relaxed);  // relaxed: publishes no data
  if (handler != nullptr) handler(code);
  std::fprintf(stderr, "tactor: panic %u.%u: %s\n", unsigned{code.module}, unsigned{code.id},
               code.advice);
  std::abort();
}

panic_handler set_panic_handler(panic_handler handler) noexcept {
  return current_handler.exchange(handler, relaxed);  // relaxed: publishes no data
}

}  // namespace tactor::inline v0::port
