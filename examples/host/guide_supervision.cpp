// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/07-supervision.md; check_snippets.py compares the two.
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct reading {
  std::string text;
};
struct total {
  using reply = int;
};

/// Adds up readings. `std::stoi` throws if the text is not a number.
class meter : public tactor::actor<reading, total> {
public:
  void receive(context&, const reading& r) { sum_ += std::stoi(r.text); }
  int receive(context&, total) { return sum_; }

private:
  int sum_ = 0;
};

void shortest() {
  simulation system;
  const auto fragile = system.spawn<meter>("fragile");
  const auto tough = system.spawn<meter>(
      {.name = "tough", .on_failure = tactor::restart{.max_restarts = 3, .within = 1min}});
  for (const auto& each : {fragile, tough}) {
    each.tell(reading{"20"});
    each.tell(reading{"garbled"});
    each.tell(reading{"22"});
  }
  const auto gone = system.ask(fragile, total{}, 1s).get();
  const auto left = system.ask(tough, total{}, 1s).get();
  expect(gone.error().kind == tactor::ask_failure::target_terminated, "by default it stops");
  expect(left == 22, "a new instance has handled what was queued; its sum began at 0");
}

void resuming() {
  simulation system;
  const auto forgiving =
      system.spawn<meter>({.name = "meter", .on_failure = tactor::directive::resume});
  forgiving.tell(reading{"20"});
  forgiving.tell(reading{"garbled"});
  forgiving.tell(reading{"22"});
  expect(system.ask(forgiving, total{}, 1s).get() == 42, "only the garbled one is missing");
}

struct job {
  int number;
};

/// Records the order in which its hooks are called.
class worker : public tactor::actor<job> {
public:
  explicit worker(std::vector<std::string>* diary) : diary_(diary) { note("built"); }

  void pre_start(context&) { note("pre_start"); }
  void pre_restart(context& ctx, const tactor::failure& why) {
    note("pre_restart: " + std::string{why.text()});
    ctx.stop_children();
  }
  void post_restart(context&, const tactor::failure&) { note("post_restart"); }
  void post_stop(context&) { note("post_stop"); }

  std::expected<void, tactor::failure> receive(context&, job j) {
    if (j.number < 0) return std::unexpected{tactor::failure{"no such job", j.number}};
    note("job " + std::to_string(j.number));
    return {};
  }

private:
  void note(std::string text) { diary_->push_back(std::move(text)); }

  std::vector<std::string>* diary_;
};

void hooks() {
  std::vector<std::string> diary;
  simulation system;
  const auto who =
      system.spawn<worker>({.name = "worker", .on_failure = tactor::restart{}}, &diary);
  who.tell(job{1});
  who.tell(job{-1});
  who.tell(job{2});
  system.run_to_idle();
  system.stop(who);
  system.run_to_idle();
  for (const std::string& each : diary)
    std::printf("       %s\n", each.c_str());
  const std::vector<std::string> expected{
      "built", "pre_start",    "job 1", "pre_restart: no such job",
      "built", "post_restart", "job 2", "post_stop"};
  expect(diary == expected, "the hooks in their order");
}

class out_of_paper : public std::runtime_error {
public:
  out_of_paper() : std::runtime_error("out of paper") {}
};

class printer : public tactor::actor<job, total> {
public:
  std::expected<void, tactor::failure> receive(context&, job j) {
    if (j.number == 7) return std::unexpected{tactor::failure{"smudged", 7}};
    if (j.number == 8) throw out_of_paper{};
    if (j.number == 9) throw std::range_error("too wide");
    ++printed_;
    return {};
  }
  int receive(context&, total) { return printed_; }

private:
  int printed_ = 0;
};

void deciders() {
  simulation system;
  const auto by_kind = tactor::decide_by(
      [](const tactor::failure& why) -> tactor::decision {
        if (why.code() == 7) return tactor::directive::resume;
        if (tactor::threw<out_of_paper>(why)) return tactor::directive::restart;
        if (tactor::threw<std::runtime_error>(why)) return tactor::directive::stop;
        return tactor::directive::escalate;
      },
      {.max_restarts = 2});
  const auto who = system.spawn<printer>({.name = "printer", .on_failure = by_kind});
  for (const int number : {1, 7, 2})
    who.tell(job{number});
  expect(system.ask(who, total{}, 1s).get() == 2, "a smudged page is only skipped");
  who.tell(job{8});
  expect(system.ask(who, total{}, 1s).get() == 0, "without paper it is restarted");
  who.tell(job{9});
  expect(!system.ask(who, total{}, 1s).get(), "any other runtime_error stops it");
}

