// SPDX-License-Identifier: BSL-1.0
// The promises of supervision: in the simulation with many seeds and on threads, with failures that
// are thrown and failures that are returned.
#include "tactor/core/send/answer.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_core.hpp"

#include "supervised_actors.hpp"
#include "supervision_world.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tactor::supervising {

using namespace tactor::internal;

namespace {

TYPED_TEST_SUITE(supervised_actors, settings);

// spec: V1
// case: SV-01
TYPED_TEST(supervised_actors, one_for_one_restarts_only_the_failed_actor) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const supervision how = restart{};
    const auto a = this->describe("a");
    const auto b = this->describe("b");
    const auto c = this->describe("c");
    const auto first = this->template spawn<plain_actor>(a, how);
    const auto second = this->template spawn<plain_actor>(b, how);
    const auto third = this->template spawn<plain_actor>(c, how);
    second.tell(die<way>());
    EXPECT_EQ(this->pings(second), 1);
    EXPECT_EQ(this->pings(first), 1);
    EXPECT_EQ(this->pings(third), 1);
    EXPECT_EQ(a->made, 1);
    EXPECT_EQ(b->made, 2);
    EXPECT_EQ(c->made, 1);
  });
}

// spec: V1
// case: SV-02
TYPED_TEST(supervised_actors, all_for_one_restarts_all_siblings) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const supervision how = restart{.scope = failure_scope::all_for_one};
    const auto a = this->describe("a");
    const auto b = this->describe("b");
    const auto c = this->describe("c");
    const auto first = this->template spawn<hooked_actor>(a, how);
    const auto second = this->template spawn<hooked_actor>(b, how);
    const auto third = this->template spawn<plain_actor>(c);  // its own strategy is another matter
    for (const auto& each : {first, second, third})
      this->handled(each);
    second.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return a->made == 2 && b->made == 2 && c->made == 2; }));
    for (const auto& each : {first, second, third})
      EXPECT_EQ(this->pings(each), 1);
    EXPECT_EQ(this->book->of("b"),
              "made start ping pre_restart:died gone made post_restart:died ping ");
    EXPECT_EQ(this->book->of("c"), "made start ping stop gone made start ping ");
  });
}

// spec: V1
TYPED_TEST(supervised_actors, all_for_one_stops_all_siblings) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto parent = this->template spawn_root<plain_actor>(this->describe("parent"));
    const supervision how{directive::stop, failure_scope::all_for_one};
    const auto a = this->describe("a");
    const auto b = this->describe("b");
    const auto first = this->template spawn_child<plain_actor>(parent, a, how);
    const auto second = this->template spawn_child<plain_actor>(parent, b, restart{});
    this->handled(second);
    first.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return a->gone == 1 && b->gone == 1; }));
    EXPECT_EQ(this->pings(parent), 1);
  });
}

// spec: V1 V2c I3
// case: SV-03
TYPED_TEST(supervised_actors, keep_their_messages_except_the_message_that_failed) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    who.tell(ping{1});
    who.tell(die<way>());
    who.tell(ping{2});
    who.tell(ping{3});
    this->handled(who);
    EXPECT_EQ(this->book->of("a"), "made start ping1 stop gone made start ping2 ping3 ping ");
  });
}

// spec: V2a
// case: SV-04
TYPED_TEST(supervised_actors, call_their_hooks_in_order_by_default_those_of_a_start_and_a_stop) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    for (int i = 0; i < 3; ++i)
      who.tell(die<way>());
    this->handled(who);
    EXPECT_EQ(this->book->of("a"), "made start stop gone made start stop gone made start stop gone "
                                   "made start ping ");
    EXPECT_EQ(is->made, 4);
    EXPECT_EQ(is->gone, 3);
  });
}

// spec: V2a
// case: SV-04
TYPED_TEST(supervised_actors, call_their_own_hooks_instead) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<hooked_actor>(is, restart{});
    who.tell(die<way>(0, "one"));
    who.tell(die<way>(0, "two"));
    this->handled(who);
    this->world->system.stop(who);
    EXPECT_TRUE(this->eventually([&] { return is->gone == 3; }));
    EXPECT_EQ(this->book->of("a"),
              "made start pre_restart:one gone made post_restart:one pre_restart:two gone made "
              "post_restart:two ping stop gone ");
  });
}

