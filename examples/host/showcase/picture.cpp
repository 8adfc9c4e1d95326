// SPDX-License-Identifier: BSL-1.0
#include "showcase/picture.hpp"

#include "tactor/core/timing/timing_wheel.hpp"

#include "showcase/canvas.hpp"
#include "showcase/terminal.hpp"
#include "showcase/workload.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>

namespace showcase {
namespace {

constexpr style plain{};
constexpr style faint{.ink = 244};
constexpr style strong{.strength = weight::bold};
constexpr style good{.ink = 78, .strength = weight::bold};
constexpr style bad{.ink = 203, .strength = weight::bold};
constexpr style fill{.ink = 74};

// For 0 to 8 timers in a slot.
constexpr std::array<std::uint8_t, 9> heat = {240, 31, 37, 43, 79, 114, 185, 215, 209};
constexpr std::array eighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t tallest = 8;  // timers in a slot that fills its bar
constexpr std::size_t trail = 10;   // slots behind the position that are still lit
constexpr std::size_t gutter = 5;   // for the number of a row's first slot

/// `printf` into a string: g++ 12 has no `std::format`.
template <class... Arguments>
std::string text(const char* format, Arguments... arguments) {
  std::array<char, 160> line{};
  const int length = std::snprintf(line.data(), line.size(), format, arguments...);
  return {line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1)};
}

std::string repeated(const char* glyph, std::size_t times) {
  std::string row;
  for (std::size_t i = 0; i < times; ++i)
    row += glyph;
  return row;
}

void put_if_it_fits(canvas& onto, spot where, const char* ascii, style how) {
  if (where.column + std::strlen(ascii) <= onto.columns()) onto.put(where, ascii, how);
}

/// In the unit that keeps it short.
std::string length_of(std::uint64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  return us < 10'000 ? text("%.0f µs", us) : text("%.0f ms", us / 1e3);
}

std::size_t timers_in(const tactor::timer_slot& slot) {
  std::size_t count = 0;
  for (const auto* each = slot.front(); each != nullptr; each = slot.next(*each))
    ++count;
  return count;
}

/// How the slots are spread over rows of the terminal.
struct wheel_layout {
  std::size_t rows;
  std::size_t slots_per_row;
  std::size_t height;  // of one row, in lines
};

wheel_layout lay_out(std::size_t slots, std::size_t columns, std::size_t lines) {
  const std::size_t most = std::max(columns, gutter + 17) - gutter - 1;
  const std::size_t rows = (slots + most - 1) / most;
  return {.rows = rows,
          .slots_per_row = (slots + rows - 1) / rows,
          .height = std::clamp<std::size_t>(lines / rows, 1, 5)};
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

void draw_position(canvas& onto, spot bottom, std::size_t height) {
  for (std::size_t line = 0; line < height; ++line)
    onto.put({bottom.row - line, bottom.column}, "┃", bad);
}

void draw_slots(canvas& onto, spot top, const tactor::timing_wheel& wheel, wheel_layout layout) {
  const auto slots = wheel.slots();
  const std::size_t position = wheel.position().count % slots.size();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const std::size_t row = slot / layout.slots_per_row;
    const spot bottom{top.row + (row + 1) * layout.height - 1,
                      top.column + gutter + slot % layout.slots_per_row};
    if (slot % layout.slots_per_row == 0) {
      onto.put({bottom.row, top.column}, text("%4zu", slot), faint);
    }
    const std::size_t behind = (position + slots.size() - slot) % slots.size();
    if (behind == 0) {
      draw_position(onto, bottom, layout.height);
    } else {
      const style how{.paper = static_cast<std::uint8_t>(behind <= trail ? 236 : 0)};
      draw_bar(onto, bottom, layout.height, timers_in(slots[slot]), how);
    }
  }
}

void draw_legend(canvas& onto, spot at) {
  onto.put(at, "in a slot", faint);
  at.column += 10;
  for (std::size_t timers = 1; timers <= tallest; ++timers, at.column += 2)
    onto.put(at, timers == tallest ? "8+" : text("%zu", timers),
             {.ink = heat[timers], .strength = weight::bold});
  put_if_it_fits(onto, {at.row, at.column + 3}, "┃ the position: now", faint);
}

void draw_overflow(canvas& onto, spot at, const workload& work) {
  const std::size_t width = onto.columns() < 60 ? 16 : 24;
  const std::size_t size = work.wheel().overflow_size();
  const std::size_t capacity = work.config().overflow_capacity;
  const std::size_t filled = (size * width + capacity - 1) / capacity;
  onto.put(at, "overflow", strong);
  onto.put({at.row, at.column + 10}, repeated("█", filled), fill);
  onto.put({at.row, at.column + 10 + filled}, repeated("░", width - filled), faint);
  onto.put({at.row, at.column + 11 + width}, text("%zu of %zu", size, capacity), plain);
}

void draw_kinds(canvas& onto, spot top, const figures& sums) {
  onto.put(top, "kind       timers    fired  put off", faint);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const kind_description& about = descriptions[kind];
    const spot start{top.row + 1 + kind, top.column};
    onto.put(start, about.name, strong);
    const auto fired = static_cast<unsigned long long>(sums.fired[kind]);
    onto.put({start.row, start.column + 11}, text("%6zu %8llu", about.count, fired), plain);
    const auto cancelled = static_cast<unsigned long long>(sums.cancelled[kind]);
    if (cancelled > 0) onto.put({start.row, start.column + 26}, text("%9llu", cancelled), plain);
    put_if_it_fits(onto, {start.row, start.column + 38}, about.what, faint);
  }
}

