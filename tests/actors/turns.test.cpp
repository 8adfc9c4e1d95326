// SPDX-License-Identifier: BSL-1.0
// Which actor runs when, and for how long, in a whole system.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/turn/turn.hpp"
#include "tactor/testkit/scheduler_harness.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/simulation_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <stdexcept>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct note {
  int number = 0;
};

system_config with(const dispatch_config& dispatch) {
  system_config config;
  config.dispatch = dispatch;
  return config;
}

// spec: D3
// case: RQ-11
TEST(turns, follow_the_throughput_setting) {
  for (const std::uint32_t throughput : {1U, 7U, 99U, 100U, 1000U}) {
    simulation world{seed{0}, with({.throughput = throughput})};
    std::vector<int> order;
    const auto slow =
        world.spawn("slow", [&](context&, const note& n) { order.push_back(n.number); });
    const auto fast = world.spawn("fast", [&](context&, const note&) { order.push_back(-1); });
    for (int i = 0; i < 100; ++i)
      (void)slow.tell(note{i});
    (void)fast.tell(note{});
    (void)world.run_to_idle();

    ASSERT_EQ(order.size(), 101u);
    const std::size_t place = throughput < 100 ? throughput : 100;
    EXPECT_EQ(order[place], -1) << throughput;
  }
}

// spec: D3
TEST(turns, end_when_enough_was_sent) {
  simulation world{seed{0}, with({.throughput = 1000, .sends = 4})};
  std::vector<int> order;
  const auto receiver =
      world.spawn("receiver", [&](context&, const note& n) { order.push_back(n.number); });
  const auto sender = world.spawn("sender", [&](context&, const note& n) {
    order.push_back(-n.number);
    (void)receiver.tell(note{10 * n.number});
    (void)receiver.tell(note{10 * n.number + 1});
  });
  (void)world.run_to_idle();
  for (int i = 1; i <= 3; ++i)
    (void)sender.tell(note{i});
  (void)world.run_to_idle();
  EXPECT_EQ(order, (std::vector{-1, -2, 10, 11, 20, 21, -3, 30, 31}));
}

// A system whose clock is moved by its own handlers.
class slow_world : public spawning<slow_world> {
public:
  explicit slow_world(const system_config& config)
      : core_((testkit::provide_heap_memory(), config),
              {.clock = timers_.clock(), .timers = &timers_.timers(), .coordinator = ready_}) {}
  slow_world(const slow_world&) = delete;
  slow_world& operator=(const slow_world&) = delete;
  ~slow_world() {
    core_.begin_stop();
    run();
  }
  void run() { (void)loop_.run_ready(); }
  // One turn of the cell that is ready first; it is queued again as its result says.
  invoke_result run_turn() {
    ready_cell* next = nullptr;
    if (ready_.drain_ready_cycle({&next, 1}) == 0) return {};
    this_thread().services = &core_;
    const invoke_result result = core_.run(*next);
    this_thread().services = nullptr;
    ready_.handle_invoke_result(*next, result);
    return result;
  }
  [[nodiscard]] bool is_idle() { return ready_.poll_wait_signal() == wait_signal::pending; }
  void let_pass(duration length) { timers_.clock().advance(length); }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const spawn_request& wanted) const noexcept {
    return core_.spawn(wanted, nullptr);
  }

private:
  testkit::scheduler_harness<64, 8> timers_;
  single_thread_coordinator ready_;
  mutable system_core core_;
  cooperative_loop<single_thread_coordinator> loop_{core_, ready_};
};

// spec: D3
// case: RQ-12
TEST(turns, end_when_their_deadline_is_over) {
  for (const bool limited : {true, false}) {
    const auto deadline = limited ? std::optional<duration>{1ms} : std::nullopt;
    slow_world world{with({.throughput = 1000, .throughput_deadline = deadline})};
    std::vector<int> order;
    const auto slow = world.spawn("slow", [&](context&, const note& n) {
      world.let_pass(n.number == 2 ? 1ms : 500us);
      order.push_back(n.number);
    });
    const auto other = world.spawn("other", [&](context&, const note&) { order.push_back(-1); });
    world.run();
    for (int i = 1; i <= 4; ++i)
      (void)slow.tell(note{i});
    (void)other.tell(note{});
    (void)other.tell(note{});
    world.run();
    EXPECT_EQ(order,
              limited ? (std::vector{1, 2, -1, -1, 3, 4}) : (std::vector{1, 2, 3, 4, -1, -1}));
  }
}

