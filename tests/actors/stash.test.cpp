// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/stash.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/stashing.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;
using may_fail = std::expected<void, failure>;

struct item {
  int number = 0;
};
std::string to_string(const item& i) {
  return std::to_string(i.number);
}
struct parcel {
  std::unique_ptr<int> content;
};
struct price_of {
  int number = 0;
  using reply = int;
};
struct order;
using keeper_context = actor_context<item, parcel, price_of, order>;
struct order {
  std::function<may_fail(keeper_context&)> what;
};

// Records what all instances of an actor have seen, and decides how they behave.
struct diary {
  std::vector<int> handled;
  std::vector<int> stashed;
  std::vector<stash_error> refused;
  std::vector<actor_ref<>> senders;
  std::function<void(keeper_context&)> at_start;
  std::function<void(keeper_context&)> at_end;
  std::function<may_fail(keeper_context&, int)> on_item;  // after it was unstashed
  int timeouts = 0;
  int ended = 0;  // of watched actors, handled
  bool open = false;
};

// Stashes everything until it is open.
class keeper : public actor<item, parcel, price_of, order> {
public:
  explicit keeper(diary* book) : book_(book) {}
  void pre_start(context& ctx) {
    if (book_->at_start) book_->at_start(ctx);
  }
  void post_stop(context& ctx) {
    if (book_->at_end) book_->at_end(ctx);
  }
  may_fail receive(context& ctx, const item& i) {
    if (!book_->open) {
      put_aside(ctx.stash(i), i.number);
      return {};
    }
    book_->handled.push_back(i.number);
    book_->senders.push_back(ctx.sender());
    return book_->on_item ? book_->on_item(ctx, i.number) : may_fail{};
  }
  void receive(context& ctx, parcel p) {
    const int number = *p.content;
    if (!book_->open) return put_aside(ctx.stash(std::move(p)), number);
    book_->handled.push_back(number);
  }
  int receive(context& ctx, const price_of& q) {
    if (!book_->open) {
      put_aside(ctx.stash(q), q.number);
      return -1;
    }
    book_->handled.push_back(q.number);
    return q.number * 10;
  }
  may_fail receive(context& ctx, const order& o) { return o.what(ctx); }
  void receive(context& ctx, const terminated& t) {
    if (!book_->open) return put_aside(ctx.stash(t), 0);
    ++book_->ended;
  }
  void receive(context&, const receive_timeout&) { ++book_->timeouts; }

private:
  void put_aside(const std::expected<void, stash_error>& result, int number) {
    if (result) {
      book_->stashed.push_back(number);
    } else {
      book_->refused.push_back(result.error());
    }
  }

  diary* book_;
};

class stash : public ::testing::Test {
protected:
  explicit stash(seed from = seed{1}) : world(from) {}
  void SetUp() override {
    const auto watcher = world.spawn("watcher", [this](context&, const dead_letter& each) {
      const std::string text{each.message.view()};
      whole = text;
      lost.push_back(text.substr(text.rfind(' ') + 1));  // without the type
    });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
    (void)world.run_to_idle();
  }
  keeper::ref spawn(const spawn_options& options = {}) {
    return world.spawn<keeper>(options, &book);
  }
  template <class What>
  static order as_order(What what) {
    return order{[what](keeper_context& ctx) -> may_fail {
      if constexpr (std::is_void_v<decltype(what(ctx))>) {
        what(ctx);
        return {};
      } else {
        return what(ctx);
      }
    }};
  }
  // It has done it when this returns.
  template <class What>
  void let(const keeper::ref& who, What what) {
    who.tell(as_order(what));
    (void)world.run_to_idle();
  }
  void open(const keeper::ref& who) {
    let(who, [this](keeper_context& ctx) {
      book.open = true;
      EXPECT_TRUE(ctx.unstash_all());
    });
  }
  void tell(const keeper::ref& who, int first, int last) {
    for (int each = first; each <= last; ++each)
      who.tell(item{each});
  }

  diary book;
  std::vector<std::string> lost;
  std::string whole;  // the last of them, with its type
  simulation world;
};
using numbers = std::vector<int>;

// spec: A2e
// case: ST-01
TEST_F(stash, is_replayed_in_the_order_of_arrival_before_newer_mail) {
  const auto who = spawn();
  tell(who, 1, 3);
  who.tell(as_order([this](keeper_context& ctx) {
    book.open = true;
    EXPECT_TRUE(ctx.unstash_all());
  }));
  tell(who, 4, 5);
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed, (numbers{1, 2, 3}));
  EXPECT_EQ(book.handled, (numbers{1, 2, 3, 4, 5}));
  EXPECT_TRUE(lost.empty());
}

