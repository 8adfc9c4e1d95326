// SPDX-License-Identifier: BSL-1.0
// The workloads of benchmarks/actors/threads.cpp with CAF 0.17, written like in its manual:
// `peer_caf WORKLOAD COUNT WORKERS` prints the same line of JSON. The starter is an actor here too.
#include "../actors/measuring.hpp"
#include <caf/all.hpp>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using bench::gate;
using caf::actor;
using caf::behavior;
using caf::event_based_actor;
using caf::stateful_actor;

using go_atom = caf::atom_constant<caf::atom("go")>;
using credit_atom = caf::atom_constant<caf::atom("credit")>;
using number = std::uint64_t;

struct settings : caf::actor_system_config {
  explicit settings(std::size_t workers) { set("scheduler.max-threads", workers); }
};

struct course {
  gate* ready;
  gate* done;
  number count;
};

// Ping-pong and rings.

struct player_state {
  actor next;
};
behavior player(stateful_actor<player_state>* self, gate* done) {
  return {[=](const actor& next) { self->state.next = next; },
          [=](number left) {
            if (left > 1)
              self->send(self->state.next, left - 1);
            else
              done->arrive();
          }};
}
struct starter_state {
  std::vector<actor> all;
};
behavior ring(stateful_actor<starter_state>* self, course on, std::size_t size, std::size_t balls) {
  auto& all = self->state.all;
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(player, on.done));
  for (std::size_t i = 0; i < size; ++i)
    self->send(all[i], all[(i + 1) % size]);
  on.ready->arrive();
  return {[=](go_atom) {
    for (std::size_t i = 0; i < balls; ++i)
      self->send(self->state.all[i * size / balls], on.count / balls);
  }};
}

// One to one, in bursts.

struct consumer_state {
  number seen = 0;
};
behavior consumer(stateful_actor<consumer_state>* self, actor producer, number burst) {
  return {[=](number) {
    if (++self->state.seen % burst == 0) self->send(producer, credit_atom::value);
  }};
}
struct producer_state {
  actor to;
  number bursts = 0;
};
behavior producer(stateful_actor<producer_state>* self, course on, number burst) {
  self->state.to = self->spawn(consumer, actor{self}, burst);
  self->state.bursts = on.count / burst;
  const auto send = [=] {
    --self->state.bursts;
    for (number i = 0; i < burst; ++i)
      self->send(self->state.to, i);
  };
  on.ready->arrive();
  return {[=](go_atom) { send(); },
          [=](credit_atom) {
            if (self->state.bursts > 0)
              send();
            else
              on.done->arrive();
          }};
}

// Many to one.

struct counting_state {
  number left = 0;
};
behavior counter(stateful_actor<counting_state>* self, gate* done, number expected) {
  self->state.left = expected;
  return {[=](number) {
    if (--self->state.left == 0) done->arrive();
  }};
}
behavior feeder(stateful_actor<counting_state>* self, actor to, number count) {
  self->state.left = count;
  return {[=](go_atom) {
    auto& left = self->state.left;
    for (int i = 0; i < 100 && left > 0; ++i)
      self->send(to, left--);
    if (left > 0) self->send(self, go_atom::value);
  }};
}
behavior fan_in(stateful_actor<starter_state>* self, course on) {
  constexpr number feeders = 4;
  const number each = on.count / feeders;
  const actor to = self->spawn(counter, on.done, each * feeders);
  for (number i = 0; i < feeders; ++i)
    self->state.all.push_back(self->spawn(feeder, to, each));
  on.ready->arrive();
  return {[=](go_atom) {
    for (const auto& each_one : self->state.all)
      self->send(each_one, go_atom::value);
  }};
}

// Random pairs.

