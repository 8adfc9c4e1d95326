// SPDX-License-Identifier: BSL-1.0
#include "scenarios/scenarios.hpp"

#include "tactor/host.hpp"

#include "scenarios/actors.hpp"
#include "showcase/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace scenarios {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using tactor::actor_system;

void say_nothing(const tactor::log_record& /*what*/) noexcept {}

tactor::system_config two_workers() {
  return {.workers = 2, .log = {.sink = say_nothing}};
}

/// Shuts the system down, and adds what it has counted.
tactor::metrics_snapshot end(outcome& to, actor_system& system, const mistakes& wrong,
                             std::uint64_t handled) {
  to.without_a_core += showcase::waited_for_a_core();  // while the threads are there
  const bool complete = system.shutdown(60s).complete;
  const tactor::metrics_snapshot counted = system.metrics();
  to.counts.push_back({"messages handled", handled, counted.messages_handled});
  to.counts.push_back({"dead letters", 0, counted.all_dead_letters()});
  to.counts.push_back({"out of order, refused or at the wrong time", 0, wrong});
  to.counts.push_back({"actors that did not end", 0, complete ? 0U : 1U});
  return counted;
}

void one_actor(outcome& to) {
  constexpr std::uint32_t messages = 1'000'000;
  std::latch over{1};
  mistakes wrong = 0;
  actor_system system{two_workers()};
  const auto only = system.spawn<counting>("only", 1U, messages, &wrong, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    only.tell(item{.number = number});
  over.wait();
  to.counts.push_back(
      {"said by the actor", messages, system.ask(only, total{}, 60s).get().value_or(0)});
  end(to, system, wrong, messages + 1U);
}

void many_messages(outcome& to) {
  constexpr std::uint32_t actors = 100;
  constexpr std::uint32_t threads = 4;
  constexpr std::uint32_t each = 10'000 / threads;
  std::latch over{actors};
  mistakes wrong = 0;
  actor_system system{two_workers()};
  std::vector<counting::ref> all;
  all.reserve(actors);
  for (std::uint32_t i = 0; i < actors; ++i)
    all.push_back(system.spawn<counting>("one", threads, each, &wrong, &over));
  {
    std::vector<std::jthread> senders;
    senders.reserve(threads);
    for (std::uint32_t from = 0; from < threads; ++from)
      senders.emplace_back([&all, from] {
        for (std::uint32_t number = 0; number < each; ++number)
          for (const auto& whom : all)
            whom.tell(item{.from = from, .number = number});
      });
  }
  over.wait();
  end(to, system, wrong, std::uint64_t{actors} * 10'000);
}

struct burst {
  std::uint32_t actors;
};

void spike(outcome& to) {
  constexpr std::uint32_t actors = 1'000;
  constexpr std::uint32_t each = 10;
  constexpr std::uint32_t rounds = 20;
  std::unique_ptr<std::latch> over;
  mistakes wrong = 0;
  actor_system system{two_workers()};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    over = std::make_unique<std::latch>(actors);
    const auto parent = system.spawn("parent", [&](tactor::context& ctx, const burst& b) {
      for (std::uint32_t i = 0; i < b.actors; ++i) {
        const auto child = ctx.spawn<counting>("child", 1U, each, &wrong, over.get());
        for (std::uint32_t number = 0; number < each; ++number)
          child.tell(item{.number = number});
      }
    });
    parent.tell(burst{actors});
    over->wait();
    if (system.metrics().actors_alive() != actors + 1U) ++wrong;
    system.stop(parent);
    while (system.metrics().actors_alive() != 0)
      std::this_thread::yield();
  }
  const auto counted = end(to, system, wrong, rounds * (std::uint64_t{actors} * each + 1));
  to.counts.push_back(
      {"actors started", std::uint64_t{rounds} * (actors + 1), counted.actors_started});
}

void suspend_and_resume(outcome& to) {
  constexpr std::uint32_t messages = 100'000;
  std::latch over{2};
  mistakes wrong = 0;
  std::atomic<std::uint32_t> signals = 0;
  tactor::actor_ref<item> who;
  actor_system system{two_workers()};
  const auto waker = system.spawn("waker", [&](tactor::context& ctx, const pause_over& p) {
    signals = p.number;
    if (!ctx.signal(who, go_on)) ++wrong;
    if (p.number == messages / 10) over.count_down();
  });
  who = system.spawn<pausing>("pausing", waker, &signals, messages, &wrong, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    who.tell(item{.number = number});
  over.wait();
  const auto counted = end(to, system, wrong, messages + messages / 10);
  to.counts.push_back({"suspensions", messages / 10, counted.suspensions});
}

void crash_and_restart(outcome& to) {
  constexpr std::uint32_t messages = 20'000;
  std::latch over{1};
  mistakes wrong = 0;
  ledger seen{1, messages, &wrong};
  actor_system system{two_workers()};
  const auto who =
      system.spawn<fragile>({.name = "fragile", .on_failure = tactor::restart{}}, &seen, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    who.tell(item{.number = number});
  over.wait();
  const auto counted = end(to, system, wrong, messages);
  to.counts.push_back({"failures", messages / 10, counted.failures});
  to.counts.push_back({"restarts", messages / 10, counted.restarts});
}

void steady_pace(outcome& to) {
  constexpr std::uint32_t actors = 100;
  std::latch over{actors};
  mistakes wrong = 0;
  actor_system system{two_workers()};
  std::vector<paced::ref> all;
  all.reserve(actors);
  for (std::uint32_t i = 0; i < actors; ++i)
    all.push_back(system.spawn<paced>("paced", &wrong, &over));
  const auto began = steady_clock::now();
  for (std::uint32_t i = 0; i < actors; ++i)
    all[i].tell(neighbour{all[(i + 1) % actors]});
  over.wait();
  if (steady_clock::now() - began < pace_ticks * pace_interval) ++wrong;  // early
  end(to, system, wrong, std::uint64_t{actors} * (pace_ticks * (pace_items + 1U) + 1U));
}

constexpr std::array known{
    scenario{.name = "one-actor", .what = "one actor, a million messages", .run = one_actor},
    scenario{.name = "many-messages",
             .what = "100 actors, 10 000 messages each from 4 threads",
             .run = many_messages},
    scenario{.name = "spike", .what = "1 000 actors at once, 20 times", .run = spike},
    scenario{.name = "suspend",
             .what = "an actor that is suspended and resumed 10 000 times",
             .run = suspend_and_resume},
    scenario{.name = "restart",
             .what = "an actor that fails and is restarted 2 000 times",
             .run = crash_and_restart},
    scenario{.name = "pace",
             .what = "100 actors, 10 000 messages a second each for 20 s",
             .run = steady_pace},
};

/// Returns: whether it is sound.
bool run_and_print(const scenario& which) {
  outcome to{.counts = {}, .took = {}, .without_a_core = -showcase::waited_for_a_core()};
  const auto began = steady_clock::now();
  which.run(to);
  to.took = steady_clock::now() - began;
  std::printf("%s: %s\n", which.name, which.what);
  for (const count& each : to.counts)
    std::printf("  %-44s %10llu%s\n", each.what, static_cast<unsigned long long>(each.counted),
                each.counted == each.expected ? "" : "  WRONG");
  std::printf("  %.2f s  %s\n", std::chrono::duration<double>{to.took}.count(),
              to.sound() ? "exact" : "NOT as it should be");
  return to.sound();
}

}  // namespace

bool outcome::sound() const noexcept {
  const bool exact =
      std::ranges::all_of(counts, [](const count& each) { return each.counted == each.expected; });
  return exact && took - without_a_core < 30s;
}

std::span<const scenario> all() noexcept {
  return known;
}

int run(std::string_view name) {
  bool is_known = false;
  bool is_sound = true;
  for (const scenario& each : all()) {
    if (name != "all" && name != each.name) continue;
    is_known = true;
    is_sound = run_and_print(each) && is_sound;
  }
  if (!is_known) return 2;
  return is_sound ? 0 : 1;
}

}  // namespace scenarios
