// SPDX-License-Identifier: BSL-1.0
// Actors watch others that stop at the same time, while slots are used again: each is told exactly
// once, none twice, none of an actor that it unwatched, and nothing is kept.
#include "tactor/host/actor_system.hpp"

#include "all_memory.hpp"
#include "instrumented.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

struct nothing {};

// A watched actor.
class target : public actor<nothing> {
public:
  void receive(context&, nothing) {}
};

// Counts what all watchers have seen.
struct tally {
  std::atomic<std::uint64_t> wrong = 0;  // notified twice, or of an actor that was not watched
  std::atomic<std::uint64_t> told = 0;
  std::atomic<std::uint64_t> taken_back = 0;
};

// Whom to watch, and how.
struct begin {
  const std::vector<actor_ref<>>* targets;
  std::latch* done;  // outlives the wave
  std::uint64_t chance;
};
struct gone {
  actor_ref<> who;
};

/// Watches all of them in some way, loses interest in a few, and says when it has been told of the
/// rest.
class watcher : public actor<begin, gone> {
public:
  explicit watcher(tally* sum) : sum_(sum) {}

  void receive(context& ctx, const begin& b) {
    done_ = b.done;
    std::mt19937_64 chance{b.chance};
    for (const auto& each : *b.targets) {
      watched_.push_back(each);
      watch(ctx, each, chance);
      if (chance() % 4 == 0) lose_interest(ctx, *(watched_.begin() + any(chance)));
    }
    look();
    if (chance() % 8 == 0) {  // it ends first
      if (!watched_.empty()) done_->count_down();
      watched_.clear();
      ended_ = true;
      ctx.stop();
    }
  }
  void receive(context&, const terminated& t) { note(t.who); }
  void receive(context&, const gone& g) { note(g.who); }

private:
  [[nodiscard]] std::ptrdiff_t any(std::mt19937_64& chance) const {
    return static_cast<std::ptrdiff_t>(chance() % watched_.size());
  }
  void watch(context& ctx, const actor_ref<>& whom, std::mt19937_64& chance) {
    if (chance() % 2 == 0) (void)ctx.watch(whom, gone{whom});
    if (chance() % 2 == 0) {
      (void)ctx.watch(whom, *this);
    } else {
      (void)ctx.watch(whom, gone{whom});
    }
  }
  void lose_interest(context& ctx, actor_ref<> in) {
    if (!ctx.unwatch(in)) ++sum_->wrong;
    std::erase(watched_, in);
    ++sum_->taken_back;
    if (in.generation() % 4 == 1) {  // and finds it again
      (void)ctx.watch(in, *this);
      watched_.push_back(in);
    }
  }
  void note(const actor_ref<>& who) {
    ++sum_->told;
    const auto found = std::ranges::find(watched_, who);
    if (found == watched_.end() || ended_) {
      ++sum_->wrong;
      return;
    }
    watched_.erase(found);
    look();
  }
  void look() {
    if (watched_.empty()) done_->count_down();
  }

  tally* sum_;
  std::latch* done_ = nullptr;
  std::vector<actor_ref<>> watched_;
  bool ended_ = false;
};

/// One wave: `many` targets, which two threads stop while the watchers come.
void one_wave(const actor_system& system, tally& sum, std::uint64_t seed) {
  constexpr std::size_t many = 60;
  constexpr std::size_t watchers = 24;
  std::vector<actor_ref<>> targets;
  for (std::size_t i = 0; i < many; ++i)
    targets.push_back(system.spawn<target>(spawn_options{}));
  std::vector<watcher::ref> all;
  for (std::size_t i = 0; i < watchers; ++i)
    all.push_back(system.spawn<watcher>(spawn_options{}, &sum));
  std::latch done{watchers};
  {
    const auto stop_some = [&](std::size_t first) {
      for (std::size_t i = first; i < many; i += 2) {
        system.stop(targets[i]);
        // The slot gets the next tenant at once.
        system.stop(system.spawn<target>(spawn_options{}));
      }
    };
    const std::jthread one{stop_some, 0};
    const std::jthread other{stop_some, 1};
    for (std::size_t i = 0; i < watchers; ++i)
      (void)all[i].tell(begin{.targets = &targets, .done = &done, .chance = seed * watchers + i});
  }
  done.wait();
  for (const auto& each : all)
    system.stop(each);
}

