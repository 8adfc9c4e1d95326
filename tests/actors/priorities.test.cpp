// SPDX-License-Identifier: BSL-1.0
// Mailboxes whose messages have priorities.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/message/message_priority.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::random_source;
using testkit::seed;
using testkit::simulation;
using numbers = std::vector<int>;
using may_fail = std::expected<void, failure>;

// Its priority is a data member.
struct job {
  int number = 0;
  int priority = default_priority;
};
// Its priority is computed.
struct capped {
  int number = 0;
  [[nodiscard]] int priority() const noexcept { return number <= 100 ? number : 101; }
};
// Priorities of a type.
struct urgent {
  static constexpr int priority = 1;
  int number = 0;
};
struct idle_work {
  static constexpr std::uint8_t priority = 255;
  int number = 0;
};
struct plain {
  int number = 0;
};
struct command {
  using control_message = void;
  int number = 0;
};
struct price_of {
  static constexpr int priority = 2;
  int number = 0;
  using reply = int;
};
struct unrelated {
  std::string priority;  // a text is no priority
  bool control_message = false;
};
static_assert(!is_control_message<unrelated> && is_control_message<command>);
static_assert(internal::priority_function_of<unrelated>() == nullptr);
static_assert(internal::priority_function_of<urgent>() == nullptr);
static_assert(internal::constant_priority_of<urgent>() == 1);
static_assert(internal::constant_priority_of<unrelated>() == default_priority);
static_assert(internal::priority_of_message<job> == internal::priority_function_of<job>());

template <class Message>
std::string text_of(const Message& m) {
  return std::to_string(m.number);
}
std::string to_string(const job& m) {
  return text_of(m);
}
std::string to_string(const command& m) {
  return text_of(m);
}
std::string to_string(const plain& m) {
  return text_of(m);
}