double rate(const figures& sums, progress run) {
  return static_cast<double>(sums.total_fired()) / std::max(run.elapsed.count(), 1e-3);
}

void draw_lateness(canvas& onto, spot at, const figures& sums, progress run) {
  onto.put(at, "fired", strong);
  onto.put({at.row, at.column + 10},
           text("%llu", static_cast<unsigned long long>(sums.total_fired())));
  onto.put({at.row, at.column + 22}, text("%.0f /s", rate(sums, run)));
  onto.put({at.row, at.column + 34}, "early", strong);
  onto.put({at.row, at.column + 40}, text("%llu", static_cast<unsigned long long>(sums.early)),
           sums.early == 0 ? good : bad);

  const spot below{at.row + 1, at.column};
  onto.put(below, "late", strong);
  onto.put({below.row, below.column + 10}, "p50 " + length_of(sums.late.percentile_ns(50)));
  onto.put({below.row, below.column + 22}, "p99 " + length_of(sums.late.percentile_ns(99)));
  onto.put({below.row, below.column + 34}, "max " + length_of(sums.late.max_ns()));
}

}  // namespace

canvas draw(const workload& work, progress run, terminal_size size) {
  constexpr std::size_t lines_around = 16;  // all but the slots
  canvas onto{size.rows, size.columns};
  const auto& wheel = work.wheel();
  const std::size_t slots = wheel.slots().size();
  const wheel_layout layout =
      lay_out(slots, size.columns, size.rows > lines_around ? size.rows - lines_around : 1);

  onto.put({0, gutter}, "tactor", good);
  if (size.columns >= 60) onto.put({0, gutter + 8}, heading(work), strong);
  const std::string clock = text("%.1f of %.0f s", run.elapsed.count(), run.length.count());
  const std::size_t right_edge = gutter + layout.slots_per_row;
  onto.put({0, right_edge - std::min(right_edge, clock.size())}, clock, faint);

  draw_slots(onto, {2, 0}, wheel, layout);
  // What matters most comes first: a low terminal cuts off the rest.
  const std::size_t row = 2 + layout.rows * layout.height;
  draw_legend(onto, {row + 1, gutter});
  draw_lateness(onto, {row + 3, gutter}, work.so_far(), run);
  draw_overflow(onto, {row + 5, gutter}, work);
  draw_kinds(onto, {row + 7, gutter}, work.so_far());
  return onto;
}

std::string heading(const workload& work) {
  const double tick_ms = static_cast<double>(work.config().resolution.nanoseconds()) / 1e6;
  return text("%zu slots of %.0f ms, %zu timers", work.config().wheel_slots, tick_ms,
              work.wheel().size());
}

std::string one_line(const workload& work, progress run) {
  const figures& sums = work.so_far();
  return text("%5.1f s  fired %6llu (%5.0f /s)  wheel %3zu  overflow %3zu  ", run.elapsed.count(),
              static_cast<unsigned long long>(sums.total_fired()), rate(sums, run),
              work.wheel().size() - work.wheel().overflow_size(), work.wheel().overflow_size()) +
         "late p50 " + length_of(sums.late.percentile_ns(50)) + ", p99 " +
         length_of(sums.late.percentile_ns(99)) + ", max " + length_of(sums.late.max_ns());
}

std::string verdict(const workload& work) {
  const figures& sums = work.so_far();
  const auto put_off =
      std::accumulate(sums.cancelled.begin(), sums.cancelled.end(), std::uint64_t{0});
  return text(
      "%llu timers fired, %llu cancelled and set again, %llu refused, %llu early",
      static_cast<unsigned long long>(sums.total_fired()), static_cast<unsigned long long>(put_off),
      static_cast<unsigned long long>(sums.refused), static_cast<unsigned long long>(sums.early));
}

}  // namespace showcase
