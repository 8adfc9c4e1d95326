// SPDX-License-Identifier: BSL-1.0
// Failures in unusual places: in hooks, within failures, at the end, of whole families.
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/tell_result.hpp"

#include "supervised_actors.hpp"
#include "supervision_world.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor::supervising {

using namespace tactor::internal;

namespace {

std::string numbered(std::string name, int number) {
  return name.append(std::to_string(number));
}

template <class Setting>
class corners_of_supervision : public supervised_actors<Setting> {};
TYPED_TEST_SUITE(corners_of_supervision, settings);

// spec: V1 I3
TYPED_TEST(corners_of_supervision,
           resuming_one_leaves_its_siblings_failures_to_their_own_strategy) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const supervision go_on{directive::resume, failure_scope::all_for_one};
    const auto a = this->describe("a");
    const auto b = this->describe("b");
    const auto first = this->template spawn<plain_actor>(a, go_on);
    const auto second = this->template spawn<plain_actor>(b, restart{});
    for (int i = 0; i < 5; ++i) {
      second.tell(die<way>());
      second.tell(ping{});
      first.tell(die<way>());
      first.tell(ping{});
    }
    this->handled(first);
    this->handled(second);
    EXPECT_EQ(a->made, 1);
    EXPECT_EQ(b->made, 6);
    std::string lives = "made start ";
    for (int i = 0; i < 5; ++i)
      lives += "stop gone made start ping ";
    EXPECT_EQ(this->book->of("b"), lives + "ping ");
  });
}

// spec: V1
// Pekko counts a restart of all for each of them; OTP counts it for their supervisor.
TYPED_TEST(corners_of_supervision, restarts_of_all_count_for_all) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const supervision how = restart{.max_restarts = 2, .scope = failure_scope::all_for_one};
    const auto a = this->describe("a");
    const auto b = this->describe("b");
    const auto c = this->describe("c");
    const auto first = this->template spawn<plain_actor>(a, how);
    const auto second = this->template spawn<plain_actor>(b, how);
    const auto third = this->template spawn<plain_actor>(c, how);
    const auto all_made = [&](int times) {
      return this->eventually(
          [&] { return a->starts == times && b->starts == times && c->starts == times; });
    };
    ASSERT_TRUE(all_made(1));
    first.tell(die<way>());
    ASSERT_TRUE(all_made(2));
    second.tell(die<way>());
    ASSERT_TRUE(all_made(3));
    third.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return a->gone == 3 && b->gone == 3 && c->gone == 3; }));
    EXPECT_EQ(a->made + b->made + c->made, 9);
  });
}

// spec: V3
TYPED_TEST(corners_of_supervision, what_a_failed_start_has_begun_is_nothing_to_the_next_instance) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    const auto kid = this->describe("kid");
    a->bad_starts = 2;
    a->at_start = [&, kid](context& ctx) {
      const auto child = ctx.spawn<plain_actor>("kid", kid);
      EXPECT_EQ(ctx.name(), "a");
      (void)ctx.watch(child, ping{});
      (void)ctx.set_receive_timeout<plain_actor>(1ms);
      (void)ctx.suspend(suspend_reason::await_external);
      if (a->starts == 3) (void)ctx.resume(suspend_reason::await_external);
      ctx.cancel_receive_timeout();
    };
    const auto who = this->template spawn<plain_actor>(a, restart{});
    EXPECT_EQ(this->pings(who), 1);  // and not told of the end of the first two children
    EXPECT_EQ(this->pings(who), 2);
    EXPECT_TRUE(this->eventually([&] { return kid->made - kid->gone == 1; }));
  });
}

