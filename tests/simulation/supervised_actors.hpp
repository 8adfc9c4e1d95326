// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "supervision_world.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>

// One suite in the simulation with many seeds and on threads, with failures that are thrown and
// failures that are returned.
namespace tactor::supervising {

template <class World, class Way>
struct setting {
  using world = World;
  using way = Way;
};

template <class Setting>
class supervised_actors : public ::testing::Test {
protected:
  using way_type = typename Setting::way;
  using world_type = typename Setting::world;

  /// Calls `body` in a world of its own, again and again.
  template <class Body>
  void each_round(Body body) {
    for (int round = 0; round < world_type::rounds; ++round) {
      journal fresh;
      book = &fresh;
      {
        world_type made{round};
        world = &made;
        body();
        made.stop_all();
        EXPECT_EQ(made.system.live(), 0u);
      }
      ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
    }
  }
  /// Runs the test once with an actor at the root and once with the child of another.
  template <class Body>
  void each_place(Body body) {
    each_round([&] {
      where = subject_ref{};
      body();
    });
    each_round([&] {
      where = spawn_root<plain<way_type>>(describe("supervisor"));
      body();
    });
  }

  subject_ptr describe(std::string name) { return std::make_shared<subject>(*book, name); }

  template <class Actor>
  subject_ref spawn_root(const subject_ptr& who, const supervision& how = {}) {
    return world->system.template spawn<Actor>({.name = who->name, .on_failure = how}, who);
  }
  /// Spawns it as a child of `parent`.
  template <class Actor>
  subject_ref spawn_child(const subject_ref& parent, const subject_ptr& who,
                          const supervision& how = {}) {
    struct handed_over {
      subject_ref made;
      std::atomic<bool> done = false;
    };
    const auto hand = std::make_shared<handed_over>();
    parent.tell(act{[=](context& ctx) -> std::expected<void, failure> {
      hand->made = ctx.spawn<Actor>({.name = who->name, .on_failure = how}, who);
      hand->done.store(true, std::memory_order_release);
      return {};
    }});
    EXPECT_TRUE(eventually([&] { return hand->done.load(std::memory_order_acquire); }));
    return hand->made;
  }
  /// The place that `each_place` names.
  template <class Actor>
  subject_ref spawn(const subject_ptr& who, const supervision& how = {}) {
    return where ? spawn_child<Actor>(where, who, how) : spawn_root<Actor>(who, how);
  }

  template <class Done>
  bool eventually(Done done) {
    return world->eventually(done);
  }
  /// Counts the pings that this instance has got; 0: it did not answer.
  int pings(const subject_ref& who) {
    return world->system.ask(who, ping{}, 10s).get().value_or(0);
  }
  /// Lets the world come so far that all messages of before are handled.
  void handled(const subject_ref& who) { EXPECT_NE(pings(who), 0); }
  /// Counts how often the end of `whom` was seen.
  subject_ptr watched(const subject_ref& whom, std::string name = "watcher") {
    const subject_ptr made = describe(name);
    const subject_ref who = spawn_root<plain<way_type>>(made);
    who.tell(watch_it{whom});
    handled(who);
    return made;
  }
  std::size_t told(const subject_ptr& watcher) {
    return book->count(watcher->name + " terminated");
  }

  journal* book = nullptr;
  world_type* world = nullptr;
  subject_ref where;
};

using settings = ::testing::Types<setting<simulated, thrown>, setting<simulated, returned>,
                                  setting<threaded, thrown>, setting<threaded, returned>>;

}  // namespace tactor::supervising

/// The kinds of actors of one test.
#define TACTOR_SUBJECTS                                                                            \
  using way = typename TestFixture::way_type;                                                      \
  using plain_actor = plain<way>;                                                                  \
  using hooked_actor = hooked<way>;                                                                \
  (void)sizeof(plain_actor), (void)sizeof(hooked_actor)
