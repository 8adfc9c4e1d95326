// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/coroutine/task.hpp"

#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct quote {
  std::string item;
  using reply = std::string;
};
struct order {
  std::string item;
  using reply = std::string;
};
struct note {
  int number = 0;
};
struct count_notes {
  using reply = int;
};

class pricing : public actor<quote> {
public:
  std::string receive(context&, const quote& q) { return q.item + " costs 3"; }
};

// Asks, and answers with what it was told. Counts its other messages.
class shop : public actor<order, note, count_notes> {
public:
  explicit shop(actor_ref<quote> prices) : prices_(prices) {}
  task<std::string> receive(context& ctx, order o) {
    auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item);
    if (!price) co_return o.item + ": " + to_text(price.error());
    co_return *price;
  }
  void receive(context&, note) { ++notes_; }
  int receive(context&, count_notes) { return notes_; }

private:
  actor_ref<quote> prices_;
  int notes_ = 0;
};

void run_idle(simulation& world) {
  while (world.run_one()) {
  }
}

// spec: A3
TEST(task, a_handler_awaits_an_answer) {
  simulation world{seed{1}};
  auto prices = world.spawn<pricing>("pricing");
  auto desk = world.spawn<shop>("shop", prices);

  EXPECT_EQ(world.ask(desk, order{"tea"}, 1s).get(), "tea costs 3");
}

// spec: P7 A3
TEST(task, messages_wait_while_a_handler_awaits) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  auto answer = world.ask(desk, order{"tea"}, 1s);
  desk.tell(note{1});
  auto counted = world.ask(desk, count_notes{}, 1s);
  run_idle(world);

  EXPECT_FALSE(counted.ready());

  EXPECT_EQ(prices.expect<quote>().item, "tea");
  prices.reply<quote>("4");
  EXPECT_EQ(std::move(answer).get(), "4");
  EXPECT_EQ(std::move(counted).get(), 1);
}

// spec: A3 A2b
TEST(task, an_ask_that_is_not_answered_ends_after_its_timeout) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  auto answer = world.ask(desk, order{"tea"}, 1s);

  world.run_for(199ms);
  EXPECT_FALSE(answer.ready());

  world.run_for(20ms);
  EXPECT_EQ(std::move(answer).get(), std::string{"tea: "} + to_text(ask_failure::timed_out));
}

// spec: A3
TEST(task, a_late_answer_does_not_answer_the_next_ask) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  EXPECT_EQ(world.ask(desk, order{"tea"}, 1s).get(),
            std::string{"tea: "} + to_text(ask_failure::timed_out));
  auto answer = world.ask(desk, order{"milk"}, 1s);
  EXPECT_EQ(prices.expect<quote>().item, "tea");
  prices.reply<quote>("late");
  run_idle(world);
  EXPECT_FALSE(answer.ready());

  EXPECT_EQ(prices.expect<quote>().item, "milk");
  prices.reply<quote>("8");
  EXPECT_EQ(std::move(answer).get(), "8");
}

// Keeps the reply slots of those who ask.
class silent_pricing : public actor<quote> {
public:
  explicit silent_pricing(std::vector<internal::origin>* asked) : asked_(asked) {}
  delegated<std::string> receive(context& ctx, const quote&) {
    asked_->push_back(ctx.self().slot()->current->from);
    return delegated<std::string>::made();
  }

private:
  std::vector<internal::origin>* asked_;
};

// Asks a second time after a timeout, without a pause.
class patient_shop : public actor<order> {
public:
  explicit patient_shop(actor_ref<quote> prices) : prices_(prices) {}
  task<std::string> receive(context& ctx, order o) {
    if (auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item)) co_return *price;
    auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item);
    co_return price ? *price : "never";
  }

private:
  actor_ref<quote> prices_;
};

// The answer was routed before the timeout, on another thread, and is queued after the next ask has
// taken the same reply slot.
// spec: A3
TEST(task, an_answer_on_its_way_during_the_timeout_does_not_answer_the_next_ask) {
  std::vector<internal::origin> asked;
  simulation world{seed{1}};
  auto prices = world.spawn<silent_pricing>("pricing", &asked);
  auto desk = world.spawn<patient_shop>("shop", prices);
  auto answer = world.ask(desk, order{"tea"}, 1s);
  world.run_for(250ms);
  ASSERT_EQ(asked.size(), 2U);
  ASSERT_EQ(asked[0].index(), asked[1].index());
  ASSERT_NE(asked[0].generation, asked[1].generation);

  auto* const late = internal::enclose<std::string>(internal::this_thread(), std::string{"late"});
  late->from = asked[0];
  ASSERT_TRUE(internal::post_system_message(*desk.slot(), desk.generation(), *late,
                                            internal::system_message_kind::answer));
  run_idle(world);
  EXPECT_FALSE(answer.ready());
  auto next = world.ask(desk, order{"milk"}, 1s);
  run_idle(world);
  EXPECT_EQ(asked.size(), 2U) << "it still awaits: other messages wait";

  EXPECT_EQ(std::move(answer).get(), "never");
}

