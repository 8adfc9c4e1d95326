// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/definition/decide_by.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

// Actors that fail, stop, spawn, watch and suspend each other at random, for as long as they are
// told to. In the simulation and on threads.
namespace tactor::wild {

using namespace tactor::internal;

using namespace std::chrono_literals;

/// Numbers for one decision after the other.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBULL;
    return mixed ^ (mixed >> 31U);
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(next() % end); }
  bool one_in(std::uint32_t many) { return below(many) == 0; }

private:
  std::uint64_t state_;
};

struct poke {
  std::uint64_t chance = 0;
};
struct query {
  using reply = int;
};
using branch_ref = actor_ref<poke, query>;

/// Records what is known of all of them. Thread safety: any.
class forest {
public:
  forest(std::uint64_t seed, std::size_t most) : most_(most), seed_(seed) {}

  // The actors.

  void add(const branch_ref& who, const actor_ref<>& parent) {
    const std::scoped_lock lock{mutex_};
    all_.push_back({.who = who, .parent = parent});
  }
  /// Anyone, dead or alive, most of them young.
  branch_ref any(dice& chance) {
    const std::scoped_lock lock{mutex_};
    return all_.empty() ? branch_ref{} : all_[pick(chance)].who;
  }
  /// Any actor but a child of `parent`, which forgets its children when it restarts.
  branch_ref any_but_child(dice& chance, const actor_ref<>& parent) {
    const std::scoped_lock lock{mutex_};
    if (all_.empty()) return {};
    const entry& found = all_[pick(chance)];
    return found.parent == parent ? branch_ref{} : found.who;
  }
  [[nodiscard]] std::vector<branch_ref> everybody() const {
    const std::scoped_lock lock{mutex_};
    std::vector<branch_ref> result;
    for (const entry& each : all_)
      result.push_back(each.who);
    return result;
  }
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] bool everybody_is_here() const {
    return instances >= static_cast<std::int64_t>(most_);
  }

  // Watches.

  using pair = std::pair<std::uint64_t, std::uint64_t>;
  static std::uint64_t key(const actor_ref<>& who) {
    return (std::uint64_t{who.index().slot} << 32U) | who.generation();
  }
  /// Returns: false if that was so already.
  bool note_watch(const actor_ref<>& watcher, const actor_ref<>& whom) {
    const std::scoped_lock lock{mutex_};
    return told_.try_emplace({key(watcher), key(whom)}, 0).second;
  }
  void note_told(const actor_ref<>& watcher, const actor_ref<>& whom) {
    const std::scoped_lock lock{mutex_};
    const auto found = told_.find({key(watcher), key(whom)});
    if (found == told_.end()) {
      ++stray_;
    } else {
      ++found->second;
    }
  }
  /// Counts the watches that are not as they should be when these are alive and nothing happens any
  /// more.
  [[nodiscard]] std::size_t untold(const std::set<std::uint64_t>& alive) const {
    const std::scoped_lock lock{mutex_};
    std::size_t wrong = 0;
    for (const auto& [who, count] : told_) {
      const bool watcher_lives = alive.contains(who.first);
      const bool target_lives = alive.contains(who.second);
      if (target_lives ? count != 0 : (watcher_lives ? count != 1 : count > 1)) ++wrong;
    }
    return wrong;
  }
  void expect_all_told(const std::set<std::uint64_t>& alive) const {
    EXPECT_EQ(untold(alive), 0u);
    const std::scoped_lock lock{mutex_};
    EXPECT_EQ(stray_, 0) << "told of somebody it did not watch";
  }

  // Lets constructors and hooks do things by chance.

  bool hits(std::uint32_t one_in_so_many) {
    if (calm) return false;
    dice chance{seed_ + 0x1000 * (++drawn_)};
    return chance.one_in(one_in_so_many);
  }
  // A handler that runs when the calm begins has checked for calm before: it still disturbs others,
  // and may suspend an actor that was resumed for the last time. So these handlers are counted.

  /// While there is one, its maker may disturb others if it says so.
  class disturbance {
  public:
    explicit disturbance(forest& in) : in_(in) { ++in_.disturbing_; }
    disturbance(const disturbance&) = delete;
    disturbance& operator=(const disturbance&) = delete;
    ~disturbance() { --in_.disturbing_; }
    [[nodiscard]] bool allowed() const { return !in_.calm; }

  private:
    forest& in_;
  };
  void calm_down() {
    calm = true;
    while (disturbing_ != 0)
      std::this_thread::yield();
  }

  std::atomic<bool> calm = false;
  std::atomic<std::int64_t> instances = 0;
  std::atomic<std::uint64_t> failures = 0;
  std::atomic<std::uint64_t> watched = 0;

