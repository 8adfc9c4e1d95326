// SPDX-License-Identifier: BSL-1.0
#include "tactor/host.hpp"

#include <cstdio>
#include <string>

struct greet {
  std::string who;
};

int main() {
  tactor::actor_system system;
  auto greeter = system.spawn("greeter", [](tactor::context&, const greet& message) {
    std::printf("hello %s\n", message.who.c_str());
  });
  greeter.tell(greet{"world"});
}  // what is queued is handled, then all actors stop