// case: RQ-16
TEST(turns, go_on_for_all_others_when_a_handler_throws) {
  for (std::uint64_t from = 0; from < 20; ++from) {
    simulation world{seed{from}};
    int handled = 0;
    std::vector<actor_ref<note>> actors;
    actors.reserve(10);
    for (int i = 0; i < 10; ++i) {
      actors.push_back(world.spawn("a", [&, i](context&, const note& n) {
        if (i % 3 == 0 && n.number == 2) throw std::runtime_error("as it happens");
        ++handled;
      }));
    }
    for (int n = 0; n < 5; ++n) {
      for (const auto& each : actors)
        (void)each.tell(note{n});
    }
    (void)world.run_to_idle();
    EXPECT_EQ(handled, 6 * 5 + 4 * 2);
    EXPECT_EQ(world.metrics().failures, 4u);
    EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 4u * 2);
    EXPECT_EQ(world.live(), 6u);
  }
}

// case: RQ-18
TEST(turns, waves_of_actors_come_and_go_and_leave_nothing) {
  simulation world{seed{0}};
  constexpr std::size_t wave = 10'000;
  std::size_t handled = 0;
  std::uint32_t slots = 0;
  std::size_t blocks = 0;
  for (int waves = 0; waves < 5; ++waves) {
    for (std::size_t i = 0; i < wave; ++i) {
      const auto each = world.spawn("", [&](context& ctx, const note&) {
        ++handled;
        ctx.stop();
      });
      EXPECT_EQ(each.tell(note{}), tell_result::ok);
    }
    EXPECT_EQ(world.live(), wave);
    (void)world.run_to_idle();
    EXPECT_EQ(world.live(), 0u);
    if (waves == 1) {
      slots = program_memory.cells.made();
      blocks = program_memory.envelopes.blocks_made(0);
    }
  }
  EXPECT_EQ(handled, 5 * wave);
  EXPECT_EQ(world.metrics().actors_started, 5 * wave);
  EXPECT_EQ(world.metrics().actors_stopped, 5 * wave);
  EXPECT_EQ(program_memory.cells.made(), slots) << "later waves use the slots of the first two";
  EXPECT_EQ(program_memory.envelopes.blocks_made(0), blocks);
}

// case: RQ-23
TEST(turns, a_cell_that_is_still_queued_when_its_world_ends_frees_its_slot) {
  std::uint32_t slots = 0;
  for (int round = 0; round < 4; ++round) {
    simulation world{seed{0}};
    for (int i = 0; i < 300; ++i) {
      const auto each = world.spawn("", [](context&, const note&) {});
      (void)each.tell(note{i});
    }
    EXPECT_EQ(world.live(), 300u);
    if (round == 1) slots = program_memory.cells.made();
    // None of them has had a turn.
  }
  EXPECT_EQ(program_memory.cells.made(), slots) << "each world found the slots of the one before";
}

// Counts its instances and what they handled; fails in a negative number, or in its start.
struct brittle_trace {
  int instances = 0;
  int handled = 0;
  bool cannot_start = false;
};
class brittle : public actor<note> {
public:
  explicit brittle(brittle_trace* const& to) : to_(to) { ++to_->instances; }
  std::expected<void, failure> pre_start(context& /*ctx*/) {
    if (to_->cannot_start) return std::unexpected{failure{"no start", 9}};
    return {};
  }
  std::expected<void, failure> receive(context& /*ctx*/, const note& n) {
    if (n.number < 0) return std::unexpected{failure{"boom", n.number}};
    ++to_->handled;
    return {};
  }

private:
  brittle_trace* to_;
};