// spec: A3 A2b
TEST(task, an_ask_of_a_stopped_actor_ends_at_once) {
  simulation world{seed{1}};
  auto prices = world.spawn<pricing>("pricing");
  world.stop(prices);
  run_idle(world);
  auto desk = world.spawn<shop>("shop", prices);
  auto answer = world.ask(desk, order{"tea"}, 1s);
  run_idle(world);

  ASSERT_TRUE(answer.ready());
  EXPECT_EQ(std::move(answer).get(),
            std::string{"tea: "} + to_text(ask_failure::target_terminated));
}

// Does in a coroutine handler what the test says.
struct perform;
using script = task<int> (*)(actor_context<perform>& ctx, void* with);
struct perform {
  script what = nullptr;
  void* with = nullptr;
  using reply = int;
};
class performer : public actor<perform> {
public:
  task<int> receive(context& ctx, perform p) { co_return co_await p.what(ctx, p.with); }
};

// spec: A3 S15
TEST(task, a_handler_sleeps_in_virtual_time) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto slept = world.ask(who, perform{.what = [](actor_context<perform>& ctx, void*) -> task<int> {
                           for (int i = 0; i < 3; ++i)
                             if (!co_await ctx.sleep(100ms)) co_return i;
                           co_return 7;
                         }},
                         1s);

  world.run_for(299ms);
  EXPECT_FALSE(slept.ready());

  world.run_for(40ms);
  ASSERT_TRUE(slept.ready());
  EXPECT_EQ(std::move(slept).get(), 7);
}

// spec: S15
TEST(task, a_delay_out_of_range_is_refused_at_once) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto slept = world.ask(who, perform{.what = [](actor_context<perform>& ctx, void*) -> task<int> {
                           const auto zero = co_await ctx.sleep(0ms);
                           const auto negative = co_await ctx.sleep(-1s);
                           const auto far = co_await ctx.sleep(24h * 366 * 200);
                           int invalid = 0;
                           for (const auto& each : {zero, negative, far})
                             invalid += each.error() == scheduler_error::invalid_delay;
                           co_return invalid;
                         }},
                         1s);
  run_idle(world);

  ASSERT_TRUE(slept.ready());
  EXPECT_EQ(std::move(slept).get(), 3);
}

// spec: A2b
// case: AK-03
TEST(task, an_ask_without_time_is_refused_at_once) {
  simulation world{seed{1}};
  auto shop = world.spawn_probe<quote>("shop");
  actor_ref<quote> target = shop.ref();
  auto who = world.spawn<performer>("performer");
  auto asked = world.ask(who,
                         perform{.what = [](actor_context<perform>& ctx, void* with) -> task<int> {
                                   const auto& to = *static_cast<const actor_ref<quote>*>(with);
                                   const auto zero = co_await ctx.ask<quote>(to, 0ms, "tea");
                                   const auto negative = co_await ctx.ask<quote>(to, -1s, "tea");
                                   int refused = 0;
                                   for (const auto& each : {zero, negative})
                                     refused += !each && each.error().kind == ask_failure::refused;
                                   co_return refused;
                                 },
                                 .with = &target},
                         1s);
  run_idle(world);

  ASSERT_TRUE(asked.ready());
  EXPECT_EQ(std::move(asked).get(), 2);
  EXPECT_EQ(shop.waiting(), 0u);
}

class note_taker : public actor<note> {
public:
  explicit note_taker(std::vector<int>& seen) : seen_(&seen) {}
  void receive(context&, note n) { seen_->push_back(n.number); }

private:
  std::vector<int>* seen_;
};

