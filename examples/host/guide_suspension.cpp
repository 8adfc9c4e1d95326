// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/10-suspend-and-resume.md; check_snippets.py compares the two.
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct note {
  int number;
};

void shortest() {
  std::vector<int> stored;
  simulation system;
  const auto store =
      system.spawn("store", [&](tactor::context&, note n) { stored.push_back(n.number); });

  (void)system.suspend(store);
  for (int i = 1; i <= 3; ++i)
    store.tell(note{i});
  system.run_for(1h);
  expect(stored.empty(), "the messages wait");

  (void)system.resume(store);
  system.run_to_idle();
  expect(stored == std::vector{1, 2, 3}, "and are then handled in order");
}

struct request {
  int number;
};

/// Sends at most ten requests a second to a service that allows no more.
class limiter : public tactor::actor<request> {
public:
  explicit limiter(tactor::actor_ref<request> service) : service_(service) {}

  void receive(context& ctx, request r) {
    service_.tell(r);
    if (++sent_ % 10 == 0)
      (void)ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(1s));
  }

private:
  tactor::actor_ref<request> service_;
  int sent_ = 0;
};

/// The same, evenly: after a burst of ten, one request every 100 ms.
class even_limiter : public tactor::actor<request> {
public:
  explicit even_limiter(tactor::actor_ref<request> service) : service_(service) {}

  void receive(context& ctx, request r) {
    (void)limit_.take(ctx);
    service_.tell(r);
  }

private:
  tactor::actor_ref<request> service_;
  tactor::patterns::rate_limiter limit_{{.tokens = 10, .per = 1s}};
};

void after_a_while() {
  simulation system;
  auto service = system.spawn_probe<request>("service");
  const auto even = system.spawn<even_limiter>("even limiter", service.ref());
  even.tell(request{});
  (void)service.expect<request>();
  const auto front = system.spawn<limiter>("limiter", service.ref());
  for (int i = 0; i < 35; ++i)
    front.tell(request{i});
  system.run_to_idle();
  expect(service.waiting() == 10, "ten at once");
  system.run_for(1s);
  expect(service.waiting() == 20, "ten more in the next second");
  system.run_for(2s);
  expect(service.waiting() == 35, "and so on");
}

constexpr tactor::signal_key disk_is_back{7};

class journal : public tactor::actor<note> {
public:
  explicit journal(int* written) : written_(written) {}

  void receive(context& ctx, note n) {
    ++*written_;
    if (n.number == 2)  // the disk is full
      (void)ctx.suspend(tactor::suspend_reason::await_external, tactor::on_signal(disk_is_back));
  }

private:
  int* written_;
};

void signals() {
  int written = 0;
  simulation system;
  const auto log = system.spawn<journal>("journal", &written);
  for (int i = 1; i <= 4; ++i)
    log.tell(note{i});
  system.run_to_idle();
  expect(written == 2, "it waits for its disk");
  (void)system.signal(log, disk_is_back);
  system.run_to_idle();
  expect(written == 4, "the disk is back");

  (void)system.signal(log, disk_is_back);  // no suspension waits for it yet
  log.tell(note{2});
  log.tell(note{3});
  system.run_to_idle();
  expect(written == 6, "a signal that came early is not lost");
}

void room() {
  std::vector<int> written;
  simulation system;
  const auto slow = system.spawn({.name = "slow", .mailbox = tactor::mailbox_presets::lossless(2)},
                                 [&](tactor::context& ctx, note n) {
                                   written.push_back(n.number);
                                   (void)ctx.suspend(tactor::suspend_reason::user_defined,
                                                     tactor::resume_after(1s));
                                 });
  const auto quick =
      system.spawn("quick", [slow](tactor::context&, note n) { slow.tell(n); });  // waits by itself
  std::vector<int> all;
  for (int i = 0; i < 20; ++i) {
    quick.tell(note{i});
    all.push_back(i);
  }
  system.run_for(1min);
  expect(written == all, "all of them, in their order");
  expect(system.metrics().all_dead_letters() == 0, "none was refused for good");
}

void cycle() {
  tactor::tell_result told = tactor::tell_result::ok;
  simulation system;
  tactor::actor_ref<note> ping;
  tactor::actor_ref<note> pong;
  const auto two_for_one = [&told](const tactor::actor_ref<note>& other) {
    for (int i = 0; i < 2; ++i)
      if (const auto said = other.tell(note{i}); said != tactor::tell_result::ok) told = said;
  };
  const tactor::spawn_options small{.mailbox = tactor::mailbox_presets::lossless(1)};
  ping = system.spawn(small, [&](tactor::context&, note) { two_for_one(pong); });
  pong = system.spawn(small, [&](tactor::context&, note) { two_for_one(ping); });
  ping.tell(note{1});
  for (int turn = 0; turn < 1000; ++turn)  // two notes for each: without an end
    system.run_one();
  expect(told == tactor::tell_result::would_deadlock, "they do not wait for each other");
}

void reasons() {
  int handled = 0;
  simulation system;
  const auto who = system.spawn("who", [&](tactor::context&, note) { ++handled; });
  (void)system.suspend(who, tactor::suspend_reason::user_defined);
  (void)system.suspend(who, tactor::suspend_reason::rate_limit, tactor::resume_after(10s));
  who.tell(note{1});
  system.run_for(20s);
  expect(handled == 0, "one reason has ended, the other one is left");
  (void)system.resume(who);
  system.run_to_idle();
  expect(handled == 1, "now there is none");
}

void seeing() {
  simulation system;
  auto news = system.spawn_probe<tactor::actor_suspended, tactor::actor_resumed>("news");
  system.events().subscribe<tactor::actor_suspended>(news.ref());
  system.events().subscribe<tactor::actor_resumed>(news.ref());
  const auto who = system.spawn("who", [](tactor::context&, note) {});
  (void)system.suspend(who, tactor::suspend_reason::user_defined, tactor::resume_after(250ms));
  const auto begin = news.expect<tactor::actor_suspended>();
  const auto end = news.expect<tactor::actor_resumed>();
  expect(begin.reasons.has(tactor::suspend_reason::user_defined), "an event says why");
  if (end.after)
    std::printf("       for %lld ms\n",
                static_cast<long long>(end.after->nanoseconds() / 1'000'000));
  expect(end.after.has_value(), "and for how long");
}

class confused : public tactor::actor<note> {
public:
  explicit confused(std::string* said) : said_(said) {}

  void receive(context& ctx, note) {
    const auto done =
        ctx.suspend(tactor::suspend_reason::user_defined, tactor::when_capacity(ctx.self()));
    if (!done) *said_ = to_text(done.error());
  }

private:
  std::string* said_;
};

void mistakes() {
  std::string said;
  simulation system;
  const auto who = system.spawn<confused>("confused", &said);
  who.tell(note{1});
  system.run_to_idle();
  std::printf("       %s\n", said.c_str());
  expect(!said.empty(), "the error says what to do");
}

}  // namespace

int main() {
  shortest();
  after_a_while();
  signals();
  room();
  cycle();
  reasons();
  seeing();
  mistakes();
  return failures == 0 ? 0 : 1;
}
