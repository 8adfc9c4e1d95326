// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/death_watch.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/turn/middleware.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

class puppet;
using may_fail = std::expected<void, failure>;

// Tells a puppet what to do.
struct order {
  std::function<may_fail(puppet&, actor_context<order, struct note>&)> what;
};
struct note {
  std::string text;
  std::shared_ptr<int> held = {};
};

// Records what an actor has seen, in order.
struct diary {
  std::string text;
  std::vector<actor_ref<>> told;
  std::vector<termination> why;
  std::vector<actor_ref<>> senders;
  std::function<may_fail(context&)> when_told;
};

// Does what it is sent, and writes down what it is told.
class puppet : public actor<order, note> {
public:
  explicit puppet(diary* book) : book_(book) {}
  may_fail receive(context& ctx, const order& o) { return o.what(*this, ctx); }
  void receive(context& ctx, const note& n) {
    book_->text += n.text + ";";
    book_->senders.push_back(ctx.sender());
  }
  may_fail receive(context& ctx, const terminated& t) {
    book_->text += "terminated;";
    book_->told.push_back(t.who);
    book_->why.push_back(t.why);
    book_->senders.push_back(ctx.sender());
    return book_->when_told ? book_->when_told(ctx) : may_fail{};
  }
  void post_stop(context&) { book_->text += "post_stop;"; }

private:
  diary* book_;
};
using puppet_context = puppet::context;

class death_watch : public ::testing::Test {
protected:
  explicit death_watch(seed from = seed{1}) : world(from) {}

  puppet::ref spawn(diary& book, const spawn_options& options = {}) {
    return world.spawn<puppet>(options, &book);
  }
  // Lets a puppet do something; it has when this returns.
  template <class What>
  void let(const puppet::ref& who, What what) {
    queue(who, std::move(what));
    (void)world.run_to_idle();
  }
  // Posts it, without running anything yet.
  template <class What>
  void queue(const puppet::ref& who, const What& what) {
    who.tell(order{[what](puppet& self, puppet_context& ctx) -> may_fail {
      if constexpr (std::is_void_v<decltype(what(self, ctx))>) {
        what(self, ctx);
        return {};
      } else {
        return what(self, ctx);
      }
    }});
  }
  void watch(const puppet::ref& who, const actor_ref<>& whom) {
    let(who, [whom](puppet& self, puppet_context& ctx) { EXPECT_TRUE(ctx.watch(whom, self)); });
  }
  void watch(const puppet::ref& who, const actor_ref<>& whom, const note& instead) {
    let(who, [=](puppet&, puppet_context& ctx) { EXPECT_TRUE(ctx.watch(whom, instead)); });
  }
  bool unwatch(const puppet::ref& who, const actor_ref<>& whom) {
    bool did = false;
    let(who, [&did, whom](puppet&, puppet_context& ctx) { did = ctx.unwatch(whom); });
    return did;
  }
  puppet::ref spawn_child(const puppet::ref& parent, diary& book,
                          const spawn_options& options = {}) {
    puppet::ref child;
    let(parent, [&](puppet&, puppet_context& ctx) { child = ctx.spawn<puppet>(options, &book); });
    return child;
  }
  void stop(const actor_ref<>& whom) {
    world.stop(whom);
    (void)world.run_to_idle();
  }
  void fail(const puppet::ref& who) {
    let(who, [](puppet&, puppet_context&) -> may_fail { return std::unexpected{failure{"no"}}; });
  }
  static bool keeps_watchers(const actor_ref<>& who) {
    const cell& c = *who.slot();
    const actor_parts* const parts = parts_or_null(c);
    const envelope* each = parts == nullptr ? nullptr : parts->watches;
    while (each != nullptr && is_own_watch(*each))
      each = each->next.get();
    return each != nullptr;
  }
  static std::size_t blocks() {
    std::size_t sum = 0;
    for (unsigned each = 0; each < envelope_size_classes; ++each)
      sum += program_memory.envelopes.blocks_made(each);
    return sum;
  }
  // Does it often, and expects that nothing is lost by it.
  template <class Once>
  void expect_nothing_lost(Once once) {
    for (int i = 0; i < 300; ++i)
      once();
    const std::size_t before = blocks();
    for (int i = 0; i < 2000; ++i)
      once();
    EXPECT_EQ(blocks(), before);
  }
  [[nodiscard]] std::uint64_t all_dead() const { return world.metrics().all_dead_letters(); }

  // Those of actors outlive them.
  std::vector<diary>& fresh(std::size_t many) { return books_.emplace_back(many); }
  diary& fresh() { return fresh(1).front(); }

private:
  std::deque<std::vector<diary>> books_;

protected:
  diary of_watcher;
  diary of_target;
  simulation world;
  puppet::ref watcher = spawn(of_watcher, {.name = "watcher"});
  puppet::ref target = spawn(of_target, {.name = "target"});
};

// With many seeds: the order of turns is random.
class death_watch_seeded : public death_watch, public ::testing::WithParamInterface<unsigned> {
protected:
  death_watch_seeded() : death_watch(seed{GetParam()}) {}
};
INSTANTIATE_TEST_SUITE_P(seeds, death_watch_seeded, ::testing::Range(1U, 101U));

// Being told.

// spec: V3 A2d
// case: DW-01
TEST_F(death_watch, tells_once_when_the_actor_stops) {
  watch(watcher, target);
  EXPECT_EQ(of_watcher.text, "");

  stop(target);
  EXPECT_EQ(of_watcher.text, "terminated;");
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{target});
  EXPECT_EQ(all_dead(), 0U);
}

