// SPDX-License-Identifier: BSL-1.0
// Messages between actors on worker threads: `actors_threads WORKLOAD COUNT WORKERS` prints one
// line of JSON. One workload per process, so that its peak memory is its own. One starter actor
// spawns all actors and sends the first messages: sent from outside they would be on several
// workers from the start.
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"

#include "measuring.hpp"
#include "parallel.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using bench::course;
using bench::gate;
using bench::go;
using bench::nanoseconds;
using tactor::actor_ref;

// Ping-pong and rings.

struct ball {
  std::uint64_t left;
};
struct meet {
  actor_ref<ball> next;
};
/// Passes the ball on until its hits are used up.
class player : public tactor::actor<ball, meet> {
  gate* done_;
  actor_ref<ball> next_;

public:
  explicit player(gate* done) : done_(done) {}
  void receive(context&, const meet& m) { next_ = m.next; }
  void receive(context&, const ball& b) {
    if (b.left > 1)
      next_.tell(ball{b.left - 1});
    else
      done_->arrive();
  }
};
/// A ring of players with balls at equal distances. Two players and one ball: ping-pong.
class ring : public tactor::actor<go> {
  course on_;
  std::size_t size_;
  std::size_t balls_;
  std::vector<actor_ref<ball, meet>> all_;

public:
  ring(const course& on, std::size_t size, std::size_t balls)
      : on_(on), size_(size), balls_(balls) {}
  void pre_start(context& ctx) {
    for (std::size_t i = 0; i < size_; ++i)
      all_.push_back(ctx.spawn<player>("", on_.done));
    for (std::size_t i = 0; i < size_; ++i)
      all_[i].tell(meet{all_[(i + 1) % size_]});
    on_.ready->arrive();
  }
  void receive(context&, go) {
    for (std::size_t i = 0; i < balls_; ++i)
      all_[i * size_ / balls_].tell(ball{on_.count / balls_});
  }
};

// One to one, in bursts.

struct item {
  std::uint64_t value;
};
struct credit {};
/// Gives credit after each burst.
class consumer : public tactor::actor<item> {
  actor_ref<credit> producer_;
  std::uint64_t burst_;
  std::uint64_t seen_ = 0;

public:
  consumer(const actor_ref<credit>& producer, std::uint64_t burst)
      : producer_(producer), burst_(burst) {}
  void receive(context&, const item&) {
    if (++seen_ % burst_ == 0) producer_.tell(credit{});
  }
};
/// Sends a burst for each credit, the first when it is started.
class producer : public tactor::actor<go, credit> {
  course on_;
  std::uint64_t burst_;
  std::uint64_t bursts_;
  actor_ref<item> consumer_;

public:
  producer(const course& on, std::uint64_t burst)
      : on_(on), burst_(burst), bursts_(on.count / burst) {}
  void pre_start(context& ctx) {
    consumer_ = ctx.spawn<consumer>("", ctx.self(), burst_);
    on_.ready->arrive();
  }
  void receive(context&, go) { send(); }
  void receive(context&, credit) {
    if (bursts_ > 0)
      send();
    else
      on_.done->arrive();
  }

private:
  void send() {
    --bursts_;
    for (std::uint64_t i = 0; i < burst_; ++i)
      consumer_.tell(item{i});
  }
};

// Many to one.

struct more {};
class counter : public tactor::actor<item> {
  gate* done_;
  std::uint64_t left_;

public:
  counter(gate* done, std::uint64_t expected) : done_(done), left_(expected) {}
  void receive(context&, const item&) {
    if (--left_ == 0) done_->arrive();
  }
};
/// Sends 100 messages per turn, as long as there are any, regardless of the receiver.
class feeder : public tactor::actor<more> {
  actor_ref<item> to_;
  std::uint64_t left_;

public:
  feeder(const actor_ref<item>& to, std::uint64_t count) : to_(to), left_(count) {}
  void receive(context& ctx, more) {
    for (int i = 0; i < 100 && left_ > 0; ++i)
      to_.tell(item{left_--});
    if (left_ > 0) ctx.self().tell(more{});
  }
};
/// Waits in its first handler until it may go on.
class late : public tactor::actor<go, item> {
  gate* begun_;
  gate* open_;
  gate* done_;
  std::uint64_t left_;

public:
  late(gate* begun, gate* open, gate* done, std::uint64_t expected)
      : begun_(begun), open_(open), done_(done), left_(expected) {}
  void receive(context&, go) {
    begun_->arrive();
    open_->wait();
  }
  void receive(context&, const item&) {
    if (--left_ == 0) done_->arrive();
  }
};
class fan_in : public tactor::actor<go> {
  static constexpr std::size_t feeders = 4;
  course on_;
  std::vector<actor_ref<more>> all_;

public:
  explicit fan_in(const course& on) : on_(on) {}
  void pre_start(context& ctx) {
    const std::uint64_t each = on_.count / feeders;
    auto to = ctx.spawn<counter>("", on_.done, each * feeders);
    for (std::size_t i = 0; i < feeders; ++i)
      all_.push_back(ctx.spawn<feeder>("", to, each));
    on_.ready->arrive();
  }
  void receive(context&, go) {
    for (const auto& each : all_)
      each.tell(more{});
  }
};

