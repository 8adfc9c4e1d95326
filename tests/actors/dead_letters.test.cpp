// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/memory_source.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/log_sink.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace shop {

struct order {
  std::string item;
  int number = 0;
};
static std::string to_string(const order& o) {
  return o.item + " x" + std::to_string(o.number);
}

struct sealed {
  std::uint32_t inside[3] = {};
};
struct heartbeat {
  using suppress_dead_letter = void;
};
struct evil {
  int unused = 0;
};
static std::string to_string(const evil&) {
  throw 1;
}
struct go {};

}  // namespace shop

namespace {

using namespace std::chrono_literals;
using shop::evil;
using shop::go;
using shop::heartbeat;
using shop::order;
using shop::sealed;
using testkit::seed;
using testkit::simulation;

/// Large blocks from the heap, unless there shall be none.
class blocks_by_leave final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    if (refuses) return nullptr;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  void release(void* block, std::size_t, std::size_t) noexcept override { std::free(block); }
  bool refuses = false;
};
blocks_by_leave blocks;
// The first source that is provided counts: before any simulation.
const bool provided = (program_memory.blocks.provide(blocks), true);

/// Needs a block of its own.
struct crate {
  std::array<char, 10'000> inside{};
  using reply = int;
};
class crate_yard : public actor<crate, go> {
public:
  explicit crate_yard(const actor_ref<crate>& next) : next_(next) {}
  delegated<int> receive(context& ctx, const crate& c) {
    blocks.refuses = true;
    return ctx.forward(next_, c);
  }
  void receive(context& ctx, go) {
    EXPECT_EQ(ctx.self().tell(crate{}), tell_result::full);
    EXPECT_EQ(ctx.schedule_once(10ms, ctx.self(), crate{}).error(),
              scheduler_error::capacity_exceeded);
  }

private:
  actor_ref<crate> next_;
};

// spec: A2a S1c
TEST(a_message, for_which_there_is_no_memory_is_refused_wherever_it_comes_from) {
  ASSERT_TRUE(provided);
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  world.events().subscribe<dead_letter>(letters.ref());
  auto next = world.spawn_probe<crate>("next");
  const auto yard = world.spawn<crate_yard>("yard", next.ref());
  world.events().subscribe<crate>(next.ref());
  world.run_to_idle();

  // Forwarded: the asker is told at once.
  const auto passed = world.ask(yard, crate{}, 1h).get();
  ASSERT_FALSE(passed.has_value());
  EXPECT_EQ(passed.error().kind, ask_failure::refused);
  EXPECT_EQ(passed.error().waited, duration{});
  dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::no_memory);
  EXPECT_EQ(letter.target, next.ref());
  EXPECT_EQ(letter.sender, yard);

  // From inside, and by a timer.
  yard.tell(go{});
  letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::no_memory);
  EXPECT_EQ(letter.target, yard);

  // From outside, as an event, and as an ask.
  EXPECT_EQ(yard.tell(crate{}), tell_result::full);
  EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::no_memory);
  EXPECT_EQ(yard.try_tell(crate{}).error().why, tell_result::full);
  EXPECT_EQ(world.events().publish(crate{}), 0u);
  EXPECT_EQ(world.events().refused(), 1u);
  const auto asked = world.ask(yard, crate{}, 1h).get();
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().kind, ask_failure::refused);
  EXPECT_EQ(asked.error().waited, duration{});
  next.expect_no_message();

  // And when there is memory again, everything works.
  blocks.refuses = false;
  EXPECT_EQ(next.ref().tell(crate{}), tell_result::ok);
  (void)next.expect<crate>();
}

class crate_client : public actor<go> {
public:
  crate_client(const actor_ref<crate>& whom, ask_failure* why) : whom_(whom), why_(why) {}
  void receive(context& ctx, go) {
    ctx.ask(whom_, crate{}, 1h,
            [why = why_](const std::expected<int, ask_error>& said) { *why = said.error().kind; });
  }

private:
  actor_ref<crate> whom_;
  ask_failure* why_;
};