// spec: V3
TEST_F(death_watch, names_the_actor_that_ended_as_its_sender) {
  watch(watcher, target);
  stop(target);
  EXPECT_EQ(of_watcher.senders, std::vector<actor_ref<>>{target});
}

// spec: V3
TEST_F(death_watch, tells_of_every_way_to_end) {
  std::vector<diary>& books = fresh(3);
  const auto drained = spawn(books[0]);
  const auto failing = spawn(books[1]);
  const auto leaving = spawn(books[2]);
  for (const auto& each : {drained, failing, leaving})
    watch(watcher, each);

  world.drain(drained);
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{drained}));
  fail(failing);
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{drained, failing}));
  let(leaving, [](puppet&, puppet_context& ctx) { ctx.stop(); });
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{drained, failing, leaving}));
}

// spec: V3
TEST_F(death_watch, says_whether_the_actor_stopped_or_failed) {
  const auto why = [&](const spawn_options& options, auto end) {
    const auto who = spawn(fresh(), options);
    watch(watcher, who);
    end(who);
    EXPECT_EQ(of_watcher.told.back(), who);
    return of_watcher.why.back();
  };
  const auto fails = [this](const puppet::ref& who) { fail(who); };
  const auto stops = [this](const puppet::ref& who) { stop(who); };
  const auto fails_while_it_stops = [this](const puppet::ref& who) {
    let(who, [](puppet&, puppet_context& ctx) -> may_fail {
      ctx.stop();
      return std::unexpected{failure{"no"}};
    });
  };
  const auto stops_later = [this](const puppet::ref& who) {
    fail(who);
    EXPECT_TRUE(who.tell(note{"restarted, or resumed"}) == tell_result::ok);
    stop(who);
  };
  EXPECT_EQ(why({}, stops), termination::stopped);
  EXPECT_EQ(why({}, fails), termination::failed);
  EXPECT_EQ(why({}, fails_while_it_stops), termination::stopped);
  EXPECT_EQ(why({.on_failure = restart{}}, stops_later), termination::stopped);
  EXPECT_EQ(why({.on_failure = restart{.max_restarts = 0}}, fails), termination::failed);
  EXPECT_EQ(why({.on_failure = restart{.delay = {.min = 1h, .max = 1h}}},
                [this](const puppet::ref& who) {
                  fail(who);
                  stop(who);
                }),
            termination::failed)
      << "it was not restarted";
  EXPECT_EQ(why({},
                [this](const puppet::ref& who) {
                  world.drain(who);
                  (void)world.run_to_idle();
                }),
            termination::stopped);
  const auto ended = spawn(fresh());
  fail(ended);
  watch(watcher, ended);
  EXPECT_EQ(of_watcher.why.back(), termination::stopped) << "nobody knows any more";
}

// Does not start.
class stillborn : public actor<note> {
public:
  may_fail pre_start(context&) { return std::unexpected{failure{"no start"}}; }
  void receive(context&, const note&) {}
};

// spec: V3
TEST_F(death_watch, says_that_the_actor_failed_also_if_the_watch_was_still_queued) {
  actor_ref<> child;
  let(watcher, [&](puppet& self, puppet_context& ctx) {
    child = ctx.spawn<stillborn>("child");
    EXPECT_TRUE(ctx.watch(child, self).has_value());
  });
  ASSERT_EQ(of_watcher.told, (std::vector<actor_ref<>>{child}));
  EXPECT_EQ(of_watcher.why.back(), termination::failed);
}

// spec: V3
// case: DW-01
TEST_F(death_watch, tells_at_once_of_an_actor_that_has_ended) {
  stop(target);
  watch(watcher, target);
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{target});
  EXPECT_EQ(of_watcher.text, "terminated;");

  watch(watcher, target);  // it ended only once, but was watched again
  EXPECT_EQ(of_watcher.text, "terminated;terminated;");
}

// spec: V3
TEST_F(death_watch, tells_at_once_of_an_empty_reference) {
  watch(watcher, actor_ref<>{});
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{actor_ref<>{}});
  EXPECT_EQ(of_watcher.senders, std::vector<actor_ref<>>{actor_ref<>{}});

  watch(watcher, actor_ref<>{}, note{"nobody"});
  EXPECT_EQ(of_watcher.text, "terminated;nobody;");
}

// spec: V3
// case: RG-07
TEST_F(death_watch, tells_at_once_of_an_earlier_tenant_of_a_slot) {
  stop(target);
  diary& of_next = fresh();
  const auto next = spawn(of_next);
  ASSERT_EQ(next.slot(), target.slot());

  watch(watcher, target);
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{target});
  EXPECT_FALSE(keeps_watchers(next));
  stop(next);
  EXPECT_EQ(of_watcher.text, "terminated;");
}

// spec: V3
// case: DW-05
TEST_F(death_watch, of_one_tenant_and_the_next_are_two) {
  watch(watcher, target);
  queue(watcher, [&](puppet& self, puppet_context& ctx) {
    const auto next = ctx.spawn<puppet>(spawn_options{}, &of_target);
    EXPECT_TRUE(ctx.watch(next, self));
  });
  world.stop(target);
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{target});
}

