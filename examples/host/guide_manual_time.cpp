// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/04-manual-time.md; check_snippets.py compares the two.
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

namespace {

using tactor::execution_batch;

struct ring {};

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

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

}  // namespace

int main() {
  three_ways();
  cancel_while_due();
  stall();
  receivers();
  without_the_harness();
  real_threads();
  invariants();
  std::puts(failures == 0 ? "as the guide says" : "NOT as the guide says");
  return failures == 0 ? 0 : 1;
}
