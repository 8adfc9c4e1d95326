// SPDX-License-Identifier: BSL-1.0
// Many actors watch each other and lose interest, are suspended, fail and stop, in an order that a
// seed decides: each is told of each end it waits for exactly once.
#include "tactor/core/life/death_watch.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <random>
#include <vector>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

struct watch_it {
  actor_ref<> whom;
};
struct watch_it_with_a_message {
  actor_ref<> whom;
};
struct leave_it {
  actor_ref<> whom;
};
struct fail_now {};
struct gone {
  actor_ref<> who;
};

// Lists what one actor expects to be told; outlives its instances.
struct expectations {
  std::vector<actor_ref<>> waited_for;
  std::uint64_t told = 0;
  std::uint64_t wrong = 0;
};

class villager : public actor<watch_it, watch_it_with_a_message, leave_it, fail_now, gone> {
public:
  explicit villager(expectations* of) : of_(of) {}

  void receive(context& ctx, const watch_it& w) {
    if (ctx.watch(w.whom, *this)) expect(w.whom);
  }
  void receive(context& ctx, const watch_it_with_a_message& w) {
    if (ctx.watch(w.whom, gone{w.whom})) expect(w.whom);
  }
  void receive(context& ctx, const leave_it& l) {
    const bool waited = std::erase(of_->waited_for, l.whom) != 0;
    if (ctx.unwatch(l.whom) != waited) ++of_->wrong;
  }
  std::expected<void, failure> receive(context&, fail_now) {
    return std::unexpected{failure{"as it was told to"}};
  }
  void receive(context&, const terminated& t) { note(t.who); }
  void receive(context&, const gone& g) { note(g.who); }

private:
  void expect(const actor_ref<>& whom) {
    if (std::ranges::find(of_->waited_for, whom) == of_->waited_for.end())
      of_->waited_for.push_back(whom);
  }
  void note(const actor_ref<>& who) {
    ++of_->told;
    if (std::erase(of_->waited_for, who) != 1) ++of_->wrong;
  }

  expectations* of_;
};

class death_watch_at_random : public ::testing::TestWithParam<unsigned> {};

// spec: V3
// case: DW-01 DW-02 DW-03 DW-05 DW-07 DW-09
TEST_P(death_watch_at_random, tells_each_watcher_once) {
  std::mt19937_64 chance{GetParam()};
  std::vector<std::unique_ptr<expectations>> all;
  simulation world{seed{GetParam()}};
  struct one {
    villager::ref who;
    expectations* of;
  };
  std::vector<one> village;
  const auto move_in = [&] {
    const spawn_options hardy{.on_failure = restart{}};
    const spawn_options stoic{.on_failure = directive::resume};
    all.push_back(std::make_unique<expectations>());
    const auto& how = chance() % 3 == 0 ? spawn_options{} : chance() % 2 == 0 ? hardy : stoic;
    village.push_back({world.spawn<villager>(how, all.back().get()), all.back().get()});
  };
  for (int i = 0; i < 12; ++i)
    move_in();
  const auto any = [&]() -> one& { return village[chance() % village.size()]; };

  for (int step = 0; step < 600; ++step) {
    const auto who = any().who;
    const auto whom = any().who;
    switch (chance() % 12) {
    case 0:
      world.stop(who);
      move_in();  // into that slot, perhaps
      break;
    case 1:
      (void)who.tell(fail_now{});
      break;
    case 2:
      (void)world.suspend(who);
      break;
    case 3:
    case 4:
      (void)world.resume(who);
      break;
    case 5:
    case 6:
      (void)who.tell(leave_it{whom});
      break;
    case 7:
    case 8:
      (void)who.tell(watch_it_with_a_message{whom});
      break;
    default:
      (void)who.tell(watch_it{whom});
      break;
    }
    for (std::uint64_t turns = chance() % 4; turns > 0; --turns)
      (void)world.run_one();
  }
  // An observer watches them all, and stays when the others end.
  all.push_back(std::make_unique<expectations>());
  const one last{world.spawn<villager>("last", all.back().get()), all.back().get()};
  for (const one& each : village)
    (void)last.who.tell(watch_it{each.who});
  for (const one& each : village) {
    if (chance() % 2 == 0) (void)world.run_one();
    (void)world.resume(each.who);
    world.stop(each.who);
  }
  (void)world.run_to_idle();

  std::uint64_t told = 0;
  for (const one& each : village) {
    EXPECT_EQ(each.of->wrong, 0U);
    told += each.of->told;
  }
  EXPECT_GT(told, 0U);
  EXPECT_EQ(last.of->wrong, 0U);
  EXPECT_EQ(last.of->told, village.size());
  EXPECT_EQ(last.of->waited_for, std::vector<actor_ref<>>{}) << "it has been told of all of them";
  const cell& c = *last.who.slot();
  if (c.extended) {
    EXPECT_EQ(c.parts->watches, nullptr);
    EXPECT_TRUE(c.parts->watching.empty());
  }
  EXPECT_EQ(world.live(), 1U);
}
INSTANTIATE_TEST_SUITE_P(seeds, death_watch_at_random, ::testing::Range(0U, 400U));

}  // namespace
}  // namespace tactor::testkit