// spec: A3
TEST(task, a_yield_lets_other_actors_run_first) {
  std::vector<int> seen;
  simulation world{seed{1}};
  auto other = world.spawn("other", [&seen] { return note_taker{seen}; });
  auto who = world.spawn<performer>("performer");
  struct scene {
    actor_ref<note> other;
    std::vector<int>& seen;
  } with{other, seen};
  auto done = world.ask(who,
                        perform{.what = [](actor_context<perform>& ctx, void* given) -> task<int> {
                                  auto& stage = *static_cast<scene*>(given);
                                  stage.other.tell(note{1});
                                  stage.seen.push_back(0);
                                  for (int i = 0; i < 100 && stage.seen.size() < 2; ++i)
                                    co_await ctx.yield();
                                  stage.seen.push_back(2);
                                  co_return 0;
                                },
                                .with = &with},
                        1s);
  EXPECT_EQ(std::move(done).get(), 0);
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

// Counts its live copies.
struct counted {
  explicit counted(int& of) : live(&of) { ++*live; }
  counted(const counted& other) : live(other.live) { ++*live; }
  counted(counted&& other) noexcept : live(other.live) { ++*live; }
  counted& operator=(const counted&) = default;
  ~counted() { --*live; }
  int* live;
};

task<int> sum_to(context& ctx, int last) {
  int sum = 0;
  for (int i = 1; i <= last; ++i) {
    co_await ctx.sleep(1ms);
    sum += i;
  }
  co_return sum;
}
task<void> nothing(context&) {
  co_return;
}

// spec: A3
TEST(task, helpers_are_tasks_at_any_depth_and_in_any_number) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto sum = world.ask(who, perform{.what = [](actor_context<perform>& ctx, void*) -> task<int> {
                         for (int i = 0; i < 100'000; ++i)
                           co_await nothing(ctx);  // needs no stack
                         const int first = co_await sum_to(ctx, 3);
                         co_return first + co_await sum_to(ctx, 4);
                       }},
                       1s);

  EXPECT_EQ(std::move(sum).get(), 16);
}

// An actor that fails, stops or restarts in the middle of a coroutine.
struct work {
  enum class how : std::uint8_t { fails, throws, returns_failure, waits } what = how::waits;
  using reply = int;
};
struct events_seen {
  int live = 0;
  int starts = 0;
  int stops = 0;
  std::vector<int> notes;
};
class worker : public actor<work, note> {
public:
  explicit worker(events_seen* seen) : seen_(seen) {}
  void pre_start(context&) { ++seen_->starts; }
  void post_stop(context&) {
    ++seen_->stops;
    EXPECT_EQ(seen_->live, 0);  // no coroutine is left
  }
  task<std::expected<int, failure>> receive(context& ctx, work w) {
    const counted local{seen_->live};
    co_await helper(ctx, w.what);
    co_return std::unexpected{failure{"returned"}};
  }
  void receive(context&, note n) { seen_->notes.push_back(n.number); }

private:
  task<void> helper(tactor::context& ctx, work::how what) {
    const counted local{seen_->live};
    co_await ctx.sleep(10ms);
    if (what == work::how::fails) co_await ctx.fail("in a helper", 5);
    if (what == work::how::throws) throw std::runtime_error{"thrown"};
    if (what == work::how::waits) co_await ctx.sleep(1h);
  }
  events_seen* seen_;
};

class failing_task : public testing::TestWithParam<work::how> {};

// spec: A3 I3
TEST_P(failing_task, is_its_actors_failure) {
  events_seen seen;
  simulation world{seed{1}};
  auto who =
      world.spawn<worker>({.name = "worker", .on_failure = restart{.max_restarts = 3}}, &seen);
  auto answer = world.ask(who, work{GetParam()}, 1s);
  who.tell(note{4});
  world.run_for(100ms);

  ASSERT_TRUE(answer.ready());
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::target_failed);
  EXPECT_EQ(seen.starts, 2);
  EXPECT_EQ(seen.live, 0);
  EXPECT_EQ(seen.notes, std::vector<int>{4});
}
INSTANTIATE_TEST_SUITE_P(task, failing_task,
                         testing::Values(work::how::fails, work::how::throws,
                                         work::how::returns_failure));

// spec: A3
TEST(task, a_stop_destroys_what_awaits) {
  events_seen seen;
  simulation world{seed{1}};
  auto who = world.spawn<worker>("worker", &seen);
  auto answer = world.ask(who, work{}, 1min);
  world.run_for(100ms);
  EXPECT_EQ(seen.live, 2);

  world.stop(who);
  run_idle(world);

  EXPECT_EQ(seen.live, 0);
  EXPECT_EQ(seen.stops, 1);
  ASSERT_TRUE(answer.ready());
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::target_terminated);
}

