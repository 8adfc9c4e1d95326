// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/12-patterns.md; check_snippets.py compares the two.
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;
namespace patterns = tactor::patterns;

namespace {

struct page {
  std::string text;
  using reply = std::size_t;
};

/// Counts the words of a page.
class word_counter : public tactor::actor<page> {
public:
  std::size_t receive(context&, const page& p) {
    std::size_t words = 0;
    bool inside = false;
    for (const char each : p.text) {
      words += !inside && each != ' ' ? 1 : 0;
      inside = each != ' ';
    }
    return words;
  }
};

void routers() {
  simulation world;
  const auto counters = patterns::spawn_pool<word_counter>(
      world, {.name = "counters", .workers = 8}, patterns::least_queued{});
  expect(world.ask(counters, page{"to be or not"}, 1s).get() == 4, "a worker has answered");

  counters.tell(patterns::resize_pool{2});
  const auto done = world.ask(counters, patterns::count_routed{}, 1s).get();
  expect(done && done->workers == 2 && done->handled == 1, "two workers are left");
}

struct session_id {
  std::uint64_t number;
};
struct request {
  session_id session;
};
std::uint64_t routing_key(const request& r) {
  return r.session.number;
}

void keys() {
  simulation world;
  auto first = world.spawn_probe<request>("first");
  auto second = world.spawn_probe<request>("second");
  const std::vector<tactor::actor_ref<request>> shards{first.ref(), second.ref()};
  const auto sessions =
      patterns::spawn_group(world, "sessions", patterns::consistent_hash{}, shards);
  for (int each = 0; each < 3; ++each)
    sessions.tell(request{{7}});
  world.run_to_idle();
  expect(first.waiting() == 3 || second.waiting() == 3, "all requests of a session in one place");
  while (first.waiting() > 0)
    (void)first.expect<request>();
  while (second.waiting() > 0)
    (void)second.expect<request>();
}

struct invoice {
  int amount;
};
struct subscribe {
  tactor::actor_ref<invoice> to;
};
struct money_is_due {
  int amount;
};

/// Knows nothing of invoices: an adapter turns them into its own messages.
class treasurer : public tactor::actor<money_is_due> {
public:
  treasurer(tactor::actor_ref<subscribe> billing, int* sum) : billing_(billing), sum_(sum) {}
  void pre_start(context& ctx) {
    const auto invoices =
        patterns::adapt<invoice>(ctx, [](const invoice& i) { return money_is_due{i.amount}; });
    billing_.tell(subscribe{invoices});
  }
  void receive(context&, money_is_due m) { *sum_ += m.amount; }

private:
  tactor::actor_ref<subscribe> billing_;
  int* sum_;
};

void adapters() {
  int sum = 0;
  simulation world;
  const auto billing =
      world.spawn("billing", [](tactor::context&, const subscribe& s) { s.to.tell(invoice{100}); });
  world.spawn<treasurer>("treasurer", billing, &sum);
  world.run_to_idle();
  expect(sum == 100, "the invoice has arrived");
}

enum class lamp_state : std::uint8_t { dark, lit };
struct press {};
struct expire {};

/// A lamp in a staircase: it is switched off after a minute.
class lamp : public tactor::actor<press, expire> {
public:
  void receive(context& ctx, press) { (void)state_.enter(ctx, lamp_state::lit, 1min, expire{}); }
  void receive(context& ctx, expire) { state_.enter(ctx, lamp_state::dark); }

private:
  patterns::state_machine<lamp_state> state_{lamp_state::dark};
};

void state_machines() {
  simulation world;
  auto observer = world.spawn_probe<patterns::state_changed<lamp_state>>("observer");
  (void)world.events().subscribe<patterns::state_changed<lamp_state>>(observer.ref());
  const auto who = world.spawn<lamp>("lamp");
  who.tell(press{});
  expect(observer.expect<patterns::state_changed<lamp_state>>().to == lamp_state::lit, "lit");
  world.run_for(1min);
  expect(observer.expect<patterns::state_changed<lamp_state>>().to == lamp_state::dark, "dark");
}

struct measure {
  using reply = double;
};
struct show {
  using reply = std::optional<double>;
};

/// Shows what a device measures; while the device does not answer, it shows nothing, at once.
class display : public tactor::actor<show> {
public:
  explicit display(tactor::actor_ref<measure> device) : device_(device) {}
  tactor::delegated<std::optional<double>> receive(context& ctx, show) {
    auto answer = ctx.reply_later<std::optional<double>>();
    const auto promised = answer.as_delegated();
    breaker_.ask(ctx, device_, measure{}, 100ms, [answer = std::move(answer)](auto got) mutable {
      answer.send(got ? std::optional{*got} : std::nullopt);
    });
    return promised;
  }

private:
  tactor::actor_ref<measure> device_;
  patterns::circuit_breaker breaker_{{.max_failures = 3, .min_open = 5s}};
};

void breakers() {
  simulation world;
  auto device = world.spawn_probe<measure>("device");
  const auto who = world.spawn<display>("display", device.ref());
  for (int each = 0; each < 10; ++each)
    (void)world.ask(who, show{}, 1s).get();
  expect(device.waiting() == 3, "the silent device was asked three times, not ten");
  while (device.waiting() > 0)
    (void)device.expect<measure>();
}

}  // namespace

int main() {
  routers();
  keys();
  adapters();
  state_machines();
  breakers();
  return failures == 0 ? 0 : 1;
}
