// SPDX-License-Identifier: BSL-1.0
// The console, as docs/guide/console.md shows it.
#include "tactor/console/console.hpp"
#include "tactor/host.hpp"

#include <sys/stat.h>

#include <cstdio>

namespace {

struct order {};
struct reload {};

// [read only] A program that can be looked into, and no more.
int look_only() {
  tactor::actor_system system{{.name = "shop"}};
  const auto console = tactor::start_console(system);
  if (!console) {
    std::puts(console.error().text.c_str());
    return 1;
  }
  std::printf("tactor --to %s top\n", console->address().c_str());
  struct stat seen{};
  return ::stat(console->address().c_str(), &seen) == 0 && (seen.st_mode & 0777U) == 0600 ? 0 : 1;
}

// [control] A program whose actors can be suspended from the page.
int with_control() {
  tactor::actor_system system{{.name = "shop"}};
  const auto console =
      tactor::start_console(system, {.address = "127.0.0.1:0", .capabilities = {.control = true}});
  if (!console) return 1;
  std::printf("open %s, the token is %s\n", console->url().c_str(), console->token().c_str());
  const auto desk = system.spawn("desk", [](tactor::context&, const order&) {});
  desk.tell(order{});
  return console->url().starts_with("http://127.0.0.1:") ? 0 : 1;
}

// [actions] A program with an action of its own.
int with_an_action() {
  tactor::actor_system system{{.name = "shop"}};
  const auto desk = system.spawn("desk", [](tactor::context&, const reload&) {});
  const auto console = tactor::start_console(
      system, {.address = "127.0.0.1:0",
               .capabilities = {.control = true},
               .actions = {{"reload", "reads the prices again", [desk] { desk.tell(reload{}); }}}});
  return console ? 0 : 1;
}

// [refused] Other machines cannot reach a console.
int refused() {
  tactor::actor_system system;
  const auto console = tactor::start_console(system, {.address = "0.0.0.0:8080"});
  if (console) return 1;
  std::puts(console.error().text.c_str());
  return 0;
}

}  // namespace

int main() {
  return look_only() + with_control() + with_an_action() + refused();
}