// spec: A3
TEST(task, a_shutdown_destroys_what_awaits) {
  events_seen seen;
  {
    simulation world{seed{1}};
    auto who = world.spawn<worker>("worker", &seen);
    who.tell(work{});
    world.run_for(100ms);
    EXPECT_EQ(seen.live, 2);
  }
  EXPECT_EQ(seen.live, 0);
}

class family : public actor<note> {
public:
  family(events_seen* waits, events_seen* fails) : waits_(waits), fails_(fails) {}
  void pre_start(context& ctx) {
    const spawn_options together{.name = "",
                                 .on_failure = restart{.scope = failure_scope::all_for_one}};
    ctx.spawn<worker>(together, waits_).tell(work{});
    ctx.spawn<worker>(together, fails_).tell(work{work::how::throws});
  }
  void receive(context&, note) {}

private:
  events_seen* waits_;
  events_seen* fails_;
};

// spec: A3 P2
TEST(task, a_restart_destroys_what_awaits_and_resumes_the_actor) {
  events_seen waits;
  events_seen fails;
  simulation world{seed{1}};
  (void)world.spawn<family>("family", &waits, &fails);
  world.run_for(5ms);
  EXPECT_EQ(waits.live, 2);
  world.run_for(100ms);

  EXPECT_EQ(waits.starts, 2);
  EXPECT_EQ(waits.live, 0);
  EXPECT_EQ(fails.starts, 2);
}

// spec: A3
TEST(task, a_drain_waits_for_what_awaits) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  auto watcher = world.spawn_probe<note>("watcher");
  watcher.watch(desk);
  auto answer = world.ask(desk, order{"tea"}, 1s);
  (void)prices.expect<quote>();
  world.drain(desk);
  run_idle(world);
  EXPECT_FALSE(answer.ready());

  prices.reply<quote>("5");
  EXPECT_EQ(std::move(answer).get(), "5");
  watcher.expect_terminated(desk);
}

// spec: P7 A3
TEST(task, only_what_is_awaited_lets_the_body_go_on_and_only_without_another_reason) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  auto answer = world.ask(desk, order{"tea"}, 100ms);
  (void)prices.expect<quote>();
  auto counted = world.ask(desk, count_notes{}, 1s);
  ASSERT_TRUE(world.resume(desk, suspend_reason::await_external));
  run_idle(world);
  EXPECT_FALSE(counted.ready());
  ASSERT_TRUE(world.suspend(desk, suspend_reason::user_defined));
  prices.reply<quote>("6");
  run_idle(world);
  EXPECT_FALSE(answer.ready());
  EXPECT_FALSE(counted.ready());

  ASSERT_TRUE(world.resume(desk));
  run_idle(world);
  EXPECT_EQ(std::move(answer).get(), "6");
  EXPECT_EQ(std::move(counted).get(), 0);
}

// spec: P7 P5
TEST(task, an_await_is_a_suspension_for_await_external) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto events = world.spawn_probe<actor_suspended>("events");
  ASSERT_TRUE(world.events().subscribe<actor_suspended>(events.ref()));
  EXPECT_EQ(world
                .ask(who, perform{.what = [](actor_context<perform>& ctx, void*) -> task<int> {
                       co_await ctx.sleep(30ms);
                       const auto times = ctx.suspensions();
                       co_return times.last() && *times.last() >= duration{30ms} ? 1 : 0;
                     }},
                     1s)
                .get(),
            1);
  EXPECT_EQ(events.expect<actor_suspended>().reasons,
            suspend_reasons{suspend_reason::await_external});
}

struct hello {
  using reply = bool;
};
class polite : public actor<hello> {
public:
  task<bool> receive(context& ctx, hello) {
    const actor_ref<> before = ctx.sender();
    co_await ctx.sleep(10ms);
    co_return !before && ctx.sender() == before;
  }
};
class greeted : public actor<note> {
public:
  explicit greeted(int* same) : same_(same) {}
  task<void> receive(context& ctx, note) {
    const actor_ref<> before = ctx.sender();
    co_await ctx.sleep(10ms);
    *same_ += before && ctx.sender() == before;
  }

private:
  int* same_;
};

// spec: A3
TEST(task, the_sender_stays_known_after_an_await) {
  int same = 0;
  simulation world{seed{1}};
  auto to = world.spawn<greeted>("greeted", &same);
  (void)world
      .spawn("sender",
             [to](context&, const hello&) {
               to.tell(note{});
               return true;
             })
      .tell(hello{});
  world.run_for(100ms);
  EXPECT_EQ(same, 1);
}