numbers range(int first, int last) {
  numbers all(static_cast<std::size_t>(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}
numbers shuffled(numbers all, std::uint64_t from) {
  random_source random{seed{from}};
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[random.below(i)]);
  return all;
}

constexpr mailbox_options with_priorities(std::uint32_t capacity,
                                          overflow_strategy rule = overflow_strategy::reject) {
  return {.capacity = capacity, .overflow = rule, .order = mailbox_order::priority};
}

// Records what a worker has handled, and decides what its handlers return.
struct record {
  numbers handled;
  std::function<may_fail(int)> on_message;

  may_fail take(int number) {
    handled.push_back(number);
    return on_message ? on_message(number) : may_fail{};
  }
};

struct worker : actor<job, capped, urgent, idle_work, plain, command, price_of> {
  explicit worker(record* seen) : seen_(seen) {}
  may_fail receive(context&, const job& m) { return seen_->take(m.number); }
  may_fail receive(context&, const capped& m) { return seen_->take(m.number); }
  may_fail receive(context&, const urgent& m) { return seen_->take(m.number); }
  may_fail receive(context&, const idle_work& m) { return seen_->take(m.number); }
  may_fail receive(context&, const plain& m) { return seen_->take(m.number); }
  may_fail receive(context&, const command& m) { return seen_->take(m.number); }
  int receive(context&, const price_of& m) {
    seen_->handled.push_back(m.number);
    return 10 * m.number;
  }
  record* seen_;
};

struct priorities : testing::Test {
  std::vector<std::string> lost;
  record seen;
  simulation world{seed{3}};

  priorities() {
    const auto watcher = world.spawn("watcher", [this](context&, const dead_letter& each) {
      const std::string text{each.message.view()};
      lost.push_back(text.substr(text.rfind(' ') + 1));  // without the type
    });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    (void)world.run_to_idle();
  }
  worker::ref spawn(const mailbox_options& mailbox = mailbox_presets::prioritized,
                    const supervision& on_failure = {}) {
    const worker::ref made = world.spawn<worker>(
        {.name = "worker", .mailbox = mailbox, .on_failure = on_failure}, &seen);
    (void)world.run_to_idle();
    return made;
  }
  numbers run() {
    (void)world.run_to_idle();
    return std::exchange(seen.handled, {});
  }
};

// spec: M8
// case: MP-01
TEST_F(priorities, smaller_numbers_are_handled_first) {
  for (const std::uint32_t capacity : {mailbox_options::unbounded, 100u}) {
    const worker::ref who = spawn(with_priorities(capacity));
    for (const int each : shuffled(range(1, 100), capacity))
      EXPECT_EQ(who.tell(job{.number = each, .priority = each}), tell_result::ok);

    EXPECT_EQ(run(), range(1, 100));
  }
}

// case: MP-02
TEST_F(priorities, messages_of_one_number_are_handled_as_they_arrived) {
  const worker::ref who = spawn();
  numbers expected = range(1, 100);
  for (const int each : shuffled(range(1, 300), 5)) {
    who.tell(capped{each});
    if (each > 100) expected.push_back(each);
  }

  EXPECT_EQ(run(), expected);
}

// case: MP-03
TEST_F(priorities, a_control_message_overtakes_two_ordinary_messages) {
  const worker::ref who = spawn();
  who.tell(plain{1});
  who.tell(plain{2});
  who.tell(command{3});

  EXPECT_EQ(run(), (numbers{3, 1, 2}));
}

// case: MP-04
TEST_F(priorities, a_message_without_a_number_counts_as_100) {
  const worker::ref who = spawn();
  who.tell(job{.number = 101, .priority = 101});
  who.tell(plain{100});
  for (const int each : {7, 5, 0, 6, 99})
    who.tell(job{.number = each, .priority = each});

  EXPECT_EQ(run(), (numbers{0, 5, 6, 7, 99, 100, 101}));
}

// case: MP-05
TEST_F(priorities, control_messages_keep_their_own_order) {
  const worker::ref who = spawn();
  who.tell(job{.number = 1, .priority = 0});
  who.tell(plain{2});
  who.tell(command{3});
  who.tell(job{.number = 4, .priority = 0});
  who.tell(command{5});
  who.tell(command{6});

  EXPECT_EQ(run(), (numbers{3, 5, 6, 1, 4, 2}));
}

// spec: M8
TEST_F(priorities, a_type_has_a_number) {
  const worker::ref who = spawn();
  who.tell(idle_work{255});
  who.tell(plain{100});
  who.tell(urgent{1});
  who.tell(job{.number = 0, .priority = 0});
  who.tell(job{.number = 2, .priority = 2});

  EXPECT_EQ(run(), (numbers{0, 1, 2, 100, 255}));
}

TEST_F(priorities, numbers_beyond_the_range_count_as_the_nearest) {
  const worker::ref who = spawn();
  who.tell(job{.number = 3, .priority = 255});
  who.tell(job{.number = 4, .priority = 1'000});
  who.tell(job{.number = 2, .priority = 254});
  who.tell(job{.number = 0, .priority = 0});
  who.tell(job{.number = 1, .priority = -7});

  EXPECT_EQ(run(), (numbers{0, 1, 2, 3, 4}));
}

TEST_F(priorities, a_mailbox_without_them_keeps_the_order_of_arrival) {
  for (const mailbox_options& mailbox :
       {mailbox_presets::unbounded, mailbox_presets::bounded(9),
        mailbox_options{.capacity = 9, .overflow = overflow_strategy::drop_oldest}}) {
    const worker::ref who = spawn(mailbox);
    who.tell(plain{1});
    who.tell(urgent{2});
    who.tell(command{3});
    EXPECT_EQ(run(), (numbers{1, 2, 3}));
  }
}

// spec: M8
TEST_F(priorities, drop_oldest_evicts_the_least_urgent_message_and_of_these_the_oldest) {
  const worker::ref who = spawn(with_priorities(3, overflow_strategy::drop_oldest));
  who.tell(job{.number = 1, .priority = 9});
  who.tell(job{.number = 2, .priority = 5});
  who.tell(job{.number = 3, .priority = 9});
  who.tell(job{.number = 4, .priority = 7});  // evicts 1
  who.tell(job{.number = 5, .priority = 0});  // evicts 3
  who.tell(job{.number = 6, .priority = 8});  // is the least urgent itself
  who.tell(job{.number = 7, .priority = 7});  // evicts 4

  EXPECT_EQ(run(), (numbers{5, 2, 7}));
  EXPECT_EQ(lost, (std::vector<std::string>{"1", "3", "6", "4"}));
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::dropped_oldest), 4u);
}

// spec: M8
TEST_F(priorities, control_messages_do_not_count_against_the_capacity) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::dead_letter,
        overflow_strategy::drop_oldest, overflow_strategy::block_producer}) {
    lost.clear();
    const worker::ref who = spawn(with_priorities(2, rule));
    for (const int each : {1, 2, 3, 4, 5})
      EXPECT_EQ(who.tell(command{each}), tell_result::ok);
    EXPECT_EQ(who.tell(plain{6}), tell_result::ok);
    EXPECT_EQ(who.tell(plain{7}), tell_result::ok);
    EXPECT_EQ(who.tell(command{8}), tell_result::ok);

    EXPECT_EQ(run(), (numbers{1, 2, 3, 4, 5, 8, 6, 7}));
    EXPECT_TRUE(lost.empty());
  }
}

