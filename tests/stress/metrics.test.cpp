// SPDX-License-Identifier: BSL-1.0
// Scrapes while workers measure, actors come and go, and the level changes.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include "instrumented.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct hop {
  int left;
  std::latch* done;
};
struct pass_on {
  actor_ref<hop> next;
};

class child : public actor<hop> {
public:
  void receive(context& ctx, const hop&) { ctx.stop(); }
};

class runner : public actor<hop, pass_on> {
public:
  void receive(context&, const pass_on& p) { next_ = p.next; }
  void receive(context& ctx, const hop& h) {
    if (h.left % 512 == 0) ctx.spawn<child>(spawn_options{}).tell(h);
    if (h.left > 0) {
      next_.tell(hop{h.left - 1, h.done});
    } else {
      h.done->count_down();
    }
  }

private:
  actor_ref<hop> next_;
};

// spec: O1
TEST(metrics_stress, scrapes_see_sums_that_never_fall_while_workers_measure) {
  constexpr int pairs = 4;
  constexpr int hops = static_cast<int>(stress::scaled(200'000, 20'000));
  std::latch done{pairs};
  actor_system system{{.workers = 2, .metrics = {.level = metrics_level::actor}}};
  for (int i = 0; i < pairs; ++i) {
    const auto one = system.spawn<runner>("one");
    const auto two = system.spawn<runner>("two");
    one.tell(pass_on{two});
    two.tell(pass_on{one});
    one.tell(hop{hops, &done});
  }
  std::uint64_t handled = 0, measured = 0, taken = 0;
  do {
    const metrics_report all = system.full_metrics();
    std::uint64_t of_actors = 0;
    for (const actor_report& each : all.actors)
      of_actors += each.taken;
    EXPECT_GE(all.sums.messages_handled, handled);
    EXPECT_GE(all.invoke_duration.size(), measured);
    EXPECT_GE(of_actors, taken);
    handled = all.sums.messages_handled;
    measured = all.invoke_duration.size();
    taken = of_actors;
  } while (!done.try_wait());
  (void)system.shutdown(60s);
  const metrics_report all = system.full_metrics();
  std::uint64_t of_actors = 0;
  for (const actor_report& each : all.actors)
    of_actors += each.taken;
  EXPECT_EQ(of_actors, all.sums.messages_handled);
  EXPECT_GT(all.invoke_duration.size(), 0u);
  EXPECT_GT(all.latency.size(), 0u);
}

// spec: O1
TEST(metrics_stress, levels_change_while_workers_measure) {
  constexpr int hops = static_cast<int>(stress::scaled(200'000, 20'000));
  std::latch done{2};
  actor_system system{{.workers = 2}};
  for (int i = 0; i < 2; ++i) {
    const auto one = system.spawn<runner>("one");
    const auto two = system.spawn<runner>("two");
    one.tell(pass_on{two});
    two.tell(pass_on{one});
    one.tell(hop{hops, &done});
  }
  unsigned level = 0;
  while (!done.try_wait()) {
    system.set_metrics_level(static_cast<metrics_level>(level++ % 4));
    (void)system.full_metrics();
  }
  system.set_metrics_level(metrics_level::system);
  (void)system.shutdown(60s);
  const metrics_snapshot sums = system.metrics();
  EXPECT_LE(sums.messages_handled, std::uint64_t{2} * (hops + hops / 512 + 8));
}

}  // namespace
}  // namespace tactor