struct hopper_state {
  std::uint64_t random = 0;
};
behavior hopper(stateful_actor<hopper_state>* self, const std::vector<actor>* all, gate* done,
                std::uint64_t seed) {
  self->state.random = seed;
  return {[=](number left) {
    if (left <= 1) return done->arrive();
    auto& state = self->state.random;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    self->send((*all)[state % all->size()], left - 1);
  }};
}
behavior random_sends(stateful_actor<starter_state>* self, course on, std::size_t size) {
  auto& all = self->state.all;
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(hopper, &all, on.done, std::uint64_t{i * 7919 + 1}));
  on.ready->arrive();
  return {[=](go_atom) {
    for (const auto& each : self->state.all)
      self->send(each, on.count / size);
  }};
}

// Asks.

behavior oracle(event_based_actor*) {
  return {[](number value) { return value + 1; }};
}
struct asker_state {
  actor oracle;
  number answered = 0;
};
void ask(stateful_actor<asker_state>* self, course on) {
  self->request(self->state.oracle, std::chrono::seconds{10}, self->state.answered)
      .then(
          [=](number answer) {
            if (answer != self->state.answered + 1) std::abort();
            if (++self->state.answered < on.count)
              ask(self, on);
            else
              on.done->arrive();
          },
          [](const caf::error&) { std::abort(); });
}
behavior asker(stateful_actor<asker_state>* self, course on) {
  self->state.oracle = self->spawn(oracle);
  on.ready->arrive();
  return {[=](go_atom) { ask(self, on); }};
}

// Spawning and stopping.

/// Arrives at its gate when its actor is destroyed.
struct mayfly_state {
  gate* done = nullptr;
  mayfly_state() = default;
  mayfly_state(const mayfly_state&) = delete;
  mayfly_state& operator=(const mayfly_state&) = delete;
  ~mayfly_state() {
    if (done != nullptr) done->arrive();
  }
};
behavior mayfly(stateful_actor<mayfly_state>* self, gate* done) {
  self->state.done = done;
  return {[=](number) { self->quit(); }};
}
behavior mother(stateful_actor<counting_state>* self, course on) {
  self->state.left = on.count;
  on.ready->arrive();
  return {[=](go_atom) {
    self->send(self->spawn(mayfly, on.done), number{1});
    if (--self->state.left > 0) self->send(self, go_atom::value);
  }};
}
behavior idler(event_based_actor*) {
  return {[](number) {}};
}
/// Spawns idle actors, a thousand per turn.
behavior nursery(stateful_actor<starter_state>* self, gate* first, gate* second) {
  return {[=](number count, bool is_first) {
    for (int i = 0; i < 1000 && count > 0; ++i, --count)
      self->state.all.push_back(self->spawn(idler));
    if (count > 0)
      self->send(self, count, is_first);
    else
      (is_first ? first : second)->arrive();
  }};
}

// Latency.

behavior listener(event_based_actor*, bench::wake_up_comparison* into) {
  return {[=](std::int64_t sent_ns) { into->heard(sent_ns); }};
}
behavior relay(stateful_actor<player_state>* self, bench::samples* into, gate* done) {
  return {[=](const actor& next) { self->state.next = next; },
          [=](number left, std::int64_t sent_ns) {
            if (sent_ns != 0) into->add(bench::now_ns() - sent_ns);
            if (left <= 1) return done->arrive();
            const std::int64_t stamp = left % 16 == 0 ? bench::now_ns() : 0;
            self->send(self->state.next, left - 1, stamp);
          }};
}
behavior busy_ring(stateful_actor<starter_state>* self, course on, std::size_t size,
                   bench::samples* into) {
  auto& all = self->state.all;
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(relay, into, on.done));
  for (std::size_t i = 0; i < size; ++i)
    self->send(all[i], all[(i + 1) % size]);
  on.ready->arrive();
  return {[=](go_atom) {
    for (const auto& each : self->state.all)
      self->send(each, on.count / size, std::int64_t{0});
  }};
}

// Running the workloads.

/// These actors refer to each other in cycles and would never end: the process ends without them.
[[noreturn]] void leave() {
  std::fflush(stdout);
  ::_exit(0);
}