class slow : public actor<note> {
public:
  explicit slow(std::vector<int>* runs) : runs_(runs) {}
  task<void> receive(context& ctx, note) {
    const auto before = ctx.batch().runs;
    co_await ctx.sleep(70ms);
    EXPECT_EQ(ctx.batch().runs, before);
    runs_->push_back(static_cast<int>(before));
  }

private:
  std::vector<int>* runs_;
};

// spec: S7
TEST(task, a_fixed_delay_begins_when_the_coroutine_has_ended) {
  std::vector<int> runs;
  simulation world{seed{1}};
  auto who = world.spawn<slow>("slow", &runs);
  ASSERT_TRUE(world.schedule_with_fixed_delay(10ms, 30ms, who, note{}));
  world.run_for(315ms);
  EXPECT_EQ(runs, (std::vector<int>{1, 1, 1}));
}

// spec: S6
TEST(task, runs_that_fall_due_while_the_coroutine_awaits_are_folded) {
  std::vector<int> runs;
  simulation world{seed{1}};
  auto who = world.spawn<slow>("slow", &runs);
  ASSERT_TRUE(world.schedule_at_fixed_rate(10ms, 20ms, who, note{}));
  world.run_for(250ms);
  ASSERT_GE(runs.size(), 2U);
  EXPECT_EQ(runs[0], 1);
  EXPECT_GE(runs[1], 3);
}

// spec: A3
TEST(task, a_stop_in_a_coroutine_takes_effect_when_it_awaits_or_ends) {
  events_seen seen;
  simulation world{seed{1}};
  auto watcher = world.spawn_probe<note>("watcher");
  auto who = world.spawn<performer>("performer");
  watcher.watch(who);
  auto answer =
      world.ask(who,
                perform{.what = [](actor_context<perform>& ctx, void* given) -> task<int> {
                          const counted local{static_cast<events_seen*>(given)->live};
                          ctx.stop();
                          co_await ctx.sleep(10ms);
                          ADD_FAILURE();
                          co_return 1;
                        },
                        .with = &seen},
                1s);
  watcher.expect_terminated(who);
  EXPECT_EQ(seen.live, 0);
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::target_terminated);
}

// Stops between two questions.
class quitter : public actor<note> {
public:
  quitter(actor_ref<quote> prices, events_seen* seen) : prices_(prices), seen_(seen) {}
  task<void> receive(context& ctx, note) {
    const counted local{seen_->live};
    EXPECT_TRUE(co_await ctx.ask<quote>(prices_, 200ms, "tea"));
    ctx.stop();
    (void)co_await ctx.ask<quote>(prices_, 10s, "milk");
    ADD_FAILURE();
  }

private:
  actor_ref<quote> prices_;
  events_seen* seen_;
};

// spec: A3
TEST(task, a_stop_after_an_answer_takes_effect_when_the_coroutine_awaits_the_next) {
  events_seen seen;
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto who = world.spawn<quitter>("quitter", prices.ref(), &seen);
  auto watcher = world.spawn_probe<note>("watcher");
  watcher.watch(who);
  who.tell(note{});
  run_idle(world);
  prices.expect<quote>();
  prices.reply<quote>("7");
  run_idle(world);
  EXPECT_EQ(seen.live, 0) << "it does not wait for the second answer";
  watcher.expect_terminated(who);
}

struct turn_over {};
struct look {
  using reply = int;
};
using page = behaviour<turn_over, look>;
page numbered(int number, std::string captured) {
  return {[number, captured](page::context& ctx, turn_over) -> task<void> {
            ctx.become(numbered(number + 1, captured + "x"));
            co_await ctx.sleep(10ms);
            EXPECT_EQ(captured.size(), 40U + static_cast<std::size_t>(number));
            ctx.become(numbered(number + 10, captured + "xxxxxxxxxx"));
            co_await ctx.sleep(10ms);
            EXPECT_EQ(captured.size(), 40U + static_cast<std::size_t>(number));
          },
          [number](context&, look) { return number; }};
}

// spec: A1 A3
TEST(task, a_behaviour_lives_as_long_as_the_coroutines_of_its_lambdas) {
  simulation world{seed{1}};
  auto book = world.spawn("book", numbered(0, std::string(40, 'c')));
  book.tell(turn_over{});
  EXPECT_EQ(world.ask(book, look{}, 1s).get(), 10);
  book.tell(turn_over{});
  EXPECT_EQ(world.ask(book, look{}, 1s).get(), 20);
}