// spec: V2a
TYPED_TEST(corners_of_supervision, a_restart_that_fails_leaves_kept_children_alone) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    const auto kept = this->describe("kept");
    const auto made = this->describe("made");
    a->bad_restarts = 2;
    const auto who = this->template spawn<hooked_actor>(a, restart{.keep_children = true});
    const auto child = this->template spawn_child<plain_actor>(who, kept);
    this->handled(child);
    a->at_start = [=](context& ctx) { (void)ctx.spawn<plain_actor>("made", made); };
    who.tell(die<way>());
    this->handled(who);
    this->handled(child);
    EXPECT_EQ(a->made, 4);
    EXPECT_EQ(kept->gone, 0);
    EXPECT_TRUE(this->eventually([&] { return made->made - made->gone == 1; }));
  });
}

// spec: V2a
// Pekko waits for each child that was stopped, however that came about.
TYPED_TEST(corners_of_supervision, a_restart_waits_for_each_child_that_was_stopped) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    const auto goes = this->describe("goes");
    const auto stays = this->describe("stays");
    const auto grandchild = this->describe("grandchild");
    const auto who = this->template spawn<hooked_actor>(a, restart{});
    const auto going = this->template spawn_child<plain_actor>(who, goes);
    const auto staying = this->template spawn_child<plain_actor>(who, stays);
    (void)this->template spawn_child<plain_actor>(going, grandchild);
    who.tell(watch_it{going});
    this->handled(who);
    a->at_pre_restart = [=](context& ctx) { ctx.stop(going); };
    a->at_start = [=](context& ctx) {
      EXPECT_TRUE(ctx.try_spawn<plain_actor>("goes", goes).has_value());
    };
    who.tell(die<way>());
    this->handled(who);
    this->handled(staying);
    EXPECT_EQ(goes->gone, 1);
    EXPECT_EQ(this->book->count("a terminated"), 1u);  // it did not say `unwatch`
  });
}

// spec: V1 V2a
TYPED_TEST(corners_of_supervision, an_actor_that_failed_to_start_and_is_resumed_is_built_again) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    a->bad_constructors = 2;
    a->bad_starts = 2;
    const auto who = this->template spawn<hooked_actor>(a, directive::resume);
    who.tell(ping{1});
    EXPECT_EQ(this->pings(who), 2);
    EXPECT_EQ(a->made, 5);
    EXPECT_EQ(a->starts, 3);
    EXPECT_EQ(a->restarts, 0);  // no instance had started before
  });
}

// spec: V2a
TYPED_TEST(corners_of_supervision, stopping_in_a_hook_of_a_restart_is_the_end) {
  TACTOR_SUBJECTS;
  for (const bool before : {true, false}) {
    this->each_place([&] {
      const auto a = this->describe("a");
      const auto who = this->template spawn<hooked_actor>(a, restart{});
      this->handled(who);
      const auto watcher = this->watched(who);
      const auto stop_now = [](context& ctx) { ctx.stop(); };
      (before ? a->at_pre_restart : a->at_start) = stop_now;
      who.tell(die<way>());
      who.tell(ping{});
      EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
      EXPECT_EQ(a->made, a->gone);
      EXPECT_EQ(this->book->count("a ping"), 1u);
      EXPECT_EQ(a->starts, 1);
    });
  }
}