void waiting() {
  simulation system;
  const auto flaky = system.spawn<meter>(
      {.name = "flaky",
       .on_failure = tactor::restart{.delay = {.min = 100ms, .max = 1s, .jitter_percent = 20}}});
  const auto ready = [&] { return system.ask(flaky, total{}, 1min).get().has_value(); };
  const auto since = [&](std::uint64_t begin) {
    return static_cast<int>((system.now_ns() - begin) / 1'000'000);
  };
  std::vector<int> waited;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t begin = system.now_ns();
    flaky.tell(reading{"garbled"});
    if (ready()) waited.push_back(since(begin));
  }
  for (const int each : waited)
    std::printf("       restarted after %d ms\n", each);
  expect(waited.size() == 6 && waited[0] >= 100 && waited[1] >= 200, "longer each time");
  expect(waited[5] >= 1000 && waited[5] <= 1220, "but not longer than most, and a fifth of that");
}

struct crash {};
struct count {
  using reply = int;
};

class member : public tactor::actor<job, crash, count> {
public:
  void receive(context&, job) { ++jobs_; }
  std::expected<void, tactor::failure> receive(context&, crash) {
    return std::unexpected{tactor::failure{"crashed"}};
  }
  int receive(context&, count) { return jobs_; }

private:
  int jobs_ = 0;
};

void siblings() {
  simulation system;
  const tactor::restart together{.scope = tactor::failure_scope::all_for_one};
  const auto reader = system.spawn<member>({.name = "reader", .on_failure = together});
  const auto writer = system.spawn<member>({.name = "writer", .on_failure = together});
  reader.tell(job{1});
  writer.tell(job{1});
  system.run_to_idle();
  reader.tell(crash{});
  system.run_to_idle();
  expect(system.ask(writer, count{}, 1s).get() == 0, "the writer was restarted as well");
}

/// Has a child that escalates its failures.
class team : public tactor::actor<crash, count> {
public:
  void pre_start(context& ctx) {
    child_ = ctx.spawn<member>({.name = "child", .on_failure = tactor::directive::escalate});
  }
  void receive(context&, crash c) { child_.tell(c); }
  tactor::delegated<int> receive(context& ctx, count c) { return ctx.forward(child_, c); }

private:
  tactor::actor_ref<job, crash, count> child_;
};

void escalation() {
  simulation system;
  auto news = system.spawn_probe<tactor::actor_failed>("news");
  system.events().subscribe<tactor::actor_failed>(news.ref());
  const auto group =
      system.spawn<team>({.name = "team", .on_failure = tactor::restart{.max_restarts = 1}});
  group.tell(crash{});
  const auto first = news.expect<tactor::actor_failed>();
  const auto second = news.expect<tactor::actor_failed>();
  for (const tactor::actor_failed& each : {first, second}) {
    const std::string path{each.path.view()};
    std::printf("       %s failed: %s\n", path.c_str(), to_text(each.decided));
  }
  expect(first.decided == tactor::directive::escalate, "the child leaves it to its parent");
  expect(second.decided == tactor::directive::restart, "which begins anew, with a new child");
  expect(system.ask(group, count{}, 1s).get() == 0, "and serves");
}

struct beat {};

/// A restart cancels the timers that the old instance has scheduled to itself.
class beacon : public tactor::actor<beat, crash, count> {
public:
  void pre_start(context& ctx) { (void)ctx.schedule_at_fixed_rate(1s, 1s, ctx.self(), beat{}); }
  void receive(context&, beat) { ++beats_; }
  std::expected<void, tactor::failure> receive(context&, crash) {
    return std::unexpected{tactor::failure{"crashed"}};
  }
  int receive(context&, count) { return beats_; }

private:
  int beats_ = 0;
};

void timers() {
  simulation system;
  const auto who = system.spawn<beacon>({.name = "beacon", .on_failure = tactor::restart{}});
  system.run_for(500ms);
  who.tell(crash{});
  system.run_for(10s);
  expect(system.ask(who, count{}, 1s).get() == 10, "one heart, not two");
}

class broken : public tactor::actor<job> {
public:
  explicit broken(int* tries) { ++*tries; }
  std::expected<void, tactor::failure> pre_start(context&) {
    return std::unexpected{tactor::failure{"no such port"}};
  }
  void receive(context&, job) {}
};

void starting() {
  int tries = 0;
  simulation system;
  const auto who = system.spawn<broken>(
      {.name = "broken",
       .on_failure = tactor::restart{.max_restarts = 3, .delay = {.min = 1s, .max = 1s}}},
      &tries);
  who.tell(job{1});
  system.run_for(1min);
  expect(tries == 4 && system.live() == 0, "it tried once, and three times more");
}

int serve() {
  tactor::actor_system system;
  const auto who =
      system.spawn<member>({.name = "vital", .on_failure = tactor::directive::escalate});
  who.tell(crash{});
  const tactor::shutdown_report end =
      system.run_until_interrupted();  // or until it stops by itself
  if (end.cause) {
    const std::string path{end.cause->path.view()};
    const std::string why{end.cause->why.text()};
    std::printf("       stopped because of %s: %s\n", path.c_str(), why.c_str());
  }
  return end.exit_status();
}

void past_the_root() {
  expect(serve() == 1, "the exit status says that something went wrong");
}

}  // namespace

int main() {
  shortest();
  resuming();
  hooks();
  deciders();
  waiting();
  siblings();
  escalation();
  timers();
  starting();
  past_the_root();
  return failures == 0 ? 0 : 1;
}
