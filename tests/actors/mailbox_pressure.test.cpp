// SPDX-License-Identifier: BSL-1.0
// `mailbox_options::pressure_at`, and the presets.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using namespace tactor::testkit;

struct drop_of_rain {
  int number = 0;
};

class rain_barrel : public actor<drop_of_rain> {
  std::vector<int>* seen_;

public:
  explicit rain_barrel(std::vector<int>* seen) : seen_(seen) {}
  void receive(context& ctx, const drop_of_rain& d) {
    seen_->push_back(d.number);
    (void)ctx.suspend();  // one at a time
  }
};

struct pressure_log {
  [[nodiscard]] log_sink sink() { return {take, this}; }
  static void take(void* self, const log_record& record) noexcept {
    if (record.kind == log_kind::mailbox)
      static_cast<pressure_log*>(self)->actors.emplace_back(record.actor);
  }
  std::vector<std::string> actors;
};

// An actor that handles one message each time it is resumed.
class pressure_world {
public:
  explicit pressure_world(const mailbox_options& mailbox)
      : world{seed{1}, {.log = {.sink = log.sink()}}},
        barrel{world.spawn<rain_barrel>({.name = "barrel", .mailbox = mailbox}, &seen)} {
    const auto listener = world.spawn("listener", [this](context&, const mailbox_pressure& p) {
      EXPECT_EQ(p.who, actor_ref<>{barrel});
      depths.push_back(p.depth);
    });
    world.events().subscribe<mailbox_pressure>(listener);
    world.suspend(barrel);
    world.run_for(1ms);
  }
  void send(int count) {
    for (int i = 0; i < count; ++i)
      barrel.tell(drop_of_rain{++sent});
    world.run_for(1ms);
  }
  void handle(int count) {
    for (int i = 0; i < count; ++i) {
      world.resume(barrel);
      world.run_for(1ms);
    }
  }
  // The depth of the only event since the last call; 0: there was none.
  std::uint32_t reported() {
    EXPECT_LE(depths.size(), 1u);
    const std::uint32_t first = depths.empty() ? 0 : depths[0];
    depths.clear();
    return first;
  }

  pressure_log log;
  std::vector<int> seen;
  simulation world;
  std::vector<std::uint32_t> depths;
  actor_ref<drop_of_rain> barrel;
  int sent = 0;
};

// spec: M2
TEST(mailbox_pressure, is_reported_once_for_each_crossing_and_armed_again_below_three_quarters) {
  for (const std::uint32_t capacity : {100u, mailbox_options::unbounded}) {
    pressure_world w{{.capacity = capacity, .pressure_at = 8}};
    w.send(7);
    EXPECT_EQ(w.reported(), 0u);
    w.send(1);
    EXPECT_EQ(w.reported(), 8u);
    w.send(5);
    EXPECT_EQ(w.reported(), 0u);
    w.handle(7);  // six are left: three quarters, not less
    w.send(2);
    EXPECT_EQ(w.reported(), 0u);
    w.handle(3);  // five are left
    w.send(2);
    EXPECT_EQ(w.reported(), 0u);
    w.send(1);
    EXPECT_EQ(w.reported(), 8u);
    EXPECT_EQ(w.world.metrics().mailbox_pressure, 2u);
    EXPECT_EQ(w.log.actors, (std::vector<std::string>{"/user/barrel", "/user/barrel"}));
  }
}

// spec: M2
TEST(mailbox_pressure, is_reported_by_a_mailbox_that_drops_the_oldest) {
  pressure_world w{{.capacity = 4, .overflow = overflow_strategy::drop_oldest, .pressure_at = 4}};
  w.send(3);
  EXPECT_EQ(w.reported(), 0u);
  w.send(6);
  EXPECT_EQ(w.reported(), 4u);
  EXPECT_EQ(w.reported(), 0u);
  w.handle(2);
  w.send(2);
  EXPECT_EQ(w.reported(), 4u);
}

// spec: M2
TEST(mailbox_pressure, of_more_than_the_capacity_is_refused) {
  simulation world{seed{1}};
  std::vector<int> seen;
  const auto made = world.try_spawn<rain_barrel>(
      {.name = "x", .mailbox = {.capacity = 4, .pressure_at = 5}}, &seen);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error(), spawn_error::pressure_above_capacity);
  EXPECT_TRUE(world
                  .try_spawn<rain_barrel>(
                      {.name = "x", .mailbox = {.capacity = 4, .pressure_at = 4}}, &seen)
                  .has_value());
}

// spec: M2
TEST(mailbox_presets, say_how_much_is_held_and_what_happens_beyond) {
  EXPECT_EQ(mailbox_presets::unbounded.capacity, mailbox_options::unbounded);
  EXPECT_EQ(mailbox_presets::lossless(5).capacity, 5u);
  EXPECT_EQ(mailbox_presets::lossless(5).overflow, overflow_strategy::block_producer);

  pressure_world few{mailbox_presets::bounded(2)};
  few.send(4);
  few.handle(4);
  EXPECT_EQ(few.seen, (std::vector<int>{1, 2}));

  pressure_world newest{mailbox_presets::newest_only};
  newest.send(4);
  newest.handle(2);
  EXPECT_EQ(newest.seen, (std::vector<int>{4}));
}

}  // namespace
}  // namespace tactor
