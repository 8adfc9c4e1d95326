// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/picture.hpp"

#include "tactor/actor.hpp"

#include "scheduler_showcase/lateness.hpp"
#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"
#include "scheduler_showcase/workload.hpp"
#include "screen/canvas.hpp"
#include "screen/terminal.hpp"
#include "screen/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace showcase {
namespace {

constexpr style plain{};
constexpr style faint{.ink = 244};
constexpr style strong{.strength = weight::bold};
constexpr style good{.ink = 78, .strength = weight::bold};
constexpr style bad{.ink = 203, .strength = weight::bold};
constexpr style fill{.ink = 74};
constexpr style alarm{.ink = 215};

// The colours for 0 to 8 timers in a slot.
constexpr std::array<std::uint8_t, 9> heat = {240, 31, 37, 43, 79, 114, 185, 215, 209};
constexpr std::array eighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t tallest = 8;                // timers in a slot that fills its bar
constexpr std::size_t trail = 10;                 // slots behind the position that are still lit
constexpr std::size_t gutter = 5;                 // for the number of a row's first slot
constexpr std::size_t lines_around = 17 + kinds;  // all but the slots, with the gaps between
constexpr std::uint64_t late_enough_ns = 10'000'000;

void put_if_it_fits(canvas& onto, spot where, const std::string& ascii, style how) {
  if (where.column + ascii.size() <= onto.columns()) onto.put(where, ascii, how);
}

/// The layout of the slots on rows of the terminal.
struct wheel_layout {
  std::size_t rows;
  std::size_t slots_per_row;
  std::size_t height;  // of one row, in lines
};

wheel_layout lay_out(std::size_t slots, terminal_size size) {
  const std::size_t most = std::max(size.columns, gutter + 17) - gutter - 1;
  const std::size_t rows = (slots + most - 1) / most;
  const std::size_t lines = size.rows > lines_around ? size.rows - lines_around : 1;
  return {.rows = rows,
          .slots_per_row = (slots + rows - 1) / rows,
          .height = std::clamp<std::size_t>(lines / rows, 1, 3)};
}

void draw_bar(canvas& onto, spot bottom, std::size_t height, std::size_t timers, style how) {
  const std::size_t units = std::min(timers, tallest) * height * 8 / tallest;
  how.ink = heat[std::min(timers, tallest)];
  for (std::size_t line = 0; line < height; ++line) {
    const std::size_t here = std::clamp<std::size_t>(units, line * 8, line * 8 + 8) - line * 8;
    onto.put({bottom.row - line, bottom.column}, eighths[here], how);
  }
  if (timers == 0) onto.put(bottom, "·", how);
}

void draw_slots(canvas& onto, std::size_t top, const wheel_view& wheel, wheel_layout layout) {
  const std::size_t slots = wheel.timers_in_slot.size();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::size_t row = slot / layout.slots_per_row;
    const spot bottom{top + (row + 1) * layout.height - 1, gutter + slot % layout.slots_per_row};
    if (slot % layout.slots_per_row == 0) onto.put({bottom.row, 0}, text("%4zu", slot), faint);
    const std::size_t behind = (wheel.position + slots - slot) % slots;
    if (behind == 0) {
      for (std::size_t line = 0; line < layout.height; ++line)
        onto.put({bottom.row - line, bottom.column}, "┃", bad);
    } else {
      const style how{.paper = static_cast<std::uint8_t>(behind <= trail ? 236 : 0)};
      draw_bar(onto, bottom, layout.height, wheel.timers_in_slot[slot], how);
    }
  }
}

void draw_overflow(canvas& onto, std::size_t row, const wheel_view& wheel) {
  const std::size_t width = onto.columns() < 60 ? 12 : 24;
  const std::size_t capacity = wheel.overflow_capacity;
  const std::size_t filled = std::min(width, (wheel.overflow * width + capacity - 1) / capacity);
  onto.put({row, gutter}, "overflow", strong);
  onto.put({row, gutter + 10}, repeated("█", filled), fill);
  onto.put({row, gutter + 10 + filled}, repeated("░", width - filled), faint);
  onto.put({row, gutter + 11 + width}, text("%zu of %zu", wheel.overflow, capacity), plain);
  put_if_it_fits(onto, {row, gutter + 24 + width}, "above: slots, | is now", faint);
}

void draw_drift(canvas& onto, std::size_t row, const tactor::scheduler_metrics& sums) {
  onto.put({row, gutter}, "drift", strong);
  onto.put({row, gutter + 10}, "last " + length_of(sums.drift_last_ns), plain);
  onto.put({row, gutter + 25}, "worst " + length_of(sums.drift_worst_ns), plain);
  onto.put({row, gutter + 41}, "early runs", strong);
}