// spec: A2e
TEST_F(stash, is_replayed_by_an_actor_whose_only_message_unstashes) {
  const auto who = spawn();
  tell(who, 1, 2);
  (void)world.run_to_idle();
  EXPECT_TRUE(book.handled.empty());
  open(who);  // the only message in the mailbox
  EXPECT_EQ(book.handled, (numbers{1, 2}));
  tell(who, 3, 3);
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
}

// case: ST-02
TEST_F(stash, refuses_the_same_message_twice) {
  const auto who = spawn();
  let(who, [](keeper_context&) {});
  const auto twice = world.spawn("twice", [this](context& ctx, const item& i) {
    EXPECT_TRUE(ctx.stash(i));
    const auto again = ctx.stash(i);
    ASSERT_FALSE(again);
    book.refused.push_back(again.error());
    EXPECT_EQ(ctx.stash_size(), 1U);
  });
  twice.tell(item{1});
  (void)world.run_to_idle();
  EXPECT_EQ(book.refused, std::vector{stash_error::already_stashed});
}

// case: ST-03 ST-13
TEST_F(stash, has_a_capacity_and_becomes_dead_letters_in_order_on_stop) {
  book.at_start = [](keeper_context& ctx) { EXPECT_TRUE(ctx.set_stash_capacity(20)); };
  const auto who = spawn();
  tell(who, 1, 21);
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed.size(), 20U);
  EXPECT_EQ(book.refused, std::vector{stash_error::full});
  EXPECT_STREQ(to_text(stash_error::full),
               "the stash is full: unstash earlier, refuse the message, or raise the capacity with "
               "set_stash_capacity");
  EXPECT_TRUE(lost.empty());
  who.tell(as_order([](keeper_context& ctx) { ctx.stop(); }));
  who.tell(item{22});  // in the mailbox, so newer
  (void)world.run_to_idle();
  ASSERT_EQ(lost.size(), 21U);
  for (int each = 1; each <= 20; ++each)
    EXPECT_EQ(lost[static_cast<std::size_t>(each) - 1], std::to_string(each));
  EXPECT_EQ(lost.back(), "22");
}

// spec: A2e
TEST_F(stash, replays_past_the_capacity_of_the_mailbox) {
  const auto who = spawn({.mailbox = mailbox_presets::bounded(1)});
  for (int each = 1; each <= 5; ++each) {
    EXPECT_EQ(who.tell(item{each}), tell_result::ok);
    (void)world.run_to_idle();
  }
  EXPECT_EQ(book.stashed.size(), 5U);
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(who.tell(item{6}), tell_result::ok);
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled.size(), 6U);
}

// The side queue of a mailbox is another path.
TEST_F(stash, works_with_a_mailbox_that_drops_its_oldest) {
  const auto who = spawn({.mailbox = {.capacity = 3, .overflow = overflow_strategy::drop_oldest}});
  tell(who, 1, 3);
  (void)world.run_to_idle();
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
  EXPECT_TRUE(lost.empty());
}

// case: ST-05
TEST_F(stash, survives_a_restart_and_the_new_instance_handles_it_first) {
  const auto who = spawn({.on_failure = restart{}});
  tell(who, 1, 3);
  (void)world.run_to_idle();
  who.tell(as_order([this](keeper_context&) -> may_fail {
    book.open = true;
    return std::unexpected{failure{"no"}};
  }));
  who.tell(item{4});
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled, (numbers{1, 2, 3, 4}));
  EXPECT_TRUE(lost.empty());
}

TEST_F(stash, is_replayed_to_the_end_if_a_replayed_message_restarts_the_actor) {
  const auto who = spawn({.on_failure = restart{.max_restarts = 10}});
  tell(who, 1, 3);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context&, int number) -> may_fail {
    if (number == 2) return std::unexpected{failure{"no"}};
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));  // the failed one does not come back
}

// case: ST-06
TEST_F(stash, replays_only_what_was_there_at_the_call) {
  const auto who = spawn();
  tell(who, 1, 3);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context& ctx, int number) -> may_fail {
    if (number == 2) {
      EXPECT_TRUE(ctx.stash(item{2}));
    }
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
  std::uint32_t left = 0;
  let(who, [&](keeper_context& ctx) { left = ctx.stash_size(); });
  EXPECT_EQ(left, 1U);
  book.on_item = {};
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3, 2}));
}

