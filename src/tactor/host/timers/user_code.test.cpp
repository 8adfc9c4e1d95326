// SPDX-License-Identifier: BSL-1.0
// Users' destructors, sinks and hooks that call the library, or wait for a thread that does: no
// lock of the library is held meanwhile.
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {

namespace {

using namespace std::chrono_literals;

class no_text final : public text_sink {
public:
  void write(std::string_view /*piece*/) noexcept override {}
};

// Calls from another thread, and whether they returned. The test waits at the end for a call that
// hangs.
class calls_elsewhere {
public:
  explicit calls_elsewhere(std::function<void()> call) : call_(std::move(call)) {}

  void make() {
    ++made_;
    waiting_.push_back(std::async(std::launch::async, call_));
    if (waiting_.back().wait_for(10s) == std::future_status::ready) ++returned_;
  }
  [[nodiscard]] int made() const { return made_; }
  [[nodiscard]] bool all_returned() const { return made_ == returned_; }

private:
  std::function<void()> call_;
  int made_ = 0;
  int returned_ = 0;
  std::vector<std::future<void>> waiting_;
};

// Makes a call when it is destroyed; not when it was moved from.
struct calls_when_destroyed {
  struct make_call {
    void operator()(calls_elsewhere* calls) const { calls->make(); }
  };
  explicit calls_when_destroyed(calls_elsewhere& calls) : to(&calls) {}
  std::unique_ptr<calls_elsewhere, make_call> to;
};

void dump_all(scheduler& of) {
  no_text nowhere;
  dump(of, dump_format::text, nowhere);
}

class user_code_of_timers : public testing::Test {
protected:
  static host::realtime_config config(testkit::manual_clock& clock) {
    host::realtime_config chosen{.clock = &clock, .use = clock_use::test};
    chosen.timers.timing.overflow_capacity = 1;
    return chosen;
  }
  testkit::manual_clock clock;
  host::realtime_scheduler subject = *host::realtime_scheduler::start(config(clock));
  calls_elsewhere dumps{[this] { dump_all(subject.timers()); }};
};

// spec: S8
TEST_F(user_code_of_timers, the_destructor_of_an_evicted_callable_runs_without_a_lock) {
  once_options low;
  low.priority = timer_priority::low;
  ASSERT_TRUE(subject->schedule_once(1h, [c = calls_when_destroyed{dumps}] {}, std::move(low)));
  ASSERT_TRUE(subject->schedule_once(1h, [] {}));
  testkit::system_steps::poll_now(subject);

  EXPECT_EQ(dumps.made(), 1);
  EXPECT_TRUE(dumps.all_returned());
}

TEST_F(user_code_of_timers,
       the_destructor_of_a_callable_with_too_many_due_runs_runs_without_a_lock) {
  periodic_options few;
  few.backlog_limit = 1;
  ASSERT_TRUE(subject->schedule_at_fixed_rate(
      10ms, 10ms, [c = calls_when_destroyed{dumps}] {}, std::move(few)));
  testkit::system_steps::poll_now(subject);
  clock.jump(1s);
  testkit::system_steps::poll_now(subject);

  EXPECT_EQ(dumps.made(), 1);
  EXPECT_TRUE(dumps.all_returned());
}

TEST_F(user_code_of_timers,
       the_destructor_of_a_callable_cancelled_at_shutdown_runs_without_a_lock) {
  ASSERT_TRUE(subject->schedule_once(1s, [c = calls_when_destroyed{dumps}] {}));
  EXPECT_EQ(subject.shutdown().cancelled, 1u);

  EXPECT_EQ(dumps.made(), 1);
  EXPECT_TRUE(dumps.all_returned());
}

TEST_F(user_code_of_timers, the_sink_of_a_dump_is_called_without_a_lock) {
  class dumping_sink final : public text_sink {
  public:
    explicit dumping_sink(calls_elsewhere& calls) : calls_(calls) {}
    void write(std::string_view piece) noexcept override {
      if (piece.contains("mode") || piece.contains("wheel")) calls_.make();
    }

  private:
    calls_elsewhere& calls_;
  } sink{dumps};
  ASSERT_TRUE(subject->schedule_once(1s, [] {}));
  ASSERT_TRUE(subject->schedule_at_fixed_rate(1s, 1s, [] {}));
  testkit::system_steps::poll_now(subject);
  dump(subject.timers(), dump_format::json, sink);

  EXPECT_GT(dumps.made(), 0);
  EXPECT_TRUE(dumps.all_returned());
}

// A task that registers another one while it is moved.
struct registers_when_moved {
  registers_when_moved(scheduler& timers, int& ran) : with(&timers), runs(&ran) {}
  registers_when_moved(registers_when_moved&& other) noexcept : with(other.with), runs(other.runs) {
    (void)with->on_close(close_priority::user, [] {});
  }
  void operator()() const { ++*runs; }
  scheduler* with;
  int* runs;
};

// spec: S12
TEST_F(user_code_of_timers, a_close_task_is_moved_without_a_lock) {
  int ran = 0;
  ASSERT_TRUE(
      subject->on_close(close_priority::critical, registers_when_moved{subject.timers(), ran}));
  EXPECT_GT(subject.shutdown().run, 1u);
  EXPECT_EQ(ran, 1);
}

// Actors.

struct parcel {
  explicit parcel(calls_elsewhere& calls) : call(calls) {}
  calls_when_destroyed call;
};
struct pause {
  std::latch* begun;
  std::latch* go_on;
};
class counter : public actor<parcel, pause> {
public:
  void receive(context&, const parcel&) {}
  void receive(context&, const pause& p) {
    p.begun->count_down();
    p.go_on->wait();
  }
};

struct log_calls {
  calls_elsewhere* calls = nullptr;
};
void call_for_dead_letter(void* context, const log_record& record) noexcept {
  calls_elsewhere* const calls = static_cast<log_calls*>(context)->calls;
  if (record.kind == log_kind::dead_letter && calls != nullptr) calls->make();
}

struct actor_world {
  testkit::manual_clock clock;
  std::latch begun{1};
  std::latch go_on{1};
  log_calls logged;
  actor_system system{{.clock = {.source = &clock, .use = clock_use::test},
                       .log = {.sink = {call_for_dead_letter, &logged}}}};
  calls_elsewhere dumps{[this] { dump_all(system.timers()); }};

  // A busy actor whose mailbox is full with one message.
  actor_ref<parcel, pause> spawn_full(overflow_strategy rule) {
    const auto to = system.spawn<counter>({.mailbox = {.capacity = 1, .overflow = rule}});
    (void)to.tell(pause{&begun, &go_on});
    begun.wait();
    (void)to.tell(parcel{dumps});
    return to;
  }
};

TEST(user_code, the_destructor_of_a_message_that_a_timers_message_evicts_runs_without_a_lock) {
  std::latch never{0};
  actor_world w;
  const auto to = w.spawn_full(overflow_strategy::drop_oldest);
  ASSERT_TRUE(w.system.schedule_once(10ms, to, pause{&w.begun, &never}));
  w.clock.jump(10ms);
  testkit::system_steps::poll_now(w.system);
  w.go_on.count_down();

  EXPECT_EQ(w.dumps.made(), 1);
  EXPECT_TRUE(w.dumps.all_returned());
}

TEST(user_code, the_destructor_of_a_hook_runs_without_a_lock_if_the_receiver_has_ended) {
  std::latch never{0};
  actor_world w;
  const auto to = w.system.spawn<counter>(spawn_options{});
  w.system.stop(to);
  testkit::system_steps::settle(w.system);
  periodic_options hooked;
  hooked.on_cancelled = [c = calls_when_destroyed{w.dumps}] {};
  ASSERT_TRUE(
      w.system.schedule_at_fixed_rate(10ms, 10ms, to, pause{&w.begun, &never}, std::move(hooked)));
  w.clock.jump(10ms);
  testkit::system_steps::poll_now(w.system);
  testkit::system_steps::poll_now(w.system);

  EXPECT_EQ(w.dumps.made(), 1);
  EXPECT_TRUE(w.dumps.all_returned());
}

TEST(user_code, the_log_gets_a_timers_dead_letter_without_a_lock) {
  actor_world w;
  w.logged.calls = &w.dumps;
  const auto to = w.spawn_full(overflow_strategy::drop_newest);
  ASSERT_TRUE(w.system.schedule_once(10ms, to, parcel{w.dumps}));
  w.clock.jump(10ms);
  testkit::system_steps::poll_now(w.system);

  EXPECT_GE(w.dumps.made(), 1);
  EXPECT_TRUE(w.dumps.all_returned());
  w.go_on.count_down();
  (void)w.system.shutdown();
  w.logged.calls = nullptr;
}

// A destructor that shuts down, on a thread that a shutdown waits for, must not wait for that
// thread.
struct shuts_down {
  struct call {
    void operator()(const std::function<void()>* act) const { (*act)(); }
  };
  explicit shuts_down(const std::function<void()>& act) : to(&act) {}
  std::unique_ptr<const std::function<void()>, call> to;
};
class sleeper : public actor<shuts_down, pause> {
public:
  void receive(context&, const shuts_down&) {}
  void receive(context&, const pause& p) {
    p.begun->count_down();
    p.go_on->wait();
  }
};

// spec: S12
TEST(user_code, shuts_the_system_down_from_the_timers_thread) {
  std::latch begun{1};
  std::latch go_on{1};
  std::latch never{0};
  std::latch returned{1};
  actor_system system;
  const std::function<void()> act = [&] {
    (void)system.shutdown(20s);
    go_on.count_down();
    returned.count_down();
  };
  const auto to = system.spawn<sleeper>(
      {.mailbox = {.capacity = 1, .overflow = overflow_strategy::drop_oldest}});
  (void)to.tell(pause{&begun, &go_on});
  begun.wait();
  (void)to.tell(shuts_down{act});
  ASSERT_TRUE(system.schedule_once(10ms, to, pause{&begun, &never}));
  returned.wait();
  EXPECT_TRUE(system.shutdown(20s).complete);
}

// spec: S12
TEST_F(user_code_of_timers, a_hook_that_a_late_callable_holds_up_may_shut_down) {
  std::latch begun{1};
  std::latch go_on{1};
  host::realtime_config one_thread = config(clock);
  one_thread.callable_threads = 1;
  subject = *host::realtime_scheduler::start(one_thread);
  ASSERT_TRUE(subject->schedule_once(10ms, [&] {
    begun.count_down();
    go_on.wait();
  }));
  clock.jump(10ms);
  testkit::system_steps::poll_now(subject);
  begun.wait();
  host::close_summary known;
  ASSERT_TRUE(
      subject->schedule_once(1h, [] {}, {.on_cancelled = [&] { known = subject.shutdown(20s); }}));

  EXPECT_EQ(subject.shutdown(0ms), (host::close_summary{.late = 1, .cancelled = 1}));
  EXPECT_EQ(known, (host::close_summary{.cancelled = 1}));
  go_on.count_down();
  subject = *host::realtime_scheduler::start(config(clock));  // destroys the first: it waits
}

// Close tasks that are still there at the deadline; one shuts down when it is given up.
void add_late_tasks(scheduler& to, std::latch& go_on, const std::function<void()>& shut_down) {
  const auto wait = [&] { go_on.wait(); };
  ASSERT_TRUE(to.on_close(close_priority::critical, wait));
  ASSERT_TRUE(to.on_close(close_priority::system, wait));
  ASSERT_TRUE(to.on_close(close_priority::user, [c = shuts_down{shut_down}] {}));
}

// spec: S12
TEST_F(user_code_of_timers, a_close_task_that_is_given_up_may_shut_down) {
  std::latch go_on{1};
  int calls = 0;
  const std::function<void()> act = [&] {
    (void)subject.shutdown(20s);
    ++calls;
  };
  add_late_tasks(subject.timers(), go_on, act);

  EXPECT_EQ(subject.shutdown(0ms).late, 3u);
  EXPECT_EQ(calls, 1);
  go_on.count_down();
  subject = *host::realtime_scheduler::start(config(clock));  // destroys the first: it waits
}

// spec: S12 D4
TEST(user_code, a_close_task_that_is_given_up_may_shut_the_system_down) {
  std::latch go_on{1};
  int calls = 0;
  const actor_system system;
  const std::function<void()> act = [&] {
    (void)system.shutdown(20s);
    ++calls;
  };
  add_late_tasks(system.timers(), go_on, act);

  EXPECT_EQ(system.shutdown(0ms).tasks_late, 3u);
  EXPECT_EQ(calls, 1);
  go_on.count_down();
}

// spec: S12
TEST_F(user_code_of_timers, two_schedulers_that_shut_each_other_down_do_not_wait) {
  testkit::manual_clock clock_of_other;
  const auto other = *host::realtime_scheduler::start(config(clock_of_other));
  const std::function<void()> shut_down = [&] { (void)subject.shutdown(20s); };
  const std::function<void()> shut_other_down = [&] { (void)other.shutdown(20s); };
  ASSERT_TRUE(subject->schedule_once(1h, [c = shuts_down{shut_other_down}] {}));
  ASSERT_TRUE(other->schedule_once(1h, [c = shuts_down{shut_down}] {}));

  EXPECT_EQ(subject.shutdown().cancelled, 1u);
  EXPECT_EQ(other.shutdown().cancelled, 1u);
}

struct late_log {
  actor_system* system = nullptr;
  int calls = 0;
};
void shut_down_for_late_actor(void* context, const log_record& record) noexcept {
  auto& log = *static_cast<late_log*>(context);
  if (record.actor != "/user/late") return;
  (void)log.system->shutdown(20s);
  ++log.calls;
}

// spec: D4 O6
TEST(user_code, the_log_of_a_late_actor_may_shut_the_system_down) {
  late_log log;
  actor_system system{{.log = {.sink = {shut_down_for_late_actor, &log}}}};
  log.system = &system;
  const auto late = system.spawn<counter>("late");
  ASSERT_TRUE(system.suspend(late, suspend_reason::user_defined));
  while (system.metrics().suspensions == 0)  // a worker does it
    std::this_thread::yield();
  (void)late.tell(pause{});  // becomes a dead letter

  EXPECT_FALSE(system.shutdown(0ms).complete);
  EXPECT_GE(log.calls, 1);  // it is suspended; the turn that did it may be late, too
}

}  // namespace
}  // namespace tactor
