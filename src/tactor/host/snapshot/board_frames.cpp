// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/board_frames.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/core/observe/dump_writer.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/host/snapshot/seen_system.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tactor::inline v0 {
namespace {

using internal::json_writer;

/// Shows what a board has sent.
class board_view final : public internal::seen_system {
public:
  board_view(const board_snapshot& of, const frame_faults& faults) noexcept
      : of_(of), faults_(faults) {
    none_.forget();
  }

  [[nodiscard]] std::string_view name() override { return "board"; }
  [[nodiscard]] system_phase now_in() override { return of_.phase; }
  [[nodiscard]] std::size_t live() override { return of_.live; }
  [[nodiscard]] std::uint64_t now_ns() override { return of_.time_ns; }
  [[nodiscard]] metrics_report figures() override {
    metrics_report all;
    all.time_ns = of_.time_ns;
    all.level = metrics_level::system;
    all.sums = of_.sums;
    return all;
  }
  [[nodiscard]] std::optional<metrics_report> some_time_ago() override { return std::nullopt; }
  void add_actors(metrics_report& to) override {
    for (const board_actor& each : of_.actors)
      to.actors.push_back(
          {.label = std::string{each.seen.path.view()}, .waiting = each.seen.waiting});
  }
  [[nodiscard]] worker_counts workers() override {
    worker_counts one;
    one.spawned = one.running = 1;
    return one;
  }
  void visit_actors(internal::actor_visitor& to) override {
    for (const board_actor& each : of_.actors) {
      internal::actor_view seen = each.seen;
      seen.type = each.type;
      if (!to.visit(seen)) return;
    }
  }
  internal::inside_sight visit_inside(mailbox_index /*who*/,
                                      internal::inside_visitor& /*to*/) override {
    return {};
  }
  [[nodiscard]] event_text path_of(mailbox_index /*who*/) override { return {}; }
  [[nodiscard]] std::optional<root_failure> cause() override { return std::nullopt; }
  [[nodiscard]] const internal::recent_incidents& incidents() override { return none_; }
  void write_timers(std::size_t /*limit*/, json_writer& to) override {
    internal::dump_writer out{to, internal::dump_writer::form::object};
    internal::write_metrics(out, of_.sums.timers);
    out.end();
  }
  void write_occupancy(json_writer& to) override { to.nothing(); }
  void write_board(json_writer& to) override {
    to.open('{');
    to.number("snapshot", of_.number);
    to.number("snapshots_lost", of_.lost);
    to.number("frames_damaged", faults_.damaged);
    to.number("frames_unknown", faults_.unknown);
    to.number("frames_missing", faults_.missing);
    const bool known = of_.stack_size > 0;
    to.number("stack_used", known ? std::optional{of_.stack_used} : std::nullopt);
    to.number("stack_size", known ? std::optional{of_.stack_size} : std::nullopt);
    to.key("mailboxes").open('[');
    for (const board_actor& each : of_.actors) {
      to.open('{');
      internal::write_id(to, "id", each.seen.who);
      to.text("path", each.seen.path.view());
      to.number("deepest", each.deepest);
      to.close('}');
    }
    to.close(']');
    to.close('}');
  }

private:
  const board_snapshot& of_;
  const frame_faults& faults_;
  internal::recent_incidents none_;  // a board sends sums
};

}  // namespace

void write_snapshot(const board_snapshot& of, const frame_faults& faults,
                    const snapshot_query& wanted, text_sink& to) {
  board_view seen{of, faults};
  internal::write_snapshot(seen, wanted, to);
}

frame_faults write_snapshots(std::span<const std::byte> bytes, text_sink& to) {
  using enum snapshot_part;
  frame_decoder decoder;
  while (const board_snapshot* const next = decoder.take(bytes))
    for (const snapshot_part each :
         {system, actors, tree, workers, timers, dead_letters, failures, warnings, shutdown, board})
      write_snapshot(*next, decoder.faults(), {.part = each, .limit = snapshot_query::most}, to);
  return decoder.faults();
}

}  // namespace tactor::inline v0