TEST_F(stash, takes_a_replayed_message_again_although_it_is_full) {
  book.at_start = [](keeper_context& ctx) { EXPECT_TRUE(ctx.set_stash_capacity(2)); };
  const auto who = spawn();
  tell(who, 1, 2);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context& ctx, int number) -> may_fail {
    EXPECT_TRUE(ctx.stash(item{number}));
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2}));
  let(who, [](keeper_context& ctx) { EXPECT_EQ(ctx.stash_size(), 2U); });
}

// case: ST-07
TEST_F(stash, can_be_replayed_in_part_and_read) {
  const auto who = spawn();
  let(who, [](keeper_context& ctx) {
    EXPECT_EQ(ctx.stash_size(), 0U);
    EXPECT_EQ(ctx.stash_capacity(), 1024U);
    EXPECT_EQ(ctx.stash_front<item>(), nullptr);
    EXPECT_TRUE(ctx.unstash_all());  // nothing to do
  });
  tell(who, 1, 4);
  (void)world.run_to_idle();
  book.open = true;
  const auto is = [](int wanted) { return [wanted](const item& i) { return i.number == wanted; }; };
  let(who, [&](keeper_context& ctx) {
    ASSERT_NE(ctx.stash_front<item>(), nullptr);
    EXPECT_EQ(ctx.stash_front<item>()->number, 1);
    EXPECT_EQ(ctx.stash_front<parcel>(), nullptr);
    EXPECT_TRUE(ctx.stash_contains<item>(is(4)));
    EXPECT_FALSE(ctx.stash_contains<item>(is(5)));
    EXPECT_FALSE(ctx.stash_contains<price_of>([](const price_of&) { return true; }));
    EXPECT_TRUE(ctx.unstash(0));
  });
  EXPECT_TRUE(book.handled.empty());
  let(who, [](keeper_context& ctx) { EXPECT_TRUE(ctx.unstash(3)); });
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
  tell(who, 5, 5);  // the mailbox again
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled, (numbers{1, 2, 3, 5}));
}

// case: ST-07
TEST_F(stash, can_be_cleared_while_it_is_replayed) {
  const auto who = spawn();
  tell(who, 1, 3);
  auto price = world.ask(who, price_of{7}, 1h);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context& ctx, int number) -> may_fail {
    if (number != 2) return {};
    ctx.clear_stash();
    EXPECT_EQ(ctx.stash_size(), 1U);  // the one being replayed
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2}));
  const auto answer = std::move(price).get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ask_failure::no_reply);
  let(who, [](keeper_context& ctx) { EXPECT_EQ(ctx.stash_size(), 0U); });
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(world.metrics().messages_sent, world.metrics().messages_handled);
}

// case: ST-09
TEST_F(stash, goes_on_with_the_next_after_a_failure_that_is_resumed) {
  const auto who = spawn({.on_failure = directive::resume});
  tell(who, 1, 3);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context&, int number) -> may_fail {
    if (number == 1) return std::unexpected{failure{"no"}};
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
}

// case: ST-10
TEST_F(stash, takes_a_notification_of_the_runtime) {
  const auto who = spawn();
  const auto other = world.spawn("other", [](context&, const item&) {});
  let(who, [&](keeper_context& ctx) { EXPECT_TRUE((ctx.watch(other, keeper{nullptr}))); });
  world.stop(other);
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed, (numbers{0}));
  EXPECT_EQ(book.ended, 0);
  open(who);
  EXPECT_EQ(book.ended, 1);
}

// case: ST-10
TEST_F(stash, takes_the_message_of_a_watch_and_the_watch_tells_once) {
  const auto who = spawn();
  const auto other = world.spawn("other", [](context&, const item&) {});
  let(who, [&](keeper_context& ctx) { EXPECT_TRUE(ctx.watch(other, item{5})); });
  world.stop(other);
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed, (numbers{5}));
  tell(who, 6, 6);
  (void)world.run_to_idle();
  open(who);
  EXPECT_EQ(book.handled, (numbers{5, 6}));
  let(who, [&](keeper_context& ctx) { EXPECT_FALSE(ctx.unwatch(other)); });
  EXPECT_EQ(book.ended, 0) << "it has told";
}

