// SPDX-License-Identifier: BSL-1.0
// Asking where there are few slots and no large blocks. A program of its own: memory is provided
// once.
#include "tactor/base/memory_source.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

class no_blocks final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t /*size*/, std::size_t /*alignment*/) noexcept override {
    return nullptr;
  }
  void release(void* /*block*/, std::size_t /*size*/, std::size_t /*alignment*/) noexcept override {
  }
};
no_blocks blocks;
std::array<cell, 12> slots;
std::array<ask_slot, 6> ask_slots;

struct small_program {
  small_program() {
    static const bool once = [] {
      program_memory.blocks.provide(blocks);
      program_memory.cells.confine_to(slots);
      program_memory.asks.confine_to(ask_slots);
      return true;
    }();
    (void)once;
  }
};

struct begin {
  int questions = 0;
};
struct wish {
  using reply = int;
};

struct seen {
  int answered = 0;
  int refused = 0;
  bool early = false;
  bool asking = false;
};

class client : public actor<begin> {
public:
  client(const actor_ref<wish>& desk, seen* into) : desk_(desk), seen_(into) {}
  void receive(context& ctx, begin b) {
    seen_->asking = true;
    for (int i = 0; i < b.questions; ++i) {
      ctx.ask(desk_, wish{}, 1s, [seen = seen_, desk = desk_](auto said) {
        seen->early = seen->early || seen->asking;
        if (said) {
          ++seen->answered;
        } else if (said.error().kind == ask_failure::refused) {
          EXPECT_EQ(said.error().target, desk);
          ++seen->refused;
        }
      });
    }
    seen_->asking = false;
  }

private:
  actor_ref<wish> desk_;
  seen* seen_;
};

// spec: A2b
TEST(ask_without_memory, for_an_ask_continues_with_refused_in_a_later_turn) {
  const small_program memory;
  simulation world{seed{1}};
  const auto desk = world.spawn("desk", [](tactor::context&, wish) { return 1; });
  seen saw;
  const auto who = world.spawn<client>("client", actor_ref<wish>{desk}, &saw);
  for (int round = 1; round <= 3; ++round) {
    saw = {};
    who.tell(begin{30});
    world.run_to_idle();
    EXPECT_FALSE(saw.early) << "called on the stack of who asks";
    EXPECT_EQ(saw.answered + saw.refused, 30);
    EXPECT_GT(saw.answered, 0);
    EXPECT_GT(saw.refused, 0);
  }
}

// spec: I3
TEST(ask_without_memory, even_to_say_so_is_a_failure_of_the_actor) {
  const small_program memory;
  simulation world{seed{1}};
  const auto desk = world.spawn("desk", [](tactor::context&, wish) { return 1; });
  std::vector<std::string> failures;
  const auto watcher = world.spawn("watcher", [&](tactor::context&, const actor_failed& each) {
    failures.emplace_back(each.why.text());
  });
  ASSERT_TRUE(world.events().subscribe<actor_failed>(watcher));
  struct huge {
    std::array<std::byte, 5000> bytes{};
  };
  auto held = std::make_shared<int>(1);
  const auto who = world.spawn("who", [&](tactor::context& ctx, begin) {
    ctx.ask(desk, wish{}, 1s, [held, load = huge{}](auto) { EXPECT_EQ(load.bytes.size(), 0u); });
  });
  const long before = held.use_count();
  who.tell(begin{});
  world.run_to_idle();
  EXPECT_EQ(failures, (std::vector<std::string>{"no memory for an ask"}));
  EXPECT_EQ(held.use_count(), before);
  EXPECT_EQ(world.live(), 2u);
}

// spec: I3 V4
TEST(ask_without_memory, whose_handler_fails_as_well_is_reported_with_the_directive_that_applies) {
  const small_program memory;
  simulation world{seed{1}};
  const auto desk = world.spawn("desk", [](tactor::context&, wish) { return 1; });
  std::vector<directive> decided;
  const auto watcher = world.spawn("watcher", [&](tactor::context&, const actor_failed& each) {
    decided.push_back(each.decided);
  });
  ASSERT_TRUE(world.events().subscribe<actor_failed>(watcher));
  struct huge {
    std::array<std::byte, 5000> bytes{};
  };
  for (const directive how : {directive::restart, directive::resume}) {
    decided.clear();
    const auto who = world.spawn(
        {.name = "who", .on_failure = how},
        [&](tactor::context& ctx, begin) -> std::expected<void, failure> {
          ctx.ask(desk, wish{}, 1s, [load = huge{}](auto) { EXPECT_EQ(load.bytes.size(), 0u); });
          return std::unexpected{failure{"after the ask"}};
        });
    who.tell(begin{});
    world.run_to_idle();
    EXPECT_EQ(decided, (std::vector{how, how}));
    EXPECT_EQ(world.live(), 3u);
    world.stop(who);
    world.run_to_idle();
  }
}

}  // namespace
}  // namespace tactor
