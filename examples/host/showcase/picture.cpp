// SPDX-License-Identifier: BSL-1.0
#include "showcase/picture.hpp"

#include "screen/canvas.hpp"
#include "screen/terminal.hpp"
#include "screen/text.hpp"
#include "showcase/actors.hpp"
#include "showcase/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace showcase {
namespace {

constexpr style plain{};
constexpr style faint{.ink = 244};
constexpr style strong{.strength = weight::bold};
constexpr style good{.ink = 78, .strength = weight::bold};
constexpr style bad{.ink = 203, .strength = weight::bold};

constexpr std::array eighths = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr double coldest = 18;
constexpr double hottest = 24.5;
constexpr std::array<std::uint8_t, 8> heat = {31, 37, 43, 79, 114, 185, 215, 209};

std::size_t level_of(double celsius) {
  const double part = (celsius - coldest) / (hottest - coldest);
  return static_cast<std::size_t>(std::clamp(part * 8, 0.0, 7.0));
}

void draw_device(canvas& onto, std::size_t row, unsigned which, const device_record& record) {
  onto.put({row, 1}, text("device-%u", which + 1), strong);
  if (record.newest.empty()) return;
  onto.put({row, 12}, text("%5.1f°", record.newest.back()), plain);
  std::size_t column = 20;
  for (const double each : record.newest) {
    const std::size_t level = level_of(each);
    onto.put({row, column++}, eighths[level], {.ink = heat[level]});
  }
  onto.put({row, 46}, text("%6llu readings", number(record.readings)), faint);
}

void draw_accounts(canvas& onto, std::size_t row, const accounts& sums) {
  onto.put({row, 1}, "by actors + by timers + events = handled + failed + dead letters", faint);
  onto.put({row + 1, 1},
           text("%9llu + %9llu + %6llu = %7llu + %6llu + %12llu", number(sums.by_actors),
                number(sums.by_timers), number(sums.events), number(sums.handled),
                number(sums.failed), number(sums.dead_letters)),
           strong);
  onto.put({row + 1, 66}, sums.balanced() ? "✓" : "…", sums.balanced() ? good : faint);
}

void draw_incidents(canvas& onto, std::size_t row, const findings& now) {
  const std::uint64_t begun = now.runtime.suspensions;
  const std::uint64_t ended = now.runtime.resumes;
  onto.put({row, 1},
           text("parsers: %llu restarts, %llu replaced   devices: %llu silences, %u lost",
                number(now.runtime.restarts), number(now.parsers_replaced()),
                number(now.counts.timed_out), now.done.devices_lost),
           plain);
  onto.put({row + 1, 1},
           text("store: %llu services   suspended: %llu times, %llu now",
                number(now.counts.services), number(begun),
                number(begun > ended ? begun - ended : 0)),
           plain);
  onto.put({row + 2, 1},
           text("fleet: %u beacons, %llu heartbeats, %llu timeouts, %llu suspensions", now.beacons,
                number(now.heartbeats), number(now.counts.beacons_woken),
                number(now.heard.pushed_back)),
           plain);
}

void draw_threads(canvas& onto, std::size_t row, const findings& now) {
  std::string all = text("%7.0f messages a second  %5llu under way ", now.per_second,
                         number(now.sums.under_way()));
  for (const thread_load& each : now.threads)
    all += text("  %s ×%u %2.0f %%", each.kind.c_str(), each.threads, each.busy * 100);
  onto.put({row, 1}, all, plain);
}

void draw_journal(canvas& onto, std::size_t row, const std::vector<journal_line>& lines_heard) {
  const std::size_t room = onto.rows() > row ? onto.rows() - row : 0;
  const std::size_t shown = std::min(room, lines_heard.size());
  for (std::size_t i = 0; i < shown; ++i)
    onto.put({row + i, 1}, showcase::shown(lines_heard[lines_heard.size() - shown + i]),
             i + 1 == shown ? bad : faint);
}

}  // namespace

canvas draw(const findings& now, double length, terminal_size size) {
  canvas onto{size.rows, size.columns};
  onto.put({0, 1}, "tactor", good);
  onto.put({0, 9}, text("a gateway for %u devices, %u parsers", devices, parser_lines), strong);
  onto.put({0, 48}, text("%4.1f of %.0f s", now.seconds, length), faint);
  if (!now.console.empty()) onto.put({1, 1}, "console: " + now.console, plain);
  onto.put({0, 61}, "tcp " + now.input, faint);
  std::size_t row = 2;
  for (unsigned each = 0; each < devices && each < now.stored.size(); ++each)
    draw_device(onto, row++, each, now.stored[each]);
  draw_incidents(onto, ++row, now);
  row += 2;
  draw_threads(onto, row + 1, now);
  draw_accounts(onto, row + 2, now.sums);
  draw_journal(onto, row + 5, now.heard.newest);
  return onto;
}

}  // namespace showcase