// Asks.

struct query {
  std::uint64_t value;
  using reply = std::uint64_t;
};
class oracle : public tactor::actor<query> {
public:
  std::uint64_t receive(context&, const query& q) { return q.value + 1; }
};
/// Sends one ask after the other.
class asker : public tactor::actor<go> {
  course on_;
  std::uint64_t answered_ = 0;
  actor_ref<query> oracle_;

public:
  explicit asker(const course& on) : on_(on) {}
  void pre_start(context& ctx) {
    oracle_ = ctx.spawn<oracle>("");
    on_.ready->arrive();
  }
  void receive(context& ctx, go) { ask(ctx); }

private:
  void ask(tactor::context& ctx) {
    ctx.ask(oracle_, query{answered_}, std::chrono::seconds{10},
            [this](tactor::context& again, std::expected<std::uint64_t, tactor::ask_error> answer) {
              if (!answer || *answer != answered_ + 1) std::abort();
              if (++answered_ < on_.count)
                ask(again);
              else
                on_.done->arrive();
            });
  }
};

/// Sends one ask after the other, in a coroutine.
class awaiter : public tactor::actor<go> {
  course on_;
  actor_ref<query> oracle_;

public:
  explicit awaiter(const course& on) : on_(on) {}
  void pre_start(context& ctx) {
    oracle_ = ctx.spawn<oracle>("");
    on_.ready->arrive();
  }
  tactor::task<void> receive(context& ctx, go) {
    for (std::uint64_t i = 0; i < on_.count; ++i) {
      const auto answer = co_await ctx.ask<query>(oracle_, std::chrono::seconds{10}, i);
      if (!answer || *answer != i + 1) std::abort();
    }
    on_.done->arrive();
  }
};

// Spawning and stopping.

/// Stops after its message.
class mayfly : public tactor::actor<ball> {
  gate* done_;

public:
  explicit mayfly(gate* done) : done_(done) {}
  void receive(context& ctx, const ball&) { ctx.stop(); }
  void post_stop(context&) { done_->arrive(); }
};
class mother : public tactor::actor<go> {
  course on_;
  std::uint64_t left_;

public:
  explicit mother(const course& on) : on_(on), left_(on.count) {}
  void pre_start(context&) { on_.ready->arrive(); }
  void receive(context& ctx, go) {
    ctx.spawn<mayfly>("", on_.done).tell(ball{1});
    if (--left_ > 0) ctx.self().tell(go{});
  }
};
class idler : public tactor::actor<ball> {
public:
  void receive(context&, const ball&) {}
};
struct breed {
  std::uint64_t count;
  gate* done;
};
/// Spawns idle actors, a thousand per turn.
class nursery : public tactor::actor<breed> {
public:
  void receive(context& ctx, const breed& b) {
    const std::uint64_t now = b.count < 1000 ? b.count : 1000;
    for (std::uint64_t i = 0; i < now; ++i)
      (void)ctx.spawn<idler>("");
    if (b.count > now)
      ctx.self().tell(breed{.count = b.count - now, .done = b.done});
    else
      b.done->arrive();
  }
};

// Latency.

struct timed_message {
  std::int64_t sent_ns;
};
class listener : public tactor::actor<timed_message> {
  bench::wake_up_comparison* into_;

public:
  explicit listener(bench::wake_up_comparison* into) : into_(into) {}
  void receive(context&, const timed_message& l) { into_->heard(l.sent_ns); }
};
class seldom : public tactor::actor<timed_message> {
  bench::samples* into_;
  gate* done_;

public:
  seldom(bench::samples* into, gate* done) : into_(into), done_(done) {}
  void receive(context&, const timed_message& l) {
    into_->add(bench::now_ns() - l.sent_ns);
    done_->arrive();
  }
};
/// Always has messages: works a microsecond for each and sends itself the next.
class glutton : public tactor::actor<go> {
  std::atomic<std::uint64_t>* eaten_;

public:
  explicit glutton(std::atomic<std::uint64_t>* eaten) : eaten_(eaten) {}
  void receive(context& ctx, go) {
    ctx.self().tell(go{});
    bench::pass(bench::gap::spins, std::chrono::microseconds{1});
    eaten_->fetch_add(1, std::memory_order_relaxed);
  }
};
struct crowd {
  std::vector<actor_ref<timed_message>> members;
};
/// Spawns the rarely used actors and the busy one.
class host_of_many : public tactor::actor<go> {
  crowd* crowd_;
  std::atomic<std::uint64_t>* eaten_;
  bench::samples* into_;
  course on_;

public:
  host_of_many(crowd* all, std::atomic<std::uint64_t>* eaten, bench::samples* into,
               const course& on)
      : crowd_(all), eaten_(eaten), into_(into), on_(on) {}
  void receive(context& ctx, go) {
    for (std::size_t i = 0; i < 1000; ++i)
      crowd_->members.push_back(ctx.spawn<seldom>("", into_, on_.done));
    auto greedy = ctx.spawn<glutton>("", eaten_);
    greedy.tell(go{});
    greedy.tell(go{});  // one is always queued while the other is handled
    on_.ready->arrive();
  }
};

