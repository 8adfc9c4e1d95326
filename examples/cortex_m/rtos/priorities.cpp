// SPDX-License-Identifier: BSL-1.0
// Actors with priorities. Compiled by the tests, not linked; tests/embedded/priorities.test.cpp
// runs some.
#include "tactor/bare.hpp"

struct pressed {};

class brake_actor : public tactor::actor<pressed> {
public:
  void receive(context& /*ctx*/, const pressed& /*message*/) {}
};

namespace {

constinit tactor::bare::system<{.actors = 3, .envelopes = 8, .priorities = 2}> board;

}  // namespace

bool start();
bool start() {
  // runs before any actor of priority 0
  const auto brake = board.try_spawn<brake_actor>({.name = "", .priority = 1});
  return brake.has_value();
}
