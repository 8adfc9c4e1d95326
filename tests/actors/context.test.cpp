// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/actor/try_cast.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct look {};
struct order {
  std::string item;
  using reply = std::string;
};
struct quote {
  std::string item;
  using reply = int;
};
struct seen {
  actor_ref<> self;
  actor_ref<> sender;
  actor_ref<> parent;
  std::string name;
  std::uint64_t runs = 0;
};

/// Tells what its context says.
class mirror : public actor<look> {
public:
  explicit mirror(const actor_ref<seen>& to) : to_(to) {}
  void receive(context& ctx, look) {
    const ref self = ctx.self();
    to_.tell(seen{.self = self,
                  .sender = ctx.sender(),
                  .parent = ctx.parent(),
                  .name = std::string{ctx.name()},
                  .runs = ctx.batch().runs});
  }

private:
  actor_ref<seen> to_;
};

// spec: A2c
TEST(context, names_the_children_that_have_not_ended_the_newest_first) {
  simulation world{seed{1}};
  std::vector<actor_ref<>> made;
  std::vector<actor_ref<>> listed;
  const auto above = world.spawn("above", [&](tactor::context& ctx, const quote&) {
    listed.assign(ctx.children().begin(), ctx.children().end());
    EXPECT_EQ(ctx.children().empty(), listed.empty());
    if (made.empty())
      for (int i = 0; i < 3; ++i)
        made.push_back(ctx.spawn("", [](tactor::context&, look) {}));
    return 0;
  });
  const auto children = [&] {
    (void)world.ask(above, quote{}, 1s).get();
    return listed;
  };
  EXPECT_EQ(children(), std::vector<actor_ref<>>{});
  EXPECT_EQ(children(), (std::vector{made[2], made[1], made[0]}));
  world.stop(made[1]);
  (void)world.run_to_idle();
  EXPECT_EQ(children(), (std::vector{made[2], made[0]}));
}

// spec: A1
TEST(context, knows_its_actor_and_the_sender_of_the_message) {
  simulation world{seed{1}};
  auto probe = world.spawn_probe<seen>("probe");
  const auto glass = world.spawn<mirror>("glass", probe.ref());
  const auto sender = world.spawn("sender", [glass](tactor::context&, look m) { glass.tell(m); });

  glass.tell(look{});
  seen what = probe.expect<seen>();
  EXPECT_EQ(what.self, glass);
  EXPECT_FALSE(what.sender);  // from outside
  EXPECT_TRUE(what.parent);   // the guardian
  EXPECT_EQ(what.name, "glass");
  EXPECT_EQ(what.runs, 1u);
  EXPECT_EQ(probe.sender(), glass);

  sender.tell(look{});
  what = probe.expect<seen>();
  EXPECT_EQ(what.sender, sender);
}

class family : public actor<look> {
public:
  explicit family(const actor_ref<seen>& to) : to_(to) {}
  void receive(context& ctx, look m) {
    const auto child = ctx.spawn<mirror>("child", to_);
    child.tell(m);
    const auto unnamed = ctx.spawn<mirror>(spawn_options{}, to_);
    unnamed.tell(m);
  }

private:
  actor_ref<seen> to_;
};

// spec: A2c
TEST(context, names_the_children_that_take_a_message_with_their_type) {
  simulation world{seed{3}};
  int looked = 0;
  const auto parent = world.spawn("parent", [&](tactor::context& ctx, const look&) {
    const auto first = ctx.spawn("first", [&](tactor::context&, const look&) { ++looked; });
    const auto clerk =
        ctx.spawn("clerk", [](tactor::context&, const order&) -> std::string { return "here"; });
    const auto second = ctx.spawn("second", [&](tactor::context&, const look&) { ++looked; });
    std::vector<actor_ref<look>> lookers;
    for (const actor_ref<look>& each : ctx.children<look>())
      lookers.push_back(each);
    EXPECT_EQ(lookers, (std::vector<actor_ref<look>>{second, first}));
    for (const actor_ref<look>& each : lookers)
      each.tell(look{});
    EXPECT_EQ(*ctx.children<order>().begin(), clerk);
    EXPECT_TRUE((ctx.children<look, order>().empty()));
    EXPECT_FALSE(ctx.children().empty());
  });
  parent.tell(look{});
  world.run_to_idle();
  EXPECT_EQ(looked, 2);
}

