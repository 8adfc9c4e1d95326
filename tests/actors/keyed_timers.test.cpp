// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/keyed_timing.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;
using may_fail = std::expected<void, failure>;

struct beat {
  int number = 0;
};
struct only_moved {
  std::unique_ptr<int> number;
};
struct deed;
using ticker_context = actor_context<beat, only_moved, deed>;
struct deed {
  std::function<may_fail(ticker_context&)> what;
};

struct diary {
  std::vector<int> beats;
  std::vector<std::uint64_t> runs;
  std::function<void(ticker_context&)> at_start;
  std::function<void(ticker_context&)> before_restart;
  std::function<void(ticker_context&)> at_end;
};

class ticker : public actor<beat, only_moved, deed> {
public:
  explicit ticker(diary* book) : book_(book) {}
  void pre_start(context& ctx) {
    if (book_->at_start) book_->at_start(ctx);
  }
  void pre_restart(context& ctx, const failure&) {
    if (book_->before_restart) book_->before_restart(ctx);
  }
  void post_stop(context& ctx) {
    if (book_->at_end) book_->at_end(ctx);
  }
  void receive(context& ctx, const beat& b) {
    book_->beats.push_back(b.number);
    book_->runs.push_back(ctx.batch().runs);
  }
  void receive(context&, only_moved m) { book_->beats.push_back(*m.number); }
  may_fail receive(context& ctx, const deed& d) { return d.what(ctx); }

private:
  diary* book_;
};

class keyed_timers_of_an_actor : public ::testing::Test {
protected:
  void SetUp() override {
    const auto watcher =
        world.spawn("watcher", [this](context&, const dead_letter&) { ++dead_letters; });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    (void)world.run_to_idle();
  }
  ticker::ref spawn(const spawn_options& options = {}) {
    return world.spawn<ticker>(options, &book);
  }
  template <class What>
  static deed as_deed(What what) {
    return deed{[what](ticker_context& ctx) -> may_fail {
      if constexpr (std::is_void_v<decltype(what(ctx))>) {
        what(ctx);
        return {};
      } else {
        return what(ctx);
      }
    }};
  }
  template <class What>
  void let(const ticker::ref& who, What what) {
    who.tell(as_deed(what));
    (void)world.run_to_idle();
  }
  // It does it after `passed`, with the messages of its timers queued behind.
  template <class What>
  void let_after(duration passed, const ticker::ref& who, What what) {
    EXPECT_TRUE(world.suspend(who));
    (void)world.run_to_idle();
    who.tell(as_deed(what));
    world.run_for(passed);
    EXPECT_TRUE(world.resume(who));
    (void)world.run_to_idle();
  }
  bool active(const ticker::ref& who, const timer_key& key) {
    bool is = false;
    let(who, [&](ticker_context& ctx) { is = ctx.is_timer_active(key); });
    return is;
  }

  diary book;
  int dead_letters = 0;
  simulation world{seed{1}};
};
using numbers = std::vector<int>;

// spec: A2f
// case: TM-01
TEST_F(keyed_timers_of_an_actor, fire_once_or_again_and_again_and_end_with_the_actor) {
  const auto who = spawn();
  let(who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer("once", after(20ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer("rate", every(30ms), beat{2}));
    EXPECT_TRUE(ctx.start_timer("delay", spaced(50ms), beat{3}));
    EXPECT_TRUE(ctx.start_timer("moved", after(10ms), only_moved{std::make_unique<int>(4)}));
  });
  EXPECT_TRUE(active(who, "once"));
  world.run_for(105ms);
  EXPECT_EQ(book.beats, (numbers{4, 1, 2, 3, 2, 2, 3}));
  EXPECT_FALSE(active(who, "once"));
  EXPECT_TRUE(active(who, "rate"));
  EXPECT_FALSE(active(who, "unknown"));
  world.stop(who);
  world.run_for(200ms);
  EXPECT_EQ(book.beats.size(), 7U);
  EXPECT_EQ(dead_letters, 0);
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
}

class checks_itself : public actor<beat> {
public:
  explicit checks_itself(std::vector<bool>* const& active) : active_(active) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.start_timer("once", after(10ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer("rate", every(30ms), beat{2}));
  }
  void receive(context& ctx, beat b) {
    const char* const key = b.number == 1 ? "once" : "rate";
    active_->push_back(ctx.is_timer_active(key));
    EXPECT_EQ(ctx.cancel_timer(key), active_->back());
    if (b.number == 1) {
      EXPECT_TRUE(ctx.start_timer("rate", every(30ms), beat{2}));
    }
  }

private:
  std::vector<bool>* active_;
};