// spec: V2a V2b P2
TYPED_TEST(corners_of_supervision, whatever_pre_restart_does_the_fresh_instance_runs) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    const auto kid = this->describe("kid");
    const auto other = this->describe("other");
    const auto friend_of_all = this->template spawn_root<plain_actor>(other);
    const auto who = this->template spawn<hooked_actor>(a, restart{});
    this->handled(who);
    a->at_pre_restart = [=](context& ctx) {
      (void)ctx.spawn<plain_actor>("", kid);
      (void)ctx.suspend(suspend_reason::await_external, on_signal(signal_key{1}));
      (void)ctx.set_receive_timeout<plain_actor>(1ms);
      (void)ctx.watch(friend_of_all, ping{});
      ctx.ask(friend_of_all, ping{}, 1h, [](auto) { FAIL() << "the one who asked is gone"; });
      (void)ctx.schedule_once(1ms, who, ping{5});
      (void)ctx.resume(suspend_reason::user_defined);
      ctx.notify_activity();
      who.tell(ping{6});
    };
    for (int i = 0; i < 3; ++i)
      who.tell(die<way>());
    this->handled(who);
    EXPECT_EQ(a->restarts, 3);
    EXPECT_TRUE(this->eventually([&] { return kid->made == 3; }));
    EXPECT_TRUE(this->eventually([&] { return this->book->count("a ping6") == 3; }));
    EXPECT_EQ(kid->gone, 0);
    this->world->system.stop(friend_of_all);
    EXPECT_TRUE(this->eventually([&] { return other->gone == 1; }));
    this->handled(who);
    EXPECT_EQ(this->book->count("a ping5"), 0u) << "a timer of the hook ends with its instance";
  });
}

/// Does in `post_stop` all that one should not.
template <class Way>
class clinging : public plain<Way> {
public:
  using plain<Way>::plain;
  std::expected<void, failure> post_stop(typename plain<Way>::context& ctx) {
    (void)plain<Way>::post_stop(ctx);
    const subject_ref self{ctx.self().slot(), ctx.self().generation()};
    EXPECT_FALSE(ctx.template try_spawn<plain<Way>>("late", this->is_).has_value());
    (void)ctx.watch(ctx.parent(), *this);
    (void)ctx.watch(actor_ref<>{}, *this);
    for (const suspend_reason why :
         {suspend_reason::await_external, suspend_reason::rate_limit, suspend_reason::user_defined})
      (void)ctx.suspend(why, resume_after(1ms));
    (void)ctx.set_receive_timeout(1ms, *this);
    ctx.ask(self, ping{}, 1ms, [](auto) { FAIL() << "nobody is there"; });
    (void)ctx.schedule_once(1ms, self, ping{});
    self.tell(ping{});
    ctx.stop();
    ctx.stop(self);
    ctx.drain();
    ctx.stop_children();
    ctx.notify_activity();
    (void)ctx.signal(self, signal_key{3});
    return Way::fail("clinging");
  }
};

// spec: P4
TYPED_TEST(corners_of_supervision, whatever_post_stop_does_the_slot_is_clean_for_the_next_tenant) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    for (int i = 0; i < 20; ++i) {
      const auto a = this->describe("a");
      const auto who = this->template spawn<clinging<way>>(a, restart{});
      this->handled(who);
      const auto watcher = this->watched(who, numbered("watcher", i));
      if (i % 2 == 0) {
        this->world->system.stop(who);
      } else {
        this->world->system.drain(who);
      }
      EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
      const auto b = this->describe("a");  // the name is free
      const auto next = this->template spawn<plain_actor>(b);
      EXPECT_EQ(this->pings(next), 1);
      this->world->system.stop(next);
      EXPECT_TRUE(this->eventually([&] { return b->gone == 1; }));
      EXPECT_EQ(a->made, 1);
      EXPECT_EQ(a->gone, 1);
      EXPECT_EQ(this->book->count("a stop"), 2u * (static_cast<unsigned>(i) + 1));
    }
  });
}

// spec: V1
TYPED_TEST(corners_of_supervision, an_escalation_climbs_a_hundred_levels) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    constexpr int levels = 100;
    for (const bool resumes : {true, false}) {
      const std::string tag = resumes ? "r" : "s";
      std::vector<subject_ptr> all;
      std::vector<subject_ref> refs;
      for (int i = 0; i < levels; ++i) {
        all.push_back(this->describe(tag + std::to_string(i)));
        const supervision top =
            resumes ? supervision{directive::resume} : supervision{restart{.keep_children = false}};
        const supervision how = i == 0 ? top : supervision{directive::escalate};
        refs.push_back(i == 0
                           ? this->template spawn_root<plain_actor>(all[0], how)
                           : this->template spawn_child<plain_actor>(refs.back(), all.back(), how));
      }
      refs.back().tell(die<way>());
      refs.back().tell(ping{});
      if (resumes) {
        this->handled(refs.back());
        for (const auto& each : all)
          EXPECT_EQ(each->made, 1);
      } else {
        EXPECT_TRUE(this->eventually([&] { return all[0]->made == 2; }));
        for (int i = 1; i < levels; ++i)
          EXPECT_EQ(all[static_cast<std::size_t>(i)]->gone, 1);
      }
      this->handled(refs.front());
    }
  });
}

