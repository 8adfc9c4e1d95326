// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <set>
#include <string>
#include <vector>

namespace tactor::testkit {
namespace {

using namespace std::chrono_literals;

struct coin {
  int worth = 0;
};
struct beat {};

/// Everything that is delivered, in order: time, receiver, message, sender.
class trace {
public:
  explicit trace(simulation& world) : world_(world) {}
  void note(std::string_view who, std::string_view what, int worth) {
    text_ += std::to_string(world_.clock().now().ticks) + " " + std::string{who} + " " +
             std::string{what} + " " + std::to_string(worth) + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  simulation& world_;
  std::string text_;
};

/// Passes coins on, has children, fails with the thirteenth, is paid by its timer.
class trader : public actor<coin, beat> {
public:
  trader(trace* const& to, std::vector<actor_ref<coin>>* const& others, int number)
      : to_(to), others_(others), number_(number) {}
  void pre_start(context& ctx) {
    to_->note(ctx.name(), "starts", number_);
    EXPECT_TRUE(
        ctx.schedule_at_fixed_rate(10ms * (number_ + 1), 30ms, ctx.self(), beat{}).has_value());
  }
  std::expected<void, failure> receive(context& ctx, const coin& c) {
    to_->note(ctx.name(), "coin", c.worth);
    if (++seen_ == 13) return std::unexpected{failure{"thirteen"}};
    if (c.worth == 0) return {};
    const auto size = static_cast<int>(others_->size());
    (*others_)[static_cast<std::size_t>((number_ * 7 + c.worth * 3) % size)].tell(
        coin{c.worth - 1});
    if (c.worth % 4 == 0) {
      const auto child = ctx.spawn("child", [to = to_](tactor::context& inner, const coin& given) {
        to->note(inner.name(), "child", given.worth);
        if (given.worth == 0) inner.stop();
      });
      child.tell(coin{c.worth - 1});
      child.tell(coin{0});
    }
    return {};
  }
  void receive(context& ctx, beat) {
    to_->note(ctx.name(), "beat", static_cast<int>(ctx.batch().runs));
    if (++beats_ < 5) ctx.self().tell(coin{3});
  }
  void post_stop(context& ctx) { to_->note(ctx.name(), "ends", seen_); }

private:
  trace* to_;
  std::vector<actor_ref<coin>>* others_;
  int number_;
  int seen_ = 0;
  int beats_ = 0;
};

std::string run(seed from) {
  std::string text;
  {
    simulation world{from, {.dispatch = {.throughput = 3}}};
    trace deliveries{world};
    std::vector<actor_ref<coin>> all;
    all.reserve(6);
    for (int i = 0; i < 6; ++i)
      all.push_back(world.spawn<trader>("trader" + std::to_string(i), &deliveries, &all, i));
    for (const auto& each : all)
      each.tell(coin{5});
    world.run_for(60ms);
    world.clock().jump(70ms);
    world.stop(all[2]);
    world.run_for(200ms);
    world.begin_stop();
    world.run_to_idle();
    const auto counted = world.metrics();
    deliveries.note("world", "dead letters", static_cast<int>(counted.all_dead_letters()));
    deliveries.note("world", "turns", static_cast<int>(counted.turns));
    text = deliveries.text();
  }
  return text;
}

// spec: K2a
TEST(a_simulated_run, is_the_same_byte_for_byte_with_the_same_seed) {
  for (std::uint64_t i = 0; i <= 50; ++i) {
    const std::string once = run(seed{i});
    ASSERT_GT(once.size(), 1000u);
    EXPECT_EQ(run(seed{i}), once) << "seed " << i;
  }
}

// spec: K2a
TEST(a_simulated_run, is_another_one_with_another_seed) {
  std::set<std::string> runs;
  for (std::uint64_t i = 1; i <= 50; ++i)
    runs.insert(run(seed{i}));
  EXPECT_GT(runs.size(), 45u);
}

// spec: K2a
TEST(a_simulated_run, does_not_depend_on_what_the_program_did_before) {
  const std::string once = run(seed{7});
  // Other slots, other blocks, other records of timers.
  simulation other{seed{99}};
  std::vector<actor_ref<coin>> keep;
  keep.reserve(300);
  for (int i = 0; i < 300; ++i)
    keep.push_back(other.spawn("kept", [](tactor::context&, const coin&) {}));
  for (const auto& each : keep)
    each.tell(coin{1});
  auto job = other.schedule_once(1h, keep[0], coin{1});
  other.run_for(1s);
  EXPECT_EQ(run(seed{7}), once);
  for (std::size_t i = 0; i < keep.size(); i += 3)
    other.stop(keep[i]);
  other.run_to_idle();
  EXPECT_EQ(run(seed{7}), once);
}

}  // namespace
}  // namespace tactor::testkit