// spec: A2f
TEST_F(keyed_timers_of_an_actor, are_inactive_in_the_handler_of_their_only_message) {
  std::vector<bool> active;
  (void)world.spawn<checks_itself>("who", &active);
  world.run_for(200ms);
  EXPECT_EQ(active, (std::vector<bool>{false, true}));
}

// spec: A2f
TEST_F(keyed_timers_of_an_actor, replace_the_timer_of_their_key_with_its_queued_tick) {
  const auto who = spawn();
  let(who, [](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer(7, after(10ms), beat{1})); });
  let_after(20ms, who,
            [](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer(7, every(30ms), beat{2})); });
  world.run_for(65ms);
  EXPECT_EQ(book.beats, (numbers{2, 2}));
  EXPECT_EQ(dead_letters, 0);
}

// spec: O7a
TEST_F(keyed_timers_of_an_actor, leave_no_message_that_waits_when_they_are_replaced_or_cancelled) {
  const auto who = spawn({.on_failure = restart{}});
  for (const bool restarts : {false, true}) {
    let(who, [](ticker_context& ctx) {
      EXPECT_TRUE(ctx.start_timer("replaced", after(10ms), beat{1}));
      EXPECT_TRUE(ctx.start_timer("cancelled", after(10ms), beat{2}));
    });
    let_after(20ms, who, [restarts](ticker_context& ctx) -> may_fail {
      if (restarts) return std::unexpected{failure{"no"}};
      EXPECT_TRUE(ctx.start_timer("replaced", after(1h), beat{3}));
      EXPECT_TRUE(ctx.cancel_timer("cancelled"));
      return {};
    });
  }
  EXPECT_TRUE(book.beats.empty());
  EXPECT_EQ(world.metrics().messages_cancelled, 4u);
  EXPECT_EQ(world.metrics().waiting(), 0u);
}

// case: TM-03
TEST_F(keyed_timers_of_an_actor, can_be_cancelled_one_by_one_also_when_queued) {
  const auto who = spawn();
  let(who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer("a", every(10ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer("b", every(10ms), beat{2}));
  });
  let_after(10ms, who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.cancel_timer("a"));
    EXPECT_FALSE(ctx.cancel_timer("a"));
    EXPECT_FALSE(ctx.cancel_timer("unknown"));
  });
  world.run_for(10ms);
  EXPECT_EQ(book.beats, (numbers{2, 2}));
  let(who, [](ticker_context& ctx) { ctx.cancel_timers(); });
  world.run_for(50ms);
  EXPECT_EQ(book.beats, (numbers{2, 2}));
}

// spec: V2b
// case: TM-04
TEST_F(keyed_timers_of_an_actor, are_cancelled_before_pre_restart) {
  bool was_active = true;
  book.before_restart = [&](ticker_context& ctx) {
    was_active = ctx.is_timer_active("beat");
    EXPECT_TRUE(ctx.start_timer("late", after(10ms), beat{9}));
  };
  const auto who = spawn({.on_failure = restart{}});
  let(who, [](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer("beat", every(10ms), beat{1})); });
  let_after(10ms, who, [](ticker_context&) -> may_fail { return std::unexpected{failure{"no"}}; });
  world.run_for(100ms);
  EXPECT_FALSE(was_active);
  EXPECT_TRUE(book.beats.empty());
  EXPECT_EQ(dead_letters, 0);
  let(who, [](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer("beat", after(10ms), beat{2})); });
  world.run_for(10ms);
  EXPECT_EQ(book.beats, (numbers{2}));
}

// case: TM-06
TEST_F(keyed_timers_of_an_actor, are_cancelled_before_post_stop_however_it_ends) {
  int ended = 0;
  book.at_end = [&](ticker_context& ctx) {
    ++ended;
    EXPECT_FALSE(ctx.is_timer_active("beat"));
    EXPECT_TRUE(ctx.start_timer("late", every(10ms), beat{9}));
  };
  for (const bool fails : {false, true}) {
    const auto who = spawn();
    let(who,
        [](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer("beat", every(10ms), beat{1})); });
    let_after(10ms, who, [fails](ticker_context& ctx) -> may_fail {
      if (fails) return std::unexpected{failure{"no"}};
      ctx.stop();
      return {};
    });
    world.run_for(100ms);
  }
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(book.beats.empty());
  EXPECT_EQ(dead_letters, 0);
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
}

