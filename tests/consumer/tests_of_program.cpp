// SPDX-License-Identifier: BSL-1.0
// The tests of a consumer, who checks for undefined behaviour: actors on threads and in a
// simulation. Exits with 0 if both answer.
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include <chrono>
#include <cstdio>

namespace {

using namespace std::chrono_literals;

struct twice {
  int number;
  using reply = int;
};

class doubler : public tactor::actor<twice> {
public:
  int receive(context&, twice t) { return 2 * t.number; }
};

template <class System>
int answer_of(System& system) {
  const auto who = system.template spawn<doubler>("doubler");
  int called_back = 0;
  system.ask(who, twice{4}, 60s).then([&](auto got) { called_back = got.value_or(0); });
  if (!system.schedule_once(10ms, who, twice{1})) return 0;
  const int answer = system.ask(who, twice{3}, 60s).get().value_or(0);
  return system.shutdown(60s).complete ? answer + called_back : 0;
}

}  // namespace

int main() {
  tactor::testkit::simulation world{tactor::testkit::seed{1}};
  tactor::actor_system system{{.workers = 1}};
  const int simulated = answer_of(world);
  const int on_threads = answer_of(system);
  std::printf("simulated %d, on threads %d\n", simulated, on_threads);
  return simulated == 14 && on_threads == 14 ? 0 : 1;
}
