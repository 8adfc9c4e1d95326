// SPDX-License-Identifier: BSL-1.0
// All workloads with CAF 1.1: `peer_caf WORKLOAD COUNT WORKERS [PARAM [TOKENS]]`.
#include "work.hpp"
#include <caf/all.hpp>
#include <unistd.h>
namespace {
using bench::gate;
using caf::actor;
using caf::behavior;
using caf::event_based_actor;
using caf::stateful_actor;
using go_atom = caf::ok_atom;
using credit_atom = caf::update_atom;
using number = std::uint64_t;
std::uint64_t tokens_arg = 1000;
struct settings : caf::actor_system_config {
  explicit settings(std::size_t workers) { set("caf.scheduler.max-threads", workers); }
};
struct course {
  gate* ready;
  gate* done;
  number count;
};
#define SEND(to, ...) self->mail(__VA_ARGS__).send(to)

struct player_state {
  actor next;
};
behavior player(stateful_actor<player_state>* self, gate* done) {
  return {[=](const actor& next) { self->state().next = next; },
          [=](number left) {
            if (left > 1)
              SEND(self->state().next, left - 1);
            else
              done->arrive();
          }};
}
struct starter_state {
  std::vector<actor> all;
};
behavior ring(stateful_actor<starter_state>* self, course on, std::size_t size, std::size_t balls) {
  auto& all = self->state().all;
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(player, on.done));
  for (std::size_t i = 0; i < size; ++i)
    SEND(all[i], all[(i + 1) % size]);
  on.ready->arrive();
  return {[=](go_atom) {
    for (std::size_t i = 0; i < balls; ++i)
      SEND(self->state().all[i * size / balls], number{on.count / balls});
  }};
}
struct consumer_state {
  number seen = 0;
};
behavior consumer(stateful_actor<consumer_state>* self, actor producer, number burst) {
  return {[=](number) {
    if (++self->state().seen % burst == 0) SEND(producer, caf::update_atom_v);
  }};
}
struct producer_state {
  actor to;
  number bursts = 0;
};
behavior producer(stateful_actor<producer_state>* self, course on, number burst) {
  self->state().to = self->spawn(consumer, actor{self}, burst);
  self->state().bursts = on.count / burst;
  const auto send = [=] {
    --self->state().bursts;
    for (number i = 0; i < burst; ++i)
      SEND(self->state().to, i);
  };
  on.ready->arrive();
  return {[=](go_atom) { send(); },
          [=](credit_atom) {
            if (self->state().bursts > 0)
              send();
            else
              on.done->arrive();
          }};
}
struct counting_state {
  number left = 0;
};
behavior counter(stateful_actor<counting_state>* self, gate* done, number expected) {
  self->state().left = expected;
  return {[=](number) {
    if (--self->state().left == 0) done->arrive();
  }};
}
behavior feeder(stateful_actor<counting_state>* self, actor to, number count) {
  self->state().left = count;
  return {[=](go_atom) {
    auto& left = self->state().left;
    for (int i = 0; i < 100 && left > 0; ++i)
      SEND(to, number{left--});
    if (left > 0) SEND(self, caf::ok_atom_v);
  }};
}
behavior fan_in(stateful_actor<starter_state>* self, course on) {
  const number each = on.count / 4;
  const actor to = self->spawn(counter, on.done, each * 4);
  for (number i = 0; i < 4; ++i)
    self->state().all.push_back(self->spawn(feeder, to, each));
  on.ready->arrive();
  return {[=](go_atom) {
    for (const auto& e : self->state().all)
      SEND(e, caf::ok_atom_v);
  }};
}
struct alignas(64) tally {
  std::uint64_t n = 0;
};
struct hopper_state {
  std::uint64_t random = 0;
};
behavior hopper(stateful_actor<hopper_state>* self, const std::vector<actor>* all, gate* done,
                std::uint64_t seed, bench::job w, tally* seen) {
  self->state().random = seed;
  return {[=](number left) {
    ++seen->n;
    w();
    if (left <= 1) return done->arrive();
    auto& s = self->state().random;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    SEND((*all)[s % all->size()], left - 1);
  }};
}
behavior random_sends(stateful_actor<starter_state>* self, course on, std::size_t size,
                      std::size_t tokens, bench::job w, std::vector<tally>* seen) {
  auto& all = self->state().all;
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(hopper, &all, on.done, std::uint64_t{i * 7919 + 1}, w, &(*seen)[i]));
  on.ready->arrive();
  return {[=](go_atom) {
    for (std::size_t i = 0; i < tokens; ++i)
      SEND(self->state().all[i * size / tokens % size], number{on.count / tokens});
  }};
}
behavior oracle(event_based_actor*) {
  return {[](number value) { return value + 1; }};
}
struct asker_state {
  actor oracle;
  number answered = 0;
};
void ask(stateful_actor<asker_state>* self, course on) {
  self->mail(self->state().answered)
      .request(self->state().oracle, std::chrono::seconds{10})
      .then(
          [=](number answer) {
            if (answer != self->state().answered + 1) std::abort();
            if (++self->state().answered < on.count)
              ask(self, on);
            else
              on.done->arrive();
          },
          [](const caf::error&) { std::abort(); });
}
behavior asker(stateful_actor<asker_state>* self, course on) {
  self->state().oracle = self->spawn(oracle);
  on.ready->arrive();
  return {[=](go_atom) { ask(self, on); }};
}
struct mayfly_state {
  gate* done = nullptr;
  mayfly_state() = default;
  ~mayfly_state() {
    if (done) done->arrive();
  }
};
behavior mayfly(stateful_actor<mayfly_state>* self, gate* done) {
  self->state().done = done;
  return {[=](number) { self->quit(); }};
}
behavior mother(stateful_actor<counting_state>* self, course on) {
  self->state().left = on.count;
  on.ready->arrive();
  return {[=](go_atom) {
    auto child = self->spawn(mayfly, on.done);
    SEND(child, number{1});
    if (--self->state().left > 0) SEND(self, caf::ok_atom_v);
  }};
}
behavior idler(event_based_actor*) {
  return {[](number) {}};
}
behavior nursery(stateful_actor<starter_state>* self, gate* first, gate* second) {
  return {[=](number count, bool is_first) {
    for (int i = 0; i < 1000 && count > 0; ++i, --count)
      self->state().all.push_back(self->spawn(idler));
    if (count > 0)
      SEND(self, count, is_first);
    else
      (is_first ? first : second)->arrive();
  }};
}
behavior relay(stateful_actor<player_state>* self, bench::samples* into, gate* done) {
  return {[=](const actor& next) { self->state().next = next; },
          [=](number left, std::int64_t sent_ns) {
            if (sent_ns != 0) into->add(bench::now_ns() - sent_ns);
            if (left <= 1) return done->arrive();
            const std::int64_t stamp = left % 16 == 0 ? bench::now_ns() : 0;
            SEND(self->state().next, left - 1, stamp);
          }};
}
behavior busy_ring(stateful_actor<starter_state>* self, course on, std::size_t size,
                   bench::samples* into) {
  auto& all = self->state().all;
  for (std::size_t i = 0; i < size; ++i)
    all.push_back(self->spawn(relay, into, on.done));
  for (std::size_t i = 0; i < size; ++i)
    SEND(all[i], all[(i + 1) % size]);
  on.ready->arrive();
  return {[=](go_atom) {
    for (const auto& e : self->state().all)
      SEND(e, number{on.count / size}, std::int64_t{0});
  }};
}
behavior laborer(event_based_actor* self, actor to, bench::job w) {
  return {[=](number v) {
    w();
    SEND(to, number{v + 1});
  }};
}
struct master_state {
  std::vector<actor> all;
  number left = 0, sum = 0, rounds = 0;
  std::int64_t began = 0;
};
behavior master(stateful_actor<master_state>* self, course on, std::size_t size, bench::job w,
                bench::samples* into) {
  for (std::size_t i = 0; i < size; ++i)
    self->state().all.push_back(self->spawn(laborer, actor{self}, w));
  self->state().rounds = on.count;
  const auto round = [=] {
    auto& s = self->state();
    s.began = bench::now_ns();
    s.left = size;
    s.sum = 0;
    number i = 0;
    for (auto& e : s.all) {
      SEND(e, number{i});
      ++i;
    }
  };
  on.ready->arrive();
  return {[=](go_atom) { round(); },
          [=](number v) {
            auto& s = self->state();
            s.sum += v;
            if (--s.left > 0) return;
            if (s.sum != size * (size + 1) / 2) std::abort();
            into->add(bench::now_ns() - s.began);
            if (--s.rounds > 0)
              round();
            else
              on.done->arrive();
          }};
}
behavior sink(stateful_actor<counting_state>* self, gate* done, number expected) {
  self->state().left = expected;
  return {[=](number, number) {
    if (--self->state().left == 0) done->arrive();
  }};
}
behavior slow(stateful_actor<counting_state>* self, std::atomic<bool>* open, gate* begun,
              gate* done, number n) {
  self->state().left = n;
  return {[=](go_atom) {
            begun->arrive();
            open->wait(false);
          },
          [=](number, number) {
            if (--self->state().left == 0) done->arrive();
          }};
}
[[noreturn]] void leave() {
  std::fflush(stdout);
  ::_exit(0);
}
double cpu_used;
template <class Starter, class... Arguments>
double nanoseconds(const bench::args& what, number arrivals, Starter starter,
                   Arguments... arguments) {
  auto& setting = *new settings{what.workers};
  auto& system = *new caf::actor_system{setting};
  auto& ready = *new gate{1};
  auto& done = *new gate{arrivals};
  const actor first = system.spawn(
      starter, course{.ready = &ready, .done = &done, .count = what.count}, arguments...);
  ready.wait();
  const auto c0 = bench::cpu_ns();
  const auto began = bench::now_ns();
  caf::anon_mail(caf::ok_atom_v).send(first);
  done.wait();
  const auto ended = bench::now_ns();
  cpu_used = bench::cpu_ns() - c0;
  return static_cast<double>(ended - began);
}
template <class Starter, class... Arguments>
[[noreturn]] void timed(const bench::args& what, number arrivals, Starter starter,
                        Arguments... arguments) {
  const double ns = nanoseconds(what, arrivals, starter, arguments...);
  bench::say(what, bench::figure("ns", ns / double(what.count)));
  leave();
}
[[noreturn]] void work(const bench::args& a, std::size_t size, std::size_t tokens) {
  bench::job w{a.param};
  std::vector<tally> seen(size);
  const double ns = nanoseconds(a, tokens, random_sends, size, tokens, w, &seen);
  std::uint64_t sum = 0;
  for (auto& t : seen)
    sum += t.n;
  if (sum != a.count / tokens * tokens) {
    std::fprintf(stderr, "missing: %llu\n", (unsigned long long)sum);
    ::_exit(1);
  }
  bench::say(a, bench::figure("ns", ns / double(sum)) + ", " +
                    bench::figure("cpu_ns", cpu_used / double(sum)) + ", " +
                    bench::figure("tokens", double(tokens)));
  leave();
}
[[noreturn]] void idle_actors(const bench::args& what) {
  settings setting{what.workers};
  caf::actor_system system{setting};
  gate first{1}, second{1};
  const actor maker = system.spawn(nursery, &first, &second);
  caf::anon_mail(number{1000}, true).send(maker);
  first.wait();
  const double before = bench::resident_bytes();
  const auto began = bench::now_ns();
  caf::anon_mail(number{what.count}, false).send(maker);
  second.wait();
  const double ns = double(bench::now_ns() - began), count = double(what.count);
  bench::say(what, bench::figure("bytes_each", (bench::resident_bytes() - before) / count) + ", " +
                       bench::figure("ns", ns / count));
  leave();
}
[[noreturn]] void foreign(const bench::args& a, std::size_t targets) {
  const std::uint64_t threads = a.param, each = a.count / threads / targets * targets;
  gate done{targets}, start{1}, at_start{threads};
  std::atomic<std::int64_t> send_ns{0};
  settings setting{a.workers};
  caf::actor_system system{setting};
  std::vector<actor> to;
  for (std::size_t i = 0; i < targets; ++i)
    to.push_back(system.spawn(sink, &done, number{each * threads / targets}));
  std::vector<std::thread> ts;
  for (std::uint64_t t = 0; t < threads; ++t)
    ts.emplace_back([&, t] {
      at_start.arrive();
      start.wait();
      const auto b = bench::now_ns();
      std::size_t at = t * 7919 % targets;
      for (std::uint64_t i = 0; i < each; ++i) {
        caf::anon_mail(number{i}, number{t}).send(to[at]);
        if (++at == targets) at = 0;
      }
      send_ns.fetch_add(bench::now_ns() - b);
    });
  at_start.wait();
  const auto c0 = bench::cpu_ns();
  const auto b = bench::now_ns();
  start.arrive();
  done.wait();
  const auto e = bench::now_ns();
  const double n = double(each * threads), cpu = bench::cpu_ns() - c0;
  for (auto& t : ts)
    t.join();
  bench::say(a, bench::figure("ns", double(e - b) / n) + ", " +
                    bench::figure("send_ns", double(send_ns.load()) / n) + ", " +
                    bench::figure("cpu_ns", cpu / n));
  leave();
}
[[noreturn]] void queued(const bench::args& a) {
  settings setting{a.workers};
  caf::actor_system system{setting};
  std::string text;
  double before0 = 0;
  std::atomic<bool> open[2];
  gate begun[2] = {gate{1}, gate{1}}, done[2] = {gate{1}, gate{1}};
  for (int r = 0; r < 2; ++r) {
    open[r] = false;
    auto s = system.spawn(slow, &open[r], &begun[r], &done[r], number{a.count});
    caf::anon_mail(caf::ok_atom_v).send(s);
    begun[r].wait();
    const double before = bench::resident_bytes();
    if (r == 0) before0 = before;
    const auto b = bench::now_ns();
    for (std::uint64_t i = 0; i < a.count; ++i)
      caf::anon_mail(number{i}, number{i}).send(s);
    const auto e = bench::now_ns();
    const double full = bench::resident_bytes();
    const auto d = bench::now_ns();
    open[r] = true;
    open[r].notify_all();
    done[r].wait();
    const auto f = bench::now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    const double after = bench::resident_bytes();
    char p[8];
    std::snprintf(p, 8, "r%d_", r);
    text +=
        (r ? ", " : "") +
        bench::figure((std::string(p) + "bytes_each").c_str(), (full - before) / double(a.count)) +
        ", " +
        bench::figure((std::string(p) + "send_ns").c_str(), double(e - b) / double(a.count)) +
        ", " +
        bench::figure((std::string(p) + "drain_ns").c_str(), double(f - d) / double(a.count)) +
        ", " + bench::figure((std::string(p) + "kept_mb").c_str(), (after - before0) / 1048576);
  }
  std::this_thread::sleep_for(std::chrono::seconds{3});
  text += ", " + bench::figure("kept_3s_mb", (bench::resident_bytes() - before0) / 1048576);
  bench::say(a, text);
  leave();
}
}  // namespace
int main(int argc, char** argv) {
  caf::core::init_global_meta_objects();
  auto a = bench::args_of(argc, argv);
  if (argc > 5) tokens_arg = std::strtoull(argv[5], nullptr, 10);
  const std::string& name = a.workload;
  if (name == "ping_pong") timed(a, 1, ring, std::size_t{2}, std::size_t{1});
  if (name == "bursts") timed(a, 1, producer, number{100});
  if (name == "one_burst") timed(a, 1, producer, number{a.count});
  if (name == "fan_in") timed(a, 1, fan_in);
  if (name == "ring_1") timed(a, 1, ring, std::size_t{1000}, std::size_t{1});
  if (name == "ring_100") timed(a, 100, ring, std::size_t{1000}, std::size_t{100});
  if (name == "random") work(a, 10000, 10000);
  if (name == "work") work(a, 1000, tokens_arg);
  if (name == "ask") timed(a, 1, asker);
  if (name == "spawn_stop") timed(a, a.count, mother);
  if (name == "idle_actors") idle_actors(a);
  if (name == "foreign_one") foreign(a, 1);
  if (name == "foreign_many") foreign(a, 1000);
  if (name == "queued") queued(a);
  if (name == "fair") {
    bench::samples s{a.count / 16 + a.param};
    const double ns = nanoseconds(a, a.param, busy_ring, std::size_t{a.param}, &s);
    bench::say(a, bench::figure("ns", ns / double(a.count)) + ", " + s.quantiles());
    leave();
  }
  if (name == "rounds") {
    bench::job w{a.param};
    bench::samples s{a.count};
    const double ns = nanoseconds(a, 1, master, std::size_t{tokens_arg}, w, &s);
    bench::say(a, bench::figure("us", ns / 1e3 / double(a.count)) + ", " +
                      bench::figure("cpu_us", cpu_used / 1e3 / double(a.count)) + ", " +
                      s.quantiles());
    leave();
  }
  return 2;
}