// spec: V1
// case: SV-05
TYPED_TEST(supervised_actors, with_no_restart_allowed_stop_at_the_first_failure) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<hooked_actor>(is, restart{.max_restarts = 0});
    const auto watcher = this->watched(who);
    who.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(this->book->of("a"), "made start stop gone ");
  });
}

// spec: V1
// case: SV-07
TYPED_TEST(supervised_actors, with_two_restarts_allowed_stop_at_the_third_failure) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{.max_restarts = 2});
    const auto watcher = this->watched(who);
    who.tell(die<way>());
    who.tell(die<way>());
    EXPECT_EQ(this->pings(who), 1);
    EXPECT_EQ(this->told(watcher), 0u) << "a restart is no end";
    who.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(is->made, 3);
    EXPECT_EQ(is->gone, 3);
  });
}

// spec: V1
// case: SV-07
TYPED_TEST(supervised_actors, without_a_limit_live_through_a_hundred_failures) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    for (int i = 0; i < 100; ++i)
      who.tell(die<way>());
    EXPECT_EQ(this->pings(who), 1);
    EXPECT_EQ(is->made, 101);
  });
}

// spec: V1 V2a V2c
// case: SV-11
TYPED_TEST(supervised_actors, that_fail_to_start_are_tried_again_and_keep_their_messages) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto in_constructor = this->describe("constructor");
    in_constructor->bad_constructors = 1;
    const auto in_hook = this->describe("hook");
    in_hook->bad_starts = 2;
    const auto first = this->template spawn<hooked_actor>(in_constructor, restart{});
    const auto second = this->template spawn<hooked_actor>(in_hook, restart{});
    first.tell(ping{1});
    second.tell(ping{1});
    this->handled(first);
    this->handled(second);
    // An actor that has never started cannot restart: the first start that works is `pre_start`.
    EXPECT_EQ(this->book->of("constructor"), "made made start ping1 ping ");
    EXPECT_EQ(this->book->of("hook"), "made start gone made start gone made start ping1 ping ");
  });
}

// spec: V1
TYPED_TEST(supervised_actors, that_never_start_stop_when_their_restarts_are_used_up) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    is->bad_constructors = 100;
    const auto who = this->template spawn<plain_actor>(is, restart{.max_restarts = 3});
    const auto watcher = this->watched(who);
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(is->made, 4);
    EXPECT_EQ(is->gone, 0);
  });
}

// spec: V1 V2a
// case: SV-13 SV-17
TYPED_TEST(supervised_actors, escalate_until_an_ancestor_decides_for_the_whole_branch) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto top = this->describe("top");
    const auto middle = this->describe("middle");
    const auto low = this->describe("low");
    const auto manager = this->template spawn<hooked_actor>(top, restart{});
    const auto foreman =
        this->template spawn_child<plain_actor>(manager, middle, directive::escalate);
    const auto worker = this->template spawn_child<plain_actor>(foreman, low, directive::escalate);
    top->at_pre_restart = [](context& ctx) { ctx.stop_children(); };
    worker.tell(die<way>(0, "deep"));
    EXPECT_TRUE(this->eventually([&] { return top->made == 2; }));
    EXPECT_EQ(this->pings(manager), 1);
    EXPECT_EQ(this->book->of("top"),
              "made start pre_restart:deep gone made post_restart:deep ping ");
    EXPECT_EQ(this->book->of("middle"), "made start stop gone ");
    EXPECT_EQ(this->book->of("low"), "made start stop gone ");
    // From below to above, and only then the new instance.
    EXPECT_LT(this->book->place("low gone"), this->book->place("middle stop"));
    EXPECT_LT(this->book->place("middle gone"), this->book->place("top made", 2));
  });
}

