// SPDX-License-Identifier: BSL-1.0
// One actor that is a lambda, and one message to it.
#include TACTOR_HEADER

#include <cstdio>
#include <string>

struct greet {
  std::string who;
};

void say_hello(TACTOR_SYSTEM& system) {
  auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) {
    std::printf("hello %s\n", g.who.c_str());
  });
  greeter.tell(greet{"world"});
}