// spec: V3
// case: RG-07
TEST_F(death_watch, of_a_child_is_not_confused_by_the_next_child_of_that_name) {
  diary& of_first = fresh();
  diary& of_second = fresh();
  const auto first = spawn_child(watcher, of_first, {.name = "x"});
  watch(watcher, first);
  puppet::ref second;
  of_watcher.when_told = [&](context& ctx) -> may_fail {
    if (!second) {
      auto made = ctx.try_spawn<puppet>(spawn_options{.name = "x"}, &of_second);
      EXPECT_TRUE(made.has_value()) << "its name is free when its end is told";
      second = made.value_or(puppet::ref{});
    }
    return {};
  };
  stop(first);
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{first}));
  EXPECT_EQ((world.find<order, note>("/user/watcher/x")), second);

  watch(watcher, second);
  stop(second);
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{first, second}));
}

// spec: V3
// case: DW-02
TEST_P(death_watch_seeded, tells_exactly_the_actors_that_watch_at_that_time) {
  std::vector<diary>& books = fresh(4);
  std::vector<puppet::ref> watchers;
  watchers.reserve(books.size());
  for (diary& book : books)
    watchers.push_back(spawn(book));
  for (const auto& each : watchers)
    queue(each, [this](puppet& self, puppet_context& ctx) { (void)ctx.watch(target, self); });
  (void)world.run_to_idle();
  EXPECT_TRUE(unwatch(watchers[1], target));
  EXPECT_FALSE(unwatch(watchers[1], target));

  stop(target);
  EXPECT_EQ(books[0].text, "terminated;");
  EXPECT_EQ(books[1].text, "");
  EXPECT_EQ(books[2].text, "terminated;");
  EXPECT_EQ(books[3].text, "terminated;");
}

// spec: V3
// case: DW-01
TEST_P(death_watch_seeded, tells_once_however_watching_and_stopping_meet) {
  constexpr std::size_t many = 20;
  std::vector<diary>& books = fresh(many);
  std::vector<puppet::ref> targets;
  targets.reserve(books.size());
  for (diary& book : books)
    targets.push_back(spawn(book));
  for (const auto& each : targets) {
    queue(watcher, [each](puppet& self, puppet_context& ctx) { (void)ctx.watch(each, self); });
    if (GetParam() % 2 == 0) (void)world.run_one();
    world.stop(each);
    (void)world.run_one();
  }
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.told.size(), many);
  for (const auto& each : targets)
    EXPECT_EQ(std::ranges::count(of_watcher.told, actor_ref<>{each}), 1);
}

// spec: V3
// case: DW-07
TEST_F(death_watch, twice_is_once) {
  watch(watcher, target);
  watch(watcher, target);
  let(watcher, [&](puppet& self, puppet_context& ctx) {
    EXPECT_TRUE(ctx.watch(target, self));
    EXPECT_TRUE(ctx.watch(target, self));
  });
  stop(target);
  EXPECT_EQ(of_watcher.text, "terminated;");
}

// spec: V3
TEST_P(death_watch_seeded, tells_after_post_stop_and_when_its_children_are_gone) {
  diary& shared = fresh();
  const auto parent = spawn(shared, {.name = "parent"});
  diary& of_children = shared;
  for (int i = 0; i < 3; ++i)
    (void)spawn_child(parent, of_children);
  const auto seeing = spawn(shared);
  watch(seeing, parent);
  stop(parent);
  EXPECT_EQ(shared.text, "post_stop;post_stop;post_stop;post_stop;terminated;");
}

// spec: V3
TEST_F(death_watch, tells_when_the_name_and_the_slot_are_free) {
  diary& book = fresh();
  simulation small{seed{1}, {.max_actors = 2}};
  const auto who = small.spawn<puppet>("who", &book);
  const auto seeing = small.spawn<puppet>("seeing", &book);
  bool spawned = false;
  book.when_told = [&](context& ctx) -> may_fail {
    spawned = ctx.try_spawn<puppet>("who", &book).has_value();
    EXPECT_EQ(small.find<order>("/user/who"), actor_ref<order>{});
    return {};
  };
  seeing.tell(order{[=](puppet& self, puppet_context& ctx) -> may_fail {
    (void)ctx.watch(who, self);
    return {};
  }});
  (void)small.run_to_idle();
  small.stop(who);
  (void)small.run_to_idle();
  EXPECT_TRUE(spawned);
}

// spec: V3
TEST_F(death_watch, is_not_stopped_by_a_full_mailbox) {
  diary& of_small = fresh();
  const auto small = spawn(of_small, {.name = "small",
                                      .mailbox = {.capacity = 1,
                                                  .overflow = overflow_strategy::drop_newest,
                                                  .reserve_for_system = 0}});
  watch(small, target);
  (void)world.suspend(small);
  (void)world.run_to_idle();
  (void)small.tell(note{"one"});
  EXPECT_EQ(small.tell(note{"two"}), tell_result::dropped);
  stop(target);
  (void)world.resume(small);
  (void)world.run_to_idle();
  EXPECT_EQ(of_small.text, "terminated;one;") << "it comes ahead of what waits";
}

// spec: V3
TEST_F(death_watch, works_with_a_mailbox_that_drops_its_oldest) {
  diary& of_small = fresh();
  const auto small =
      spawn(of_small, {.name = "small",
                       .mailbox = {.capacity = 2, .overflow = overflow_strategy::drop_oldest}});
  watch(small, target);
  (void)world.suspend(small);
  (void)world.run_to_idle();
  for (const char* const each : {"one", "two", "three"})
    (void)small.tell(note{each});
  stop(target);
  (void)world.resume(small);
  (void)world.run_to_idle();
  EXPECT_EQ(of_small.text, "terminated;two;three;");
}

