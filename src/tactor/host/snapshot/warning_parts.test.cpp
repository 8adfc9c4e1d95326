// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/snapshot/seen_system.hpp"
#include "tactor/observe.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <latch>
#include <optional>
#include <string>
#include <string_view>

namespace tactor {
namespace {

using namespace tactor::internal;

/// A system with figures of two times.
class recorded_system final : public seen_system {
public:
  metrics_report now;
  std::optional<metrics_report> before;

  std::string_view name() override { return "recorded"; }
  system_phase now_in() override { return system_phase::running; }
  std::size_t live() override { return 0; }
  std::uint64_t now_ns() override { return now.time_ns; }
  metrics_report figures() override { return now; }
  std::optional<metrics_report> some_time_ago() override { return before; }
  void add_actors(metrics_report&) override {}
  worker_counts workers() override { return {}; }
  void visit_actors(actor_visitor&) override {}
  inside_sight visit_inside(mailbox_index, inside_visitor&) override { return {}; }
  event_text path_of(mailbox_index) override { return {}; }
  std::optional<root_failure> cause() override { return std::nullopt; }
  const recent_incidents& incidents() override { return none_; }
  void write_timers(std::size_t, json_writer&) override {}
  void write_occupancy(json_writer& to) override { to.nothing(); }
  void write_board(json_writer&) override {}

  [[nodiscard]] std::string warnings() {
    struct collected final : text_sink {
      void write(std::string_view piece) noexcept override { text += piece; }
      std::string text;
    } to;
    write_snapshot(*this, {.part = snapshot_part::warnings}, to);
    return to.text;
  }

private:
  recent_incidents none_;
};

// spec: O5
TEST(warnings_of_a_snapshot, are_those_of_the_last_seconds_also_for_the_first_observer) {
  recorded_system seen;
  seen.now.time_ns = 3'600'000'000'000;
  seen.now.sums.restarts = 100;
  EXPECT_TRUE(seen.warnings().contains("100 restarts since the start"));
  seen.before = seen.now;
  seen.before->time_ns -= 12'000'000'000;
  EXPECT_TRUE(seen.warnings().contains(R"("warnings":[])")) << seen.warnings();
  seen.before->sums.restarts = 70;
  EXPECT_TRUE(seen.warnings().contains("30 restarts in 12.0 s")) << seen.warnings();
}

struct occupied {
  std::latch* begun;
  std::latch* go_on;
};
class occupant : public actor<occupied> {
public:
  void receive(context&, const occupied& o) {
    o.begun->count_down();
    o.go_on->wait();
  }
};

// spec: O7d
TEST(warnings_of_a_snapshot, name_a_stuck_handler_also_in_a_large_system) {
  constexpr std::size_t many = 5'000;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2, .log = {.min_level = log_level::error}}};
  for (std::size_t i = 0; i < many; ++i)
    (void)system.spawn<occupant>("other");
  const auto stuck = system.spawn<occupant>("stuck");
  stuck.tell(occupied{.begun = &begun, .go_on = &go_on});
  begun.wait();
  const metrics_report before = system.full_metrics();
  const auto found = find_warnings(before, system.full_metrics(), {.stuck_ns = 0});
  go_on.count_down();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, health_problem::stuck_handler);
  EXPECT_TRUE(found[0].evidence.starts_with("/user/stuck has handled ")) << found[0].evidence;
}

}  // namespace
}  // namespace tactor