TEST_F(stash, keeps_the_sender_and_the_obligation_to_answer) {
  const auto who = spawn();
  const auto sender =
      world.spawn("sender", [who](context&, const item& i) { who.tell(item{i.number}); });
  sender.tell(item{1});
  (void)world.run_to_idle();
  auto price = world.ask(who, price_of{4}, 1h);
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed, (numbers{1, 4}));
  open(who);
  EXPECT_EQ(std::move(price).get(), 40);
  ASSERT_EQ(book.senders.size(), 1U);
  EXPECT_EQ(book.senders.front(), actor_ref<>{sender});
}

TEST_F(stash, tells_an_asker_when_the_actor_stops) {
  const auto who = spawn();
  auto price = world.ask(who, price_of{4}, 1h);
  (void)world.run_to_idle();
  world.stop(who);
  const auto answer = std::move(price).get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ask_failure::target_terminated);
}

TEST_F(stash, takes_a_message_that_can_only_be_moved) {
  const auto who = spawn();
  who.tell(parcel{std::make_unique<int>(8)});
  (void)world.run_to_idle();
  open(who);
  EXPECT_EQ(book.handled, (numbers{8}));
}

// A periodic job goes on, although its message waits in the stash.
// spec: S7
TEST_F(stash, ends_the_run_of_a_timer) {
  const auto who = spawn();
  ASSERT_TRUE(world.schedule_with_fixed_delay(10ms, 10ms, who, item{1}));
  world.run_for(35ms);
  EXPECT_EQ(book.stashed, (numbers{1, 1, 1}));
  open(who);
  EXPECT_EQ(book.handled, (numbers{1, 1, 1}));
  world.run_for(10ms);
  EXPECT_EQ(book.handled.size(), 4U);
}

// A message that a fixed-rate job sent for several runs stands for them when it is replayed, too;
// also if it was stashed twice, and by a new instance.
// spec: S6 A2e
TEST_F(stash, keeps_how_many_runs_a_timers_message_stands_for) {
  std::vector<execution_batch> batches;
  book.on_item = [&](keeper_context& ctx, int) -> may_fail {
    batches.push_back(ctx.batch());
    return {};
  };
  const auto who = spawn({.on_failure = restart{}});
  (void)world.run_to_idle();
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, who, item{1});
  ASSERT_TRUE(job);
  EXPECT_TRUE(world.suspend(who));
  world.run_for(50ms);
  EXPECT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_TRUE(job->cancel());
  tell(who, 2, 2);
  (void)world.run_to_idle();
  who.tell(
      as_order([](keeper_context& ctx) { (void)ctx.unstash_all(); }));  // both are stashed again
  (void)world.run_to_idle();
  EXPECT_EQ(book.stashed, (numbers{1, 2, 1, 2}));
  book.open = true;
  who.tell(
      as_order([](keeper_context&) -> may_fail { return std::unexpected{failure{"on purpose"}}; }));
  (void)world.run_to_idle();
  EXPECT_EQ(batches, (std::vector<execution_batch>{{.runs = 5, .mode = job_mode::fixed_rate}, {}}));
}

struct alignas(64) wide {
  int number = 0;
};

// The runs are kept behind the message, wherever that ends; the message itself is what it was.
// spec: S6 A2e
TEST_F(stash, keeps_the_runs_of_an_over_aligned_message_and_prints_it_as_it_was) {
  bool opened = false;
  std::vector<std::pair<int, std::uint64_t>> handled;
  const auto who = world.spawn("wide", [&](tactor::context& ctx, const wide& w) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % alignof(wide), 0U);
    if (!std::exchange(opened, true)) {
      EXPECT_TRUE(ctx.stash(w));
      return;
    }
    handled.emplace_back(w.number, ctx.batch().runs);
    if (handled.size() == 1) {
      EXPECT_TRUE(ctx.unstash_all());
    } else {
      EXPECT_TRUE(ctx.stash(w));
      ctx.stop();
    }
  });
  (void)world.run_to_idle();
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, who, wide{7});
  ASSERT_TRUE(job);
  EXPECT_TRUE(world.suspend(who));
  world.run_for(30ms);
  EXPECT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_TRUE(job->cancel());
  who.tell(wide{8});
  (void)world.run_to_idle();
  EXPECT_EQ(handled, (std::vector<std::pair<int, std::uint64_t>>{{8, 1}, {7, 3}}));
  EXPECT_EQ(lost.size(), 1U);
  EXPECT_NE(whole.find("wide (64 bytes)"), std::string::npos) << whole;
}