// Running the workloads.

template <class Starter, class... Arguments>
int timed(const bench::task& what, std::uint64_t arrivals, Arguments... arguments) {
  const double ns = nanoseconds<Starter>(what, arrivals, arguments...);
  bench::print(what, bench::figure("ns", ns / static_cast<double>(what.count)));
  return 0;
}

int idle_actors(const bench::task& what) {
  tactor::actor_system system{
      {.workers = what.workers, .metrics = {.level = tactor::metrics_level::off}}};
  auto maker = system.spawn<nursery>("nursery");
  const auto make = [&](std::uint64_t count) {
    gate done{1};
    maker.tell(breed{.count = count, .done = &done});
    done.wait();
  };
  make(1000);  // the system has allocated what it needs itself
  const double before = bench::resident_bytes();
  const auto began = bench::now_ns();
  make(what.count);
  const auto ns = static_cast<double>(bench::now_ns() - began);
  const auto count = static_cast<double>(what.count);
  bench::print(what, bench::figure("bytes_each", (bench::resident_bytes() - before) / count) +
                         ", " + bench::figure("ns", ns / count));
  return 0;
}

int foreign(const bench::task& what, bench::gap how, std::chrono::microseconds length) {
  const bench::processors_apart places;
  bench::wake_up_comparison result{what.count};
  tactor::actor_system system{{.workers = what.workers}};
  auto ear = system.spawn<listener>("listener", &result);
  bench::print(what, result.run([&](std::int64_t now) { ear.tell(timed_message{now}); }, how,
                                length, places));
  return 0;
}

int starvation(const bench::task& what) {
  std::atomic<std::uint64_t> eaten{0};
  bench::samples result{what.count};
  gate ready{1};
  gate done{what.count};
  crowd all;
  tactor::actor_system system{{.workers = what.workers}};
  auto host = system.spawn<host_of_many>(
      "host", &all, &eaten, &result, course{.ready = &ready, .done = &done, .count = what.count});
  host.tell(go{});
  ready.wait();
  const auto began = bench::now_ns();
  for (std::uint64_t i = 0; i < what.count; ++i) {
    bench::pass(bench::gap::sleeps, std::chrono::microseconds{100});
    all.members[i * 7919 % all.members.size()].tell(timed_message{bench::now_ns()});
  }
  done.wait();
  const auto ms = static_cast<double>(bench::now_ns() - began) / 1e6;
  bench::print(what, result.quantiles() + ", " +
                         bench::figure("eaten_per_ms", static_cast<double>(eaten.load()) / ms));
  system.stop(host);
  return 0;
}

int scaling(const bench::task& what, std::size_t actors) {
  bench::samples result{what.count / 16 + actors};
  const double ns = nanoseconds<bench::busy_ring>(what, actors, actors, &result);
  bench::print(what, bench::figure("ns", ns / static_cast<double>(what.count)) + ", " +
                         result.quantiles());
  return 0;
}

/// The machine, not tactor: see `line_transfer_ns`.
int line(const bench::task& what) {
  bench::print(what, bench::figure("ns", bench::line_transfer_ns()));
  return 0;
}

int work(const bench::task& what, std::chrono::nanoseconds length) {
  constexpr std::size_t actors = 1000;
  return timed<bench::random_sends>(what, actors, actors, bench::work{length});
}

/// Eight foreign threads send to a thousand actors in turn.
int foreign_many(const bench::task& what) {
  constexpr std::uint64_t threads = 8;
  constexpr std::uint64_t targets = 1000;
  const std::uint64_t rounds_each = what.count / threads / targets;
  gate ready{threads};
  gate start{1};
  gate done{targets};
  tactor::actor_system system{{.workers = what.workers}};
  std::vector<actor_ref<item>> to;
  for (std::uint64_t i = 0; i < targets; ++i)
    to.push_back(system.spawn<counter>("", &done, rounds_each * threads));
  std::vector<std::jthread> senders;
  for (std::uint64_t t = 0; t < threads; ++t) {
    senders.emplace_back([&, t] {
      ready.arrive();
      start.wait();
      for (std::uint64_t i = 0; i < rounds_each * targets; ++i)
        to[(t * 7919 + i) % targets].tell(item{i});
    });
  }
  ready.wait();
  const auto began = bench::now_ns();
  start.arrive();
  done.wait();
  const auto ns = static_cast<double>(bench::now_ns() - began);
  bench::print(what,
               bench::figure("ns", ns / static_cast<double>(rounds_each * targets * threads)));
  return 0;
}