// spec: M8
TEST_F(priorities, a_capacity_is_exact) {
  struct rule_facts {
    overflow_strategy rule;
    tell_result told;
    drop_reason reason;
  };
  for (const rule_facts& each : {
           rule_facts{overflow_strategy::reject, tell_result::full, drop_reason::full},
           {overflow_strategy::drop_newest, tell_result::dropped, drop_reason::dropped_newest},
           {overflow_strategy::dead_letter, tell_result::ok, drop_reason::dead_letter_rule},
           {overflow_strategy::block_producer, tell_result::full, drop_reason::full},
       }) {
    const worker::ref who = spawn(with_priorities(2, each.rule));
    const std::uint64_t before = world.metrics().dead_letters_for(each.reason);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(who.tell(plain{2}), tell_result::ok);
      EXPECT_EQ(who.tell(urgent{1}), tell_result::ok);
      EXPECT_EQ(who.tell(urgent{3}), each.told);
      EXPECT_EQ(run(), (numbers{1, 2}));
    }
    EXPECT_EQ(world.metrics().dead_letters_for(each.reason) - before, 3u);
  }
}

// spec: M8 M9
TEST_F(priorities, what_is_queued_at_a_stop_becomes_dead_letters_and_leaves_no_trace) {
  for (int round = 0; round < 20; ++round) {  // in one slot
    lost.clear();
    const worker::ref who = spawn(with_priorities(2));
    EXPECT_EQ(who.tell(plain{1}), tell_result::ok);
    EXPECT_EQ(who.tell(job{.number = 2, .priority = 5}), tell_result::ok);
    EXPECT_EQ(who.tell(command{3}), tell_result::ok);
    EXPECT_EQ(who.tell(urgent{4}), tell_result::full);
    world.stop(who);
    EXPECT_TRUE(run().empty());
    EXPECT_EQ(lost.size(), 4u);
    EXPECT_EQ(who.tell(command{5}), tell_result::closed);
    (void)world.run_to_idle();
  }
}

TEST_F(priorities, a_drain_handles_what_is_queued_by_priority) {
  const worker::ref who = spawn();
  who.tell(plain{2});
  who.tell(urgent{1});
  who.tell(command{0});
  world.begin_drain();

  EXPECT_EQ(run(), (numbers{0, 1, 2}));
  EXPECT_TRUE(lost.empty());
}

// spec: M8 M4b
TEST_F(priorities, an_actor_waits_for_capacity_and_nothing_is_lost) {
  const worker::ref who = spawn(with_priorities(2, overflow_strategy::block_producer));
  const auto sender = world.spawn("sender", [&](context&, const plain&) {
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(who.tell(job{.number = i, .priority = i % 2}), tell_result::ok);
    EXPECT_EQ(who.tell(command{100}), tell_result::ok);  // does not wait
  });
  sender.tell(plain{});
  numbers all = run();

  EXPECT_LT(std::find(all.begin(), all.end(), 100) - all.begin(), 3);
  numbers even;
  numbers odd;
  for (const int each : all)
    if (each != 100) (each % 2 == 0 ? even : odd).push_back(each);
  EXPECT_TRUE(std::is_sorted(even.begin(), even.end()));
  EXPECT_TRUE(std::is_sorted(odd.begin(), odd.end()));
  EXPECT_EQ(all.size(), 21u);
  EXPECT_TRUE(lost.empty());
}

