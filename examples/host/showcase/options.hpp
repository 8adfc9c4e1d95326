// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "screen/arguments.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>

namespace showcase {

/// The options of the command line.
struct options {
  bool simulated = false;
  std::uint32_t workers = 0;  // 0: one per processor
  std::uint64_t seed = 1;
  std::optional<unsigned> beacons;  // absent: 20 000, simulated 200
  unsigned load = 1;                // readings of a device with each sample
  bool faults = false;              // cause every fault once
  std::uint16_t input = 0;          // the port for readings over TCP; 0: a free one
  std::optional<std::string>
      console;          // where it listens; empty: there is none; absent: at a free port
  std::string metrics;  // the file that gets the figures; empty: none
  std::optional<std::chrono::nanoseconds> length;  // absent: a minute, of real or virtual time
  std::optional<output_form> form;                 // absent: a picture if there is a terminal
  std::optional<std::string> scenario;             // instead of the gateway
  bool help = false;
};

inline constexpr const char* usage =
    "usage: showcase [--workers N | --simulated] [--beacons N] [--load N] [--faults]\n"
    "                [--seed N] [--seconds N] [--input PORT]\n"
    "                [--console ADDRESS | --no-console] [--metrics FILE] [--plain | --json]\n"
    "       showcase --scenario NAME\n"
    "\n"
    "A gateway for radio thermometers, made of actors: devices with timers, which fall silent;\n"
    "parsers that fail on bad readings and are restarted; a store that waits for its disk, and is\n"
    "suspended for service; a fleet of beacons with heartbeats, whose small mailbox pushes back;\n"
    "a pager with a rate limit, and scheduled reports. In the end every message is accounted for.\n"
    "\n"
    "  --workers N   how many threads run actors, from 1 to 256 (default: one per processor)\n"
    "  --simulated   the same actors in a simulation, in virtual time\n"
    "  --beacons N   the size of the fleet, up to 1000000 (default: 20000, simulated: 200)\n"
    "  --load N      readings of a device with each sample, from 1 to 1024 (default: 1)\n"
    "  --faults      cause every fault once, after a third of the time; the console can cause "
    "them\n"
    "                at any time\n"
    "  --seed N      another run (default: 1); simulated, the same seed gives the same run\n"
    "  --seconds N   from 0.1 to 86400 (default: 60)\n"
    "  --input PORT  where readings come in over TCP: lines such as '3 21.50', a device from 1 to "
    "12\n"
    "                and what it measured (default: a free port of this machine)\n"
    "  --console A   where the console listens: 127.0.0.1:8080, or the path of a Unix socket\n"
    "                (default: at a free port of this machine)\n"
    "  --no-console  start no console\n"
    "  --metrics F   write the figures to a file, about once per second a JSON object in a line\n"
    "  --plain       print lines instead of a live display, as without a terminal\n"
    "  --json        print one JSON object at the end and nothing else\n"
    "  --scenario N  instead of the gateway, a program that checks its counts: one-actor,\n"
    "                many-messages, spike, suspend, restart, pace, or all of them: all\n"
    "  --help        print this\n"
    "\n"
    "The environment: NO_COLOR turns colours off, COLUMNS sets the width of the display.\n";

/// Reads the arguments after the program's name. Returns: an error that says what is wrong with
/// them.
[[nodiscard]] std::expected<options, std::string> parse(std::span<char* const> arguments);

}  // namespace showcase