// spec: A10e
TEST(try_cast, widens_a_reference_to_what_its_actor_takes) {
  simulation world{seed{3}};
  int looked = 0;
  const auto looker = world.spawn("looker", [&](tactor::context&, const look&) { ++looked; });
  const actor_ref<> plain = looker;

  try_cast<look>(plain).tell(look{});
  world.run_to_idle();
  EXPECT_EQ(looked, 1);
  EXPECT_EQ(try_cast<look>(plain), looker);
  EXPECT_FALSE(try_cast<order>(plain));
  EXPECT_FALSE((try_cast<look, order>(plain)));
  EXPECT_FALSE(try_cast<look>(actor_ref<>{}));

  world.stop(looker);
  world.run_to_idle();
  EXPECT_FALSE(try_cast<look>(plain));
  const auto next =
      world.spawn("next", [](tactor::context&, const order&) -> std::string { return "other"; });
  EXPECT_FALSE(try_cast<look>(plain)) << "perhaps in the same slot";
  EXPECT_TRUE(try_cast<order>(next));
}

// spec: A2c V1
TEST(context, spawns_children_whose_parent_it_is) {
  simulation world{};
  auto probe = world.spawn_probe<seen>("probe");
  const auto head = world.spawn<family>("head", probe.ref());
  head.tell(look{});
  for (const char* const name : {"child", ""}) {
    const seen what = probe.expect<seen>();
    EXPECT_EQ(what.parent, head);
    EXPECT_EQ(what.sender, head);
    EXPECT_EQ(what.name, name);
  }
  EXPECT_EQ(world.live(), 4u);
  EXPECT_TRUE(world.find<look>("head/child"));
}

/// Passes orders on.
class front_desk : public actor<order, quote> {
public:
  explicit front_desk(const actor_ref<order, quote>& back) : back_(back) {}
  delegated<std::string> receive(context& ctx, order o) { return ctx.forward(back_, std::move(o)); }
  delegated<int> receive(context& ctx, quote q) {
    q.item += " forwarded";
    return ctx.forward(back_, std::move(q));
  }

private:
  actor_ref<order, quote> back_;
};

// spec: A2b
TEST(context, forwards_an_ask_so_that_the_answer_comes_from_there) {
  simulation world{seed{2}};
  auto back = world.spawn_probe<order, quote>("back");
  const auto desk = world.spawn<front_desk>("desk", back.ref());

  auto answer = world.ask(desk, order{"tea"}, 1s);
  EXPECT_EQ(back.expect<order>().item, "tea");
  back.reply<order>("served");
  EXPECT_EQ(std::move(answer).get().value_or(""), "served");
}

// spec: A2b
TEST(context, forwards_in_the_name_of_the_first_sender) {
  simulation world{seed{2}};
  auto back = world.spawn_probe<order, quote>("back");
  const auto desk = world.spawn<front_desk>("desk", back.ref());
  const auto sender =
      world.spawn("sender", [desk](tactor::context&, look) { desk.tell(quote{"tea"}); });
  sender.tell(look{});
  EXPECT_EQ(back.expect<quote>().item, "tea forwarded");
  EXPECT_EQ(back.sender(), sender);
}

// spec: A2b
TEST(context, forwards_to_a_stopped_actor_and_the_asker_knows_at_once) {
  simulation world{seed{2}};
  auto back = world.spawn_probe<order, quote>("back");
  const auto desk = world.spawn<front_desk>("desk", back.ref());
  world.stop(back.ref());
  world.run_to_idle();
  const auto answer = world.ask(desk, order{"tea"}, 1h).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(answer.error().waited, duration{});
}

struct release {};

/// Answers later, from another handler.
class slow_clerk : public actor<quote, release> {
public:
  delegated<int> receive(context& ctx, const quote& q) {
    if (q.item == "forgotten") {
      const auto duty = ctx.reply_later<int>();
      return duty.as_delegated();
    }
    waiting_.push_back(ctx.reply_later<int>());
    return waiting_.back().as_delegated();
  }
  void receive(context&, release) {
    int answer = 0;
    for (reply_to<int>& each : waiting_)
      each.send(++answer);
    waiting_.clear();
  }

private:
  std::vector<reply_to<int>> waiting_;
};

// spec: A2b
TEST(reply_to, answers_from_another_handler) {
  simulation world{seed{3}};
  const auto clerk = world.spawn<slow_clerk>("clerk");
  auto first = world.ask(clerk, quote{"a"}, 1s);
  auto second = world.ask(clerk, quote{"b"}, 1s);
  clerk.tell(quote{"nobody waits"});
  world.run_to_idle();
  EXPECT_FALSE(first.ready());
  clerk.tell(release{});
  world.run_to_idle();
  EXPECT_TRUE(first.ready());
  EXPECT_EQ(std::move(first).get().value_or(0), 1);
  EXPECT_EQ(std::move(second).get().value_or(0), 2);
}

struct count {
  using reply = std::size_t;
};