// spec: V3 A2d
// case: DW-01 DW-02 DW-05 DW-07 DW-09
TEST(stress_of_death_watch, each_watcher_is_told_exactly_once_however_ends_and_watches_meet) {
  tally sum;
  std::uint64_t waves = 0;
  {
    const actor_system system{{.name = "watch", .workers = 4}};
    constexpr std::uint64_t at_least = scaled(300, 60);
    const time_box box;
    for (; waves < at_least || box.open(); ++waves)
      one_wave(system, sum, waves);
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(sum.wrong, 0U);
  EXPECT_GT(sum.told, waves * 100);
  EXPECT_GT(sum.taken_back, waves * 10);
  expect_all_memory_is_back();
}

// Two that watch each other, and end together.
class twin : public actor<gone> {
public:
  twin(tally* sum, std::latch* ready) : sum_(sum), ready_(ready) {}
  void receive(context& ctx, const gone& whom) {
    (void)ctx.watch(whom.who, *this);
    ready_->count_down();
  }
  void receive(context&, const terminated&) {
    if (told_) ++sum_->wrong;
    told_ = true;
    ++sum_->told;
  }

private:
  tally* sum_;
  std::latch* ready_;
  bool told_ = false;
};

// spec: V3
// case: DW-09
TEST(stress_of_death_watch, two_that_watch_each_other_can_end_together) {
  tally sum;
  const actor_system system{{.name = "twins", .workers = 4}};
  constexpr int many = scaled(4000, 800);
  for (int i = 0; i < many; ++i) {
    std::latch ready{2};
    const auto left = system.spawn<twin>(spawn_options{}, &sum, &ready);
    const auto right = system.spawn<twin>(spawn_options{}, &sum, &ready);
    (void)left.tell(gone{right});
    (void)right.tell(gone{left});
    ready.wait();
    std::jthread other{[&] { system.stop(left); }};
    system.stop(right);
  }
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(sum.wrong, 0U);
  EXPECT_LE(sum.told, many);
}

// Says what it was told.
class listener : public actor<gone> {
public:
  listener(std::latch* watching, std::latch* told) : watching_(watching), told_(told) {}
  void receive(context& ctx, const gone& whom) {
    (void)ctx.watch(whom.who, *this);
    watching_->count_down();
  }
  void receive(context&, const terminated&) { told_->count_down(); }

private:
  std::latch* watching_;
  std::latch* told_;
};

// spec: V3
// case: DW-01 DW-02
TEST(death_watch_on_threads, tells_all_watchers_of_the_end) {
  std::latch watching{3};
  std::latch told{3};
  const actor_system system{{.name = "threads", .workers = 2}};
  const actor_ref<> whom = system.spawn<target>("whom");
  for (int i = 0; i < 3; ++i)
    (void)system.spawn<listener>(spawn_options{}, &watching, &told).tell(gone{whom});
  watching.wait();
  EXPECT_FALSE(told.try_wait());
  system.stop(whom);
  told.wait();
}

// spec: V3
// case: DW-01
TEST(death_watch_on_threads, notifies_of_an_actor_that_is_gone_and_of_no_actor) {
  std::latch watching{2};
  std::latch told{2};
  const actor_system system{{.name = "threads", .workers = 2}};
  const actor_ref<> whom = system.spawn<target>("whom");
  system.stop(whom);
  const auto first = system.spawn<listener>(spawn_options{}, &watching, &told);
  const auto second = system.spawn<listener>(spawn_options{}, &watching, &told);
  (void)first.tell(gone{whom});
  (void)second.tell(gone{});
  told.wait();
}

}  // namespace
}  // namespace tactor::stress