// spec: V1
TYPED_TEST(corners_of_supervision, a_thousand_siblings_get_one_directive) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    constexpr int many = 1000;
    const auto parent = this->template spawn_root<plain_actor>(this->describe("parent"));
    const auto kid = this->describe("kid");
    const auto refs = std::make_shared<std::vector<subject_ref>>();
    parent.tell(act{[=](context& ctx) -> std::expected<void, failure> {
      for (int i = 0; i < many; ++i)
        refs->push_back(ctx.spawn<plain_actor>(
            {.on_failure = restart{.scope = failure_scope::all_for_one}}, kid));
      return {};
    }});
    this->handled(parent);
    EXPECT_TRUE(this->eventually([&] { return kid->starts == many; }));
    (*refs)[many / 2].tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return kid->starts == 2 * many; }));
    (*refs)[0].tell(die<way>());
    (*refs)[1].tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return kid->starts >= 3 * many; }));
    this->handled((*refs)[0]);
    this->handled((*refs)[many - 1]);
  });
}

// spec: V2c
TYPED_TEST(corners_of_supervision, messages_keep_their_order_over_many_restarts) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto a = this->describe("a");
    const auto who = this->template spawn<plain_actor>(a, restart{});
    constexpr int most = 200;
    for (int i = 1; i <= most; ++i) {
      who.tell(ping{i});
      if (i % 7 == 0) who.tell(die<way>());
    }
    this->handled(who);
    std::size_t last = 0;
    for (int i = 1; i <= most; ++i) {
      const std::size_t here = this->book->place(numbered("a ping", i));
      EXPECT_GT(here, last);
      last = here;
    }
    EXPECT_EQ(a->made, most / 7 + 1);
  });
}

// spec: V1 P1
TYPED_TEST(corners_of_supervision, a_suspended_parent_supervises) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto p = this->describe("parent");
    const auto c = this->describe("child");
    const auto d = this->describe("other");
    const auto parent = this->template spawn_root<plain_actor>(p, restart{.keep_children = true});
    const auto child = this->template spawn_child<plain_actor>(parent, c, restart{});
    const auto other = this->template spawn_child<plain_actor>(parent, d, directive::escalate);
    EXPECT_TRUE(this->world->system.suspend(parent).has_value());
    child.tell(die<way>());
    this->handled(child);
    EXPECT_EQ(c->made, 2);
    other.tell(die<way>());
    this->handled(other);
    EXPECT_EQ(p->made, 2);
    EXPECT_EQ(d->made, 2);
    parent.tell(ping{7});
    this->handled(child);
    EXPECT_EQ(this->book->count("parent ping7"), 0u);
    EXPECT_TRUE(this->world->system.resume(parent).has_value());
    this->handled(parent);
    EXPECT_EQ(this->book->count("parent ping7"), 1u);
  });
}

