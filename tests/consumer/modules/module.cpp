// SPDX-License-Identifier: BSL-1.0
// A plug-in with an actor system of its own.
#include "tactor/actor.hpp"
#include "tactor/host.hpp"

#include <chrono>
#include <optional>

namespace plug_in {

struct twice {
  int number;
  using reply = int;
};

}  // namespace plug_in

namespace {

std::optional<tactor::actor_system> running;  // to the end of the process

}  // namespace

// Null: a system was started and works; otherwise why not.
extern "C" const char* start_system() {
  auto started = tactor::actor_system::start({.workers = 1});
  if (!started) return started.error().setting;
  running.emplace(std::move(*started));
  const auto who =
      running->spawn("who", [](tactor::context&, const plug_in::twice& t) { return 2 * t.number; });
  const auto said = running->ask(who, plug_in::twice{21}, std::chrono::seconds{60}).get();
  return said && *said == 42 ? nullptr : "a wrong answer";
}
