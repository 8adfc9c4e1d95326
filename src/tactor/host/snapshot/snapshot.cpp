// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/snapshot.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/live_jobs.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/running_system.hpp"
#include "tactor/host/snapshot/seen_system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

namespace tactor::inline v0 {
namespace {

using internal::for_each_job;
using internal::json_writer;
using internal::live_job;
using internal::repetition;
using internal::seen_system;
using internal::system_core;

/// Writes an object: how many timers are due in each part of the timer wheel in its next turn, and
/// how many timers were not visited because there are very many. The driver's lock is taken for
/// some dozen timers at a time. Context: any thread.
void write_timer_bars(json_writer& to, scheduler& of) {
  constexpr std::size_t most_bars = 120;
  constexpr std::size_t most_timers = 100'000;
  constexpr std::size_t at_once = 64;
  tick position;
  std::size_t slots = 0;
  of.exclusively([&] {
    position = of.wheel().position();
    slots = of.wheel().slots().size();
  });
  std::array<std::uint64_t, most_bars> bars{};
  const std::size_t count = std::min(most_bars, slots);
  std::size_t visited = 0;
  for (const repetition kind : {repetition::periodic, repetition::once})
    visited += for_each_job<at_once>(of, kind, most_timers - visited, [&](const live_job& job) {
      const bool is_due = job.word.driven() && job.deadline.count < position.count + slots;
      if (is_due) ++bars[(job.deadline.count % slots) * count / slots];
    });
  const std::uint64_t live = of.metrics().active_total;
  to.open('{');
  to.key("bars").open('[');
  for (const std::uint64_t each : std::span{bars}.first(count))
    to.number(each);
  to.close(']');
  to.number("left_out", visited == most_timers && live > visited ? live - visited : 0);
  to.close('}');
}

/// A system of this program.
template <class Running>
class running_view final : public seen_system {
public:
  explicit running_view(Running& of) noexcept : of_(of), core_(of.core()) {}
  [[nodiscard]] std::string_view name() override { return core_.name(); }
  [[nodiscard]] system_phase now_in() override { return core_.now_in(); }
  [[nodiscard]] std::size_t live() override { return core_.live(); }
  [[nodiscard]] std::uint64_t now_ns() override { return core_.now_ns(); }
  [[nodiscard]] metrics_report figures() override { return of_.full_report(); }
  [[nodiscard]] std::optional<metrics_report> some_time_ago() override {
    return of_.history().some_time_ago(core_.now_ns());
  }
  void add_actors(metrics_report& to) override { internal::add_actors(to, core_); }
  [[nodiscard]] worker_counts workers() override { return of_.workers(); }
  void visit_actors(internal::actor_visitor& to) override { internal::visit_actors(core_, to); }
  internal::inside_sight visit_inside(mailbox_index who, internal::inside_visitor& to) override {
    // Before the timers: a key whose timer is over meanwhile names nothing.
    const bool kept = visit_kept_soon(who, to);
    internal::visit_timers(core_, who, to);
    return {.timers = true, .kept = kept};
  }
  [[nodiscard]] event_text path_of(mailbox_index who) override { return core_.path_for_log(who); }
  [[nodiscard]] std::optional<root_failure> cause() override { return core_.cause(); }
  [[nodiscard]] const internal::recent_incidents& incidents() override { return of_.incidents(); }
  void write_timers(std::size_t limit, json_writer& to) override {
    internal::dump_writer out{to, internal::dump_writer::form::object};
    internal::write_dump(out, core_.timers(), {.one_shots = limit, .periodic = limit});
    out.end();
  }
  void write_occupancy(json_writer& to) override { write_timer_bars(to, core_.timers()); }
  void write_board(json_writer& to) override { to.nothing(); }

private:
  /// An actor that runs now may be idle in a moment.
  static bool visit_kept_soon(mailbox_index who, internal::inside_visitor& to) noexcept {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
      if (internal::visit_kept(who, to)) return true;
      std::this_thread::yield();
    }
    return false;
  }

  Running& of_;
  system_core& core_;
};

}  // namespace

void actor_system::write_snapshot(const snapshot_query& wanted, text_sink& to) const {
  running_view seen{*running_};
  internal::write_snapshot(seen, wanted, to);
}

}  // namespace tactor::inline v0