class mourner : public actor<note> {
public:
  mourner(actor_ref<> whom, int* told) : whom_(whom), told_(told) {}
  void pre_start(context& ctx) { (void)ctx.watch(whom_, *this); }
  void receive(context&, note) {}
  task<void> receive(context& ctx, terminated who) {
    co_await ctx.sleep(10ms);
    *told_ += who.who == whom_ && ctx.sender() == whom_;
  }

private:
  actor_ref<> whom_;
  int* told_;
};

// spec: A3
TEST(task, a_notification_may_be_handled_by_a_coroutine) {
  int told = 0;
  simulation world{seed{1}};
  auto prices = world.spawn<pricing>("pricing");
  (void)world.spawn<mourner>("mourner", prices, &told);
  run_idle(world);
  world.stop(prices);
  world.run_for(100ms);
  EXPECT_EQ(told, 1);
}

// An aggregate that is not trivially copyable: g++ 12 breaks such temporaries inside co_await.
struct parcel {
  counted inside;
  std::string text;
  using reply = std::string;
};
class post_office : public actor<parcel> {
public:
  std::string receive(context&, parcel p) { return p.text; }
};
task<std::size_t> weigh(context& ctx, parcel p) {
  co_await ctx.sleep(1ms);
  co_return p.text.size();
}
struct delivery {
  actor_ref<parcel> office;
  int live = 0;
};

// The forms that every compiler gets right, counted with objects that notice a second destruction.
TEST(task, the_safe_forms_destroy_each_object_once) {
  delivery with;
  simulation world{seed{1}};
  with.office = world.spawn<post_office>("office");
  auto who = world.spawn<performer>("performer");
  auto ok = world.ask(who,
                      perform{.what = [](actor_context<perform>& ctx, void* given) -> task<int> {
                                auto& to = *static_cast<delivery*>(given);
                                const std::string text(50, 't');
                                int right = 0;
                                for (int i = 0; i < 3; ++i) {
                                  auto built = co_await ctx.ask<parcel>(to.office, 1s,
                                                                        counted{to.live}, text);
                                  right += built == text;
                                  const parcel named{counted{to.live}, text};
                                  auto sent = co_await ctx.ask(to.office, named, 1s);
                                  right += sent == text;
                                  right += co_await weigh(ctx, named) == text.size();
                                  parcel moved{counted{to.live}, text};
                                  right += co_await weigh(ctx, std::move(moved)) == text.size();
                                }
                                co_return right;
                              },
                              .with = &with},
                      1s);
  EXPECT_EQ(std::move(ok).get(), 12);
  EXPECT_EQ(with.live, 0);
}

// spec: A3
TEST(task, an_answer_that_comes_after_the_end_is_a_dead_letter) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<shop>("shop", prices.ref());
  auto lost = world.spawn_probe<dead_letter>("lost");
  ASSERT_TRUE(world.events().subscribe<dead_letter>(lost.ref()));
  desk.tell(order{"tea"});
  (void)prices.expect<quote>();
  world.stop(desk);
  run_idle(world);
  prices.reply<quote>("7");
  run_idle(world);
  EXPECT_EQ(lost.expect<dead_letter>().reason, drop_reason::late_answer);
}

// Puts notes aside until it is told to open, and then handles each with a coroutine.
class late_reader : public actor<note, count_notes> {
public:
  explicit late_reader(std::vector<int>* to) : to_(to) {}
  task<void> receive(context& ctx, note n) {
    if (!open_) {
      EXPECT_TRUE(ctx.stash(n).has_value());
      co_return;
    }
    co_await ctx.sleep(10ms);
    to_->push_back(n.number);
  }
  int receive(context& ctx, count_notes) {
    open_ = true;
    EXPECT_TRUE(ctx.unstash_all().has_value());
    return 0;
  }

private:
  std::vector<int>* to_;
  bool open_ = false;
};

// spec: A3 A2e
TEST(task, a_stashed_message_is_handled_by_a_coroutine) {
  std::vector<int> seen;
  simulation world{seed{1}};
  const auto reader = world.spawn<late_reader>("reader", &seen);
  for (int number = 1; number <= 3; ++number)
    (void)reader.tell(note{number});
  run_idle(world);
  (void)world.ask(reader, count_notes{}, 1s).get();
  (void)reader.tell(note{4});
  world.run_for(1s);
  EXPECT_EQ(seen, (std::vector{1, 2, 3, 4}));
}

