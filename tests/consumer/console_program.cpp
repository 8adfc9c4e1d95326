// SPDX-License-Identifier: BSL-1.0
// A program that starts a console on a port of this machine.
#include <tactor/console/console.hpp>
#include <tactor/host.hpp>

#include <cstdio>

#ifdef BOOST_VERSION
#error "tactor/console/console.hpp includes Boost"
#endif

int main() {
  tactor::actor_system system;
  const auto console = tactor::start_console(system, {.address = "127.0.0.1:0"});
  if (!console) {
    std::puts(console.error().text.c_str());
    return 1;
  }
  return console->url().empty() ? 1 : 0;
}