private:
  struct entry {
    branch_ref who;
    actor_ref<> parent;
  };
  std::size_t pick(dice& chance) const {
    const std::size_t young = all_.size() < 2 * most_ ? all_.size() : 2 * most_;
    return all_.size() - 1 - chance.next() % young;
  }

  std::size_t most_;
  std::uint64_t seed_;
  std::atomic<std::uint64_t> drawn_ = 0;
  std::atomic<std::int64_t> disturbing_ = 0;
  mutable std::mutex mutex_;
  std::vector<entry> all_;
  std::map<pair, int> told_;
  int stray_ = 0;
};

inline std::expected<void, failure> fail_somehow(forest& in, std::uint64_t how) {
  ++in.failures;
  if (how % 2 == 0) throw std::runtime_error("wild");
  return std::unexpected{failure{"wild", static_cast<std::int32_t>(how % 7)}};
}

inline constexpr supervision next_one_decides = restart{.max_restarts = 4};

/// Roots never escalate: that would be the end of all.
inline supervision root_strategy(dice& chance) {
  switch (chance.below(6)) {
  case 0:
    return directive::resume;
  case 1:
    return restart{.keep_children = true};
  case 2:
    return restart{.delay = {.min = 1ms, .max = 4ms, .jitter_percent = 50},
                   .scope =
                       chance.one_in(8) ? failure_scope::all_for_one : failure_scope::one_for_one};
  case 3:
    return restart{.max_restarts = 5, .within = 10ms};
  case 4:
    return decide_by([](const failure& why) -> decision {
      return why.code() % 2 == 0 ? directive::restart : directive::resume;
    });
  default:
    return restart{};
  }
}
inline supervision any_strategy(dice& chance) {
  switch (chance.below(9)) {
  case 0:
    return {};
  case 1:
  case 2:
    return directive::escalate;
  case 3:
    return {directive::stop, failure_scope::all_for_one};
  case 4:
    return restart{.scope = failure_scope::all_for_one, .keep_children = chance.one_in(2)};
  case 5:
    return decide_by([](const failure& why) -> decision {
      switch (why.code()) {
      case 1:
        return directive::resume;
      case 2:
        return directive::stop;
      case 3:
        return directive::escalate;
      case 4:
        throw std::runtime_error("decider");
      case 5:
        return next_one_decides;
      default:
        return directive::restart;
      }
    });
  default:
    return root_strategy(chance);
  }
}

/// One of them.
class branch : public actor<poke, query> {
public:
  explicit branch(forest* const& in) : in_(in) {
    if (in_->hits(16)) throw std::runtime_error("constructor");
    ++in_->instances;
  }
  branch(const branch&) = delete;
  branch& operator=(const branch&) = delete;
  ~branch() { --in_->instances; }

  std::expected<void, failure> pre_start(context& ctx) {
    if (in_->hits(8)) spawn(ctx, 7);
    if (in_->hits(16)) return fail_somehow(*in_, 3);
    return {};
  }
  std::expected<void, failure> pre_restart(context& ctx, const failure& /*because*/) {
    if (in_->hits(2)) ctx.stop_children();
    if (in_->hits(8)) return fail_somehow(*in_, 2);
    return {};
  }
  std::expected<void, failure> post_restart(context& ctx, const failure& /*because*/) {
    if (in_->hits(4)) spawn(ctx, 3);
    if (in_->hits(8)) return fail_somehow(*in_, 5);
    return {};
  }
  std::expected<void, failure> post_stop(context& /*ctx*/) {
    if (in_->hits(8)) return fail_somehow(*in_, 4);
    return {};
  }

