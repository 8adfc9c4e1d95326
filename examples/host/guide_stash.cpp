// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/11-stash.md and of keyed timers in 03-timers.md; check_snippets.py
// compares them.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <expected>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct connected {};
struct query {
  std::string text;
  using reply = std::string;
};
struct row {
  std::vector<int> columns;
};

/// Answers queries once it is connected, and stashes queries that come earlier.
class database : public tactor::actor<query, connected> {
public:
  void pre_start(context& ctx) { (void)ctx.set_stash_capacity(100); }

  std::expected<std::string, tactor::failure> receive(context& ctx, const query& q) {
    if (connected_) return "result of " + q.text;
    if (const auto kept = ctx.stash(q); !kept)
      return std::unexpected{tactor::failure{to_text(kept.error())}};
    return {};  // ignored: the query is answered when it is handled again
  }
  void receive(context& ctx, connected) {
    connected_ = true;
    ctx.unstash_all();
  }

private:
  bool connected_ = false;
};

void initialise() {
  simulation world;
  const auto db = world.spawn<database>("database");
  auto early = world.ask(db, query{"a"}, 1s);
  world.run_for(100ms);
  db.tell(connected{});
  auto late = world.ask(db, query{"b"}, 1s);
  expect(std::move(early).get() == "result of a", "the early query is answered");
  expect(std::move(late).get() == "result of b", "and so is the late one");
}

/// A message taken by value is moved into the stash.
class importer : public tactor::actor<row, connected> {
public:
  explicit importer(std::vector<int>* sums) : sums_(sums) {}
  void receive(context& ctx, row r) {
    if (!connected_) {
      if (!ctx.stash(std::move(r))) ctx.log(tactor::log_level::warning, "a row is lost");
      return;
    }
    int sum = 0;
    for (const int each : r.columns)
      sum += each;
    sums_->push_back(sum);
  }
  void receive(context& ctx, connected) {
    connected_ = true;
    ctx.unstash_all();
  }

private:
  std::vector<int>* sums_;
  bool connected_ = false;
};

void by_value() {
  std::vector<int> sums;
  simulation world;
  const auto who = world.spawn<importer>("importer", &sums);
  who.tell(row{{1, 2}});
  who.tell(connected{});
  who.tell(row{{3, 4}});
  world.run_to_idle();
  expect(sums == std::vector{3, 7}, "in the order of arrival");
}

struct poll {};
struct measured {};
struct too_late {};

/// Polls a device every second, and counts requests that take longer than 200 ms.
class poller : public tactor::actor<poll, measured, too_late> {
public:
  void pre_start(context& ctx) { (void)ctx.start_timer("poll", tactor::every(1s), poll{}); }

  void receive(context& ctx, poll) {
    ++asked_;
    (void)ctx.start_timer("late", tactor::after(200ms), too_late{});
  }
  void receive(context& ctx, measured) { ctx.cancel_timer("late"); }
  void receive(context&, too_late) { ++late_; }

private:
  int asked_ = 0;
  int late_ = 0;
};

void keyed_timers() {
  simulation world;
  const auto who = world.spawn<poller>("poller");
  world.run_for(1100ms);
  who.tell(measured{});
  world.run_for(500ms);
  world.stop(who);
  world.run_for(1s);
  expect(world.timers().metrics().active_total == 0, "its timers are gone with it");
}

}  // namespace

int main() {
  initialise();
  by_value();
  keyed_timers();
  return failures == 0 ? 0 : 1;
}