// A message instead.

// spec: V3
// case: DW-11
TEST_F(death_watch, tells_with_the_message_it_was_given) {
  watch(watcher, target, note{"gone"});
  stop(target);
  EXPECT_EQ(of_watcher.text, "gone;");
  EXPECT_EQ(of_watcher.senders, std::vector<actor_ref<>>{target});
}

// spec: V3
// case: DW-11
TEST_F(death_watch, takes_the_message_of_the_last_watch) {
  const auto first = std::make_shared<int>();
  const auto second = std::make_shared<int>();
  watch(watcher, target, {"first", first});
  EXPECT_EQ(first.use_count(), 2);
  watch(watcher, target, {"second", second});
  EXPECT_EQ(first.use_count(), 1) << "it was replaced";
  stop(target);
  EXPECT_EQ(of_watcher.text, "second;");
  EXPECT_EQ(second.use_count(), 1);
}

// spec: V3
TEST_F(death_watch, goes_back_from_a_message_to_terminated) {
  const auto held = std::make_shared<int>();
  watch(watcher, target, {"message", held});
  watch(watcher, target);
  EXPECT_EQ(held.use_count(), 1);
  stop(target);
  EXPECT_EQ(of_watcher.text, "terminated;");
}

/// Has a message instead of `terminated`, and stashes it once, if it is told to.
class stashing_watcher : public actor<order, note> {
public:
  stashing_watcher(diary* book, actor_ref<> whom, bool stashes)
      : book_(book), whom_(whom), stashes_(stashes) {}
  void pre_start(context& ctx) {
    EXPECT_TRUE(ctx.watch(whom_, note{"gone"}));
    EXPECT_TRUE(ctx.set_receive_timeout(100ms, *this));
  }
  void receive(context& ctx, const order&) { EXPECT_TRUE(ctx.unstash_all()); }
  void receive(context& ctx, const note& n) {
    book_->text += n.text + ";";
    if (!std::exchange(stashes_, false)) return;
    EXPECT_TRUE(ctx.stash(n));
  }
  void receive(context& ctx, const receive_timeout&) {
    book_->text += "timeout;";
    ctx.cancel_receive_timeout();
  }

private:
  diary* book_;
  actor_ref<> whom_;
  bool stashes_;
};

struct call_counts final : middleware {
  invoke_decision before_invoke(const invocation&) noexcept override {
    ++before;
    return {};
  }
  void after_invoke(const invocation&, invoke_outcome) noexcept override { ++after; }
  int before = 0;
  int after = 0;
};

// spec: V3 I2 R3 O1
TEST_F(death_watch, a_message_it_was_given_is_a_notification_and_not_a_message_of_a_user) {
  for (const bool stashes : {false, true}) {
    call_counts calls;
    middleware* const all[] = {&calls};
    const middleware_chain chain{all};
    diary book;
    const puppet::ref whom = spawn(of_target);
    const auto who = world.spawn<stashing_watcher>({.middleware = &chain}, &book, whom, stashes);
    world.run_for(60ms);
    const metrics_snapshot before = world.metrics();
    stop(whom);
    EXPECT_EQ(book.text, "gone;");
    EXPECT_EQ(calls.before, 0);
    EXPECT_EQ(calls.after, 0) << "a middleware sees both sides of a call, or none";
    EXPECT_EQ(world.metrics().messages_sent, before.messages_sent);
    EXPECT_EQ(world.metrics().messages_handled, before.messages_handled);
    world.run_for(50ms);
    EXPECT_EQ(book.text, "gone;timeout;") << "it is no activity";
    who.tell(order{});
    world.run_to_idle();
    EXPECT_EQ(book.text, stashes ? "gone;timeout;gone;" : "gone;timeout;");
    EXPECT_EQ(calls.before, 1);
    EXPECT_EQ(calls.after, 1);
    EXPECT_EQ(world.metrics().messages_sent, before.messages_sent + 1);
    EXPECT_EQ(world.metrics().messages_handled, before.messages_handled + 1);
    stop(who);
  }
}

// spec: V3
TEST_F(death_watch, ends_the_message_that_is_not_needed) {
  const auto held = std::make_shared<int>();
  watch(watcher, target, {"unwatched", held});
  EXPECT_TRUE(unwatch(watcher, target));
  EXPECT_EQ(held.use_count(), 1);

  watch(watcher, target, {"watcher stops", held});
  stop(watcher);
  EXPECT_EQ(held.use_count(), 1);

  let(target, [&](puppet&, puppet_context& ctx) {
    const auto refused = ctx.watch(ctx.self(), note{"oneself", held});
    EXPECT_FALSE(refused);
  });
  EXPECT_EQ(held.use_count(), 1);
  stop(target);
  EXPECT_EQ(of_watcher.text, "post_stop;");
}

// Unwatching.

// spec: V3
// case: DW-05
TEST_F(death_watch, unwatching_in_the_turn_in_which_it_is_told_takes_it_back) {
  diary& of_other = fresh();
  const auto other = spawn(of_other);
  watch(watcher, target);
  const auto held = std::make_shared<int>();
  watch(watcher, other, {"other", held});
  // Both ends are queued; when the first is told, the other is not wanted any more.
  int told = 0;
  of_watcher.when_told = [&](context& ctx) -> may_fail {
    ++told;
    EXPECT_TRUE(ctx.unwatch(of_watcher.told.back() == target ? actor_ref<>{other} : target));
    return {};
  };
  (void)world.suspend(watcher);
  stop(target);
  stop(other);
  (void)world.resume(watcher);
  (void)world.run_to_idle();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(of_watcher.text, "terminated;");
  EXPECT_EQ(held.use_count(), 1);
}

