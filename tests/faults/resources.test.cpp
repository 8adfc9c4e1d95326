// SPDX-License-Identifier: BSL-1.0
// Every request for memory or a thread fails once, each in a process of its own: nothing hangs,
// nothing ends the program, and every message is accounted for.
#include "tactor/host.hpp"
#include "tactor/timers.hpp"

#include "each_request.hpp"
#include "ledger.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace tactor::faults {
namespace {

using namespace std::chrono_literals;

/// A message that is counted; its size decides where its envelope comes from.
template <std::size_t Size>
struct note {
  explicit note(ledger& in) noexcept : book(&in) { ++book->alive; }
  note(const note& other) noexcept : book(other.book) { ++book->alive; }
  note& operator=(const note&) = delete;
  ~note() { --book->alive; }
  ledger* book;
  std::array<char, Size> rest{};
};
using small_note = note<8>;
using large_note = note<10'000>;

struct twice {
  int number;
  using reply = int;
};
struct work {
  using reply = void;
};
struct fails {};

/// Answers, and counts what it is told.
class clerk : public actor<small_note, large_note, twice, fails, dead_letter> {
public:
  void receive(context&, const small_note& n) { ++n.book->handled; }
  void receive(context&, const large_note& n) { ++n.book->handled; }
  int receive(context&, const twice& t) { return 2 * t.number; }
  void receive(context&, const dead_letter&) {}
  std::expected<void, failure> receive(context&, fails) { return std::unexpected{failure{"so"}}; }
};

/// Does what an actor can do, and answers when it has the answer that it needs.
class manager : public actor<work, small_note> {
public:
  explicit manager(ledger* const& book) : book_(book) {}
  delegated<void> receive(context& ctx, const work&) {
    owed_ = ctx.reply_later<void>();
    const auto promised = owed_.as_delegated();
    (void)ctx.set_receive_timeout(1h, *this);
    (void)ctx.schedule_once(1h, ctx.self(), small_note{*book_});
    (void)ctx.schedule_with_fixed_delay(1ms, 1ms, ctx.self(), small_note{*book_});
    const auto child = ctx.try_spawn<clerk>({.name = "child",
                                             .mailbox = {.capacity = 8},
                                             .on_failure = restart{.delay = {.min = 1ms}}});
    if (!child) {
      owed_.send();
      return promised;
    }
    (void)ctx.watch(*child, *this);
    child->tell(fails{});
    ctx.ask(*child, twice{1}, timeout, [this](const auto& said) {
      if (!said && said.error().kind == ask_failure::timed_out) book_->timed_out = true;
      owed_.send();
    });
    (void)ctx.suspend(suspend_reason::rate_limit, resume_after(1ms));
    return promised;
  }
  void receive(context&, const small_note&) {}
  void receive(context&, const receive_timeout&) {}
  void receive(context&, const terminated&) {}

private:
  ledger* book_;
  reply_to<void> owed_;
};

template <class System>
void use(System& system, ledger& book) {
  for (const auto where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
    const auto who = system.template try_spawn<clerk>({.dispatcher = where});
    if (!who) continue;
    for (int i = 0; i < 10; ++i) {
      tell(*who, small_note{book});
      tell(*who, large_note{book});
    }
    (void)ask(system, *who, twice{1}, book);
    (void)system.events().template subscribe<dead_letter>(*who);
    (void)system.schedule_once(1h, *who, small_note{book});
  }
  (void)system.timers().schedule_once(1ms, [] {});
  (void)system.timers().schedule_at_fixed_rate(1ms, 1ms, [kept = small_note{book}] {});
  if (const auto who = system.template try_spawn<manager>("manager", &book))
    (void)ask(system, *who, work{}, book);
}

void add_close_tasks(scheduler& timers, ledger& book) {
  if (timers.schedule_once(1h, [] {}, {.at_shutdown = on_shutdown::run})) ++book.close_tasks;
  if (timers.on_close(close_priority::user, [kept = small_note{book}] {})) ++book.close_tasks;
  if (timers.on_close(close_priority::critical, [] {})) ++book.close_tasks;
}

template <class System>
void expect_all_accounted_for(run& now, System& system, const ledger& book) {
  now.expect(!book.timed_out, "an ask that fails does so at once");
  now.expect(book.handled == book.accepted, "what was accepted was handled, once");
  const scheduler_metrics timers = system.timers().metrics();
  now.expect(timers.scheduled_total == timers.completed_total + timers.cancelled_total +
                                           timers.evicted_total + timers.undeliverable_total,
             "every timer has ended");
}

// spec: A5
TEST(resources, may_fail_from_the_start_of_a_system_to_its_end) {
  const std::size_t requests = fail_each([](run& now) {
    now.arm();
    ledger book;
    if (auto started = actor_system::start(settings())) {
      actor_system system = std::move(*started);
      const bool has_failed = now.has_failed();  // then there is memory now
      now.expect(system.try_spawn<clerk>("first") || !has_failed, "a started system can spawn");
      use(system, book);
      add_close_tasks(system.timers(), book);
      const shutdown_report report = system.shutdown(timeout);
      now.expect(report.complete && report.left == 0, "all actors end in time");
      now.expect(report.tasks_run + report.tasks_late == book.close_tasks,
                 "each close task ran or is reported");
      expect_all_accounted_for(now, system, book);
    }
    now.expect(book.alive == 0, "every message is destroyed once");
  });
  EXPECT_GT(requests, 50u);
}

struct hold {
  std::latch* begun;
  std::latch* go_on;
};

// spec: A5
TEST(resources, are_not_needed_to_report_and_detach_late_actors) {
  const std::size_t requests = fail_each([](run& now) {
    static std::latch begun{3};  // static: late handlers read them to the end of the process
    static std::latch go_on{1};
    system_config config = settings();
    // Otherwise the thread that keeps the history and watches for blocked handlers asks for memory
    // meanwhile.
    config.metrics.level = metrics_level::off;
    config.dispatch.blocked_after = std::nullopt;
    std::optional<actor_system> system{std::in_place, std::move(config)};
    for (const auto where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
      const auto who = system->spawn({.dispatcher = where}, [](context&, const hold& h) {
        h.begun->count_down();
        h.go_on->wait();
      });
      who.tell(hold{&begun, &go_on});
    }
    begun.wait();
    now.arm();
    const shutdown_report report = system->shutdown(1ms);
    now.expect(report.late().size() == 3, "three actors are late");
    system.reset();
    go_on.count_down();
  });
  EXPECT_EQ(requests, 0u);
}

struct end {};

// spec: A5
TEST(resources, may_fail_when_an_actor_shuts_its_system_down) {
  const std::size_t requests = fail_each([](run& now) {
    actor_system system{settings()};
    std::latch begun{1};
    const auto who = system.spawn("who", [&](context&, const end&) {
      now.arm();
      (void)system.shutdown(10ms);
      begun.count_down();
    });
    who.tell(end{});
    begun.wait();
    now.expect(system.shutdown(timeout).took < duration{timeout}, "it does not wait for itself");
  });
  EXPECT_GT(requests, 0u);
}

/// A message whose destructor calls a function.
struct calls_at_its_end {
  struct call {
    void operator()(const std::function<void()>* act) const { (*act)(); }
  };
  explicit calls_at_its_end(const std::function<void()>& act) : to(&act) {}
  std::unique_ptr<const std::function<void()>, call> to;
};

// Then no other thread can do it, and the thread of the timers must not wait for itself.
// spec: A5 S12
TEST(resources, may_fail_when_user_code_shuts_the_system_down_from_the_timers_thread) {
  const std::size_t requests = fail_each([](run& now) {
    static std::latch begun{1};  // these outlive the handler and its message, which may be late
    static std::latch go_on{1};
    static const std::function<void()> nothing = [] {};
    actor_system system{settings()};
    const std::function<void()> shut_down = [&] {
      now.arm();
      (void)system.shutdown(10ms);
      go_on.count_down();
    };
    const auto to =
        system.spawn({.mailbox = {.capacity = 1, .overflow = overflow_strategy::drop_oldest}},
                     [](context&, const calls_at_its_end&) {
                       begun.count_down();
                       go_on.wait();
                     });
    to.tell(calls_at_its_end{nothing});
    begun.wait();
    to.tell(calls_at_its_end{shut_down});
    (void)system.schedule_once(1ms, to, calls_at_its_end{nothing});  // which evicts that one
    go_on.wait();
    now.expect(system.shutdown(timeout).took < duration{timeout}, "it does not wait for itself");
  });
  EXPECT_GT(requests, 0u);
}

// spec: A5
TEST(resources, may_fail_in_a_cooperative_system) {
  const std::size_t requests = fail_each([](run& now) {
    now.arm();
    ledger book;
    if (auto started = cooperative_system::start(settings())) {
      cooperative_system system = std::move(*started);
      const bool has_failed = now.has_failed();  // then there is memory now
      now.expect(system.try_spawn<clerk>("first") || !has_failed, "a started system can spawn");
      use(system, book);
      now.expect(system.shutdown(timeout).complete, "all actors end in time");
    }
    now.expect(book.alive == 0, "every message is destroyed once");
  });
  EXPECT_GT(requests, 10u);
}

// spec: A4 S9
TEST(resources, of_a_system_need_little_address_space) {
  fail_large_requests(std::size_t{64} << 20);
  const auto few_timers = actor_system::start({.scheduler = {.system_quota = 1000}});
  const auto many_timers = actor_system::start({.scheduler = {.system_quota = 10'000'000}});
  fail_nothing();

  EXPECT_TRUE(few_timers.has_value());
  ASSERT_FALSE(many_timers.has_value());
  EXPECT_EQ(std::string_view{many_timers.error().setting}, "system_quota");
  EXPECT_NE(std::string_view{many_timers.error().allowed}.find("address space"),
            std::string_view::npos);
}

// spec: S12
TEST(resources, may_fail_in_a_scheduler_of_its_own) {
  const std::size_t requests = fail_each([](run& now) {
    now.arm();
    ledger book;
    if (auto timers = host::realtime_scheduler::start({.timers = {.system_quota = 100}})) {
      (void)(*timers)->schedule_once(1h, [kept = small_note{book}] {});
      (void)(*timers)->schedule_at_fixed_rate(1ms, 1ms, [kept = small_note{book}] {});
      add_close_tasks(timers->timers(), book);
      const host::close_summary summary = timers->shutdown(timeout);
      now.expect(summary.run + summary.late == book.close_tasks,
                 "each close task ran or is reported");
    }
    now.expect(book.alive == 0, "every message is destroyed once");
  });
  EXPECT_GT(requests, 5u);
}

}  // namespace
}  // namespace tactor::faults