// spec: M4b A3
TEST(task, that_meets_a_full_mailbox_goes_on_to_its_next_await) {
  std::vector<int> seen;
  std::vector<std::string> steps;
  simulation world{seed{1}};
  const auto receiver =
      world.spawn({.name = "receiver",
                   .mailbox = {.capacity = 1, .overflow = overflow_strategy::block_producer}},
                  [&](context&, const note& n) { seen.push_back(n.number); });
  class pusher : public actor<note> {
  public:
    pusher(actor_ref<note> to, std::vector<std::string>* steps) : to_(to), steps_(steps) {}
    task<void> receive(context& ctx, note) {
      for (int number = 1; number <= 3; ++number)
        EXPECT_EQ(to_.tell(note{number}), tell_result::ok);
      steps_->emplace_back("sent");
      co_await ctx.sleep(1ms);
      steps_->emplace_back("awake");
    }

  private:
    actor_ref<note> to_;
    std::vector<std::string>* steps_;
  };
  ASSERT_TRUE(world.suspend(receiver).has_value());
  run_idle(world);
  (void)world.spawn<pusher>("pusher", receiver, &steps).tell(note{});
  world.run_for(1s);
  EXPECT_EQ(steps, std::vector<std::string>{"sent"}) << "its messages wait";
  ASSERT_TRUE(world.resume(receiver).has_value());
  world.run_for(1s);
  EXPECT_EQ(steps, (std::vector<std::string>{"sent", "awake"}));
  EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

constexpr signal_key bell{7};
task<int> rings(actor_context<perform>& ctx, void*) {
  co_return (co_await ctx.until(bell, 100ms) ? 1 : 0) + (co_await ctx.until(bell) ? 10 : 0);
}

// spec: A3 P2
TEST(task, a_handler_awaits_a_signal) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto rang = world.ask(who, perform{.what = rings}, 10s);
  run_idle(world);
  ASSERT_TRUE(world.signal(who, signal_key{8}));
  ASSERT_TRUE(world.signal(who, bell));
  world.run_for(1s);
  EXPECT_FALSE(rang.ready());
  ASSERT_TRUE(world.signal(who, bell));
  EXPECT_EQ(std::move(rang).get(), 11);
}

// spec: A3 P2
TEST(task, a_signal_that_came_early_is_remembered) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  ASSERT_TRUE(world.signal(who, bell));
  auto rang = world.ask(who, perform{.what = rings}, 10s);
  run_idle(world);
  ASSERT_TRUE(world.signal(who, bell));
  EXPECT_EQ(std::move(rang).get(), 11);
}

// spec: A3
TEST(task, a_signal_that_does_not_come_is_awaited_until_the_timeout) {
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  auto rang = world.ask(who, perform{.what = rings}, 10s);
  world.run_for(150ms);
  ASSERT_TRUE(world.signal(who, bell));
  EXPECT_EQ(std::move(rang).get(), 10);
}

task<std::string> price(context& ctx, actor_ref<quote> prices, std::string item) {
  const auto said = co_await ctx.ask<quote>(prices, 10s, item);
  co_return said ? *said : "none";
}
task<void> pause(context& ctx, int& live) {
  const counted local{live};
  co_await ctx.sleep(100ms);
}
struct stage {
  actor_ref<quote> prices;
  int live = 0;
};

// spec: A3
TEST(task, all_of_runs_tasks_together) {
  stage with;
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  with.prices = prices.ref();
  auto who = world.spawn<performer>("performer");
  auto all = world.ask(who,
                       perform{.what = [](actor_context<perform>& ctx, void* given) -> task<int> {
                                 auto& on = *static_cast<stage*>(given);
                                 const std::string tea = "tea";
                                 const std::string milk = "milk";
                                 auto [a, b, c] = co_await tactor::all_of(
                                     price(ctx, on.prices, tea), price(ctx, on.prices, milk),
                                     pause(ctx, on.live));
                                 static_assert(std::is_same_v<decltype(c), std::monostate>);
                                 co_return a == "1" && b == "22" && on.live == 0 ? 1 : 0;
                               },
                               .with = &with},
                       10s);
  EXPECT_EQ(prices.expect<quote>().item, "tea");
  prices.reply<quote>("1");
  EXPECT_EQ(prices.expect<quote>().item, "milk");
  world.run_for(150ms);
  EXPECT_EQ(with.live, 0);
  EXPECT_FALSE(all.ready());
  prices.reply<quote>("22");
  EXPECT_EQ(std::move(all).get(), 1);
}

