// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/recipes.md; check_snippets.py compares the two.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

// Initialise before serving.

struct get {
  std::string key;
  using reply = std::string;
};

/// Stands for a file, a database, a device: something that takes time, and may not be there yet.
struct source {
  int refusals = 0;
  int opened = 0;
};
std::optional<std::string> load(source& from) {
  ++from.opened;
  if (from.refusals > 0) {
    --from.refusals;
    return std::nullopt;
  }
  return "tea";
}

class catalogue : public tactor::actor<get> {
public:
  explicit catalogue(source* from) : from_(from) {}

  std::expected<void, tactor::failure> pre_start(context&) {
    auto loaded = load(*from_);  // slow; no message is handled before pre_start returns
    if (!loaded) return std::unexpected{tactor::failure{"the catalogue cannot be read"}};
    content_ = *std::move(loaded);
    return {};
  }
  std::string receive(context&, const get&) { return content_; }

private:
  source* from_;
  std::string content_;
};

void initialise_by_oneself() {
  source file{.refusals = 3};
  simulation system{{}, {.dispatchers = {.all_on_pool = true}}};
  const auto goods = system.spawn<catalogue>(
      {.name = "catalogue",
       .dispatcher = tactor::dispatcher::blocking,
       .on_failure = tactor::restart{.max_restarts = 10, .delay = {.min = 100ms, .max = 5s}}},
      &file);
  const auto answer = system.ask(goods, get{"drink"}, 10s).get();
  expect(answer == "tea", "the ask waited until the catalogue was loaded");
  expect(file.opened == 4, "at the fourth attempt");
}

constexpr tactor::signal_key migrated{1};

class shop : public tactor::actor<get> {
public:
  void pre_start(context& ctx) {
    (void)ctx.suspend(tactor::suspend_reason::await_external, tactor::on_signal(migrated));
  }
  std::string receive(context&, const get& g) {
    if (g.key.empty()) throw g;
    return "sold: " + g.key;
  }
};

void wait_for_another_actor() {
  simulation system;
  const auto desk =
      system.spawn<shop>({.name = "shop", .on_failure = tactor::restart{.max_restarts = 1}});
  auto sold = system.ask(desk, get{"tea"}, 1min);
  system.run_for(10s);
  expect(!sold.ready(), "no message is handled yet");
  (void)system.signal(desk, migrated);
  expect(std::move(sold).get() == "sold: tea", "now they are");

  desk.tell(get{""});  // the next instance waits again
  auto later = system.ask(desk, get{"milk"}, 1min);
  system.run_for(10s);
  expect(!later.ready(), "a fresh instance waits as the first one did");
  (void)system.signal(desk, migrated);
  expect(std::move(later).get() == "sold: milk", "and serves what was queued meanwhile");
}

// Retry with back-off.

struct fetch {
  std::string page;
  using reply = std::string;
};
struct attempt {
  fetch what;
  tactor::reply_to<std::string> answer;
  tactor::duration wait;
  int left;
};

/// Asks a service that is not always there, a few times, with longer and longer pauses.
class retrying_client : public tactor::actor<fetch, attempt> {
public:
  explicit retrying_client(tactor::actor_ref<fetch> service) : service_(service) {}

  tactor::delegated<std::string> receive(context& ctx, const fetch& f) {
    auto answer = ctx.reply_later<std::string>();
    const auto promised = answer.as_delegated();
    go(ctx, {.what = f, .answer = std::move(answer), .wait = 100ms, .left = 4});
    return promised;
  }
  void receive(context& ctx, attempt&& a) { go(ctx, std::move(a)); }

private:
  void go(context& ctx, attempt a) {
    const fetch what = a.what;
    ctx.ask(service_, what, 1s, [a = std::move(a)](context& own, auto got) mutable {
      if (got) return a.answer.send(*std::move(got));
      if (--a.left == 0) return;  // the reply_to is destroyed: the asker gets no_reply
      const tactor::duration wait = a.wait;
      a.wait = std::chrono::nanoseconds{2 * wait.nanoseconds()};
      (void)own.schedule_once(wait, own.self(), std::move(a));
    });
  }

  tactor::actor_ref<fetch> service_;
};

class moody_service : public tactor::actor<fetch> {
public:
  explicit moody_service(std::vector<std::uint64_t>* asked) : asked_(asked) {}

  std::expected<std::string, tactor::failure> receive(context& ctx, const fetch& f) {
    asked_->push_back(ctx.now_ns() / 1'000'000);
    if (asked_->size() < 4) return std::unexpected{tactor::failure{"not now"}};
    return "<" + f.page + ">";
  }

private:
  std::vector<std::uint64_t>* asked_;
};

