// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/01-first-actor.md; check_snippets.py compares the two.
#include "tactor/host/actor_system.hpp"

#include <chrono>
#include <cstdio>
#include <expected>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) ++failures;
}

struct greet {
  std::string who;
};
struct deposit {
  int cents;
};
struct balance {
  using reply = int;
};
struct flush {
  using reply = void;
};

void write_to_disk() {}

class account : public tactor::actor<deposit, balance, flush> {
public:
  explicit account(int cents) : cents_(cents) {}

  void receive(context&, deposit d) { cents_ += d.cents; }
  int receive(context&, balance) { return cents_; }
  void receive(context&, flush) { write_to_disk(); }

private:
  int cents_;
};
static_assert(sizeof(account) == sizeof(int));

void lambdas_and_classes() {
  tactor::actor_system system;
  int greeted = 0;
  auto greeter = system.spawn("greeter", [&](tactor::context&, const greet&) { ++greeted; });
  auto savings = system.spawn<account>("savings", 100);

  greeter.tell(greet{"world"});
  savings.tell(deposit{5});
  system.poll();
  expect(greeted == 1, "a lambda is an actor");
}

void references() {
  tactor::actor_system system;
  const auto savings = system.spawn<account>("savings", 0);
  const tactor::actor_ref<deposit> slot = savings;  // whoever has this can only pay in
  const tactor::actor_ref<> somebody = slot;        // names an actor, takes nothing
  const tactor::actor_ref<deposit> nobody;

  expect(somebody == savings && somebody, "the same actor");
  expect(!nobody, "a reference to nobody");
  slot.tell(deposit{5});
  nobody.tell(deposit{5});  // reaches nobody
}

void telling() {
  tactor::actor_system system;
  auto greeter = system.spawn("greeter", [](tactor::context&, const greet&) {});
  greeter.tell(greet{"world"});
  greeter.tell<greet>("world");  // the same, built where it will be read
  system.poll();

  system.stop(greeter);
  system.poll();
  expect(greeter.tell(greet{"world"}) == tactor::tell_result::closed, "it is gone");
  if (const auto sent = greeter.try_tell(greet{"world"}); !sent) {
    const greet& back = sent.error().message;  // to be sent somewhere else
    expect(back.who == "world", "try_tell gives the message back");
  }
}

void asking() {
  tactor::actor_system system;
  const auto savings = system.spawn<account>("savings", 100);
  const auto cents = system.ask(savings, balance{}, 1s).get();
  if (cents) {
    std::printf("%d cents\n", *cents);
  } else {
    std::puts(cents.error().kind == tactor::ask_failure::timed_out ? "too slow" : "no answer");
  }
  const bool flushed = system.ask(savings, flush{}, 1s).get().has_value();
  expect(cents == 100 && flushed, "asked");
}

struct quote {
  std::string item;
  using reply = int;
};

class desk : public tactor::actor<quote> {
public:
  explicit desk(tactor::actor_ref<quote> expert) : expert_(expert) {}

  tactor::delegated<int> receive(context& ctx, const quote& q) { return ctx.forward(expert_, q); }

private:
  tactor::actor_ref<quote> expert_;
};

struct delivery {
  int price;
};

class patient_expert : public tactor::actor<quote, delivery> {
public:
  tactor::delegated<int> receive(context& ctx, const quote&) {
    waiting_.push_back(ctx.reply_later<int>());
    return waiting_.back().promise();
  }
  void receive(context&, delivery d) {
    for (auto& asked : waiting_)
      asked.send(d.price);
    waiting_.clear();
  }

private:
  std::vector<tactor::reply_to<int>> waiting_;
};

void answering_later() {
  tactor::actor_system system;
  const auto expert = system.spawn<patient_expert>("expert");
  const auto front = system.spawn<desk>("desk", expert);
  auto answer = system.ask(front, quote{"tea"}, 1s);
  system.poll();
  expect(!answer.ready(), "the answer waits");
  expert.tell(delivery{7});
  expect(std::move(answer).get() == 7, "then it comes");
}

struct coin {
  int cents;
};
struct push {
  using reply = bool;
};

using turnstile = tactor::behaviour<coin, push>;

turnstile unlocked();
turnstile locked() {
  return {[](turnstile::context& ctx, coin) { ctx.become(unlocked()); },
          [](tactor::context&, push) { return false; }};
}
turnstile unlocked() {
  return {[](tactor::context&, coin) {},
          [](turnstile::context& ctx, push) {
            ctx.become(locked());
            return true;
          }};
}

void behaviours() {
  tactor::actor_system system;
  const auto gate = system.spawn("gate", locked());
  expect(system.ask(gate, push{}, 1s).get() == false, "locked");
  gate.tell(coin{50});
  expect(system.ask(gate, push{}, 1s).get() == true, "unlocked");
  expect(system.ask(gate, push{}, 1s).get() == false, "locked again");
}

struct job {
  int number;
};

class pool : public tactor::actor<job> {
public:
  void pre_start(context& ctx) {
    for (int i = 0; i < 3; ++i)
      workers_.push_back(ctx.spawn("worker", [](tactor::context&, job) {}));
  }
  void receive(context&, job j) { workers_[next_++ % workers_.size()].tell(j); }
  void post_stop(context&) { std::puts("the workers are gone already"); }

private:
  std::vector<tactor::actor_ref<job>> workers_;
  std::size_t next_ = 0;
};

void families() {
  tactor::actor_system system;
  const auto jobs = system.spawn<pool>("pool");
  system.poll();
  const auto second = system.find<job>("pool/worker-2");
  expect(static_cast<bool>(second), "found by its path");
  expect(!system.find<greet>("pool/worker-2"), "but not as somebody who takes a greet");

  const auto twin = system.try_spawn<pool>("pool");
  expect(twin.error() == tactor::spawn_error::name_taken, "try_spawn says why not");
  system.stop(jobs);
  system.poll();
  expect(system.live() == 0, "the children went first");
}