// spec: V1
// case: SV-13
TYPED_TEST(supervised_actors, whose_failure_was_escalated_are_resumed_with_the_ancestor) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto top = this->describe("top");
    const auto low = this->describe("low");
    const auto manager = this->template spawn<plain_actor>(top, directive::resume);
    const auto worker = this->template spawn_child<plain_actor>(manager, low, directive::escalate);
    this->handled(manager);
    this->handled(worker);
    worker.tell(die<way>());
    EXPECT_EQ(this->pings(worker), 2);
    EXPECT_EQ(this->pings(manager), 2);
    EXPECT_EQ(top->made + low->made, 2);
  });
}

// spec: V1
// case: SV-13 SV-17
TYPED_TEST(supervised_actors,
           whose_failure_was_escalated_restart_with_an_ancestor_that_keeps_its_children) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto top = this->describe("top");
    const auto low = this->describe("low");
    const auto other = this->describe("other");
    const auto manager = this->template spawn<plain_actor>(top, restart{.keep_children = true});
    const auto worker = this->template spawn_child<plain_actor>(manager, low, directive::escalate);
    const auto bystander = this->template spawn_child<plain_actor>(manager, other);
    this->handled(bystander);
    worker.tell(die<way>());
    EXPECT_EQ(this->pings(worker), 1);
    EXPECT_EQ(this->pings(manager), 1);
    EXPECT_EQ(this->pings(bystander), 2);
    EXPECT_EQ(top->made, 2);
    EXPECT_EQ(low->made, 2);
    EXPECT_EQ(other->made, 1);
  });
}

// spec: V4
// case: SV-13
TYPED_TEST(supervised_actors, that_escalate_past_the_root_stop_the_system_with_the_cause) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto bystander = this->describe("bystander");
    (void)this->template spawn_root<plain_actor>(bystander, restart{});
    const auto top =
        this->template spawn_root<plain_actor>(this->describe("top"), directive::escalate);
    const auto low = this->describe("low");
    const auto worker = this->template spawn_child<plain_actor>(top, low, directive::escalate);
    worker.tell(die<way>(0, "too much"));
    EXPECT_TRUE(this->eventually([&] { return this->world->system.live() == 0; }));
    EXPECT_EQ(low->gone, low->made);
    EXPECT_EQ(bystander->gone, bystander->made);
    const auto found = this->world->system.core().cause();
    ASSERT_TRUE(found.has_value());
    const root_failure cause = found.value_or(root_failure{});
    EXPECT_EQ(cause.why.text(), "too much");
    EXPECT_EQ(cause.path.view(), "/user/top");
    if constexpr (std::is_same_v<typename TestFixture::world_type, threaded>) {
      EXPECT_EQ(this->world->system.shutdown(20s).exit_status(), 1);
    }
    EXPECT_NE(cause.message_type.find("act"), std::string_view::npos);
  });
}

// spec: V1
// case: SV-14
TYPED_TEST(supervised_actors, that_are_resumed_keep_their_state) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<hooked_actor>(is, directive::resume);
    who.tell(ping{1});
    who.tell(die<way>());
    who.tell(ping{2});
    EXPECT_EQ(this->pings(who), 3);
    EXPECT_EQ(this->book->of("a"), "made start ping1 ping2 ping ");
  });
}

// spec: V2a
// case: SV-17
TYPED_TEST(supervised_actors, that_restart_stop_their_children_and_wait_for_them) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    // The deeper, the slower.
    subject_ref parent = who;
    std::vector<subject_ptr> line;
    for (int i = 0; i < 6; ++i) {
      line.push_back(this->describe("child" + std::to_string(i)));
      parent = this->template spawn_child<plain_actor>(parent, line.back(), restart{});
    }
    this->handled(parent);
    who.tell(die<way>());
    who.tell(ping{1});
    this->handled(who);
    for (const auto& each : line) {
      EXPECT_EQ(each->made, 1);
      EXPECT_EQ(each->gone, 1);
      EXPECT_LT(this->book->place(each->name + " gone"), this->book->place("a made", 2));
    }
    EXPECT_EQ(this->book->of("a"), "made start stop gone made start ping1 ping ");
  });
}