/// The equation of the jobs, each number below its word.
void draw_jobs(canvas& onto, std::size_t row, const tactor::scheduler_metrics& jobs) {
  onto.put({row, gutter}, "scheduled = completed + cancelled + evicted + undeliverable + active",
           faint);
  onto.put({row + 1, gutter},
           text("%9llu = %9llu + %9llu + %7llu + %13llu + %6llu", number(jobs.scheduled_total),
                number(jobs.completed_total), number(jobs.cancelled_total),
                number(jobs.evicted_total), number(jobs.undeliverable_total),
                number(jobs.active_total)),
           strong);
  onto.put({row + 1, gutter + 70}, balances(jobs) ? "✓" : "✗", balances(jobs) ? good : bad);
}

void draw_runs(canvas& onto, std::size_t row, const tactor::scheduler_metrics& sums) {
  onto.put({row, gutter},
           text("runs: %llu due, %llu executed   refused: %llu   failed: %llu   warnings: %llu",
                number(sums.fired_total), number(sums.executed_total), number(sums.refused_total),
                number(sums.handler_failures_total), number(sums.warnings_total)),
           plain);
}

style colour_of(std::uint64_t late_ns) {
  return late_ns < late_enough_ns ? plain : alarm;
}

void draw_kind(canvas& onto, std::size_t row, std::size_t kind, const kind_figures& sums) {
  const kind_description& about = descriptions[kind];
  onto.put({row, gutter}, about.name, strong);
  onto.put({row, gutter + 9}, text("%6zu %8llu", about.count, number(sums.executions)), plain);
  if (sums.missed > 0) onto.put({row, gutter + 25}, text("%7llu", number(sums.missed)), alarm);
  std::size_t column = gutter + 34;
  for (const std::uint64_t ns :
       {sums.late.percentile_ns(50), sums.late.percentile_ns(99), sums.late.max_ns()}) {
    if (sums.executions > 0) onto.put({row, column}, length_of(ns), colour_of(ns));
    column += 9;
  }
  const std::string note =
      sums.put_off > 0 ? text("%llu times put off", number(sums.put_off)) : about.what;
  put_if_it_fits(onto, {row, column}, note, faint);
}

void draw_kinds(canvas& onto, std::size_t row, const figures& sums) {
  onto.put({row, gutter}, "kind     timers     runs  missed   p50      p99      max late", faint);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    draw_kind(onto, row + 1 + kind, kind, sums.by_kind[kind]);
}

void draw_warnings(canvas& onto, std::size_t row, const warnings& heard) {
  const auto& lines = heard.lines();
  const std::size_t room = onto.rows() > row ? onto.rows() - row : 0;
  const std::size_t shown = std::min(room, lines.size());
  for (std::size_t i = 0; i < shown; ++i)
    onto.put({row + i, gutter}, lines[lines.size() - shown + i], i + 1 == shown ? alarm : faint);
}

}  // namespace

canvas draw(const snapshot& now, const warnings& heard, const std::string& incident,
            terminal_size size) {
  canvas onto{size.rows, size.columns};
  const wheel_layout layout = lay_out(now.wheel.timers_in_slot.size(), size);
  const std::size_t gap = size.rows > lines_around + layout.rows ? 1 : 0;

  onto.put({0, gutter}, "tactor", good);
  if (size.columns >= 70) onto.put({0, gutter + 8}, heading(now), strong);
  const std::string clock = text("%.1f of %.0f s", now.run.elapsed.count(), now.run.length.count());
  const std::size_t right_edge = std::min(size.columns, gutter + 74);
  onto.put({0, right_edge - std::min(right_edge, clock.size())}, clock, faint);

  // The most important figures come first: a low terminal cuts off the rest.
  std::size_t row = 1 + gap;
  draw_slots(onto, row, now.wheel, layout);
  row += layout.rows * layout.height + gap;
  draw_overflow(onto, row, now.wheel);
  draw_drift(onto, row + 1, now.metrics);
  onto.put({row + 1, gutter + 52}, text("%llu", number(now.sums.own.early)),
           now.sums.own.early == 0 ? good : bad);
  row += 2 + gap;
  draw_jobs(onto, row, now.metrics);
  draw_runs(onto, row + 2, now.metrics);
  row += 3 + gap;
  draw_kinds(onto, row, now.sums);
  row += 1 + kinds + gap;
  onto.put({row, gutter}, incident, strong);
  draw_warnings(onto, row + 1, heard);
  return onto;
}

std::string heading(const snapshot& now) {
  return text("scheduler: %zu slots of %.0f ms, %llu timers", now.wheel.timers_in_slot.size(),
              now.resolution.count() * 1e3, number(now.metrics.active_total));
}

std::string one_line(const snapshot& now) {
  lateness late;
  for (const kind_figures& each : now.sums.by_kind)
    late.add(each.late);
  const tactor::scheduler_metrics& sums = now.metrics;
  return text("%6.2f s  scheduled %llu, completed %llu, cancelled %llu, active %llu; late p50 ",
              now.run.elapsed.count(), number(sums.scheduled_total), number(sums.completed_total),
              number(sums.cancelled_total), number(sums.active_total)) +
         length_of(late.percentile_ns(50)) + ", p99 " + length_of(late.percentile_ns(99));
}

}  // namespace showcase
