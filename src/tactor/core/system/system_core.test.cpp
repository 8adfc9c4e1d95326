// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// Everything as on a board: memory from a static array, one loop, a clock that is moved by hand.
constexpr std::size_t storage_size = sizeof(void*) == 8 ? 512 * 1024 : 4608;
constinit page_storage<storage_size> storage{};
constinit static_pages pages{storage.bytes};

constexpr std::size_t timers_at_most = 4;
constexpr system_config small{
    .scheduler = {.timing = {.wheel_slots = 8, .overflow_capacity = timers_at_most},
                  .system_quota = timers_at_most,
                  .close_task_limit = 1}};

void provide_memory() {
  if constexpr (port::names_features) features_of_board = &all_features;
  program_memory.pages.provide(pages);
}

class board final : public spawning<board>, public scheduling<board> {
public:
  explicit board(const system_config& config = small)
      : timers_(config.scheduler, storage_.parts(clock, dispatcher_)),
        reports_(config.log, config.name, clock, &timers_, {}),
        core_((provide_memory(), config), {.clock = clock,
                                           .timers = &timers_,
                                           .coordinator = coordinator_,
                                           .reports = &reports_}),
        loop(core_, coordinator_) {}
  board(const board&) = delete;
  board& operator=(const board&) = delete;
  ~board() {
    core_.begin_stop();
    (void)loop.run_ready();
    EXPECT_TRUE(core_.now_in() == system_core::phase::stopped);
    (void)timers_.close();
  }
  void run() { (void)loop.run_ready(); }

  // For the mix-ins.
  [[nodiscard]] scheduler& timers() const noexcept { return timers_; }
  [[nodiscard]] static cell* timer_owner() noexcept { return nullptr; }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const spawn_request& wanted) const noexcept {
    return core_.spawn(wanted, nullptr);
  }
  [[nodiscard]] system_core& core() const noexcept { return core_; }

  testkit::manual_clock clock;

private:
  testkit::queue_dispatcher dispatcher_;
  static_scheduler_storage<8, 2 * timers_at_most, 2 * timers_at_most, 1> storage_;
  single_thread_coordinator coordinator_;
  mutable scheduler timers_;
  reporter reports_;
  mutable system_core core_;

public:
  cooperative_loop<single_thread_coordinator> loop;
};

struct ping {
  int number = 0;
};
struct big {
  std::array<std::byte, 200> bytes{};
};

class counter : public actor<ping, big> {
public:
  explicit counter(int* const& sum) : sum_(sum) {}
  void receive(context&, const ping& p) { *sum_ += p.number; }
  void receive(context&, const big&) { *sum_ += 1000; }

private:
  int* sum_;
};

// spec: A4
TEST(system_config, that_cannot_work_is_refused_with_setting_value_and_what_is_allowed) {
  EXPECT_TRUE(check(system_config{}).has_value());
  EXPECT_TRUE(check(small).has_value());
  const auto wrong = [](const system_config& config, std::string_view setting, std::int64_t value) {
    const auto said = check(config);
    ASSERT_FALSE(said.has_value());
    EXPECT_EQ(std::string_view{said.error().setting}, setting);
    EXPECT_EQ(said.error().value, value);
    EXPECT_FALSE(std::string_view{said.error().allowed}.empty());
  };
  wrong({.max_actors = 0}, "max_actors", 0);
  wrong({.dispatch = {.throughput = 0}}, "dispatch.throughput", 0);
  wrong({.dispatch = {.sends = 0}}, "dispatch.sends", 0);
  wrong({.dispatch = {.blocked_after = duration{}}}, "dispatch.blocked_after", 0);
  wrong({.dispatch = {.throughput_deadline = duration{-5ns}}}, "dispatch.throughput_deadline", -5);
  wrong({.dispatch = {.throughput_deadline = duration{}}}, "dispatch.throughput_deadline", 0);
  constexpr std::uint64_t days_20 = log_limit::longest_interval_ns;
  wrong({.log = {.limit = {.interval_ns = days_20}}}, "log.limit.interval_ns",
        std::int64_t{days_20});
  wrong({.log = {.limit = {.interval_ns = ~std::uint64_t{0}}}}, "log.limit.interval_ns",
        std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(check(system_config{.log = {.limit = {.interval_ns = days_20 - 1}}}).has_value());
  wrong({.clock = {.use = clock_use{2}}}, "clock.use", 2);
  wrong({.metrics = {.level = metrics_level{4}}}, "metrics.level", 4);
  wrong({.log = {.min_level = log_level{4}}}, "log.min_level", 4);
}

// spec: A4
TEST(system_config, names_a_setting_of_its_scheduler_as_it_is_written) {
  const auto wrong = [](const scheduler_config& settings, std::string_view section,
                        std::string_view name) {
    const auto said = check(system_config{.scheduler = settings});
    ASSERT_FALSE(said.has_value());
    EXPECT_EQ(std::string_view{said.error().section}, section);
    EXPECT_EQ(std::string_view{said.error().setting}, name);
  };
  wrong({.system_quota = 0}, "scheduler.", "system_quota");
  wrong({.stall_limit = {}}, "scheduler.", "stall_limit");
  wrong({.timing = {.wheel_slots = 0}}, "scheduler.timing.", "wheel_slots");
}

// spec: A2a A2c E1
TEST(system_core, runs_actors_on_one_thread_in_static_memory) {
  board world;
  int sum = 0;
  const auto made = world.try_spawn<counter>("counter", &sum);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->tell(ping{1}) == tell_result::ok);
  EXPECT_TRUE(made->tell(big{}) == tell_result::ok);
  EXPECT_EQ(sum, 0);
  world.run();
  EXPECT_EQ(sum, 1001);
  EXPECT_EQ(world.core().live(), 1u);
}