// spec: V2a
// case: SV-17
TYPED_TEST(supervised_actors, that_restart_wait_for_a_child_that_is_busy) {
  TACTOR_SUBJECTS;
  if constexpr (std::is_same_v<typename TestFixture::world_type, threaded>) {
    this->each_place([&] {
      const auto is = this->describe("a");
      const auto who = this->template spawn<plain_actor>(is, restart{});
      const auto child_is = this->describe("child");
      const auto child = this->template spawn_child<plain_actor>(who, child_is);
      const auto released = std::make_shared<std::atomic<bool>>(false);
      child.tell(act{[=](context&) -> std::expected<void, failure> {
        child_is->note("busy");
        released->wait(false);
        child_is->note("released");
        return {};
      }});
      EXPECT_TRUE(this->eventually([&] { return this->book->count("child busy") == 1; }));
      who.tell(die<way>());
      EXPECT_TRUE(this->eventually([&] { return is->gone == 1; }));
      this->world->pass_turns(1000);
      released->store(true);
      released->notify_all();
      EXPECT_EQ(this->pings(who), 1);
      EXPECT_LT(this->book->place("child released"), this->book->place("child gone"));
      EXPECT_LT(this->book->place("child gone"), this->book->place("a made", 2));
    });
  }
}

// spec: V2a
// case: SV-17
TYPED_TEST(supervised_actors, that_restart_keep_their_children_if_they_are_told_to) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto by_option = this->describe("option");
    const auto by_hook = this->describe("hook");
    const auto first = this->template spawn<plain_actor>(by_option, restart{.keep_children = true});
    const auto second = this->template spawn<hooked_actor>(by_hook, restart{});
    for (const auto& parent : {first, second}) {
      const auto is = this->describe("child");
      const auto child = this->template spawn_child<plain_actor>(parent, is);
      EXPECT_EQ(this->pings(child), 1);
      parent.tell(die<way>());
      EXPECT_EQ(this->pings(parent), 1);
      EXPECT_EQ(this->pings(child), 2) << "it lives and is not held any more";
      EXPECT_EQ(is->made, 1);
    }
    EXPECT_EQ(by_option->made, 2);
    EXPECT_EQ(by_hook->made, 2);
  });
}

// spec: V2a
TYPED_TEST(supervised_actors, that_restart_have_children_of_the_same_names_again) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto child = this->describe("child");
    const auto refused = std::make_shared<std::atomic<int>>(0);
    is->at_start = [child, refused](context& ctx) {
      const auto made = ctx.try_spawn<plain_actor>({.name = child->name}, child);
      if (!made) ++*refused;
    };
    const auto who = this->template spawn<plain_actor>(is, restart{});
    for (int i = 0; i < 5; ++i)
      who.tell(die<way>());
    this->handled(who);
    EXPECT_EQ(refused->load(), 0);
    EXPECT_TRUE(this->eventually([&] { return child->made - child->gone == 1; }));
    EXPECT_LE(child->made, 6);
  });
}

constexpr supervision tries_once = restart{.max_restarts = 1};

// spec: V1
// case: SV-19
TYPED_TEST(supervised_actors, follow_the_decider_for_their_kind_of_failure) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const supervision how = decide_by([](const failure& why) -> decision {
      switch (kind_of(why)) {
      case 1:
        return directive::resume;
      case 2:
        return directive::restart;
      case 3:
        return tries_once;
      default:
        return directive::stop;
      }
    });
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, how);
    const auto watcher = this->watched(who);
    this->handled(who);
    who.tell(die<way>(1));
    EXPECT_EQ(this->pings(who), 2);
    EXPECT_EQ(is->made, 1);
    who.tell(die<way>(2));
    EXPECT_EQ(this->pings(who), 1);
    EXPECT_EQ(is->made, 2);
    who.tell(die<way>(0));
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));

    const auto other = this->describe("b");
    const auto delegating = this->template spawn<plain_actor>(other, how);
    const auto second = this->watched(delegating, "second");
    delegating.tell(die<way>(3));
    EXPECT_EQ(this->pings(delegating), 1);
    EXPECT_EQ(other->made, 2);
    delegating.tell(die<way>(3));
    EXPECT_TRUE(this->eventually([&] { return this->told(second) == 1; }));
  });
}