// spec: V1
TYPED_TEST(corners_of_supervision, children_that_escalate_wait_together_for_a_parent_that_waits) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto p = this->describe("parent");
    const restart patient{.delay = {.min = 1h, .max = 1h}, .keep_children = true};
    const auto parent = this->template spawn_root<plain_actor>(p, patient);
    std::vector<subject_ptr> kids;
    for (int i = 0; i < 3; ++i) {
      kids.push_back(this->describe(numbered("kid", i)));
      kids.back()->bad_starts = 100;
    }
    parent.tell(act{[=](context& ctx) -> std::expected<void, failure> {
      for (const auto& each : kids)
        (void)ctx.spawn<plain_actor>({.on_failure = directive::escalate}, each);
      return {};
    }});
    EXPECT_TRUE(this->eventually([&] {
      return p->gone == 1 && kids[0]->starts > 0 && kids[1]->starts > 0 && kids[2]->starts > 0;
    }));
    this->world->pass_turns(200);
    for (const auto& each : kids)
      EXPECT_LE(each->starts, 3) << "it is not made again and again";
    if constexpr (std::is_same_v<typename TestFixture::world_type, simulated>) {
      EXPECT_TRUE(this->eventually([&] { return p->starts == 2; }));
      for (const auto& each : kids)
        each->bad_starts = 0;
      this->handled(parent);
      for (const auto& each : kids)
        EXPECT_TRUE(this->eventually([&] { return each->made - each->gone == 1; }));
    }
  });
}

// spec: V1 A2d
TYPED_TEST(corners_of_supervision, a_child_that_escalates_to_a_draining_parent_does_not_block_it) {
  TACTOR_SUBJECTS;
  for (const supervision& how : {supervision{directive::resume}, supervision{restart{}}}) {
    this->each_round([&] {
      const auto p = this->describe("parent");
      const auto c = this->describe("child");
      const auto parent = this->template spawn_root<plain_actor>(p, how);
      const auto child = this->template spawn_child<plain_actor>(parent, c, directive::escalate);
      parent.tell(act{[](context& ctx) -> std::expected<void, failure> {
        ctx.drain();
        (void)ctx.suspend();  // so it drains for a while
        return {};
      }});
      EXPECT_TRUE(this->eventually([&] { return parent.tell(ping{}) == tell_result::closed; }));
      child.tell(die<way>());
      child.tell(act{[=](context&) -> std::expected<void, failure> {
        c->note("goes on");
        return {};
      }});
      EXPECT_TRUE(this->eventually(
          [&] { return c->gone == 1 || this->book->count("child goes on") == 1; }));
      EXPECT_TRUE(this->world->system.resume(parent).has_value() || p->gone == 1);
      EXPECT_TRUE(this->eventually([&] { return p->gone == 1 && c->gone == 1; }));
    });
  }
}

// spec: V3
TYPED_TEST(corners_of_supervision, actors_that_watch_each_other_in_a_cycle_end_and_are_told) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    std::vector<subject_ptr> all;
    std::vector<subject_ref> refs;
    for (int i = 0; i < 5; ++i) {
      all.push_back(this->describe(std::to_string(i)));
      refs.push_back(this->template spawn_root<plain_actor>(all.back()));
    }
    for (std::size_t i = 0; i < 5; ++i)
      refs[i].tell(watch_it{refs[(i + 1) % 5]});
    for (const auto& each : refs)
      this->handled(each);
    for (std::size_t i = 4; i > 0; --i) {
      this->world->system.stop(refs[i]);
      EXPECT_TRUE(this->eventually(
          [&] { return this->book->count(std::to_string(i - 1) + " terminated") == 1; }));
    }
    EXPECT_EQ(this->book->count("4 terminated"), 0u);
    this->handled(refs[0]);
  });
}

// spec: V1 I3
// case: SV-22
TYPED_TEST(corners_of_supervision, a_system_message_that_fails_loses_no_other) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto a = this->describe("a");
    a->bad_terminated = true;
    const auto who = this->template spawn_root<plain_actor>(a, restart{});
    constexpr int many = 10;
    std::vector<subject_ref> others;
    for (int i = 0; i < many; ++i) {
      others.push_back(this->template spawn_root<plain_actor>(this->describe(numbered("o", i))));
      who.tell(watch_it{others.back()});
    }
    this->handled(who);
    for (const auto& each : others)
      this->world->system.stop(each);
    EXPECT_TRUE(this->eventually([&] { return a->starts == many + 1; }));
    this->handled(who);
    EXPECT_EQ(this->book->count("a terminated"), many);
  });
}