// spec: M8
TEST_F(priorities, are_kept_by_messages_that_wait_for_a_suspended_actor) {
  const worker::ref who = spawn();
  ASSERT_TRUE(world.suspend(who, suspend_reason::user_defined));
  (void)world.run_to_idle();
  who.tell(plain{2});
  EXPECT_TRUE(run().empty());
  who.tell(urgent{1});
  who.tell(command{0});
  EXPECT_TRUE(run().empty());
  ASSERT_TRUE(world.resume(who, suspend_reason::user_defined));

  EXPECT_EQ(run(), (numbers{0, 1, 2}));
}

// spec: M8
TEST_F(priorities, are_kept_by_messages_that_wait_for_a_restart) {
  seen.on_message = [](int number) {
    return number == 1 ? may_fail{std::unexpected{failure{"once"}}} : may_fail{};
  };
  const worker::ref who = spawn(with_priorities(5), restart{.delay = {.min = 1s}});
  who.tell(plain{4});
  who.tell(job{.number = 1, .priority = 0});
  who.tell(urgent{3});
  EXPECT_EQ(run(), (numbers{1}));
  who.tell(command{2});
  world.run_for(2s);

  EXPECT_EQ(run(), (numbers{2, 3, 4}));
}

struct shop : actor<plain, urgent, command> {
  explicit shop(numbers* handled) : handled_(handled) {}
  void receive(context& ctx, const plain& m) {
    if (open_) return handled_->push_back(m.number);
    EXPECT_TRUE(ctx.stash(m));
  }
  void receive(context&, const urgent& m) { handled_->push_back(m.number); }
  void receive(context& ctx, const command& m) {
    handled_->push_back(m.number);
    open_ = true;
    EXPECT_TRUE(ctx.unstash_all());
  }
  numbers* handled_;
  bool open_ = false;
};

// spec: M8 A3
TEST_F(priorities, the_stash_is_replayed_before_what_waits_in_the_mailbox) {
  const auto keeper =
      world.spawn<shop>({.name = "shop", .mailbox = mailbox_presets::prioritized}, &seen.handled);
  keeper.tell(plain{2});
  keeper.tell(plain{3});
  (void)world.run_to_idle();
  keeper.tell(plain{5});
  keeper.tell(urgent{4});
  keeper.tell(command{1});

  EXPECT_EQ(run(), (numbers{1, 2, 3, 4, 5}));
}