class crate_awaiter : public actor<go> {
public:
  crate_awaiter(const actor_ref<crate>& whom, ask_failure* why) : whom_(whom), why_(why) {}
  task<void> receive(context& ctx, go) {
    blocks.refuses = true;
    auto asks = ctx.ask(whom_, crate{}, 1h);
    blocks.refuses = false;
    const auto said = co_await std::move(asks);
    if (!said) *why_ = said.error().kind;
  }

private:
  actor_ref<crate> whom_;
  ask_failure* why_;
};

// spec: A2b
TEST(an_ask, of_a_coroutine_without_memory_is_a_dead_letter) {
  ask_failure why{};
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  world.events().subscribe<dead_letter>(letters.ref());
  auto next = world.spawn_probe<crate>("next");
  const auto asks = world.spawn<crate_awaiter>("asks", next.ref(), &why);
  asks.tell(go{});
  const auto letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::no_memory);
  EXPECT_EQ(letter.target, next.ref());
  EXPECT_EQ(letter.sender, asks);
  world.run_to_idle();
  EXPECT_EQ(why, ask_failure::refused);
}

/// Its answer needs a block of its own.
struct crate_wanted {
  using reply = crate;
};
class crate_maker : public actor<crate_wanted, go> {
public:
  delegated<crate> receive(context& ctx, const crate_wanted&) {
    asker_ = ctx.reply_later<crate>();
    return asker_.as_delegated();
  }
  void receive(context&, go) {
    blocks.refuses = true;
    asker_.send(crate{});
    blocks.refuses = false;
  }

private:
  reply_to<crate> asker_;
};

// spec: A2b
TEST(an_answer, for_which_there_is_no_memory_is_a_dead_letter_and_the_ask_is_refused) {
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  world.events().subscribe<dead_letter>(letters.ref());
  const auto maker = world.spawn<crate_maker>("maker");
  auto asked = world.ask(maker, crate_wanted{}, 1h);
  maker.tell(go{});
  const auto said = std::move(asked).get();

  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::refused);
  const auto letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::no_memory);
  EXPECT_EQ(letter.sender, maker);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::no_memory), 1u);
}

// spec: A2b S1c
TEST(an_ask, without_memory_is_a_dead_letter_and_says_whether_the_actor_exists) {
  ask_failure why{};
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  world.events().subscribe<dead_letter>(letters.ref());
  const auto alive = world.spawn<crate_yard>("alive", actor_ref<crate>{});
  const auto gone = world.spawn<crate_yard>("gone", actor_ref<crate>{});
  const auto client = world.spawn<crate_client>("client", alive, &why);
  const auto other = world.spawn<crate_client>("other", gone, &why);
  world.run_to_idle();
  world.stop(gone);
  world.run_to_idle();
  blocks.refuses = true;

  EXPECT_EQ(world.ask(alive, crate{}, 1h).get().error().kind, ask_failure::refused);
  EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::no_memory);
  EXPECT_EQ(world.ask(gone, crate{}, 1h).get().error().kind, ask_failure::target_terminated);
  EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::stopped);
  client.tell(go{});
  dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::no_memory);
  EXPECT_EQ(letter.sender, client);
  world.run_to_idle();
  EXPECT_EQ(why, ask_failure::refused);
  other.tell(go{});
  EXPECT_EQ(letters.expect<dead_letter>().reason, drop_reason::stopped);
  world.run_to_idle();
  EXPECT_EQ(why, ask_failure::target_terminated);
  blocks.refuses = false;
}

// spec: A2a
TEST(a_message, without_memory_to_an_actor_that_drains_is_closed_and_not_full) {
  simulation world{seed{1}};
  const auto yard = world.spawn<crate_yard>("yard", actor_ref<crate>{});
  world.run_to_idle();
  world.drain(yard);
  blocks.refuses = true;
  EXPECT_EQ(yard.tell(crate{}), tell_result::closed);
  EXPECT_EQ(yard.try_tell(crate{}).error().why, tell_result::closed);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::draining), 1u);
  blocks.refuses = false;
}