template <class Starter, class... Arguments>
double nanoseconds(const bench::task& what, number arrivals, Starter starter,
                   Arguments... arguments) {
  auto& setting = *new settings{what.workers};
  auto& system = *new caf::actor_system{setting};
  auto& ready = *new gate{1};
  auto& done = *new gate{arrivals};
  const actor first = system.spawn(
      starter, course{.ready = &ready, .done = &done, .count = what.count}, arguments...);
  ready.wait();
  const auto began = bench::now_ns();
  caf::anon_send(first, go_atom::value);
  done.wait();
  return static_cast<double>(bench::now_ns() - began);
}
template <class Starter, class... Arguments>
[[noreturn]] void timed(const bench::task& what, number arrivals, Starter starter,
                        Arguments... arguments) {
  const double ns = nanoseconds(what, arrivals, starter, arguments...);
  bench::print(what, bench::figure("ns", ns / static_cast<double>(what.count)));
  leave();
}

[[noreturn]] void idle_actors(const bench::task& what) {
  settings setting{what.workers};
  caf::actor_system system{setting};
  gate first{1};
  gate second{1};
  const actor maker = system.spawn(nursery, &first, &second);
  caf::anon_send(maker, number{1000}, true);
  first.wait();
  const double before = bench::resident_bytes();
  const auto began = bench::now_ns();
  caf::anon_send(maker, what.count, false);
  second.wait();
  const auto ns = static_cast<double>(bench::now_ns() - began);
  const auto count = static_cast<double>(what.count);
  bench::print(what, bench::figure("bytes_each", (bench::resident_bytes() - before) / count) +
                         ", " + bench::figure("ns", ns / count));
  leave();
}

[[noreturn]] void foreign(const bench::task& what, bench::gap how,
                          std::chrono::microseconds length) {
  const bench::processors_apart places;
  settings setting{what.workers};
  caf::actor_system system{setting};
  bench::wake_up_comparison result{what.count};
  const actor ear = system.spawn(listener, &result);
  bench::print(
      what, result.run([&](std::int64_t now) { caf::anon_send(ear, now); }, how, length, places));
  leave();
}

[[noreturn]] void scaling(const bench::task& what, std::size_t actors) {
  bench::samples result{what.count / 16 + actors};
  const double ns = nanoseconds(what, actors, busy_ring, actors, &result);
  bench::print(what, bench::figure("ns", ns / static_cast<double>(what.count)) + ", " +
                         result.quantiles());
  leave();
}

int run(const bench::task& what) {
  using std::chrono::microseconds;
  constexpr std::size_t many = 10'000;
  const std::string& name = what.workload;
  if (name == "ping_pong") timed(what, 1, ring, std::size_t{2}, std::size_t{1});
  if (name == "bursts") timed(what, 1, producer, number{100});
  if (name == "one_burst") timed(what, 1, producer, what.count);
  if (name == "fan_in") timed(what, 1, fan_in);
  if (name == "ring_1") timed(what, 1, ring, std::size_t{1000}, std::size_t{1});
  if (name == "ring_100") timed(what, 100, ring, std::size_t{1000}, std::size_t{100});
  if (name == "random") timed(what, many, random_sends, many);
  if (name == "ask") timed(what, 1, asker);
  if (name == "spawn_stop") timed(what, what.count, mother);
  if (name == "idle_actors") idle_actors(what);
  if (name == "foreign") foreign(what, bench::gap::sleeps, microseconds{100});
  if (name == "foreign_spinning") foreign(what, bench::gap::spins, microseconds{100});
  if (name == "foreign_rare") foreign(what, bench::gap::sleeps, microseconds{5000});
  if (name == "scaling_1") scaling(what, 1);
  if (name == "scaling_10") scaling(what, 10);
  if (name == "scaling_100") scaling(what, 100);
  if (name == "scaling_1000") scaling(what, 1000);
  std::fprintf(stderr, "no workload %s\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return run(bench::task_of(argc, argv));
}