/// Keeps the events about failures.
struct failure_log {
  struct line {
    directive decided;
    std::uint32_t restarts;
    std::string text;
    std::string path;
  };
  std::mutex mutex;
  std::vector<line> lines;
  std::vector<std::uint32_t> restarted;

  std::size_t size() {
    const std::scoped_lock lock{mutex};
    return lines.size();
  }
};
class failure_listener : public actor<actor_failed, actor_restarted> {
public:
  explicit failure_listener(failure_log* const& to) : to_(to) {}
  void receive(context& /*ctx*/, const actor_failed& e) {
    const std::scoped_lock lock{to_->mutex};
    to_->lines.push_back({.decided = e.decided,
                          .restarts = e.restarts,
                          .text = std::string{e.why.text()},
                          .path = std::string{e.path.view()}});
  }
  void receive(context& /*ctx*/, const actor_restarted& e) {
    const std::scoped_lock lock{to_->mutex};
    to_->restarted.push_back(e.restarts);
  }

private:
  failure_log* to_;
};
template <class World>
void listen(World& world, failure_log& to) {
  const auto who = world.system.template spawn<failure_listener>("listener", &to);
  world.system.events().template subscribe<actor_failed>(who);
  world.system.events().template subscribe<actor_restarted>(who);
}

// spec: V1 V4
// case: SV-20
TYPED_TEST(supervised_actors, report_each_decision_and_stop_at_the_eleventh_failure) {
  TACTOR_SUBJECTS;
  failure_log events;
  this->each_round([&] {
    events.lines.clear();
    events.restarted.clear();
    listen(*this->world, events);
    const auto is = this->describe("a");
    const auto who = this->template spawn_root<plain_actor>(is, restart{.max_restarts = 10});
    for (int i = 0; i < 11; ++i)
      who.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return events.size() == 11 && is->gone == 11; }));
    const std::scoped_lock lock{events.mutex};
    for (std::uint32_t i = 0; i < 11; ++i) {
      EXPECT_EQ(events.lines[i].decided, i < 10 ? directive::restart : directive::stop);
      EXPECT_EQ(events.lines[i].restarts, i);
      EXPECT_EQ(events.lines[i].path, "/user/a");
    }
    ASSERT_EQ(events.restarted.size(), 10u);
    for (std::uint32_t i = 0; i < 10; ++i)
      EXPECT_EQ(events.restarted[i], i + 1);
  });
}

// spec: V1
// case: SV-22
TYPED_TEST(supervised_actors, that_fail_in_a_system_message_are_handled_like_all_others) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    is->bad_terminated = true;
    const auto who = this->template spawn<plain_actor>(is, restart{});
    const auto victim = this->template spawn_root<plain_actor>(this->describe("victim"));
    who.tell(watch_it{victim});
    this->handled(who);
    this->world->system.stop(victim);
    EXPECT_TRUE(this->eventually([&] { return is->made == 2; }));
    EXPECT_EQ(this->pings(who), 1);
    EXPECT_EQ(this->book->count("a terminated"), 1u);
    // A stopped actor's termination is told at once.
    who.tell(watch_it{victim});
    EXPECT_TRUE(this->eventually([&] { return is->made == 3; }));
    EXPECT_EQ(this->book->count("a terminated"), 2u);
  });
}

// spec: V2a
TYPED_TEST(supervised_actors, that_fail_in_pre_restart_are_restarted_all_the_same) {
  TACTOR_SUBJECTS;
  failure_log events;
  this->each_round([&] {
    events.lines.clear();
    listen(*this->world, events);
    const auto is = this->describe("a");
    is->bad_pre_restart = true;
    const auto who = this->template spawn_root<hooked_actor>(is, restart{.max_restarts = 1});
    who.tell(die<way>());
    EXPECT_EQ(this->pings(who), 1);
    EXPECT_EQ(this->book->of("a"), "made start pre_restart:died gone made post_restart:died ping ");
    EXPECT_TRUE(this->eventually([&] { return events.size() == 2; }));
    EXPECT_EQ(events.lines[1].text, "pre_restart");
  });
}