// spec: R2
TEST_F(stash, is_no_activity_for_a_receive_timeout) {
  book.at_start = [](keeper_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<keeper>(100ms)); };
  const auto who = spawn();
  (void)world.run_to_idle();
  world.run_for(60ms);
  tell(who, 1, 1);  // alone in the mailbox
  world.run_for(20ms);
  tell(who, 2, 3);
  world.run_for(25ms);
  EXPECT_EQ(book.timeouts, 1);
  open(who);
  tell(who, 4, 4);
  world.run_for(95ms);
  EXPECT_EQ(book.timeouts, 1);
}

TEST_F(stash, waits_while_the_actor_is_suspended) {
  const auto who = spawn();
  tell(who, 1, 3);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context& ctx, int number) -> may_fail {
    if (number == 1) {
      EXPECT_TRUE(ctx.suspend());
    }
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1}));
  world.drain(who);  // does not end it: there is something to replay
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled, (numbers{1}));
  EXPECT_TRUE(world.resume(who));
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled, (numbers{1, 2, 3}));
  EXPECT_TRUE(lost.empty());
}

TEST_F(stash, stops_in_the_middle_of_a_replay) {
  const auto who = spawn();
  tell(who, 1, 3);
  (void)world.run_to_idle();
  book.on_item = [](keeper_context& ctx, int) -> may_fail {
    ctx.stop();
    return {};
  };
  open(who);
  EXPECT_EQ(book.handled, (numbers{1}));
  EXPECT_EQ(lost, (std::vector<std::string>{"2", "3"}));
}

TEST_F(stash, says_where_it_can_be_used) {
  std::vector<stash_error> said;
  book.at_end = [&](keeper_context& ctx) {
    if (const auto result = ctx.unstash_all(); !result) said.push_back(result.error());
    if (const auto result = ctx.stash(item{}); !result) said.push_back(result.error());
  };
  const auto who = spawn();
  tell(who, 1, 1);
  keeper_context* foreign = nullptr;
  let(who, [&](keeper_context& ctx) {
    foreign = &ctx;
    if (const auto result = ctx.stash(item{}); !result) said.push_back(result.error());
  });
  const auto thief = world.spawn("thief", [&](context&, const item& i) {
    if (const auto result = foreign->stash(i); !result) said.push_back(result.error());
    if (const auto result = foreign->unstash_all(); !result) said.push_back(result.error());
  });
  thief.tell(item{1});
  (void)world.run_to_idle();
  world.stop(who);
  (void)world.run_to_idle();
  using enum stash_error;
  EXPECT_EQ(said, (std::vector{not_current, not_running, not_running, not_running, not_running}));
  for (const stash_error each : {full, no_memory, already_stashed, not_current, not_running})
    EXPECT_NE(std::string{to_text(each)}, "");
}

// A turn checks its limits after some of them, and goes on with the rest.
TEST_F(stash, is_replayed_before_newer_messages_however_many_it_holds) {
  book.at_start = [](keeper_context& ctx) { EXPECT_TRUE(ctx.set_stash_capacity(100)); };
  const auto who = spawn();
  tell(who, 1, 40);
  (void)world.run_to_idle();
  book.open = true;
  who.tell(as_order([](keeper_context& ctx) { EXPECT_TRUE(ctx.unstash_all()); }));
  tell(who, 41, 60);
  (void)world.run_to_idle();
  ASSERT_EQ(book.handled.size(), 60U);
  EXPECT_TRUE(std::ranges::is_sorted(book.handled));
}

// A turn has a limit, also for a replay: others run in between.
TEST_F(stash, shares_the_worker_while_it_is_replayed) {
  book.at_start = [](keeper_context& ctx) { EXPECT_TRUE(ctx.set_stash_capacity(10'000)); };
  const auto who = spawn();
  tell(who, 1, 5000);
  (void)world.run_to_idle();
  book.open = true;
  std::size_t handled_then = 0;
  const auto other =
      world.spawn("other", [&](context&, const item&) { handled_then = book.handled.size(); });
  (void)world.run_to_idle();
  who.tell(as_order([other](keeper_context& ctx) {
    EXPECT_TRUE(ctx.unstash_all());
    other.tell(item{});
  }));
  (void)world.run_to_idle();
  EXPECT_EQ(book.handled.size(), 5000U);
  EXPECT_LT(handled_then, 5000U);
}

}  // namespace
}  // namespace tactor
