// SPDX-License-Identifier: BSL-1.0
// A program whose system ends when the program does, with everything pending: run as a test, with
// one argument that says in which way. Ends with 0 if all was well.
#include "tactor/host/actor_system.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
using tactor::actor_ref;
using tactor::actor_system;

struct note {
  std::shared_ptr<int> what;
};
struct twice {
  int number;
  using reply = int;
};

void say_nothing(const tactor::log_record& /*what*/) noexcept {}

void require(bool fact, const char* what) {
  if (fact) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

bool ended_by_an_actor = false;  // whose thread must not wait for answers

// Constructed first, so destroyed last: sends and asks when there is no system any more.
struct afterwards {
  actor_ref<note> noter;
  actor_ref<twice> clerk;
  std::optional<tactor::pending_reply<int>> answer;

  afterwards() = default;
  afterwards(const afterwards&) = delete;
  afterwards& operator=(const afterwards&) = delete;
  ~afterwards() {
    if (ended_by_an_actor) return;
    require(noter.tell(note{std::make_shared<int>(1)}) == tactor::tell_result::closed, "closed");
    if (answer) {
      const auto begun = std::chrono::steady_clock::now();
      require(!std::move(*answer).get().has_value(), "an error");
      require(std::chrono::steady_clock::now() - begun < 30s, "at once");
    }
    // And a system of its own.
    actor_system late{{.workers = 1, .log = {.sink = say_nothing}}};
    const auto doubling =
        late.spawn("clerk", [](tactor::context&, const twice& t) { return 2 * t.number; });
    require(late.ask(doubling, twice{4}, 20s).get() == 8, "a system in a static's destructor");
    require(clerk.tell(twice{1}) == tactor::tell_result::closed, "not the next tenant");
  }
};
afterwards at_the_very_end;

std::optional<actor_system> the_system;

// Destroyed before the system: tells, asks and spawns while everything ends.
struct meanwhile {
  meanwhile() = default;
  meanwhile(const meanwhile&) = delete;
  meanwhile& operator=(const meanwhile&) = delete;
  ~meanwhile() {
    if (!the_system || ended_by_an_actor) return;
    at_the_very_end.noter.tell(note{std::make_shared<int>(2)});
    require(the_system->ask(at_the_very_end.clerk, twice{2}, 20s).get() == 4, "an answer");
    const auto fresh = the_system->spawn("", [](tactor::context&, const note&) {});
    require(fresh.tell(note{}) == tactor::tell_result::ok, "spawned in a static's destructor");
  }
};
meanwhile before_it;

std::latch never{1};

void fill(actor_system& system) {
  at_the_very_end.noter = system.spawn("noter", [](tactor::context&, const note&) {});
  at_the_very_end.clerk =
      system.spawn("clerk", [](tactor::context&, const twice& t) { return 2 * t.number; });
  const auto kept = std::make_shared<int>(3);
  for (int i = 0; i < 10; ++i) {
    require(system.schedule_once(1h, at_the_very_end.noter, note{kept}).has_value(), "a timer");
    require(system.schedule_at_fixed_rate(1ms, 1ms, at_the_very_end.noter, note{kept}).has_value(),
            "a periodic timer");
  }
  const auto silent = system.spawn("silent", [owed = std::make_shared<tactor::reply_to<int>>()](
                                                 tactor::context& ctx, const twice&) {
    *owed = ctx.reply_later<int>();
    return owed->as_delegated();
  });
  at_the_very_end.answer.emplace(system.ask(silent, twice{3}, 1h));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view way = count > 1 ? arguments[1] : "";
  the_system.emplace(tactor::system_config{.workers = 2, .log = {.sink = say_nothing}});
  fill(*the_system);
  if (way == "in_a_handler") {
    // The last static of all comes first: a handler that never returns is left behind.
    std::latch begun{1};
    const auto stuck = the_system->spawn("stuck", [&begun](tactor::context&, const note&) {
      begun.count_down();
      never.wait();
    });
    stuck.tell(note{});
    begun.wait();
    (void)the_system->shutdown(20ms);
    the_system.reset();
  } else if (way == "by_itself") {
    // An actor ends the program.
    const auto last = the_system->spawn("last", [](tactor::context&, const note&) {
      ended_by_an_actor = true;
      std::exit(0);
    });
    last.tell(note{});
    never.wait();
  } else if (way == "shut_down_before") {
    (void)the_system->shutdown();
    the_system.reset();
  } else if (way == "never_destroyed") {
    auto* const kept = new actor_system{{.workers = 2, .log = {.sink = say_nothing}}};
    static actor_system* reachable = kept;
    const auto busy = kept->spawn("busy", [](tactor::actor<note>::context& ctx, const note& n) {
      ctx.self().tell(n);  // for ever
    });
    busy.tell(note{});
    (void)reachable;
  }
  return 0;
}