task<int> count(context& ctx, int number) {
  co_await ctx.sleep(duration{std::chrono::milliseconds{number % 7}});
  co_return number;
}

// spec: A3
TEST(task, all_of_runs_the_tasks_of_a_container_together) {
  simulation world{seed{1}};
  const auto who = world.spawn<performer>("performer");
  const auto sum = [](actor_context<perform>& ctx, void* given) -> task<int> {
    std::vector<task<int>> some;
    for (int i = 1; i <= *static_cast<int*>(given); ++i)
      some.push_back(count(ctx, i));
    const std::vector<int> numbers = co_await tactor::all_of(std::move(some));
    int live = 0;
    std::vector<task<void>> pauses;
    pauses.push_back(pause(ctx, live));
    pauses.push_back(pause(ctx, live));
    co_await tactor::all_of(std::move(pauses));
    int all = live;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      all += numbers[i] == static_cast<int>(i) + 1 ? 1 : 0;
    co_return all;
  };
  for (int many : {0, 1, 3, 20'000}) {
    EXPECT_EQ(world.ask(who, perform{.what = sum, .with = &many}, 10s).get(), many);
    EXPECT_EQ(world.timers().metrics().active_total, 0u) << many;
  }
}

// spec: A3
TEST(task, first_of_destroys_what_came_second) {
  stage with;
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  with.prices = prices.ref();
  auto who = world.spawn<performer>("performer");
  const auto race = [](actor_context<perform>& ctx, void* given) -> task<int> {
    auto& on = *static_cast<stage*>(given);
    const std::string tea = "tea";
    const auto first = co_await tactor::first_of(price(ctx, on.prices, tea), pause(ctx, on.live),
                                                 pause(ctx, on.live));
    co_return static_cast<int>(first.index()) * 10 + on.live;
  };
  auto won = world.ask(who, perform{.what = race, .with = &with}, 10s);
  (void)prices.expect<quote>();
  EXPECT_EQ(with.live, 2);
  prices.reply<quote>("1");
  EXPECT_EQ(std::move(won).get(), 0);

  auto lost = world.ask(who, perform{.what = race, .with = &with}, 10s);
  EXPECT_EQ(std::move(lost).get(), 10);
  EXPECT_EQ(with.live, 0);
}

// spec: A3
TEST(task, first_of_may_be_decided_before_the_others_begin) {
  stage with;
  simulation world{seed{1}};
  auto who = world.spawn<performer>("performer");
  EXPECT_EQ(world
                .ask(who,
                     perform{.what = [](actor_context<perform>& ctx, void* given) -> task<int> {
                               auto& on = *static_cast<stage*>(given);
                               int sum = 0;
                               for (int i = 0; i < 10; ++i) {
                                 const auto first =
                                     co_await tactor::first_of(nothing(ctx), pause(ctx, on.live));
                                 sum += first.index() == 0;
                               }
                               co_return sum + on.live;
                             },
                             .with = &with},
                     10s)
                .get(),
            10);
}

class open_shop : public actor<order, count_notes> {
public:
  explicit open_shop(actor_ref<quote> prices) : prices_(prices) {}
  reentrant_task<std::string> receive(context& ctx, order o) {
    ++open_;
    auto said = co_await ctx.ask<quote>(prices_, 1s, o.item);
    co_await ctx.yield();
    --open_;
    co_return said ? *said : "none";
  }
  int receive(context&, count_notes) { return open_; }

private:
  actor_ref<quote> prices_;
  int open_ = 0;
};

// spec: P7
TEST(task, a_reentrant_task_does_not_suspend_its_actor) {
  simulation world{seed{1}};
  auto prices = world.spawn_probe<quote>("pricing");
  auto desk = world.spawn<open_shop>("shop", prices.ref());
  auto tea = world.ask(desk, order{"tea"}, 5s);
  auto milk = world.ask(desk, order{"milk"}, 5s);
  EXPECT_EQ(world.ask(desk, count_notes{}, 1s).get(), 2);

  EXPECT_EQ(prices.expect<quote>().item, "tea");
  prices.reply<quote>("1");
  EXPECT_EQ(std::move(tea).get(), "1");
  EXPECT_EQ(world.ask(desk, count_notes{}, 1s).get(), 1);
  world.drain(desk);
  EXPECT_EQ(prices.expect<quote>().item, "milk");
  prices.reply<quote>("2");
  EXPECT_EQ(std::move(milk).get(), "2");
}

}  // namespace
}  // namespace tactor