void retrying() {
  std::vector<std::uint64_t> asked;
  simulation system;
  const auto service = system.spawn<moody_service>(
      {.name = "service", .on_failure = tactor::directive::resume}, &asked);
  const auto client = system.spawn<retrying_client>("client", service);
  const auto page = system.ask(client, fetch{"news"}, 1min).get();
  expect(page == "<news>", "at the fourth attempt");
  for (std::size_t i = 1; i < asked.size(); ++i)
    std::printf("       again after %d ms\n", static_cast<int>(asked[i] - asked[i - 1]));

  asked.clear();
  system.stop(service);
  const auto nothing = system.ask(client, fetch{"news"}, 1min).get();
  expect(nothing.error().kind == tactor::ask_failure::no_reply, "or not at all, and says so");
}

// States of a class.

struct connect {};
struct connected {};
struct send_text {
  std::string text;
  using reply = bool;
};

/// A connection: closed, opening (and what waits for it), or open.
class connection : public tactor::actor<connect, connected, send_text> {
  struct closed {};
  struct opening {
    std::vector<std::string> waiting;
  };
  struct open {
    int sent = 0;
  };

public:
  explicit connection(std::vector<std::string>* line) : line_(line) {}

  void receive(context& ctx, connect) {
    if (!std::holds_alternative<closed>(state_)) return;
    state_ = opening{};
    (void)ctx.schedule_once(10ms, ctx.self(), connected{});
  }
  void receive(context&, connected) {
    auto* const was = std::get_if<opening>(&state_);
    if (was == nullptr) return;  // closed meanwhile
    const auto waiting = std::move(was->waiting);
    auto& now = state_.emplace<open>();
    for (const std::string& each : waiting)
      put(now, each);
  }
  bool receive(context&, const send_text& s) {
    if (auto* const now = std::get_if<open>(&state_)) return put(*now, s.text);
    if (auto* const soon = std::get_if<opening>(&state_)) {
      soon->waiting.push_back(s.text);
      return true;
    }
    return false;  // closed
  }

private:
  bool put(open& now, const std::string& text) {
    line_->push_back(std::to_string(++now.sent) + " " + text);
    return true;
  }

  std::vector<std::string>* line_;
  std::variant<closed, opening, open> state_;
};

void states() {
  std::vector<std::string> line;
  simulation system;
  const auto who = system.spawn<connection>("connection", &line);
  const auto send = [&](const char* text) {
    return system.ask(who, send_text{text}, 1s).get().value_or(false);
  };
  expect(!send("early"), "closed: refused");
  who.tell(connect{});
  expect(send("a") && send("b") && line.empty(), "opening: it waits");
  system.run_for(20ms);
  expect(send("c") && line == std::vector<std::string>{"1 a", "2 b", "3 c"}, "open: it is sent");
}

// Circuit a flaky device.

struct measure {
  using reply = std::optional<double>;
};
struct close_again {};

/// Asks a device. After three failures in a row it answers at once, without a value, and does not
/// ask the device for a while; then one more failure is enough.
class breaker : public tactor::actor<measure, close_again> {
public:
  explicit breaker(tactor::actor_ref<measure> device) : device_(device) {}

  tactor::delegated<std::optional<double>> receive(context& ctx, measure m) {
    auto answer = ctx.reply_later<std::optional<double>>();
    const auto promised = answer.as_delegated();
    if (open_) {
      answer.send(std::nullopt);
      return promised;
    }
    ctx.ask(device_, m, 100ms, [this, answer = std::move(answer)](context& own, auto got) mutable {
      got ? note_success() : note_failure(own);
      answer.send(got.value_or(std::nullopt));
    });
    return promised;
  }
  void receive(context&, close_again) { open_ = false; }

private:
  void note_success() { failures_ = 0; }
  void note_failure(context& ctx) {
    if (open_ || ++failures_ < 3) return;
    open_ = ctx.schedule_once(5s, ctx.self(), close_again{}).has_value();
  }

  tactor::actor_ref<measure> device_;
  int failures_ = 0;
  bool open_ = false;
};

void breaking() {
  simulation system;
  auto device = system.spawn_probe<measure>("device");
  const auto guarded = system.spawn<breaker>("breaker", device.ref());
  const auto ask = [&] { return system.ask(guarded, measure{}, 1s).get().value_or(-1.0); };

  int nothing = 0;
  for (int i = 0; i < 10; ++i)
    nothing += ask() ? 0 : 1;
  expect(nothing == 10 && device.waiting() == 3,
         "the silent device was asked three times, not ten");

  system.run_for(5s);
  expect(!ask() && !ask() && device.waiting() == 4, "one more try");

  system.run_for(5s);
  while (device.waiting() > 0)
    (void)device.expect<measure>();
  auto answer = system.ask(guarded, measure{}, 1s);
  (void)device.expect<measure>();
  device.reply<measure>(21.5);
  expect(std::move(answer).get() == 21.5, "the device is back");
}

}  // namespace

int main() {
  initialise_by_oneself();
  wait_for_another_actor();
  retrying();
  states();
  breaking();
  return failures == 0 ? 0 : 1;
}