// spec: V1 V2a
TYPED_TEST(supervised_actors, that_fail_in_post_restart_are_tried_again_and_that_counts) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    is->bad_restarts = 2;
    const auto who = this->template spawn<hooked_actor>(is, restart{.max_restarts = 3});
    who.tell(die<way>());
    who.tell(ping{1});
    EXPECT_EQ(this->pings(who), 2);
    EXPECT_EQ(this->book->of("a"),
              "made start pre_restart:died gone made post_restart:died gone made "
              "post_restart:post_restart gone made post_restart:post_restart ping1 ping ");

    const auto hopeless = this->describe("b");
    hopeless->bad_restarts = 100;
    const auto other = this->template spawn<hooked_actor>(hopeless, restart{.max_restarts = 3});
    const auto watcher = this->watched(other);
    other.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(hopeless->made, 4);
    EXPECT_EQ(hopeless->gone, 4);
  });
}

// spec: V2a
TYPED_TEST(supervised_actors, that_fail_in_post_stop_restart_and_stop_all_the_same) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    is->bad_stop = true;
    const auto who = this->template spawn<plain_actor>(is, restart{});
    const auto watcher = this->watched(who);
    who.tell(die<way>());
    EXPECT_EQ(this->pings(who), 1);
    this->world->system.stop(who);
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(this->book->of("a"), "made start stop gone made start ping stop gone ");
  });
}

// spec: V1
TYPED_TEST(supervised_actors, that_fail_after_they_asked_to_stop_are_not_restarted) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<hooked_actor>(is, restart{});
    const auto watcher = this->watched(who);
    who.tell(act{[](context& ctx) {
      ctx.stop();
      return way::fail("while stopping");
    }});
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(this->book->of("a"), "made start stop gone ");
  });
}

// spec: V1
TYPED_TEST(supervised_actors, whose_decider_fails_make_their_parent_fail_with_that) {
  TACTOR_SUBJECTS;
  if constexpr (std::is_same_v<way, thrown>) {
    this->each_round([&] {
      const auto top = this->describe("top");
      const auto manager = this->template spawn_root<hooked_actor>(top, restart{});
      const auto worker = this->template spawn_child<plain_actor>(
          manager, this->describe("low"),
          decide_by([](const failure&) -> decision { throw std::runtime_error("undecided"); }));
      worker.tell(die<way>());
      EXPECT_TRUE(this->eventually([&] { return top->made == 2; }));
      EXPECT_EQ(this->book->count("top pre_restart:undecided"), 1u);
      EXPECT_EQ(this->pings(manager), 1);
    });
  }
}

// spec: I3
TYPED_TEST(supervised_actors, answer_the_asker_at_once_when_they_fail) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    for (const supervision& how :
         {supervision{}, supervision{restart{.delay = {.min = 1h, .max = 1h}}},
          supervision{directive::resume}}) {
      const auto who = this->template spawn<plain_actor>(this->describe("a"), how);
      const auto said = this->world->system.ask(who, fail_asked{}, 30min).get();
      ASSERT_FALSE(said.has_value());
      EXPECT_EQ(said.error().kind, ask_failure::target_failed);
    }
  });
}

// spec: V1
TYPED_TEST(supervised_actors, that_wait_for_their_restart_can_be_stopped) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(
        is, restart{.delay = {.min = 1h, .max = 1h, .jitter_percent = 50}});
    const auto watcher = this->watched(who);
    who.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return is->gone == 1; }));
    who.tell(ping{1});
    this->world->system.stop(who);
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(this->book->of("a"), "made start stop gone ") << "what is gone is not stopped again";
    EXPECT_TRUE(
        this->eventually([&] { return this->world->system.timers().metrics().active_total == 0; }));
  });
}