// spec: A2c
TEST(system_core, gives_a_taken_name_a_number_or_refuses_it) {
  board world;
  int sum = 0;
  const auto first = world.spawn<counter>("desk", &sum);
  const auto refused = world.try_spawn<counter>("desk", &sum);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error() == spawn_error::name_taken);
  const auto second = world.spawn<counter>("desk", &sum);
  EXPECT_TRUE(second && !(second == first));
  const auto find = [&](std::string_view path) {
    return world.core().find(path, internal::operations_list<ping>);
  };
  EXPECT_TRUE(find("desk") == first);
  EXPECT_TRUE(find("/user/desk-2") == second);
  EXPECT_FALSE(find("desk-3"));
  EXPECT_FALSE(find("desk/"));
  EXPECT_FALSE(find(""));
  world.core().stop(first);
  world.run();
  EXPECT_FALSE(find("desk"));
  EXPECT_TRUE(world.try_spawn<counter>("desk", &sum).has_value());
}

// spec: A2c
TEST(system_core, finds_an_actor_only_if_it_takes_what_is_asked_for) {
  board world;
  int sum = 0;
  const auto who = world.spawn<counter>("who", &sum);
  EXPECT_TRUE(world.core().find("who", internal::operations_list<ping, big>) == who);
  EXPECT_TRUE(world.core().find("who", internal::operations_list<big>) == who);
  EXPECT_FALSE(world.core().find("who", internal::operations_list<ping, dead_letter>));
}