// spec: S1c
TEST(a_timer, without_memory_is_refused_for_the_first_reason_and_counted) {
  simulation world{seed{1}, {.scheduler = {.system_quota = 1}}};
  const auto yard = world.spawn<crate_yard>("yard", actor_ref<crate>{});
  world.run_to_idle();
  const auto refused = [&] { return world.metrics().timers.refused_total; };
  blocks.refuses = true;
  EXPECT_EQ(world.schedule_once(0ms, yard, crate{}).error(), scheduler_error::invalid_delay);
  EXPECT_EQ(world.schedule_at_fixed_rate(0ms, 0ms, yard, crate{}).error(),
            scheduler_error::invalid_delay);
  EXPECT_EQ(world.schedule_with_fixed_delay(0ms, 10ms, yard, crate{}).error(),
            scheduler_error::capacity_exceeded);
  EXPECT_EQ(world.schedule_once(10ms, yard, crate{}).error(), scheduler_error::capacity_exceeded);
  EXPECT_EQ(refused(), 4u);
  const auto only = world.schedule_once(1h, yard, go{});
  ASSERT_TRUE(only.has_value());
  EXPECT_EQ(world.schedule_once(10ms, yard, crate{}).error(), scheduler_error::quota_exceeded);
  EXPECT_EQ(refused(), 5u);
  (void)world.shutdown();
  EXPECT_EQ(world.schedule_once(0ms, yard, crate{}).error(), scheduler_error::shutdown);
  EXPECT_EQ(refused(), 6u);
  blocks.refuses = false;
}

/// Records the log.
struct log_book {
  struct line {
    log_level level;
    log_kind kind;
    std::uint64_t time_ns;
    std::string actor;
    std::string text;
    std::string reason;
    std::string type;
    std::string sender;
    std::uint64_t number;
  };
  [[nodiscard]] log_config config(std::uint32_t records = 10) {
    return {.sink = {take, this}, .limit = {.records = records, .interval_ns = 10'000'000'000}};
  }
  static void take(void* self, const log_record& record) noexcept {
    line made{.level = record.level,
              .kind = record.kind,
              .time_ns = record.time_ns,
              .actor = std::string{record.actor},
              .text = std::string{record.text},
              .reason = {},
              .type = {},
              .sender = {},
              .number = 0};
    for (const log_field& each : record.fields) {
      if (each.name() == "reason") made.reason = each.text();
      if (each.name() == "type") made.type = each.text();
      if (each.name() == "sender") made.sender = each.text();
      if (each.name() == "number") made.number = each.number();
    }
    static_cast<log_book*>(self)->lines.push_back(made);
  }
  std::vector<line> lines;
};

/// Takes everything, until it is stopped.
class taker : public actor<order, sealed, heartbeat, evil> {
public:
  void receive(context&, const order&) {}
  void receive(context&, const sealed&) {}
  void receive(context&, heartbeat) {}
  void receive(context&, const evil&) {}
};

class dead : public ::testing::Test {
protected:
  dead() : world{seed{9}, {.log = book.config()}}, letters{world.spawn_probe<dead_letter>("all")} {
    world.events().subscribe<dead_letter>(letters.ref());
    gone = world.spawn<taker>("gone");
    world.run_to_idle();
    world.stop(gone);
    world.run_to_idle();
  }
  log_book book;
  simulation world;
  testkit::probe<dead_letter> letters;
  taker::ref gone;
};
using dead_letters = dead;

// spec: A2g A6
// case: ES-09
TEST_F(dead_letters, say_reason_type_contents_target_and_sender) {
  const auto sender =
      world.spawn("sender", [this](tactor::context&, go) { gone.tell(order{"tea", 3}); });
  sender.tell(go{});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::stopped);
  EXPECT_EQ(letter.message_type, "tactor::shop::order");
  EXPECT_EQ(letter.message.view(), "tactor::shop::order: tea x3");
  EXPECT_EQ(letter.target, gone);
  EXPECT_EQ(letter.sender, sender);
}

// spec: A2g
// case: ES-09
TEST_F(dead_letters, from_outside_have_no_sender) {
  EXPECT_EQ(gone.tell(order{"tea", 1}), tell_result::closed);
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_FALSE(letter.sender);
  EXPECT_EQ(letter.target, gone);
  letters.expect_no_message();
}

// spec: A6
TEST_F(dead_letters, show_a_message_without_text_by_its_size) {
  gone.tell(sealed{});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.message.view(), "tactor::shop::sealed (12 bytes)");
}