// spec: A2b
TEST(reply_to, converts_its_answer_like_a_return_statement) {
  simulation world{seed{3}};
  const auto clerk = world.spawn("clerk", [](tactor::context& ctx, const count&) {
    auto duty = ctx.reply_later<std::size_t>();
    auto promised = duty.as_delegated();
    duty.send(7);  // an int: the library does not narrow it
    return promised;
  });
  EXPECT_EQ(world.ask(clerk, count{}, 1s).get().value_or(0), 7u);
}

// spec: A2b
TEST(reply_to, dropped_unsent_answers_that_there_is_no_reply) {
  simulation world{seed{3}};
  const auto clerk = world.spawn<slow_clerk>("clerk");
  const auto forgotten = world.ask(clerk, quote{"forgotten"}, 1h).get();
  ASSERT_FALSE(forgotten.has_value());
  EXPECT_EQ(forgotten.error().kind, ask_failure::no_reply);

  // The end of the actor that keeps it says so, too.
  auto kept = world.ask(clerk, quote{"kept"}, 1h);
  world.run_to_idle();
  world.stop(clerk);
  const auto answer = std::move(kept).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ask_failure::target_terminated);
}

// spec: A2b
TEST(reply_to, that_is_moved_or_sent_twice_answers_once) {
  simulation world{seed{3}};
  std::optional<reply_to<int>> kept;
  const auto clerk = world.spawn("clerk", [&kept](tactor::context& ctx, const quote&) {
    reply_to<int> duty = ctx.reply_later<int>();
    auto promised = duty.as_delegated();
    reply_to<int> other;
    EXPECT_FALSE(other);
    other = std::move(duty);
    EXPECT_TRUE(other);
    kept = std::move(other);
    return promised;
  });
  auto answer = world.ask(clerk, quote{}, 1s);
  world.run_to_idle();
  kept->send(8);
  kept->send(9);
  kept.reset();
  EXPECT_EQ(std::move(answer).get().value_or(0), 8);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

struct checked {
  using reply = void;
};

// spec: A2b
TEST(reply_to, of_nothing_is_an_acknowledgement) {
  simulation world{seed{3}};
  std::optional<reply_to<void>> kept;
  const auto clerk = world.spawn("clerk", [&kept](tactor::context& ctx, checked) {
    kept = ctx.reply_later<void>();
    return kept->as_delegated();
  });
  auto answer = world.ask(clerk, checked{}, 1s);
  world.run_to_idle();
  EXPECT_FALSE(answer.ready());
  kept->send();
  EXPECT_TRUE(std::move(answer).get().has_value());
}

// spec: A2d
TEST(context, stops_and_drains_others) {
  simulation world{};
  auto one = world.spawn_probe<look>("one");
  auto two = world.spawn_probe<look>("two");
  const auto boss = world.spawn("boss", [&](tactor::context& ctx, look) {
    one.ref().tell(look{});
    two.ref().tell(look{});
    ctx.stop(one.ref());
    ctx.drain(two.ref());
    ctx.stop(actor_ref<>{});
    ctx.drain(actor_ref<>{});
  });
  world.run_to_idle();
  boss.tell(look{});
  world.run_to_idle();
  EXPECT_EQ(one.waiting(), 0u);  // the rest became a dead letter
  EXPECT_EQ(two.waiting(), 1u);  // what was queued was handled
  EXPECT_EQ(world.live(), 1u);
}

// spec: A2d
TEST(context, drains_its_own_actor) {
  simulation world{};
  int handled = 0;
  const auto self = world.spawn("self", [&handled](tactor::context& ctx, look) {
    if (++handled == 1) ctx.drain();
  });
  for (int i = 0; i < 3; ++i)
    self.tell(look{});
  world.run_to_idle();
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(self.tell(look{}), tell_result::closed);
}

struct ping {
  using reply = int;
};

// As if a thread had it that a handler has started: outside of its run, a simulation runs no actor.
// spec: A10a
TEST(context_elsewhere, ends_the_program_with_advice) {
  testkit::simulation world;
  context* kept = nullptr;
  const auto who = world.spawn("wrong", [&](context& ctx, const ping&) {
    kept = &ctx;
    return 1;
  });
  (void)who.tell(ping{});
  (void)world.run_to_idle();
  ASSERT_NE(kept, nullptr);
  const char* const said = "panic 5.3: the context of an actor was used outside of its turn";
  EXPECT_DEATH(kept->stop(), said);
  EXPECT_DEATH((void)kept->sender(), said);
  EXPECT_DEATH((void)kept->children(), said);
  EXPECT_DEATH((void)kept->reply_later<int>(), said);
  EXPECT_DEATH(kept->notify_activity(), said);
  EXPECT_DEATH(kept->log(log_level::info, "hello"), said);
  EXPECT_DEATH((void)kept->path(), said);
  EXPECT_DEATH((void)kept->suspend(), said);
  EXPECT_DEATH((void)kept->spawn("child", [](context&, const ping&) { return 1; }), said);
  EXPECT_DEATH((void)kept->schedule_once(1s, who, ping{}), said);
  EXPECT_DEATH(kept->ask(who, ping{}, 1s, [](context&, auto) {}), said);
}

/// Looks for the sender when it is destroyed.
struct late_look {
  explicit late_look(context& of, std::vector<actor_ref<>>& into) noexcept
      : ctx(&of), seen(&into) {}
  late_look(late_look&& other) noexcept
      : ctx(std::exchange(other.ctx, nullptr)), seen(other.seen) {}
  late_look& operator=(late_look&&) = delete;
  late_look(const late_look&) = delete;
  late_look& operator=(const late_look&) = delete;
  ~late_look() {
    if (ctx != nullptr) seen->push_back(ctx->sender());
  }
  context* ctx;
  std::vector<actor_ref<>>* seen;
};

// spec: A10a
TEST(context_elsewhere, has_no_sender_when_the_actor_is_stopped_between_messages) {
  testkit::simulation world;
  std::vector<actor_ref<>> seen;
  auto silent = world.spawn_probe<ping>("silent");
  const auto who = world.spawn("who", [&](context& ctx, const ping&) {
    ctx.ask(silent.ref(), ping{}, 1h, [kept = late_look{ctx, seen}](context&, auto) {});
    return 1;
  });
  const auto sender = world.spawn("sender", [&](context&, const ping&) {
    (void)who.tell(ping{});
    return 1;
  });
  (void)sender.tell(ping{});
  (void)world.run_to_idle();
  world.stop(who);
  (void)world.run_to_idle();
  EXPECT_EQ(seen, std::vector<actor_ref<>>{{}});
}

// spec: A10a
TEST(context_elsewhere, ends_the_program_in_the_turn_of_another_actor) {
  testkit::simulation world;
  context* kept = nullptr;
  const auto who = world.spawn("wrong", [&](context& ctx, const ping&) {
    kept = &ctx;
    return 1;
  });
  void (*wrong)(context&) = nullptr;
  const auto other = world.spawn("other", [&](context&, const ping&) {
    wrong(*kept);
    return 1;
  });
  (void)who.tell(ping{});
  (void)world.run_to_idle();
  const auto die = [&](void (*how)(context&)) {
    wrong = how;
    (void)other.tell(ping{});
    (void)world.run_to_idle();
  };
  const char* const said = "panic 5.3: the context of an actor was used outside of its turn";
  EXPECT_DEATH(die([](context& ctx) { ctx.log(log_level::info, "hello"); }), said);
  EXPECT_DEATH(die([](context& ctx) { ctx.stop(); }), said);
  EXPECT_DEATH(die([](context& ctx) { (void)ctx.sender(); }), said);
  EXPECT_DEATH(die([](context& ctx) { (void)ctx.path(); }), said);
}

/// Uses its context when it is destroyed.
class late_asker : public actor<ping, int> {
public:
  using late_call = void (*)(context&);
  explicit late_asker(late_call what) : what_(what) {}
  late_asker(const late_asker&) = delete;
  late_asker& operator=(const late_asker&) = delete;
  ~late_asker() {
    if (ctx_ != nullptr) what_(*ctx_);
  }
  int receive(context& ctx, const ping&) {
    ctx_ = &ctx;
    return 1;
  }
  std::expected<void, failure> receive(context&, int) {
    return std::unexpected{failure{"it fails"}};
  }

private:
  late_call what_;
  context* ctx_ = nullptr;
};

// spec: A10a
TEST(context_elsewhere, ends_the_program_in_the_destructor_of_the_instance) {
  const auto end_by = [](late_asker::late_call what, bool restarts) {
    testkit::simulation world;
    const auto who =
        world.spawn<late_asker>({.name = "who", .on_failure = restart{}}, std::move(what));
    (void)who.tell(ping{});
    if (restarts) (void)who.tell(1);
    (void)world.run_to_idle();
    world.stop(who);
    (void)world.run_to_idle();
  };
  const late_asker::late_call ask = [](late_asker::context& ctx) {
    ctx.ask(actor_ref<ping>{}, ping{}, 1s, [](late_asker::context&, auto) {});
  };
  const late_asker::late_call log = [](late_asker::context& ctx) {
    ctx.log(log_level::info, "hello");
  };
  const char* const said = "panic 5.3: the context of an actor was used outside of its turn";
  EXPECT_DEATH(end_by(ask, true), said);
  EXPECT_DEATH(end_by(ask, false), said);
  EXPECT_DEATH(end_by(log, false), said);
}

}  // namespace
}  // namespace tactor