// spec: A2d A2f
TEST_F(keyed_timers_of_an_actor, that_fall_due_while_the_actor_drains_are_no_dead_letters) {
  book.at_start = [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer("again", every(10ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer("once", after(15ms), beat{2}));
  };
  const auto who = spawn();
  (void)world.run_to_idle();
  EXPECT_TRUE(world.suspend(who));
  (void)world.run_to_idle();
  world.run_for(11ms);  // one message waits
  world.drain(who);
  world.run_for(50ms);
  EXPECT_EQ(world.live(), 2u) << "what is queued keeps a suspended actor alive";
  EXPECT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_EQ(world.live(), 1u);
  EXPECT_EQ(book.beats, numbers{1}) << "the one that was queued";
  EXPECT_EQ(dead_letters, 0);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
  world.run_for(10ms);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// case: TM-07
TEST_F(keyed_timers_of_an_actor, keep_running_when_the_behaviour_changes) {
  using phases = behaviour<beat>;
  numbers seen;
  const auto second = [&seen](phases::context&, const beat& b) { seen.push_back(b.number + 100); };
  const auto who = world.spawn("who", phases{[&seen, second](phases::context& ctx, const beat& b) {
                                 seen.push_back(b.number);
                                 if (b.number == 1) {
                                   EXPECT_TRUE(ctx.start_timer("a", every(10ms), beat{2}));
                                 } else {
                                   ctx.become(phases{second});
                                 }
                               }});
  who.tell(beat{1});
  (void)world.run_to_idle();
  world.run_for(30ms);
  EXPECT_EQ(seen, (numbers{1, 2, 102, 102}));
}

TEST_F(keyed_timers_of_an_actor, keep_the_old_timer_if_the_new_one_is_refused) {
  const auto who = spawn();
  let(who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer("a", after(10ms), beat{1}));
    EXPECT_EQ(ctx.start_timer("a", after(-1ms), beat{2}).error(), scheduler_error::invalid_delay);
    EXPECT_EQ(ctx.start_timer("b", every(0ms), beat{2}).error(), scheduler_error::invalid_delay);
  });
  world.run_for(20ms);
  EXPECT_EQ(book.beats, (numbers{1}));
}

TEST_F(keyed_timers_of_an_actor, treat_missed_runs_as_told) {
  const auto who = spawn();
  let(who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer("fold", every(10ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer("skip", every(10ms, missed::skip), beat{2}));
  });
  world.clock().jump(30ms);
  (void)world.run_to_idle();
  EXPECT_EQ(book.beats, (numbers{1, 2}));
  EXPECT_EQ(book.runs, (std::vector<std::uint64_t>{3, 1}));
}

enum class phase : std::uint8_t { first, second };

TEST_F(keyed_timers_of_an_actor, have_numbers_enumerators_and_texts_as_keys) {
  static_assert(timer_key{"a"}.value() == timer_key{std::string_view{"a"}}.value());
  static_assert(timer_key{"a"}.value() != timer_key{"b"}.value());
  EXPECT_EQ(timer_key{std::string{"a"}}.value(), timer_key{"a"}.value());
  const auto who = spawn();
  let(who, [](ticker_context& ctx) {
    EXPECT_TRUE(ctx.start_timer(phase::first, after(10ms), beat{1}));
    EXPECT_TRUE(ctx.start_timer(phase::second, after(10ms), beat{2}));
    EXPECT_TRUE(ctx.start_timer("first", after(10ms), beat{3}));
    EXPECT_TRUE(ctx.start_timer(-1, after(10ms), beat{4}));
  });
  world.run_for(10ms);
  EXPECT_EQ(book.beats, (numbers{1, 2, 3, 4}));
}

// A key is a value: it does not refer to the text from which it was made.
TEST_F(keyed_timers_of_an_actor, can_be_started_with_a_key_that_outlives_its_text) {
  auto text = std::make_unique<std::string>("a text that is longer than what observers see of it");
  const timer_key key{*text};
  text.reset();
  const auto who = spawn();
  let(who, [&](ticker_context& ctx) { EXPECT_TRUE(ctx.start_timer(key, after(10ms), beat{1})); });
  EXPECT_TRUE(active(who, "a text that is longer than what observers see of it"));
  EXPECT_FALSE(active(who, "a text that is longer than what observers see of something else"));
  world.run_for(10ms);
  EXPECT_EQ(book.beats, (numbers{1}));
}