/// Messages wait for an actor that is busy: their memory while they wait, and what is left of it
/// after 3 s.
int queued(const bench::task& what) {
  gate begun{1};
  gate open{1};
  gate done{1};
  tactor::actor_system system{{.workers = what.workers}};
  auto to = system.spawn<late>("late", &begun, &open, &done, what.count);
  to.tell(go{});
  begun.wait();
  const double before = bench::resident_bytes();
  for (std::uint64_t i = 0; i < what.count; ++i)
    to.tell(item{i});
  const double full = bench::resident_bytes();
  const auto began = bench::now_ns();
  open.arrive();
  done.wait();
  const auto ns = static_cast<double>(bench::now_ns() - began);
  bench::pass(bench::gap::sleeps, std::chrono::seconds{3});
  const auto count = static_cast<double>(what.count);
  bench::print(what, bench::figure("bytes_each", (full - before) / count) + ", " +
                         bench::figure("drain_ns", ns / count) + ", " +
                         bench::figure("kept_mb", (bench::resident_bytes() - before) / 1048576));
  return 0;
}

int rounds(const bench::task& what, std::size_t jobs, std::chrono::microseconds length,
           std::chrono::microseconds pause = {}) {
  bench::samples result{what.count};
  const double ns = nanoseconds<bench::foreman>(what, 1, jobs, bench::work{length}, &result, pause);
  bench::print(what, bench::figure("us", ns / 1e3 / static_cast<double>(what.count)) + ", " +
                         result.quantiles());
  return 0;
}

int run(const bench::task& what) {
  using std::chrono::microseconds;
  constexpr std::size_t many = 10'000;
  const std::string& name = what.workload;
  if (name == "ping_pong") return timed<ring>(what, 1, std::size_t{2}, std::size_t{1});
  if (name == "bursts") return timed<producer>(what, 1, std::uint64_t{100});
  if (name == "one_burst") return timed<producer>(what, 1, what.count);
  if (name == "fan_in") return timed<fan_in>(what, 1);
  if (name == "ring_1") return timed<ring>(what, 1, std::size_t{1000}, std::size_t{1});
  if (name == "ring_100") return timed<ring>(what, 100, std::size_t{1000}, std::size_t{100});
  if (name == "random") return timed<bench::random_sends>(what, many, many, bench::work{});
  if (name == "ask") return timed<asker>(what, 1);
  if (name == "co_await_ask") return timed<awaiter>(what, 1);
  if (name == "spawn_stop") return timed<mother>(what, what.count);
  if (name == "idle_actors") return idle_actors(what);
  if (name == "foreign") return foreign(what, bench::gap::sleeps, microseconds{100});
  if (name == "foreign_spinning") return foreign(what, bench::gap::spins, microseconds{100});
  if (name == "foreign_rare") return foreign(what, bench::gap::sleeps, microseconds{5000});
  if (name == "starvation") return starvation(what);
  if (name == "rounds_2_100") return rounds(what, 2, microseconds{100});
  if (name == "rounds_4_100") return rounds(what, 4, microseconds{100});
  if (name == "rounds_8_100") return rounds(what, 8, microseconds{100});
  if (name == "rounds_8_10") return rounds(what, 8, microseconds{10});
  if (name == "silent_8_100") return rounds(what, 8, microseconds{100}, microseconds{5000});
  if (name == "silent_8_10") return rounds(what, 8, microseconds{10}, microseconds{5000});
  if (name == "line") return line(what);
  if (name == "work_0") return work(what, std::chrono::nanoseconds{0});
  if (name == "work_50") return work(what, std::chrono::nanoseconds{50});
  if (name == "work_100") return work(what, std::chrono::nanoseconds{100});
  if (name == "work_200") return work(what, std::chrono::nanoseconds{200});
  if (name == "foreign_many") return foreign_many(what);
  if (name == "queued") return queued(what);
  if (name == "scaling_1") return scaling(what, 1);
  if (name == "scaling_10") return scaling(what, 10);
  if (name == "scaling_100") return scaling(what, 100);
  if (name == "scaling_1000") return scaling(what, 1000);
  std::fprintf(stderr, "no workload %s\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return run(bench::task_of(argc, argv));
}