// spec: M8
TEST_F(priorities, a_timer_sends_with_the_number_of_the_type) {
  const worker::ref who = spawn();
  ASSERT_TRUE(world.suspend(who, suspend_reason::user_defined));
  who.tell(job{.number = 3, .priority = 99});
  ASSERT_TRUE(world.schedule_once(1s, who, urgent{2}));
  ASSERT_TRUE(world.schedule_once(1s, who, command{1}));
  ASSERT_TRUE(world.schedule_once(1s, who, job{.number = 4, .priority = 0}));
  world.run_for(2s);
  ASSERT_TRUE(world.resume(who, suspend_reason::user_defined));

  EXPECT_EQ(run(), (numbers{1, 2, 3, 4}));
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

TEST_F(priorities, a_timer_message_that_is_evicted_ends_its_timer) {
  const worker::ref who = spawn(with_priorities(1, overflow_strategy::drop_oldest));
  ASSERT_TRUE(world.suspend(who, suspend_reason::user_defined));
  who.tell(urgent{1});
  ASSERT_TRUE(world.schedule_once(1s, who, idle_work{2}));  // evicted as it comes
  world.run_for(2s);
  ASSERT_TRUE(world.resume(who, suspend_reason::user_defined));

  EXPECT_EQ(run(), (numbers{1}));
  EXPECT_EQ(lost.size(), 1u);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: M8
TEST_F(priorities, an_ask_has_the_number_of_its_message) {
  const worker::ref who = spawn();
  std::optional<int> answer;
  const auto asker =
      world.spawn(spawn_options{.name = "asker", .mailbox = mailbox_presets::prioritized},
                  [&](context& ctx, const plain&) {
                    ctx.ask(who, price_of{2}, 1s, [&](std::expected<int, ask_error> said) {
                      answer = said.value_or(-1);
                    });
                  });
  asker.tell(plain{});
  (void)world.run_to_idle();
  EXPECT_EQ(answer, 20);
  EXPECT_EQ(run(), (numbers{2}));
}

void say_nothing(const log_record& /*what*/) noexcept {}

// The queue by its definition: sorts.
struct reference_queue {
  struct entry {
    int priority;  // -1: control
    int number;
  };
  std::vector<entry> waiting;
  std::uint32_t capacity;

  [[nodiscard]] std::size_t counted() const {
    return static_cast<std::size_t>(
        std::count_if(waiting.begin(), waiting.end(), [](entry e) { return e.priority >= 0; }));
  }
  // Returns: the number of what is lost; -1: nothing.
  int push(entry fresh, overflow_strategy rule) {
    const bool full = fresh.priority >= 0 && counted() >= capacity;
    if (full && rule == overflow_strategy::reject) return fresh.number;
    waiting.push_back(fresh);
    if (!full) return -1;
    const auto least = std::max_element(waiting.begin(), waiting.end(),
                                        [](entry a, entry b) { return a.priority < b.priority; });
    const int lost = least->number;
    waiting.erase(least);
    return lost;
  }
  int pop() {
    const auto first = std::min_element(waiting.begin(), waiting.end(),
                                        [](entry a, entry b) { return a.priority < b.priority; });
    const int number = first->number;
    waiting.erase(first);
    return number;
  }
};

// spec: M8
TEST(priorities_at_random, equal_a_sorted_list_for_every_seed) {
  const std::uint64_t seeds = 3'000;
  for (std::uint64_t each = 1; each <= seeds; ++each) {
    random_source random{seed{each}};
    const auto rule =
        random.below(2) == 0 ? overflow_strategy::reject : overflow_strategy::drop_oldest;
    const auto capacity = static_cast<std::uint32_t>(1 + random.below(6));
    const std::size_t kinds = 1 + random.below(4);
    reference_queue expected{.waiting = {}, .capacity = capacity};
    std::size_t handled = 0;
    std::size_t lost = 0;
    const int sent = 60;
    const auto turn = static_cast<std::uint32_t>(1 + random.below(3));
    simulation world{seed{each},
                     system_config{.dispatch = {.throughput = turn}, .log = {.sink = say_nothing}}};
    const auto check = [&](int number) {
      ASSERT_FALSE(expected.waiting.empty());
      EXPECT_EQ(number, expected.pop()) << "seed " << each;
      ++handled;
    };
    record seen;
    seen.on_message = [&](int number) {
      check(number);
      return may_fail{};
    };
    const worker::ref who =
        world.spawn<worker>({.mailbox = with_priorities(capacity, rule)}, &seen);
    (void)world.run_to_idle();
    bool suspended = false;
    for (int i = 0; i < sent; ++i) {
      const bool control = random.below(8) == 0;
      const int priority = control ? -1 : static_cast<int>(random.below(kinds) * 85);
      if (expected.push({.priority = priority, .number = i}, rule) >= 0) ++lost;
      if (control) {
        who.tell(command{i});
      } else {
        who.tell(job{.number = i, .priority = priority});
      }
      if (random.below(12) == 0) {
        suspended = !suspended;
        ASSERT_TRUE(suspended ? world.suspend(who, suspend_reason::user_defined)
                              : world.resume(who, suspend_reason::user_defined));
      }
      for (std::size_t turns = random.below(3); turns > 0; --turns)
        (void)world.run_one();
    }
    if (suspended) {
      ASSERT_TRUE(world.resume(who, suspend_reason::user_defined));
    }
    (void)world.run_to_idle();
    EXPECT_TRUE(expected.waiting.empty());
    EXPECT_EQ(handled + lost, static_cast<std::size_t>(sent));
    EXPECT_EQ(world.metrics().all_dead_letters(), lost);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace tactor