// spec: A6
TEST_F(dead_letters, survive_a_message_that_throws_while_it_is_printed) {
  gone.tell(evil{});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.message.view(), "tactor::shop::evil: (printing it threw an exception)");
}

// spec: A6
TEST_F(dead_letters, cut_what_is_too_long) {
  gone.tell(order{std::string(500, 'x'), 1});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_TRUE(letter.message.view().starts_with("tactor::shop::order: xxxx"));
  EXPECT_LT(letter.message.view().size(), 100u);
}

// spec: A2g
// case: ES-08
TEST_F(dead_letters, of_a_type_that_asks_for_it_are_only_counted) {
  for (int i = 0; i < 5; ++i)
    gone.tell(heartbeat{});
  letters.expect_no_message();
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 5u);
  EXPECT_EQ(world.metrics().dead_letters_suppressed, 5u);
  EXPECT_TRUE(book.lines.empty());
}

// spec: O1 M3
TEST_F(dead_letters, are_counted_by_their_reason) {
  const auto full = [&](overflow_strategy rule) {
    const auto to =
        world.spawn<taker>({.name = "full", .mailbox = {.capacity = 1, .overflow = rule}});
    for (int i = 0; i < 3; ++i)
      to.tell(order{"x", i});
    return to;
  };
  full(overflow_strategy::drop_oldest);
  full(overflow_strategy::drop_newest);
  full(overflow_strategy::reject);
  full(overflow_strategy::dead_letter);
  gone.tell(order{"x", 1});
  const auto counted = world.metrics();
  EXPECT_EQ(counted.dead_letters_for(drop_reason::dropped_oldest), 2u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::dropped_newest), 2u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::full), 2u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::dead_letter_rule), 2u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::stopped), 1u);
  EXPECT_EQ(counted.all_dead_letters(), 9u);
  world.run_to_idle();
  EXPECT_EQ(letters.waiting(), 9u);
}

// spec: M3
TEST_F(dead_letters, show_which_message_was_dropped_for_a_newer_one) {
  const auto to = world.spawn<taker>(
      {.name = "full", .mailbox = {.capacity = 2, .overflow = overflow_strategy::drop_oldest}});
  for (int i = 1; i <= 3; ++i)
    to.tell(order{"x", i});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.reason, drop_reason::dropped_oldest);
  EXPECT_EQ(letter.message.view(), "tactor::shop::order: x x1");
  EXPECT_EQ(letter.target, to);
}