// spec: A2d V1
TYPED_TEST(supervised_actors, that_wait_for_their_restart_and_are_drained_end_at_once) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who =
        this->template spawn<plain_actor>(is, restart{.delay = {.min = 1h, .max = 1h}});
    const auto watcher = this->watched(who);
    who.tell(die<way>());
    who.tell(ping{1});
    EXPECT_TRUE(this->eventually([&] { return is->gone == 1; }));
    this->world->system.drain(who);
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
    EXPECT_EQ(this->book->count("a ping1"), 0u);
    EXPECT_EQ(is->made, 1);
  });
}

// spec: V1
TYPED_TEST(supervised_actors, that_are_drained_while_they_wait_for_what_their_parent_says_end) {
  TACTOR_SUBJECTS;
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume},
                                 supervision{restart{.delay = {.min = 1ms, .max = 1ms}}}}) {
    int turns = 0;
    this->each_place([&] {
      const auto is = this->describe("a");
      const auto who = this->template spawn<plain_actor>(is, how);
      const auto watcher = this->watched(who);
      who.tell(die<way>());
      this->world->pass_turns(turns++ % 8);
      this->world->system.drain(who);
      EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
      EXPECT_EQ(is->made, is->gone);
    });
  }
}

// spec: V1
TYPED_TEST(supervised_actors, that_fail_when_they_are_drained_end) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    // The parent drains, and with it its children, of which one has just failed.
    const auto parent_is = this->describe("parent");
    const auto parent = this->template spawn<plain_actor>(parent_is, restart{});
    const auto watcher = this->watched(parent);
    std::vector<subject_ref> children;
    for (const supervision& how :
         {supervision{restart{}}, supervision{directive::resume}, supervision{directive::escalate}})
      children.push_back(this->template spawn_child<plain_actor>(parent, this->describe("c"), how));
    children[0].tell(die<way>());
    this->world->system.drain(parent);
    for (const subject_ref& each : children)
      each.tell(die<way>());
    EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
  });
}

// spec: P2
TYPED_TEST(supervised_actors, suspend_their_children_until_they_recover) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto child_is = this->describe("child");
    const auto who = this->template spawn<plain_actor>(
        is, restart{.delay = {.min = 50ms, .max = 50ms}, .keep_children = true});
    const auto child = this->template spawn_child<plain_actor>(who, child_is);
    const auto grandchild = this->template spawn_child<plain_actor>(child, this->describe("low"));
    this->handled(grandchild);
    who.tell(act{[](context&) { return way::fail("parent"); }});
    EXPECT_TRUE(this->eventually([&] { return is->gone == 1; }));
    child.tell(ping{1});
    grandchild.tell(ping{1});
    this->handled(who);
    EXPECT_EQ(this->pings(child), 2);
    EXPECT_EQ(this->pings(grandchild), 3);
    EXPECT_GT(this->book->place("child ping1"), this->book->place("a gone"));
    EXPECT_EQ(child_is->made, 1);
  });
}

TYPED_TEST(supervised_actors, forget_what_their_old_instance_has_asked) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    const auto clerk = this->template spawn_root<plain_actor>(this->describe("clerk"));
    const auto answered = std::make_shared<std::atomic<int>>(0);
    who.tell(act{[=](context& ctx) {
      ctx.ask(clerk, ping{7}, 10s, [answered](auto) { ++*answered; });
      return way::fail("asked and died");
    }});
    EXPECT_TRUE(this->eventually([&] { return this->book->count("clerk ping7") == 1; }));
    this->handled(who);
    this->handled(clerk);
    this->handled(who);
    EXPECT_EQ(answered->load(), 0);
    EXPECT_EQ(is->made, 2);
  });
}