// spec: V1
TYPED_TEST(corners_of_supervision, actors_of_any_dispatcher_restart) {
  TACTOR_SUBJECTS;
  if constexpr (std::is_same_v<typename TestFixture::world_type, threaded>) {
    this->each_round([&] {
      for (const dispatcher which : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
        const auto a = this->describe("a");
        const subject_ref who = this->world->system.template spawn<plain_actor>(
            {.dispatcher = which, .on_failure = restart{.delay = {.min = 1ms, .max = 1ms}}}, a);
        who.tell(die<way>());
        who.tell(die<way>());
        EXPECT_EQ(this->pings(who), 1);
        EXPECT_EQ(a->made, 3);
      }
    });
  }
}

// The end at any moment.

// spec: A5 P4
TYPED_TEST(corners_of_supervision, the_system_stops_at_any_moment) {
  TACTOR_SUBJECTS;
  const int moments = std::is_same_v<typename TestFixture::world_type, simulated> ? 120 : 30;
  for (int moment = 0; moment < moments; ++moment) {
    journal fresh;
    this->book = &fresh;
    const auto make = [&](const char* name) { return this->describe(name); };
    const auto top = make("top");
    const auto flaky = make("flaky");
    const auto waits = make("waits");
    const auto held = make("held");
    const auto sleeps = make("sleeps");
    const auto all = make("all");
    std::vector<subject_ptr> everybody{top, flaky, waits, held, sleeps, all};
    {
      typename TestFixture::world_type made{moment};
      this->world = &made;
      const auto parent = this->template spawn_root<hooked_actor>(
          top, restart{.max_restarts = 2, .keep_children = true});
      const auto sleeper = this->template spawn_root<plain_actor>(sleeps, restart{});
      parent.tell(act{[=](context& ctx) -> std::expected<void, failure> {
        const auto back_off =
            ctx.spawn<plain_actor>({.on_failure = restart{.delay = {.min = 1h, .max = 2h}}}, waits);
        const auto fails = ctx.spawn<hooked_actor>({.on_failure = restart{}}, flaky);
        (void)ctx.spawn<plain_actor>("", held);
        for (int i = 0; i < 3; ++i)
          (void)ctx.spawn<plain_actor>(
              {.on_failure = restart{.max_restarts = 3, .scope = failure_scope::all_for_one}}, all);
        (void)ctx.watch(back_off, ping{1});
        (void)ctx.watch(fails, ping{2});
        (void)ctx.watch(sleeper, ping{3});
        (void)ctx.set_receive_timeout<plain_actor>(1ms);
        ctx.ask(back_off, ping{}, 1h, [](auto) {});
        back_off.tell(die<way>());
        back_off.tell(ping{});
        for (int i = 0; i < 4; ++i) {
          fails.tell(ping{});
          fails.tell(die<way>());
        }
        return {};
      }});
      (void)made.system.suspend(sleeper, suspend_reason::rate_limit, resume_after(1h));
      (void)made.system.suspend(sleeper, suspend_reason::user_defined, when_capacity(parent));
      sleeper.tell(ping{});
      parent.tell(die<way>());
      parent.tell(ping{});
      parent.tell(die<way>());
      parent.tell(die<way>());
      made.pass_turns(moment);
      if (moment % 3 == 0) made.system.drain(parent);
      if (moment % 5 == 0) (void)made.system.signal(sleeper, signal_key{1});
      made.stop_all();
      EXPECT_EQ(made.system.live(), 0u);
    }
    for (const auto& each : everybody)
      EXPECT_EQ(each->made, each->gone) << each->name << " at " << moment;
  }
}

}  // namespace
}  // namespace tactor::supervising