// spec: O6
TEST_F(dead_letters, are_logged_as_warnings) {
  world.run_for(1s);
  gone.tell(order{"tea", 3});
  ASSERT_EQ(book.lines.size(), 1u);
  EXPECT_EQ(book.lines[0].level, log_level::warning);
  EXPECT_EQ(book.lines[0].kind, log_kind::dead_letter);
  EXPECT_EQ(book.lines[0].time_ns, 1'000'000'000u);
  EXPECT_EQ(book.lines[0].reason, "stopped");
  EXPECT_EQ(book.lines[0].type, "tactor::shop::order");
}

// spec: O6
TEST_F(dead_letters, are_logged_with_the_paths_of_receiver_and_sender) {
  const auto small = world.spawn<taker>({.name = "small", .mailbox = {.capacity = 1}});
  const auto sender = world.spawn("sender", [small](tactor::context&, go) {
    small.tell(order{"tea", 1});
    small.tell(order{"tea", 2});
  });
  sender.tell(go{});
  world.run_to_idle();
  ASSERT_EQ(book.lines.size(), 1u);
  EXPECT_EQ(book.lines[0].actor, "/user/small");
  EXPECT_EQ(book.lines[0].sender, "/user/sender");

  // The slot of the stopped actor has another tenant by now, which is not named.
  for (int i = 0; i < 100; ++i)
    world.spawn<taker>("heir");
  gone.tell(order{"tea", 3});
  EXPECT_EQ(book.lines.back().actor, "/user/gone");
  EXPECT_EQ(book.lines.back().sender, "");
}

// spec: O6
// case: ES-07
TEST(a_system_that_ends, says_how_many_dead_letters_it_has_not_logged) {
  log_book book;
  {
    simulation world{seed{1}, {.log = book.config(2)}};
    const auto small = world.spawn<taker>({.name = "small", .mailbox = {.capacity = 1}});
    for (int i = 0; i < 10; ++i)
      small.tell(order{"tea", i});
    world.run_to_idle();
  }
  ASSERT_EQ(book.lines.size(), 3u);
  EXPECT_EQ(book.lines[2].number, 7u);
}

// spec: O6 A2g
// case: ES-07
TEST_F(dead_letters, are_not_logged_without_end_and_their_number_comes_when_the_interval_is_over) {
  for (int i = 0; i < 100; ++i)
    gone.tell(order{"x", i});
  EXPECT_EQ(book.lines.size(), 10u);
  world.run_for(9s);
  EXPECT_EQ(book.lines.size(), 10u);
  world.run_for(1s);  // nothing else happens, and yet the number is told
  ASSERT_EQ(book.lines.size(), 11u);
  EXPECT_EQ(book.lines[10].number, 90u);
  EXPECT_EQ(book.lines[10].kind, log_kind::dead_letter);
  world.run_for(1min);
  EXPECT_EQ(book.lines.size(), 11u);

  gone.tell(order{"x", 1});
  EXPECT_EQ(book.lines.size(), 12u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 101u);  // counted, all of them
}

// spec: A2a M6
TEST(a_reference, to_an_actor_of_a_system_that_has_ended_refuses_everything_and_does_no_harm) {
  taker::ref gone;
  {
    simulation world{seed{1}};
    gone = world.spawn<taker>("taker");
    world.run_to_idle();
  }
  EXPECT_EQ(gone.tell(order{"x", 1}), tell_result::closed);
  EXPECT_EQ(gone.try_tell(order{"x", 1}).error().message.item, "x");

  // The next system has nothing to do with it, though it uses the same memory.
  log_book book;
  simulation next{seed{1}, {.log = book.config()}};
  auto letters = next.spawn_probe<dead_letter>("letters");
  next.events().subscribe<dead_letter>(letters.ref());
  auto tenant = next.spawn_probe<order>("tenant");  // perhaps in the same slot
  next.run_to_idle();
  EXPECT_EQ(gone.tell(order{"x", 1}), tell_result::closed);
  next.stop(gone);
  next.drain(gone);
  tenant.expect_no_message();
  EXPECT_EQ(next.live(), 2u);
  (void)next.events().unsubscribe_all(letters.ref());
  while (letters.waiting() > 0)
    (void)letters.expect<dead_letter>();
  next.events().subscribe<dead_letter>(letters.ref());

  // Sent by an actor of the next system, that system reports it.
  const auto sender = next.spawn("sender", [gone](tactor::context&, go) {
    EXPECT_EQ(gone.tell(order{"y", 2}), tell_result::closed);
  });
  sender.tell(go{});
  const dead_letter letter = letters.expect<dead_letter>();
  EXPECT_EQ(letter.sender, sender);
  EXPECT_EQ(letter.message.view(), "tactor::shop::order: y x2");
}

// spec: A2g
TEST(a_message, to_an_actor_of_another_system_that_has_stopped_is_that_systems_dead_letter) {
  simulation here{seed{1}};
  simulation there{seed{1}};
  const auto gone = there.spawn<taker>("gone");
  const auto sender = here.spawn("sender", [gone](tactor::context&, go) { gone.tell(order{}); });
  there.run_to_idle();
  there.stop(gone);
  there.run_to_idle();
  sender.tell(go{});
  here.run_to_idle();
  EXPECT_EQ(here.metrics().all_dead_letters(), 0u);
  EXPECT_EQ(there.metrics().all_dead_letters(), 1u);
}

// spec: A2a
TEST(a_message, between_two_systems_is_delivered) {
  simulation here{seed{1}};
  simulation there{seed{2}};
  auto probe = there.spawn_probe<order>("probe");
  const auto sender = here.spawn(
      "sender", [to = probe.ref()](tactor::context&, go) { to.tell(order{"across", 1}); });
  sender.tell(go{});
  here.run_to_idle();
  EXPECT_EQ(probe.expect<order>().item, "across");
  EXPECT_EQ(probe.sender(), sender);
}

}  // namespace
}  // namespace tactor