// spec: A2c M2
TEST(system_core, says_why_there_is_no_such_actor) {
  board world;
  int sum = 0;
  const auto why = [&](const spawn_options& options) {
    const auto made = world.try_spawn<counter>(options, &sum);
    EXPECT_FALSE(made.has_value());
    EXPECT_FALSE(std::string_view{to_text(made.error())}.empty());
    return made.error();
  };
  std::array<char, 256> letters{};
  letters.fill('x');
  EXPECT_TRUE(why({.name = "a/b"}) == spawn_error::name_invalid);
  EXPECT_TRUE(why({.name = {letters.data(), 256}}) == spawn_error::name_invalid);
  EXPECT_TRUE(why({.mailbox = {.capacity = 0}}) == spawn_error::zero_capacity);
  EXPECT_TRUE(why({.mailbox = {.capacity = 0x1000'0000}}) == spawn_error::capacity_too_large);
  for (const overflow_strategy each :
       {overflow_strategy::drop_oldest, overflow_strategy::drop_newest,
        overflow_strategy::dead_letter})
    EXPECT_TRUE(why({.mailbox = {.overflow = each}}) == spawn_error::capacity_missing);
  const mailbox_options no_overflow{.capacity = 1, .overflow = overflow_strategy{5}};
  EXPECT_TRUE(why({.mailbox = no_overflow}) == spawn_error::mailbox_invalid);
  EXPECT_TRUE(why({.mailbox = {.order = mailbox_order{2}}}) == spawn_error::mailbox_invalid);
  EXPECT_TRUE(why({.on_failure = directive{4}}) == spawn_error::strategy_invalid);
  EXPECT_EQ(world.core().live(), 0u);
  // `spawn` always gives a reference, here to no actor.
  const auto nobody = world.spawn<counter>("a/b", &sum);
  EXPECT_TRUE(nobody.tell(ping{1}) == tell_result::closed);
}

// spec: A2c
TEST(system_core, refuses_actors_beyond_its_limit_until_others_have_ended) {
  system_config config = small;
  config.max_actors = 2;
  board world{config};
  int sum = 0;
  const auto one = world.spawn<counter>("one", &sum);
  EXPECT_TRUE(world.try_spawn<counter>("two", &sum).has_value());
  const auto refused = world.try_spawn<counter>("three", &sum);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error() == spawn_error::too_many_actors);
  EXPECT_TRUE(world.spawn<counter>("three", &sum).tell(ping{}) == tell_result::closed);
  EXPECT_EQ(world.core().live(), 2u);
  world.core().stop(one);
  world.run();
  EXPECT_EQ(world.core().live(), 1u);
  EXPECT_TRUE(world.try_spawn<counter>("three", &sum).has_value());
}

// spec: D3
TEST(system_core, lets_others_run_after_so_many_messages) {
  system_config config = small;
  config.dispatch.throughput = 2;
  board world{config};
  int first = 0;
  int second = 0;
  int ahead = 0;
  const auto a = world.spawn("a", [&](tactor::context&, ping) {
    ++first;
    ahead = first - second > ahead ? first - second : ahead;
  });
  const auto b = world.spawn("b", [&](tactor::context&, ping) { ++second; });
  for (int i = 0; i < 4; ++i) {
    a.tell(ping{});
    b.tell(ping{});
  }
  world.run();
  EXPECT_EQ(first, 4);
  EXPECT_EQ(second, 4);
  EXPECT_EQ(ahead, 2);
}

// spec: A2a M3
TEST(system_core, says_so_when_there_is_no_memory_for_a_message_and_recovers) {
  board world;
  int sum = 0;
  const auto who = world.spawn<counter>("who", &sum);
  world.run();
  int sent = 0;
  while (who.tell(big{}) == tell_result::ok)
    ASSERT_LT(++sent, 100'000);
  EXPECT_GT(sent, 0);
  const auto refused = who.try_tell(big{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().why == tell_result::full);
  EXPECT_EQ(world.core().metrics().dead_letters_for(drop_reason::no_memory), 1u);

  world.run();
  EXPECT_EQ(sum, sent * 1000);  // none of those that were accepted is lost
  EXPECT_TRUE(who.tell(big{}) == tell_result::ok);
  world.run();
  EXPECT_EQ(sum, sent * 1000 + 1000);
}

// spec: P5
// case: SR-10
TEST(system_core, counts_a_suspension_that_cannot_be_measured_and_leaves_its_length_absent) {
  board world;
  int handled = 0;
  suspension_times seen;
  const auto who = world.spawn("who", [&](tactor::context& ctx, ping each) {
    if (each.number == 2) {
      seen = ctx.suspensions();
    } else {
      EXPECT_TRUE(ctx.suspend().has_value());
    }
  });
  const auto hog = world.spawn("hog", [&](tactor::context&, ping) { ++handled; });
  world.run();
  who.tell(ping{1});
  int sent = 0;  // until there is no memory to note when the suspension began
  while (hog.tell(ping{}) == tell_result::ok)
    ASSERT_LT(++sent, 100'000);
  world.run();
  EXPECT_EQ(handled, sent);
  EXPECT_EQ(world.core().metrics().suspensions, 1u);
  EXPECT_EQ(world.core().metrics().resumes, 0u);

  who.tell(ping{2});
  EXPECT_TRUE(notify_resume(who.index()).has_value());
  world.run();
  EXPECT_EQ(world.core().metrics().resumes, 1u);
  EXPECT_EQ(world.core().metrics().resumes_timed, 0u);
  EXPECT_EQ(seen.resumes(), 1u);
  EXPECT_FALSE(seen.last().has_value());
  EXPECT_FALSE(seen.total().has_value());
  EXPECT_FALSE(seen.latency().has_value());
}

// spec: A2c
TEST(system_core, says_so_when_there_is_no_memory_for_an_actor_and_recovers) {
  board world;
  int sum = 0;
  std::size_t made = 0;
  spawn_error why = spawn_error::stopping;
  while (true) {
    const auto one = world.try_spawn<counter>("many", &sum);
    if (!one) {
      why = one.error();
      if (why != spawn_error::name_taken) break;
      const auto other = world.try_spawn<counter>(spawn_options{}, &sum);
      if (!other) {
        why = other.error();
        break;
      }
    }
    ASSERT_LT(++made, 100'000u);
  }
  EXPECT_TRUE(why == spawn_error::no_memory);
  EXPECT_GT(made, 3u);
  EXPECT_EQ(world.core().live(), made);
  world.core().stop(world.core().find("many", {}));
  world.run();
  EXPECT_EQ(world.core().live(), made - 1);
  EXPECT_TRUE(world.try_spawn<counter>("many", &sum).has_value());
}

// spec: S8 K1 E1
TEST(cooperative_loop, polls_the_timers_and_returns_the_next_deadline) {
  board world;
  int sum = 0;
  const auto who = world.spawn<counter>("who", &sum);
  EXPECT_FALSE(world.loop.next_deadline().has_value());
  auto job = world.schedule_at_fixed_rate(20ms, 20ms, actor_ref<ping>{who}, ping{1});
  ASSERT_TRUE(job.has_value());
  EXPECT_TRUE(world.loop.next_deadline().has_value());
  EXPECT_EQ(world.loop.poll(), 1u);  // its start
  EXPECT_EQ(sum, 0);
  for (int i = 1; i <= 3; ++i) {
    world.clock.advance(20ms);
    EXPECT_EQ(world.loop.poll(), 1u);
    EXPECT_EQ(sum, i);
  }
  EXPECT_TRUE(job->cancel());
  EXPECT_EQ(world.loop.poll(), 0u);
  EXPECT_FALSE(world.loop.next_deadline().has_value());
}

// spec: O1
TEST(system_core, counts_what_its_actors_do) {
  board world;
  int sum = 0;
  const auto who = world.spawn<counter>("who", &sum);
  (void)world.spawn<counter>("other", &sum);
  world.run();
  auto counted = world.core().metrics();
  EXPECT_EQ(counted.actors_started, 2u);
  EXPECT_EQ(counted.actors_alive(), 2u);
  EXPECT_EQ(counted.messages_handled, 0u);
  const std::uint64_t turns = counted.turns;

  for (int i = 0; i < 5; ++i)
    who.tell(ping{1});
  world.run();
  counted = world.core().metrics();
  EXPECT_EQ(counted.messages_handled, 5u);
  EXPECT_EQ(counted.turns, turns + 1);

  who.tell(ping{1});
  world.core().stop(who);
  world.run();
  who.tell(ping{1});
  counted = world.core().metrics();
  EXPECT_EQ(counted.messages_handled, 5u);
  EXPECT_EQ(counted.actors_stopped, 1u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::stopped), 2u);
  EXPECT_EQ(counted.all_dead_letters(), 2u);
  EXPECT_EQ(counted.failures, 0u);
}

/// Remembers how many records there were, and what the last one said.
struct reader {
  static void take(void* self, const log_record& record) noexcept {
    auto& me = *static_cast<reader*>(self);
    ++me.records;
    me.kind = record.kind;
    for (const log_field& each : record.fields)
      if (each.name() == "number") me.left_out = each.number();
  }
  int records = 0;
  std::uint64_t left_out = 0;
  log_kind kind = log_kind::general;
};

// spec: O6
// case: ES-07
TEST(cooperative_loop, lets_the_log_say_what_it_has_left_out) {
  reader by;
  system_config config = small;
  config.log = {.sink = {reader::take, &by}, .limit = {.records = 3, .interval_ns = 1'000'000'000}};
  board world{config};
  int sum = 0;
  const auto who = world.spawn<counter>("who", &sum);
  world.core().stop(who);
  world.run();
  for (int i = 0; i < 10; ++i)
    who.tell(ping{1});
  EXPECT_EQ(by.records, 3);
  (void)world.loop.poll();
  EXPECT_EQ(by.records, 3);
  world.clock.advance(1s);
  (void)world.loop.poll();
  EXPECT_EQ(by.records, 4);
  EXPECT_EQ(by.left_out, 7u);
  EXPECT_TRUE(by.kind == log_kind::dead_letter);
}

// spec: O6 A2c
TEST(system_core, warns_of_names_it_changed_and_actors_it_refused) {
  reader by;
  system_config config = small;
  config.log.sink = {reader::take, &by};
  board world{config};
  int sum = 0;
  int changed = 0;
  int refused = 0;
  const auto ears = world.spawn("ears", [&changed](tactor::context&, const name_changed& n) {
    if (n.wanted.view() == "desk" && n.given.view() == "desk-2") ++changed;
  });
  const auto eyes = world.spawn("eyes", [&refused](tactor::context&, const spawn_refused& s) {
    if (s.name.view() == "a/b" && s.why == spawn_error::name_invalid) ++refused;
  });
  world.core().events().subscribe<name_changed>(ears);
  world.core().events().subscribe<spawn_refused>(eyes);
  (void)world.spawn<counter>("desk", &sum);
  EXPECT_EQ(by.records, 0);
  (void)world.spawn<counter>("desk", &sum);
  EXPECT_EQ(by.records, 1);
  (void)world.spawn<counter>("a/b", &sum);
  EXPECT_EQ(by.records, 2);
  EXPECT_TRUE(by.kind == log_kind::system);
  world.run();
  EXPECT_EQ(changed, 1);
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace tactor