// spec: V3
TEST_F(death_watch, unwatching_in_the_handler_that_stops_it_is_in_time) {
  watch(watcher, target);
  let(watcher, [&](puppet&, puppet_context& ctx) {
    ctx.stop(target);
    EXPECT_TRUE(ctx.unwatch(target));
  });
  EXPECT_EQ(of_target.text, "post_stop;");
  EXPECT_EQ(of_watcher.text, "");
}

// spec: V3
// case: DW-05
TEST_P(death_watch_seeded, unwatching_an_actor_that_stops_is_in_time_or_it_was_told) {
  diary& of_child = fresh();
  const auto child = spawn_child(target, of_child);
  (void)spawn_child(child, of_child);
  const auto held = std::make_shared<int>();
  if (GetParam() % 2 == 0) {
    watch(watcher, target);
  } else {
    watch(watcher, target, {"terminated", held});
  }
  bool in_time = false;
  world.stop(target);
  for (unsigned i = 0; i < GetParam() % 8; ++i)
    (void)world.run_one();
  queue(watcher, [&](puppet&, puppet_context& ctx) {
    in_time = ctx.unwatch(target);
    EXPECT_NE(in_time, of_watcher.text == "terminated;");
  });
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.text, in_time ? "" : "terminated;");
  EXPECT_EQ(held.use_count(), 1);
}

// spec: V3
TEST_P(death_watch_seeded, watching_again_is_told_once_however_far_its_end_has_come) {
  diary& of_child = fresh();
  (void)spawn_child(target, of_child);
  watch(watcher, target);
  queue(watcher, [&](puppet& self, puppet_context& ctx) {
    EXPECT_EQ(ctx.unwatch(target), of_watcher.text.empty());
    of_watcher.text += "again;";
    EXPECT_TRUE(ctx.watch(target, self));
  });
  world.stop(target);
  (void)world.run_to_idle();
  EXPECT_TRUE(of_watcher.text == "again;terminated;" ||
              of_watcher.text == "terminated;again;terminated;")
      << of_watcher.text;
}

// spec: V3
TEST_F(death_watch, unwatching_another_actor_changes_nothing) {
  watch(watcher, target);
  EXPECT_FALSE(unwatch(watcher, watcher));
  EXPECT_FALSE(unwatch(watcher, actor_ref<>{}));
  EXPECT_FALSE(unwatch(watcher, actor_ref<>{target.slot(), target.generation() + 2}));
  stop(target);
  EXPECT_EQ(of_watcher.text, "terminated;");
}

// Ends and restarts of either side.

// spec: V3
// case: DW-03
TEST_F(death_watch, does_not_tell_of_a_restart) {
  diary& of_hardy = fresh();
  const auto hardy = spawn(of_hardy, {.on_failure = restart{.max_restarts = 2}});
  watch(watcher, hardy);
  fail(hardy);
  fail(hardy);
  EXPECT_EQ(of_hardy.text, "post_stop;post_stop;");
  EXPECT_EQ(of_watcher.text, "");

  fail(hardy);  // once too often
  EXPECT_EQ(of_watcher.told, std::vector<actor_ref<>>{hardy});
}

// spec: V3
// case: DW-03
TEST_F(death_watch, outlives_a_restart_of_the_watcher) {
  diary& of_hardy = fresh();
  const auto hardy = spawn(of_hardy, {.on_failure = restart{}});
  watch(hardy, target);
  watch(hardy, watcher, note{"watcher"});
  fail(hardy);
  stop(target);
  stop(watcher);
  EXPECT_EQ(of_hardy.text, "post_stop;terminated;watcher;");
}

// spec: V2a V3
TEST_F(death_watch, of_children_ends_when_a_restart_stops_them) {
  diary& of_parent = fresh();
  diary& of_child = fresh();
  const auto parent = spawn(of_parent, {.on_failure = restart{}});
  const auto child = spawn_child(parent, of_child);
  watch(parent, child);
  fail(parent);
  EXPECT_EQ(of_child.text, "post_stop;");
  EXPECT_EQ(of_parent.text, "post_stop;") << "the fresh instance knows nothing of that child";
}

// spec: V2a V3
TEST_F(death_watch, of_children_stays_when_a_restart_keeps_them) {
  diary& of_parent = fresh();
  diary& of_child = fresh();
  const auto parent = spawn(of_parent, {.on_failure = restart{.keep_children = true}});
  const auto child = spawn_child(parent, of_child);
  watch(parent, child);
  fail(parent);
  EXPECT_EQ(of_child.text, "");
  stop(child);
  EXPECT_EQ(of_parent.text, "post_stop;terminated;");
}

// spec: V3
TEST_F(death_watch, of_children_is_told_when_a_handler_stops_them_all) {
  diary& of_parent = fresh();
  diary& of_first = fresh();
  diary& of_second = fresh();
  const auto parent = spawn(of_parent);
  const auto first = spawn_child(parent, of_first);
  const auto second = spawn_child(parent, of_second);
  watch(parent, first);
  watch(parent, second, note{"second"});
  let(parent, [](puppet&, puppet_context& ctx) { ctx.stop_children(); });
  EXPECT_EQ(of_first.text + of_second.text, "post_stop;post_stop;");
  EXPECT_EQ(of_parent.senders.size(), 2u) << of_parent.text;
  EXPECT_EQ(of_parent.told, std::vector<actor_ref<>>{first});
}

