// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/01-first-actor.md; check_snippets.py compares the two.
#include "tactor/host.hpp"

#include "expect.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <latch>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

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
  int greeted = 0;  // declared before the system: it outlives the actors that use it
  tactor::actor_system system;
  auto greeter = system.spawn("greeter", [&](tactor::context&, const greet&) { ++greeted; });
  auto savings = system.spawn<account>("savings", 100);

  greeter.tell(greet{"world"});
  savings.tell(deposit{5});
  system.shutdown();  // what is queued is handled first
  expect(greeted == 1, "a lambda is an actor");
}

void references() {
  tactor::actor_system system;
  const auto savings = system.spawn<account>("savings", 0);
  const tactor::actor_ref<deposit> slot = savings;  // can only send deposits
  const tactor::actor_ref<> any = slot;             // names an actor, accepts no message
  const tactor::actor_ref<deposit> none;

  expect(any == savings && any, "the same actor");
  expect(!none, "an empty reference");
  slot.tell(deposit{5});
  none.tell(deposit{5});  // a dead letter
}

void telling() {
  tactor::actor_system system;
  auto greeter = system.spawn("greeter", [](tactor::context&, const greet&) {});
  greeter.tell(greet{"world"});
  greeter.tell<greet>("world");  // the same, constructed in its envelope

  system.shutdown();
  expect(greeter.tell(greet{"world"}) == tactor::tell_result::closed, "it is gone");
  if (const auto sent = greeter.try_tell(greet{"world"}); !sent) {
    const greet& back = sent.error().message;  // may be sent elsewhere
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
    std::puts(to_text(cents.error()));  // why, and what to do about it
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

class deferring_expert : public tactor::actor<quote, delivery> {
public:
  tactor::delegated<int> receive(context& ctx, const quote&) {
    waiting_.push_back(ctx.reply_later<int>());
    return waiting_.back().as_delegated();
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
  const auto clever = system.spawn("clever", [](tactor::context&, const quote&) { return 3; });
  const auto front = system.spawn<desk>("desk", clever);
  expect(system.ask(front, quote{"tea"}, 1s).get() == 3, "another actor replies");

  const auto expert = system.spawn<deferring_expert>("expert");
  auto answer = system.ask(expert, quote{"tea"}, 1s);
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

struct beat {
  int left;
};

void scheduling_to_oneself() {
  std::latch done{1};
  tactor::actor_system system;
  const auto heart = system.spawn("heart", [&](tactor::actor_context<beat>& ctx, beat b) {
    if (b.left == 0) return done.count_down();
    (void)ctx.schedule_once(1ms, ctx.self(), beat{b.left - 1});
  });
  heart.tell(beat{3});
  done.wait();
  expect(done.try_wait(), "it beats by itself");
}

struct job {
  int number;
};

struct count_workers {
  using reply = std::size_t;
};

class pool : public tactor::actor<job, count_workers> {
public:
  void pre_start(context& ctx) {
    for (int i = 0; i < 3; ++i)
      workers_.push_back(ctx.spawn("worker", [](tactor::context&, job) {}));
  }
  void receive(context&, job j) { workers_[next_++ % workers_.size()].tell(j); }
  std::size_t receive(context&, count_workers) { return workers_.size(); }
  void post_stop(context&) { std::puts("the workers are gone already"); }

private:
  std::vector<tactor::actor_ref<job>> workers_;
  std::size_t next_ = 0;
};

void families() {
  tactor::actor_system system;
  const auto jobs = system.spawn<pool>("pool");
  expect(system.ask(jobs, count_workers{}, 1s).get() == 3, "it has started, and so have they");
  const auto second = system.find<job>("pool/worker-2");
  expect(static_cast<bool>(second), "found by its path");
  expect(!system.find<greet>("pool/worker-2"), "but it accepts no greet");

  const auto twin = system.try_spawn<pool>("pool");
  expect(twin.error() == tactor::spawn_error::name_taken, "try_spawn says why not");
  system.stop(jobs);
  system.shutdown();
  expect(system.live() == 0, "the children went first");
}

void ending() {
  std::latch both_are_busy{2};
  std::latch go_on{1};
  std::atomic<int> handled = 0;
  auto count = [&](tactor::context&, job j) {
    if (j.number == 0) {
      both_are_busy.count_down();
      go_on.wait();
    }
    ++handled;
  };
  tactor::actor_system system{{.workers = 2}};
  const auto stopped = system.spawn("stopped", count);
  const auto drained = system.spawn("drained", count);
  for (int i = 0; i < 3; ++i) {
    stopped.tell(job{i});
    drained.tell(job{i});
  }
  both_are_busy.wait();
  system.stop(stopped);   // what is queued becomes dead letters
  system.drain(drained);  // handles what is queued, takes nothing new
  go_on.count_down();
  system.shutdown();
  expect(handled == 1 + 3, "the stopped one was through with its first; the drained one had three");
  expect(system.metrics().all_dead_letters() == 2, "the stopped one's other two are dead letters");
}

void dead_letters() {
  std::latch lost{1};
  tactor::actor_system system;
  const auto watcher = system.spawn("watcher", [&](tactor::context&, const tactor::dead_letter& d) {
    const std::string type{d.message_type};
    const std::string reason{to_text(d.reason)};
    std::printf("%s: %s\n", type.c_str(), reason.c_str());
    lost.count_down();
  });
  system.events().subscribe<tactor::dead_letter>(watcher);

  tactor::actor_ref<job>{}.tell(job{1});
  const auto gone = system.spawn("gone", [](tactor::context&, job) {});
  system.stop(gone);
  gone.tell(job{2});
  lost.wait();
  expect(lost.try_wait(), "the watcher has seen what was lost");
}

struct overheated {
  std::string text;
};

void own_events() {
  std::atomic<int> heard = 0;
  tactor::actor_system system;
  const auto siren = system.spawn("siren", [&](tactor::context&, const overheated&) { ++heard; });
  const auto log = system.spawn("log", [&](tactor::context&, const overheated&) { ++heard; });
  system.events().subscribe<overheated>(siren);
  system.events().subscribe<overheated>(log);

  system.events().publish(overheated{"too hot"});  // inside an actor: ctx.events()
  system.shutdown();
  expect(heard == 2, "each subscriber got a copy");
}

std::atomic<int> lost_so_far = 0;
void count_dead_letters(const tactor::log_record& record) noexcept {
  if (record.kind == tactor::log_kind::dead_letter) ++lost_so_far;
}

void logging() {
  {
    tactor::actor_system system{
        {.log = {.sink = count_dead_letters, .min_level = tactor::log_level::info}}};
    const auto gone = system.spawn("gone", [](tactor::context&, job) {});
    system.stop(gone);
    gone.tell(job{1});
  }
  expect(lost_so_far == 1, "the sink was called");
}

void bounds() {
  std::latch busy{1};
  std::latch go_on{1};
  std::vector<int> shown;
  auto show = [&](job j) {
    if (j.number == 0) {
      busy.count_down();
      go_on.wait();
    }
    shown.push_back(j.number);
  };
  tactor::actor_system system;
  const auto display =
      system.spawn({.name = "display",
                    .mailbox = {.capacity = 2, .overflow = tactor::overflow_strategy::drop_oldest}},
                   [&](tactor::context&, job j) { show(j); });
  display.tell(job{0});
  busy.wait();
  for (int i = 1; i <= 5; ++i)
    display.tell(job{i});
  go_on.count_down();
  system.shutdown();
  expect(shown == std::vector{0, 4, 5}, "of those that came meanwhile the newest two were kept");
}

class parser : public tactor::actor<greet, quote> {
public:
  std::expected<void, tactor::failure> receive(context&, const greet& g) {
    if (g.who.empty()) return std::unexpected{tactor::failure{"no name to greet", 7}};
    return {};
  }
  int receive(context&, const quote& q) { return std::stoi(q.item); }  // throws for "abc"
};

void failing() {
  std::latch heard{2};
  std::vector<std::string> why;
  tactor::actor_system system;
  const auto nurse = system.spawn("nurse", [&](tactor::context&, const tactor::actor_failed& f) {
    why.emplace_back(f.why.text());
    heard.count_down();
  });
  system.events().subscribe<tactor::actor_failed>(nurse);

  const auto weak = system.spawn<parser>("weak");
  weak.tell(greet{""});
  const auto other = system.spawn<parser>("other");
  const auto number = system.ask(other, quote{"tea"}, 1s).get();
  expect(number.error().kind == tactor::ask_failure::target_failed, "the asker is notified");
  heard.wait();
  expect(std::ranges::count(why, "no name to greet") == 1, "so are subscribers");
}

struct refresh {};

class clock_face : public tactor::actor<refresh, greet> {
public:
  explicit clock_face(std::latch* ended) : ended_(ended) {}

  void pre_start(context& ctx) {
    const auto ticking = ctx.schedule_at_fixed_rate(20ms, 20ms, ctx.self(), refresh{});
    if (!ticking) ctx.stop();
    bedtime_ =
        ctx.schedule_once(1h, ctx.self(), greet{"good night"}).value_or(tactor::cancellable{});
  }
  void receive(context& ctx, refresh) {
    drawn_ += ctx.batch().runs;  // more than one if the machine was busy
    if (drawn_ >= 3) ctx.stop();
  }
  void receive(context&, const greet&) {}
  void post_stop(context&) {
    bedtime_.cancel();
    ended_->count_down();
  }

private:
  std::latch* ended_;
  std::uint64_t drawn_ = 0;
  tactor::cancellable bedtime_;
};

void timers() {
  std::latch ended{1};
  tactor::actor_system system;
  system.spawn("clock",
               [&] { return clock_face{&ended}; });  // a factory: called to build the actor
  ended.wait();
  expect(ended.try_wait(), "it has ticked three times");
}

void running() {
  tactor::actor_system system{{.name = "market", .max_actors = 1000, .workers = 2}};
  const bool ended = system.shutdown(2s).complete;
  expect(ended && system.live() == 0, "no actor is left");

  const auto refused = tactor::actor_system::start({.max_actors = 0});
  if (!refused) {
    std::printf("%s must be %s\n", refused.error().setting, refused.error().allowed);
  }
  expect(!refused, "a setting that cannot work is refused");
}

void draw_a_frame() {}

void own_loop() {
  int greeted = 0;
  tactor::cooperative_system system;
  const auto greeter = system.spawn("greeter", [&](tactor::context&, const greet&) { ++greeted; });
  greeter.tell(greet{"world"});
  expect(greeted == 0, "nothing has run yet");
  while (greeted == 0) {
    system.poll();  // actors run here, on this thread, and nowhere else
    draw_a_frame();
  }
  expect(!system.next_deadline(), "no timer: nothing to do before a message comes");

  const auto nap = system.schedule_once(10ms, greeter, greet{"after a nap"});
  const bool woke = nap && system.run_until([&] { return greeted == 2; }, 5s);  // sleeps meanwhile
  expect(woke, "the timer came");
}

}  // namespace

int main() {
  lambdas_and_classes();
  references();
  telling();
  asking();
  answering_later();
  behaviours();
  scheduling_to_oneself();
  families();
  ending();
  dead_letters();
  own_events();
  logging();
  bounds();
  failing();
  timers();
  running();
  own_loop();
  return failures == 0 ? 0 : 1;
}