  int receive(context& /*ctx*/, query) { return 1; }
  std::expected<void, failure> receive(context& ctx, const terminated& told) {
    in_->note_told(ctx.self(), told.who);
    if (in_->hits(6)) return fail_somehow(*in_, 1);
    return {};
  }
  std::expected<void, failure> receive(context& ctx, const poke& p) {
    const forest::disturbance unrest{*in_};
    if (!unrest.allowed()) return {};
    dice chance{p.chance};
    switch (chance.below(16)) {
    case 0:
    case 1:
    case 2:
      return fail_somehow(*in_, chance.next());
    case 3:
    case 4:
    case 5:
    case 6:
      spawn(ctx, chance.next());
      break;
    case 7:
    case 8:
    case 9:
      watch(ctx, chance);
      break;
    case 10:
      suspend(ctx, chance);
      break;
    case 11: {
      const branch_ref other = in_->any(chance);
      if (other) other.tell(poke{chance.next()});
      break;
    }
    case 12:
      if (chance.one_in(4)) ctx.stop();
      break;
    case 13:
      if (chance.one_in(4)) ctx.drain();
      break;
    case 14:
      if (chance.one_in(4)) ctx.stop_children();
      break;
    default:  // leaves, and fails on top of it
      if (!chance.one_in(8)) break;
      ctx.stop();
      return fail_somehow(*in_, chance.next());
    }
    return {};
  }

private:
  void spawn(context& ctx, std::uint64_t how);
  void watch(context& ctx, dice& chance) {
    const branch_ref whom = in_->any_but_child(chance, ctx.self());
    if (!whom || whom == ctx.self() || !in_->note_watch(ctx.self(), whom)) return;
    EXPECT_TRUE(ctx.watch(whom, *this).has_value());
    ++in_->watched;
  }
  void suspend(context& ctx, dice& chance) {
    const branch_ref other = in_->any(chance);
    switch (chance.below(4)) {
    case 0:
      (void)ctx.suspend(suspend_reason::rate_limit, resume_after(1ms));
      break;
    case 1:
      (void)ctx.suspend(suspend_reason::await_external, on_signal({chance.below(4)}));
      break;
    case 2:
      (void)ctx.suspend(other, suspend_reason::user_defined, resume_after(2ms));
      break;
    default:
      (void)ctx.suspend(other, suspend_reason::user_defined);
      break;
    }
  }

  forest* in_;
};

inline void branch::spawn(context& ctx, std::uint64_t how) {
  dice chance{how};
  if (in_->everybody_is_here()) return;
  const auto made = ctx.try_spawn<branch>({.on_failure = any_strategy(chance)}, in_);
  if (made) in_->add(*made, ctx.self());
}

/// One random thing from outside.
template <class System>
void disturb(System& system, forest& trees, dice& chance) {
  const bool few = system.live() < 4;
  if (few || (system.live() < trees.most() && chance.one_in(16))) {
    const auto made =
        system.template try_spawn<branch>({.on_failure = root_strategy(chance)}, &trees);
    if (made) trees.add(*made, {});
    return;
  }
  const branch_ref who = trees.any(chance);
  switch (chance.below(24)) {
  case 0:
    system.stop(who);
    break;
  case 1:
    system.drain(who);
    break;
  case 2:
    (void)system.suspend(who, suspend_reason::user_defined);
    break;
  case 3:
  case 4:
    (void)system.resume(who, suspend_reason::user_defined);
    break;
  case 5:
  case 6:
    (void)system.signal(who, {chance.below(4)});
    break;
  default:
    who.tell(poke{chance.next()});
    break;
  }
}

/// Takes back what this test itself has suspended.
template <class System>
void resume_all(System& system, const std::vector<branch_ref>& all) {
  for (const branch_ref& each : all)
    for (const suspend_reason reason :
         {suspend_reason::await_external, suspend_reason::rate_limit, suspend_reason::user_defined})
      (void)system.resume(each, reason);
}

/// Asks every actor that ever existed. Returns: the actors that answered; silence is a failure.
template <class System>
std::set<std::uint64_t> ask_all(System& system, const std::vector<branch_ref>& all) {
  std::set<std::uint64_t> alive;
  std::size_t silent = 0;
  for (const branch_ref& each : all) {
    const auto said = system.ask(each, query{}, 20s).get();
    if (said.has_value()) {
      alive.insert(forest::key(each));
    } else if (said.error().kind != ask_failure::target_terminated) {
      ++silent;
    }
  }
  EXPECT_EQ(silent, 0u) << "neither answer nor are stopped";
  return alive;
}

/// The end state: no actor is suspended, each actor answers or has ended, and all watchers know.
template <class System>
void expect_calm(System& system, forest& trees) {
  trees.calm_down();
  std::set<std::uint64_t> alive;
  std::set<std::uint64_t> before;
  const auto end = std::chrono::steady_clock::now() + 40s;
  bool settled = false;
  while (!settled) {  // on threads, an actor that has just answered may be about to stop
    const std::vector<branch_ref> all = trees.everybody();
    resume_all(system, all);
    before = std::exchange(alive, ask_all(system, all));
    ASSERT_FALSE(::testing::Test::HasFailure());
    ASSERT_LT(std::chrono::steady_clock::now(), end)
        << alive.size() << " answer, " << system.live() << " live, " << trees.instances
        << " instances, " << trees.untold(alive) << " watches wrong";
    // Watchers are told last, when the ended actor is not counted any more.
    settled = alive == before && alive.size() == system.live() &&
              static_cast<std::int64_t>(alive.size()) == trees.instances &&
              trees.untold(alive) == 0;
  }
  trees.expect_all_told(alive);
}

}  // namespace tactor::wild
