// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/04-manual-time.md; check_snippets.py compares the two.
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

using namespace std::chrono_literals;

namespace {

using tactor::execution_batch;

struct ring {};

void three_ways() {
  tactor::testkit::scheduler_harness<64, 16> world;
  int executions = 0;
  unsigned long long runs = 0;
  auto job = world.timers().schedule_at_fixed_rate(10ms, 10ms, [&](execution_batch batch) {
    ++executions;
    runs += batch.runs;
  });

  world.clock().advance(100ms);  // goes from deadline to deadline
  expect(executions == 10 && runs == 10, "ten runs, each at its own time");

  world.clock().jump(100ms);  // a pause without polls
  expect(executions == 11 && runs == 20, "the ten missed runs came as one batch");

  expect(world.clock().advance_to_next(), "to the next deadline, and there is one");
  expect(executions == 12, "one step");
  expect(job->cancel(), "a periodic job can be cancelled at any time");
}

void cancel_while_due() {
  tactor::testkit::scheduler_harness<64, 16> world;
  world.hold_jobs();
  bool ran = false;
  auto handle = world.timers().schedule_once(50ms, [&] { ran = true; });

  world.clock().advance(50ms);  // due, and waiting in the dispatcher
  expect(world.dispatcher().size() == 1, "it waits to be run");
  expect(handle->cancel(), "it has not begun, so it can still be cancelled");
  world.dispatcher().run_all();
  expect(!ran, "and then it does not run");
}

void stall() {
  tactor::testkit::scheduler_harness<64, 16> world;
  const auto handle = world.timers().schedule_once(50ms, [] {});
  world.stop_driver();
  world.clock().advance(2s);
  expect(world.timers().metrics().warnings_total == 1, "asking for the metrics notices the stall");
  world.resume_driver();
  world.clock().advance(10ms);
  expect(handle->is_completed(), "the first poll makes up for it");
}

void receivers() {
  struct ping {
    int number;
  };
  tactor::testkit::scheduler_harness<64, 16> world;
  tactor::testkit::queue_mailbox<8> mailbox;
  const auto handle = world.timers().schedule_once(50ms, mailbox, ping{7});

  world.clock().advance(50ms);
  tactor::timer_job* const job = mailbox.take();
  expect(job != nullptr, "the message waits in the mailbox");
  if (job == nullptr) return;
  if (const auto batch = job->begin()) {  // nothing: it was cancelled while it waited
    expect(job->take<ping>(*batch).number == 7, "the message that was scheduled");
    job->finish({});
  }
  expect(handle->is_completed(), "it has been handled");
}

void without_the_harness() {
  tactor::testkit::manual_clock clock;
  tactor::testkit::queue_dispatcher dispatcher;
  tactor::testkit::scheduler_drive drive{clock, dispatcher};
  static tactor::static_scheduler_storage<64, 16> storage;
  {
    tactor::scheduler timers{{}, storage.parts(clock, dispatcher, &drive)};
    drive.start(timers);
    bool ran = false;
    const auto handle = timers.schedule_once(20ms, [&] { ran = true; });
    clock.advance(20ms);
    expect(ran && handle->is_completed(), "the clock drives the scheduler");
    drive.stop();
  }
}

void real_threads() {
  std::atomic<int> rings = 0;
  tactor::testkit::manual_clock clock;
  tactor::actor_system system{
      {.workers = 2, .clock = {.source = &clock, .use = tactor::clock_use::test}}};
  const tactor::testkit::system_drive drive{clock, system};
  const auto bell = system.spawn("bell", [&](tactor::context&, ring) { ++rings; });
  const auto job = system.schedule_at_fixed_rate(10s, 10s, bell, ring{});
  clock.advance(1min);
  expect(job && rings == 6, "each time the workers were idle before the clock advanced");
}

void invariants() {
  tactor::testkit::scheduler_harness<64, 16> world;
  for (int i = 0; i < 10; ++i)
    expect(world.timers().schedule_once(std::chrono::milliseconds{10 + 7 * i}, [] {}).has_value(),
           "there is capacity");
  world.inject_random_cancel(42);
  world.clock().advance(1s);
  expect(static_cast<bool>(world.assert_monotonic()), "no timer fired early or out of order");
  expect(static_cast<bool>(world.check_invariants()), "counters, records and wheel agree");
  expect(static_cast<bool>(world.check_nothing_left()), "nothing is left behind");
}

class session {
public:
  explicit session(tactor::deadline_timer& deadlines)
      : deadlines_(deadlines), idle_(deadlines.insert(30s).value_or(tactor::deadline_key{})) {}

  void touch() { (void)deadlines_.rearm(idle_, 30s); }
  bool is_over() {
    while (const auto reached = deadlines_.poll_expired())
      over_ = over_ || *reached == idle_;
    return over_;
  }

private:
  tactor::deadline_timer& deadlines_;
  tactor::deadline_key idle_;
  bool over_ = false;
};

void polled_deadlines() {
  tactor::testkit::manual_deadline_timer<> deadlines;
  session subject{deadlines};
  deadlines.advance(29s);
  subject.touch();
  deadlines.advance(29s);
  expect(!subject.is_over(), "it was used in between");
  deadlines.advance(1s);
  expect(subject.is_over(), "30 seconds without use");
}

class text_of final : public tactor::text_sink {
public:
  explicit text_of(std::string& to) : to_(to) {}
  void write(std::string_view piece) noexcept override { to_ += piece; }

private:
  std::string& to_;
};

std::string record() {
  std::string text;
  text_of file{text};
  tactor::testkit::scheduler_harness<64, 16> world;
  std::array<tactor::log_entry, 64> entries{};
  std::array<tactor::logged_timer, 16> timers{};
  tactor::deterministic_log log{world.timers().events(), {.entries = entries, .timers = timers}};
  auto job = world.timers().schedule_at_fixed_rate(10ms, 25ms, [] {});
  world.clock().advance(100ms);
  job->cancel();
  log.stop();
  log.save(file);
  return text;
}

void play_back(const std::string& text) {
  std::array<tactor::log_entry, 64> loaded{};
  const auto trace = tactor::load_trace(text, loaded);
  if (!trace) return;
  int runs = 0;
  tactor::testkit::trace_player player{{.system_quota = 16}, [&](std::uint64_t) { ++runs; }};
  const auto difference = player.play(*trace);
  expect(!difference, "the scheduler did the same as when it was recorded");
  expect(runs == 4, "and its runs can be watched");
}

}  // namespace

int main() {
  three_ways();
  cancel_while_due();
  stall();
  receivers();
  without_the_harness();
  real_threads();
  invariants();
  polled_deadlines();
  play_back(record());
  std::puts(failures == 0 ? "as the guide says" : "NOT as the guide says");
  return failures == 0 ? 0 : 1;
}