// spec: V3
// case: DW-09
TEST_F(death_watch, leaves_nothing_with_the_target_when_the_watcher_ends) {
  watch(watcher, target);
  EXPECT_TRUE(keeps_watchers(target));
  stop(watcher);
  EXPECT_FALSE(keeps_watchers(target));
  stop(target);
  EXPECT_EQ(all_dead(), 0U);
}

// spec: V3
// case: DW-09
TEST_F(death_watch, leaves_nothing_with_the_target_when_it_is_taken_back) {
  diary& of_second = fresh();
  diary& of_third = fresh();
  const auto second = spawn(of_second);
  const auto third = spawn(of_third);
  for (const auto& each : {watcher, second, third})
    watch(each, target);
  EXPECT_TRUE(unwatch(second, target));
  stop(watcher);
  EXPECT_TRUE(keeps_watchers(target));
  EXPECT_TRUE(unwatch(third, target));
  EXPECT_FALSE(keeps_watchers(target));

  watch(second, target);
  stop(target);
  EXPECT_EQ(of_second.text, "terminated;");
  EXPECT_EQ(of_third.text, "");
}

// spec: V3
TEST_F(death_watch, of_an_actor_that_stops_in_the_same_handler_leaves_nothing) {
  let(watcher, [&](puppet& self, puppet_context& ctx) {
    EXPECT_TRUE(ctx.watch(target, self));
    ctx.stop();
  });
  EXPECT_FALSE(keeps_watchers(target));
  EXPECT_EQ(of_watcher.text, "post_stop;");
}

// spec: V3
TEST_P(death_watch_seeded, tells_the_actor_that_is_left_when_both_end) {
  watch(watcher, target);
  watch(target, watcher);
  diary& of_third = fresh();
  const auto third = spawn(of_third);
  watch(third, target);
  watch(third, watcher);
  world.stop(watcher);
  world.stop(target);
  (void)world.run_to_idle();
  EXPECT_EQ(of_third.text, "terminated;terminated;");
}

class watches_in_hooks : public actor<note> {
public:
  watches_in_hooks(diary* book, actor_ref<> whom) : book_(book), whom_(whom) {}
  void pre_start(context& ctx) { EXPECT_TRUE(ctx.watch(whom_, *this)); }
  void post_stop(context& ctx) { EXPECT_TRUE(ctx.watch(whom_, *this)); }
  void receive(context&, const note&) {}
  void receive(context&, const terminated&) { book_->text += "terminated;"; }

private:
  diary* book_;
  actor_ref<> whom_;
};

// spec: V3
TEST_F(death_watch, in_hooks_is_as_anywhere) {
  diary& book = fresh();
  const auto staying = world.spawn<watches_in_hooks>("staying", &book, actor_ref<>{target});
  const auto leaving = world.spawn<watches_in_hooks>("leaving", &book, actor_ref<>{target});
  (void)world.run_to_idle();
  stop(leaving);
  stop(target);
  EXPECT_EQ(book.text, "terminated;");
  stop(staying);
  EXPECT_EQ(book.text, "terminated;");
  const auto late = world.spawn<watches_in_hooks>("late", &book, actor_ref<>{target});
  (void)world.run_to_idle();
  EXPECT_EQ(book.text, "terminated;terminated;");
  stop(late);
}

// Misuse.

// spec: V3
TEST_F(death_watch, of_the_actor_itself_is_refused_with_a_text) {
  let(watcher, [&](puppet& self, puppet_context& ctx) {
    const auto refused = ctx.watch(ctx.self(), self);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), watch_error::oneself);
    EXPECT_STREQ(to_text(refused.error()),
                 "an actor cannot watch itself: use post_stop, or let its parent watch");
    EXPECT_FALSE(ctx.unwatch(ctx.self()));
  });
  stop(watcher);
  EXPECT_EQ(of_watcher.text, "post_stop;");
}

// spec: V3
TEST_F(death_watch, of_the_guardian_is_never_told) {
  actor_ref<> guardian;
  let(watcher, [&](puppet& self, puppet_context& ctx) {
    guardian = ctx.parent();
    EXPECT_TRUE(guardian);
    EXPECT_TRUE(ctx.watch(guardian, self));
    EXPECT_TRUE(ctx.watch(guardian, note{"instead"}));
  });
  EXPECT_EQ(of_watcher.text, "");
  diary& of_child = fresh();
  const auto child = spawn_child(target, of_child);
  watch(child, guardian);
  EXPECT_EQ(of_child.text, "");

  EXPECT_TRUE(unwatch(watcher, guardian));
  EXPECT_FALSE(unwatch(watcher, guardian));
  watch(watcher, guardian);
  stop(watcher);
  EXPECT_EQ(of_watcher.text, "post_stop;");
}

// spec: V3
TEST_F(death_watch, of_a_parent_that_is_no_guardian_is_never_told_because_the_child_ends_first) {
  diary& of_child = fresh();
  const auto child = spawn_child(target, of_child);
  let(child, [](puppet& self, puppet_context& ctx) { EXPECT_TRUE(ctx.watch(ctx.parent(), self)); });
  EXPECT_TRUE(keeps_watchers(target));
  stop(target);
  EXPECT_EQ(of_child.text, "post_stop;");
}

// While it does not run.