// spec: I1b
TEST(turns, that_fail_say_why_and_when_the_actor_is_tried_again_and_do_not_queue_it) {
  brittle_trace seen;
  slow_world world{system_config{}};
  const auto who = world.spawn<brittle>(
      {.name = "who", .on_failure = restart{.delay = {.min = 50ms, .max = 1s}}}, &seen);
  world.run();
  for (const auto& [code, back_off] : {std::pair{-1, 50ms}, std::pair{-2, 100ms}}) {
    const int before = seen.instances;
    const int handled = seen.handled;
    (void)who.tell(note{1});
    (void)who.tell(note{code});
    (void)who.tell(note{2});
    const invoke_result result = world.run_turn();
    ASSERT_EQ(result.how, invoke_result::outcome::failed);
    EXPECT_FALSE(has_more(result));
    EXPECT_EQ(last_failure().error.text(), "boom");
    EXPECT_EQ(last_failure().error.code(), code);
    EXPECT_EQ(last_failure().retry_after, duration{back_off});
    world.run();  // its directive
    EXPECT_TRUE(world.is_idle()) << "it is not queued before its time";
    world.let_pass(back_off - 10ms);
    world.run();
    EXPECT_EQ(seen.instances, before);
    world.let_pass(10ms);
    world.run();
    EXPECT_EQ(seen.instances, before + 1);
    EXPECT_EQ(seen.handled, handled + 2);
  }
}

// spec: I1b
TEST(turns, that_fail_for_good_or_in_the_start_say_why_and_have_no_back_off) {
  brittle_trace seen;
  slow_world world{system_config{}};
  const auto who = world.spawn<brittle>("who", &seen);
  world.run();
  (void)who.tell(note{-7});
  const invoke_result stopped = world.run_turn();
  ASSERT_EQ(stopped.how, invoke_result::outcome::failed);
  EXPECT_EQ(last_failure().error.code(), -7);
  EXPECT_EQ(last_failure().retry_after, duration{});
  EXPECT_FALSE(has_more(stopped));
  world.run();

  seen.cannot_start = true;
  (void)world.spawn<brittle>("unable", &seen);
  const invoke_result unable = world.run_turn();
  ASSERT_EQ(unable.how, invoke_result::outcome::failed);
  EXPECT_EQ(last_failure().error.text(), "no start");
  EXPECT_EQ(last_failure().error.code(), 9);

  (void)world.spawn("fine", [](context&, const note&) {});
  EXPECT_EQ(world.run_turn().how, invoke_result::outcome::completed);
}

// spec: I1a
TEST(turns, an_actor_that_waits_for_its_children_is_stopping) {
  class parent : public actor<note> {
  public:
    void pre_start(context& ctx) {
      (void)ctx.spawn("child", [](tactor::context&, const note&) {});
    }
    void receive(context&, const note&) {}
  };
  simulation world{seed{0}};
  const auto above = world.spawn<parent>("parent");
  (void)world.run_to_idle();
  EXPECT_EQ(state_of(*above.slot(), above.generation()), actor_state::running);

  world.stop(above);
  EXPECT_TRUE(world.run_one());
  EXPECT_EQ(state_of(*above.slot(), above.generation()), actor_state::stopping);
  EXPECT_EQ(above.tell(note{}), tell_result::closed);
  (void)world.run_to_idle();
  EXPECT_EQ(state_of(*above.slot(), above.generation()), actor_state::stopped);
  EXPECT_EQ(world.live(), 0u);
}

// spec: D1
TEST(turns, of_an_actor_never_overlap_and_never_wait_twice) {
  for (std::uint64_t from = 0; from < 30; ++from) {
    simulation world{seed{from}, with({.throughput = 2})};
    int inside = 0;
    int handled = 0;
    actor_ref<note> second;
    const auto first = world.spawn("first", [&](context& ctx, const note& n) {
      EXPECT_EQ(inside++, 0);
      ++handled;
      if (n.number > 0) {
        (void)second.tell(note{n.number - 1});
        (void)second.tell(note{0});
        (void)actor_ref<note>{ctx.self().slot(), ctx.self().generation()}.tell(note{0});
      }
      --inside;
    });
    second = world.spawn("second", [&](context&, const note& n) {
      ++handled;
      if (n.number > 0) (void)first.tell(note{n.number - 1});
    });
    (void)first.tell(note{40});
    (void)world.run_to_idle();
    EXPECT_EQ(handled, 41 + 20 + 20);
    EXPECT_EQ(world.metrics().messages_handled, 81u);
  }
}

}  // namespace
}  // namespace tactor