void ending() {
  tactor::actor_system system;
  int handled = 0;
  auto count = [&](tactor::context&, job) { ++handled; };
  const auto stopped = system.spawn("stopped", count);
  const auto drained = system.spawn("drained", count);
  system.poll();
  for (int i = 0; i < 3; ++i) {
    stopped.tell(job{i});
    drained.tell(job{i});
  }
  system.stop(stopped);   // what is queued becomes dead letters
  system.drain(drained);  // handles what is queued, takes nothing new
  system.poll();
  expect(handled == 3, "the drained one has handled its three");
  expect(system.metrics().all_dead_letters() == 3, "the stopped one's are dead letters");
}

void dead_letters() {
  tactor::actor_system system;
  int lost = 0;
  const auto watcher = system.spawn("watcher", [&](tactor::context&, const tactor::dead_letter& d) {
    const std::string type{d.message_type};
    const std::string reason{to_text(d.reason)};
    std::printf("%s: %s\n", type.c_str(), reason.c_str());
    ++lost;
  });
  system.events().subscribe<tactor::dead_letter>(watcher);

  tactor::actor_ref<job>{}.tell(job{1});
  const auto gone = system.spawn("gone", [](tactor::context&, job) {});
  system.stop(gone);
  system.poll();
  gone.tell(job{2});
  system.poll();
  expect(lost == 1, "the watcher has seen what was lost");
}

struct alarm {
  std::string text;
};

void own_events() {
  tactor::actor_system system;
  int heard = 0;
  const auto siren = system.spawn("siren", [&](tactor::context&, const alarm&) { ++heard; });
  const auto log = system.spawn("log", [&](tactor::context&, const alarm&) { ++heard; });
  system.events().subscribe<alarm>(siren);
  system.events().subscribe<alarm>(log);

  system.events().publish(alarm{"too hot"});  // inside an actor: ctx.events()
  system.poll();
  expect(heard == 2, "everyone who subscribed got a copy");
}

void bounds() {
  tactor::actor_system system;
  std::vector<int> handled;
  const auto display = system.spawn(
      {.name = "display", .mailbox = {.capacity = 2, .on_overflow = tactor::overflow::drop_oldest}},
      [&](tactor::context&, job j) { handled.push_back(j.number); });
  for (int i = 1; i <= 5; ++i)
    display.tell(job{i});
  system.poll();
  expect(handled == std::vector{4, 5}, "the newest two were kept");
}

class parser : public tactor::actor<greet, quote> {
public:
  std::expected<void, tactor::failure> receive(context&, const greet& g) {
    if (g.who.empty()) return std::unexpected{tactor::failure{"nobody to greet", 7}};
    return {};
  }
  int receive(context&, const quote& q) { return std::stoi(q.item); }  // throws, if it is no number
};

void failing() {
  tactor::actor_system system;
  std::string why;
  const auto nurse = system.spawn(
      "nurse", [&](tactor::context&, const tactor::actor_failed& f) { why = f.why.text(); });
  system.events().subscribe<tactor::actor_failed>(nurse);

  const auto weak = system.spawn<parser>("weak");
  weak.tell(greet{""});
  system.poll();
  expect(why == "nobody to greet", "somebody heard of it");

  const auto other = system.spawn<parser>("other");
  const auto number = system.ask(other, quote{"tea"}, 1s).get();
  expect(number.error().kind == tactor::ask_failure::target_failed, "so did the one who asked");
  system.poll();
  expect(system.live() == 1, "only the nurse is left");
}

struct refresh {};

class clock_face : public tactor::actor<refresh, greet> {
public:
  explicit clock_face(int& drawn) : drawn_(&drawn) {}

  void pre_start(context& ctx) {
    const auto ticking = ctx.schedule_at_fixed_rate(20ms, 20ms, ctx.self(), refresh{});
    if (!ticking) ctx.stop();
    bedtime_ =
        ctx.schedule_once(1h, ctx.self(), greet{"good night"}).value_or(tactor::cancellable{});
  }
  void receive(context& ctx, refresh) {
    *drawn_ += static_cast<int>(ctx.batch().runs);  // more than one if the thread was busy
    if (*drawn_ >= 3) ctx.stop();
  }
  void receive(context&, const greet&) {}
  void post_stop(context&) { bedtime_.cancel(); }

private:
  int* drawn_;
  tactor::cancellable bedtime_;
};

void timers() {
  tactor::actor_system system;
  int drawn = 0;
  system.spawn("clock", [&] { return clock_face{drawn}; });  // a factory: called to build the actor
  system.run_until([&] { return system.live() == 0; }, 5s);
  expect(drawn >= 3, "it has ticked");
}

void running() {
  tactor::actor_system system{{.name = "market", .max_actors = 1000}};
  system.run_for(20ms);
  const bool done = system.run_until([&] { return system.live() == 0; }, 1s);
  while (system.poll() > 0) {
  }
  const bool ended = system.shutdown(2s);
  expect(done && ended, "ran");

  const auto refused = tactor::actor_system::start({.max_actors = 0});
  if (!refused) {
    std::printf("%s must be %s\n", refused.error().setting, refused.error().allowed);
  }
  expect(!refused, "a setting that cannot work is refused");
}

}  // namespace

int main() {
  lambdas_and_classes();
  references();
  telling();
  asking();
  answering_later();
  behaviours();
  families();
  ending();
  dead_letters();
  own_events();
  bounds();
  failing();
  timers();
  running();
  return failures == 0 ? 0 : 1;
}