// spec: V3 P1
TEST_P(death_watch_seeded,
       waits_while_the_watcher_is_suspended_and_comes_before_messages_in_order) {
  std::vector<diary>& books = fresh(3);
  std::vector<puppet::ref> targets;
  targets.reserve(books.size());
  for (diary& book : books) {
    targets.push_back(spawn(book));
    watch(watcher, targets.back());
  }
  (void)world.suspend(watcher);
  (void)watcher.tell(note{"mail"});
  for (const auto& each : targets)
    stop(each);
  (void)watcher.tell(note{"more"});
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.text, "");

  (void)world.resume(watcher);
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.text, "terminated;terminated;terminated;mail;more;");
  EXPECT_TRUE(std::ranges::equal(of_watcher.told, targets));
}

// spec: V3 P1
TEST_P(death_watch_seeded, keeps_the_order_of_the_ends_whenever_the_suspension_ends) {
  // A chain: each actor ends only after the previous one, so there is one order.
  constexpr std::size_t many = 8;
  std::vector<diary>& books = fresh(many);
  std::vector<puppet::ref> targets;
  targets.reserve(books.size());
  for (diary& book : books)
    targets.push_back(spawn(book));
  for (std::size_t i = 0; i < many; ++i) {
    watch(watcher, targets[i]);
    if (i == 0) continue;
    watch(targets[i], targets[i - 1]);
    books[i].when_told = [](context& ctx) -> may_fail {
      ctx.stop();
      return {};
    };
  }
  (void)world.suspend(watcher);
  (void)world.run_to_idle();
  world.stop(targets[0]);
  for (unsigned i = 0; i < GetParam() % 16; ++i)
    (void)world.run_one();
  (void)world.resume(watcher);
  (void)world.run_to_idle();
  EXPECT_TRUE(std::ranges::equal(of_watcher.told, targets));
}

// spec: V3 P1
TEST_F(death_watch, waits_for_the_supervisor_of_a_watcher_that_failed) {
  diary& of_hardy = fresh();
  const auto hardy = spawn(of_hardy, {.on_failure = restart{.delay = {.min = 1s, .max = 1s}}});
  watch(hardy, target);
  watch(hardy, watcher, note{"watcher"});
  fail(hardy);
  stop(target);
  stop(watcher);
  (void)hardy.tell(note{"mail"});
  (void)world.run_to_idle();
  EXPECT_EQ(of_hardy.text, "post_stop;") << "there is no instance to be told";
  world.run_for(2s);
  EXPECT_EQ(of_hardy.text, "post_stop;terminated;watcher;mail;");
}

// spec: V3
// case: SV-22
TEST_F(death_watch, is_supervised_when_its_handler_fails) {
  diary& of_hardy = fresh();
  std::vector<diary>& books = fresh(2);
  const auto hardy = spawn(of_hardy, {.on_failure = directive::resume});
  const auto first = spawn(books[0]);
  const auto second = spawn(books[1]);
  watch(hardy, first);
  watch(hardy, second);
  of_hardy.when_told = [](context&) -> may_fail { return std::unexpected{failure{"no"}}; };
  (void)world.suspend(hardy);
  stop(first);
  stop(second);
  (void)hardy.tell(note{"mail"});
  (void)world.resume(hardy);
  (void)world.run_to_idle();
  EXPECT_EQ(of_hardy.text, "terminated;terminated;mail;");
  EXPECT_EQ(world.metrics().failures, 2U);
}

// spec: V3
TEST_F(death_watch, ends_with_a_watcher_that_stops_in_its_handler) {
  diary& of_second = fresh();
  const auto second = spawn(of_second);
  watch(watcher, target);
  watch(watcher, second);
  of_watcher.when_told = [](context& ctx) -> may_fail {
    ctx.stop();
    return {};
  };
  (void)world.suspend(watcher);
  stop(target);
  stop(second);
  (void)world.resume(watcher);
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.text, "terminated;post_stop;");
}

// spec: V3
TEST_F(death_watch, ends_with_a_watcher_that_is_stopped_while_it_waits) {
  watch(watcher, target);
  (void)world.suspend(watcher);
  stop(target);
  stop(watcher);
  EXPECT_EQ(of_watcher.text, "post_stop;");
  EXPECT_EQ(all_dead(), 0U);
}

// spec: V3
TEST_F(death_watch, suspends_in_its_handler_and_the_next_termination_waits) {
  diary& of_second = fresh();
  const auto second = spawn(of_second);
  watch(watcher, target);
  watch(watcher, second);
  of_watcher.when_told = [](context& ctx) -> may_fail {
    (void)ctx.suspend();
    return {};
  };
  stop(target);
  stop(second);
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{target}));
  (void)world.resume(watcher);
  (void)world.run_to_idle();
  EXPECT_EQ(of_watcher.told, (std::vector<actor_ref<>>{target, second}));
}

// Its cost.

// spec: V3
TEST_F(death_watch, loses_no_memory) {
  diary& book = fresh();
  actor_ref<> guardian;
  let(watcher, [&](puppet&, puppet_context& ctx) { guardian = ctx.parent(); });
  const auto gone = spawn(book);
  stop(gone);
  const auto staying = spawn(book);

  const auto each_way = [&] {
    const auto other = spawn(book);
    const auto third = spawn(book);
    watch(other, third);
    watch(other, staying, note{"message"});
    watch(other, staying, note{"another"});
    watch(other, gone);
    watch(other, actor_ref<>{});
    watch(other, guardian);
    EXPECT_TRUE(unwatch(other, guardian));
    watch(other, guardian, note{"guardian"});
    watch(third, staying);
    EXPECT_TRUE(unwatch(third, staying));
    watch(third, staying);
    stop(third);  // told; and what it watched stays
    const auto fourth = spawn(book);
    watch(other, fourth);
    (void)world.suspend(other);
    stop(fourth);
    stop(other);  // with an end that was not told
    book = {};
  };
  expect_nothing_lost(each_way);
  EXPECT_FALSE(keeps_watchers(staying));
}