// By each rule, and with priorities; with `drop_oldest` the timers' messages overtake.
// spec: M4e
TEST_F(keyed_timers_of_an_actor, have_places_beside_those_of_a_full_mailbox) {
  for (const overflow_strategy rule :
       {overflow_strategy::reject, overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter, overflow_strategy::block_producer}) {
    for (const mailbox_order order : {mailbox_order::arrival, mailbox_order::priority}) {
      book = {};
      const auto who = spawn({.mailbox = {.capacity = 1, .overflow = rule, .order = order}});
      let(who, [](ticker_context& ctx) {
        EXPECT_TRUE(ctx.start_timer("a", after(10ms), beat{1}));
        EXPECT_TRUE(ctx.start_timer("b", every(20ms), beat{2}));
        EXPECT_TRUE(ctx.schedule_once(10ms, ctx.self(), beat{3}));
      });
      EXPECT_TRUE(world.suspend(who));
      (void)world.run_to_idle();
      EXPECT_TRUE(who.try_tell(beat{4}));
      world.run_for(30ms);
      EXPECT_TRUE(world.resume(who));
      (void)world.run_to_idle();
      const numbers expected =
          rule == overflow_strategy::drop_oldest ? numbers{1, 3, 2, 4} : numbers{4, 1, 3, 2};
      EXPECT_EQ(book.beats, expected) << static_cast<int>(rule);
      EXPECT_TRUE(who.try_tell(beat{5})) << "the capacity is as before";
      (void)world.run_to_idle();
      EXPECT_EQ(book.beats.back(), 5);
      world.stop(who);
      (void)world.run_to_idle();
      EXPECT_EQ(dead_letters, 0);
    }
  }
}

// spec: M4e
TEST_F(keyed_timers_of_an_actor, may_stop_it_or_be_cancelled_or_replaced_in_a_full_mailbox) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    book = {};
    const auto who = spawn({.mailbox = {.capacity = 1, .overflow = rule}});
    let(who, [](ticker_context& ctx) {
      EXPECT_TRUE(ctx.start_timer("a", after(10ms), beat{1}));
      EXPECT_TRUE(ctx.start_timer("b", after(10ms), as_deed([](ticker_context& of) {
                                    of.cancel_timer("c");
                                    EXPECT_TRUE(of.start_timer("d", after(10ms), beat{4}));
                                  })));
      EXPECT_TRUE(ctx.start_timer("c", after(10ms), beat{2}));
      EXPECT_TRUE(ctx.start_timer("d", after(10ms), beat{3}));
      EXPECT_TRUE(
          ctx.start_timer("e", after(30ms), as_deed([](ticker_context& of) { of.stop(); })));
      EXPECT_TRUE(ctx.start_timer("f", after(30ms), beat{5}));
    });
    world.run_for(15ms);
    EXPECT_EQ(book.beats, (numbers{1}));
    world.run_for(10ms);
    EXPECT_EQ(book.beats, (numbers{1, 4}));
    EXPECT_TRUE(world.suspend(who));
    (void)world.run_to_idle();
    EXPECT_TRUE(who.try_tell(beat{6}));
    world.run_for(20ms);
    EXPECT_TRUE(world.resume(who));
    (void)world.run_to_idle();
    EXPECT_EQ(who.tell(beat{7}), tell_result::closed);
  }
}

// A timer of somebody else is a message like any other. Users see their own type, and not that of a
// timer's message.
TEST_F(keyed_timers_of_an_actor, differ_from_those_of_others_which_find_no_place) {
  std::vector<std::string> types;
  const auto heard = world.spawn(
      "heard", [&](context&, const dead_letter& each) { types.emplace_back(each.message_type); });
  EXPECT_TRUE(world.events().subscribe<dead_letter>(heard));
  const auto who = spawn({.mailbox = mailbox_presets::bounded(1)});
  EXPECT_TRUE(world.schedule_once(10ms, who, beat{1}));
  EXPECT_TRUE(world.suspend(who));
  (void)world.run_to_idle();
  who.tell(beat{2});
  world.run_for(20ms);
  ASSERT_EQ(types.size(), 1U);
  EXPECT_TRUE(types[0].ends_with("beat")) << types[0];
  EXPECT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_EQ(book.beats, (numbers{2}));
}

// As many keys as there are requests: what is over does not stay.
TEST_F(keyed_timers_of_an_actor, take_no_memory_when_they_are_over) {
  const auto blocks = [] {
    std::size_t sum = 0;
    for (unsigned each = 0; each < internal::envelope_size_classes; ++each)
      sum += internal::program_memory.envelopes.blocks_made(each);
    return sum;
  };
  const auto who = spawn();
  std::size_t before = 0;
  for (int round = 0; round < 1000; ++round) {
    let(who, [round](ticker_context& ctx) {
      EXPECT_TRUE(ctx.start_timer(round, after(10ms), beat{round}));
      if (round % 2 == 0) {
        EXPECT_TRUE(ctx.start_timer(-round - 1, after(1h), beat{}));
      }
      ctx.cancel_timer(-round - 1);
    });
    world.run_for(10ms);
    if (round == 100) before = blocks();
  }
  EXPECT_EQ(book.beats.size(), 1000U);
  EXPECT_EQ(blocks(), before);
}

}  // namespace
}  // namespace tactor