// spec: V1
// case: SV-01
TYPED_TEST(supervised_actors, that_fail_late_do_not_harm_their_successor_of_the_same_name) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto parent = this->template spawn_root<plain_actor>(this->describe("parent"));
    for (int i = 0; i < 5; ++i) {
      const auto first = this->describe("child");
      const auto old = this->template spawn_child<plain_actor>(
          parent, first, restart{.scope = failure_scope::one_for_one});
      const auto watcher = this->watched(old, "watcher" + std::to_string(i));
      old.tell(die<way>());
      this->world->system.stop(old);
      EXPECT_TRUE(this->eventually([&] { return this->told(watcher) == 1; }));
      const auto second = this->describe("child");
      const auto fresh = this->template spawn_child<plain_actor>(parent, second, restart{});
      EXPECT_EQ(this->pings(fresh), 1);
      EXPECT_EQ(this->pings(parent) > 0, true);
      EXPECT_EQ(this->pings(fresh), 2);
      EXPECT_EQ(second->made, 1);
      this->world->system.stop(fresh);
      EXPECT_TRUE(this->eventually([&] { return second->gone == 1; }));
    }
  });
}

struct tick {};
/// Counts ticks and fails with each third one.
template <class Way>
class ticker : public actor<tick> {
public:
  explicit ticker(const subject_ptr& is) : is_(is) { ++is_->made; }
  std::expected<void, failure> receive(context& /*ctx*/, tick) {
    if (++is_->starts % 3 == 0) return Way::fail("third tick");
    return {};
  }

private:
  subject_ptr is_;
};

// spec: V2c
// case: SP-10
TYPED_TEST(supervised_actors, that_restart_go_on_getting_the_ticks_of_the_same_timer) {
  TACTOR_SUBJECTS;
  this->each_round([&] {
    const auto is = this->describe("a");
    const auto who = this->world->system.template spawn<ticker<way>>({.on_failure = restart{}}, is);
    auto job = this->world->system.schedule_at_fixed_rate(1ms, 1ms, actor_ref<tick>{who}, tick{});
    ASSERT_TRUE(job.has_value());
    EXPECT_TRUE(this->eventually([&] { return is->starts >= 12 && is->made >= 4; }));
    EXPECT_EQ(this->world->system.timers().metrics().active_total, 1u);
    EXPECT_TRUE(job->cancel()) << "it is the same job";
  });
}

// spec: M9
// case: RQ-17
TYPED_TEST(supervised_actors, that_stop_twice_in_one_handler_end_once) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto is = this->describe("a");
    const auto who = this->template spawn<plain_actor>(is, restart{});
    const auto watcher = this->watched(who);
    const auto before = this->world->system.metrics();
    const std::size_t alive = this->world->system.live();
    who.tell(act{[](context& ctx) -> std::expected<void, failure> {
      ctx.stop();
      ctx.stop(ctx.self());
      ctx.stop();
      ctx.drain();
      return {};
    }});
    EXPECT_TRUE(this->eventually(
        [&] { return this->told(watcher) == 1 && this->world->system.live() == alive - 1; }));
    EXPECT_EQ(this->world->system.metrics().actors_stopped, before.actors_stopped + 1);
    EXPECT_EQ(this->book->of("a"), "made start stop gone ");
    // The next tenant of the slot has nothing of it.
    const auto next = this->template spawn<plain_actor>(this->describe("b"));
    EXPECT_EQ(this->pings(next), 1);
    EXPECT_EQ(this->told(watcher), 1u);
  });
}

TYPED_TEST(supervised_actors, that_stop_their_children_in_a_handler_can_have_others) {
  TACTOR_SUBJECTS;
  this->each_place([&] {
    const auto who = this->template spawn<plain_actor>(this->describe("a"), restart{});
    const auto first = this->describe("first");
    this->handled(this->template spawn_child<plain_actor>(who, first));
    who.tell(act{[](context& ctx) -> std::expected<void, failure> {
      ctx.stop_children();
      return {};
    }});
    EXPECT_TRUE(this->eventually([&] { return first->gone == first->made; }));
    const auto second = this->describe("second");
    const auto other = this->template spawn_child<plain_actor>(who, second);
    EXPECT_EQ(this->pings(other), 1);
    who.tell(act{[](context& ctx) -> std::expected<void, failure> {
      ctx.stop_children();
      return {};
    }});
    EXPECT_TRUE(this->eventually([&] { return second->gone == 1; }));
    EXPECT_EQ(this->pings(who), 1);
  });
}

}  // namespace
}  // namespace tactor::supervising