// spec: V3
TEST_F(death_watch, of_one_actor_by_many_that_stop_leaves_nothing) {
  diary& book = fresh();
  const auto watched = spawn(book);
  std::vector<puppet::ref> watchers;
  for (int i = 0; i < 1000; ++i)
    watchers.push_back(spawn(book));
  (void)world.run_to_idle();
  for (const auto& each : watchers)
    queue(each, [watched](puppet& self, puppet_context& ctx) { (void)ctx.watch(watched, self); });
  (void)world.run_to_idle();
  for (const auto& each : watchers)
    world.stop(each);
  (void)world.run_to_idle();
  EXPECT_FALSE(keeps_watchers(watched));
}

// Watching and unwatching without end.

// spec: D3
TEST_F(death_watch, a_flood_of_watch_and_unwatch_leaves_a_bounded_number_of_messages) {
  const std::uint64_t before = world.metrics().system_messages_handled;
  const actor_ref<> whom = target;
  let(watcher, [whom](puppet& self, puppet_context& ctx) {
    for (int i = 0; i < 20'000; ++i) {
      EXPECT_TRUE(ctx.watch(whom, self));
      EXPECT_TRUE(ctx.unwatch(whom));
      EXPECT_FALSE(ctx.unwatch(whom));
    }
  });

  EXPECT_LE(world.metrics().system_messages_handled - before, 2 * most_commands + 2U);
  stop(target);
  EXPECT_EQ(of_watcher.text, "");
}

// spec: V3
TEST_F(death_watch, tells_once_after_a_flood_that_ends_with_a_watch) {
  const actor_ref<> whom = target;
  let(watcher, [whom](puppet& self, puppet_context& ctx) {
    for (int i = 0; i < 20'000; ++i) {
      EXPECT_TRUE(ctx.watch(whom, note{"early"}));
      EXPECT_TRUE(ctx.unwatch(whom));
    }
    EXPECT_TRUE(ctx.watch(whom, self));
  });
  stop(target);
  EXPECT_EQ(of_watcher.text, "terminated;");

  stop(watcher);
  diary& book = fresh();
  const puppet::ref next = spawn(book);
  diary& other = fresh();
  const puppet::ref watched = spawn(other);
  watch(next, watched);
  EXPECT_TRUE(unwatch(next, watched)) << "no permit is lost";
  EXPECT_FALSE(keeps_watchers(watched));
}

// An unwatch that was not sent keeps the watch at the watched actor; nothing of it is lost.
TEST_F(death_watch, a_watcher_that_ends_after_a_flood_leaves_nothing_behind) {
  expect_nothing_lost([&, runs = 0]() mutable {
    if (runs++ % 100 != 0) return;  // a flood takes long
    diary& book = fresh();
    const puppet::ref flooder = spawn(book);
    const actor_ref<> whom = target;
    let(flooder, [whom](puppet& self, puppet_context& ctx) {
      for (int i = 0; i < 2100; ++i) {
        EXPECT_TRUE(ctx.watch(whom, self));
        EXPECT_TRUE(ctx.unwatch(whom));
      }
    });
    EXPECT_TRUE(keeps_watchers(target));
    stop(flooder);
    EXPECT_FALSE(keeps_watchers(target));
  });
}

/// The order in which the targets of a watcher that ends handle a message.
std::string order_after_the_end_of_a_watcher(seed from) {
  constexpr std::size_t many = 6;
  std::string handled;
  diary of_watcher;
  std::vector<diary> books(many);
  simulation world{from};
  std::vector<puppet::ref> targets;
  for (diary& book : books)
    targets.push_back(world.spawn<puppet>("", &book));
  const auto watcher = world.spawn<puppet>("watcher", &of_watcher);
  watcher.tell(order{[&](puppet& self, puppet_context& ctx) -> may_fail {
    for (const puppet::ref& each : targets)
      EXPECT_TRUE(ctx.watch(each, self));
    return {};
  }});
  (void)world.run_to_idle();
  world.stop(watcher);
  // Runs the watcher, whose end makes its targets ready, before anything else makes them so.
  while (of_watcher.text.empty())
    (void)world.run_one();
  for (std::size_t i = 0; i < many; ++i)
    targets[i].tell(order{[&handled, i](puppet&, puppet_context&) -> may_fail {
      handled += std::to_string(i);
      return {};
    }});
  (void)world.run_to_idle();
  return handled;
}

// spec: K2a
TEST(death_watch_order, ends_watches_in_an_order_that_does_not_depend_on_slots) {
  const std::string once = order_after_the_end_of_a_watcher(seed{7});
  EXPECT_EQ(once.size(), 6U);
  simulation other{seed{1}};
  for (int i = 0; i < 20; ++i) {
    (void)other.spawn("", [](tactor::context&, int) {});  // takes a slot
    EXPECT_EQ(order_after_the_end_of_a_watcher(seed{7}), once);
  }
}

}  // namespace
}  // namespace tactor
