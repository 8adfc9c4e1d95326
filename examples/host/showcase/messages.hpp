// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace showcase {

/// It is time to measure: a device's timer sends it.
struct sample {};
/// The heart of a beacon beats: its timer sends it.
struct beat {};
/// Begins or ends a service of the store: a timer sends it.
struct next_service {};
/// It is time for a report: a timer sends it.
struct report_due {};

/// A reading as a device sends it: text.
struct raw_reading {
  unsigned device;
  std::string text;
};
/// Used when a dead letter is shown: by the console, for one.
inline std::string to_string(const raw_reading& raw) {
  return "device-" + std::to_string(raw.device + 1);
}

/// A parsed reading.
struct reading {
  unsigned device;
  double celsius;
};
inline std::string to_string(const reading& r) {
  return "device-" + std::to_string(r.device + 1);
}

/// Lets a device send its readings to this parser from now on. Does not restart its receive
/// timeout.
struct use_parser {
  using not_influence_receive_timeout = void;
  tactor::actor_ref<raw_reading> parser;
};

/// Lets a device send so many readings with each sample from now on.
struct use_load {
  using not_influence_receive_timeout = void;
  unsigned readings;
};

/// Faults that can be caused while the showcase runs; see faults.hpp.
enum class fault : std::uint8_t { parser_crash, store_slow, device_silent, flood };
/// Causes a fault: for the gateway.
struct inject {
  fault which;
};
/// Doubles or halves the load: for the gateway.
struct change_load {
  bool up;
};
/// The parser fails with its next reading.
struct fail_next {};
/// The device falls silent at once.
struct fall_silent {
  using not_influence_receive_timeout = void;
};
/// The device sends so many readings at once.
struct send_many {
  unsigned readings;
};
/// An event: a fault was caused, or the load changed.
struct intervention {
  std::string what;
};

/// An event: how many readings were stored since the last report.
struct report {
  bool known;  // false: the store did not answer; the next report includes these readings
  std::uint64_t readings;
  unsigned hottest;  // device
  double celsius;
};

/// An event: a device measures too high a temperature, or a normal one again.
struct heat_alarm {
  unsigned device;
  double celsius;
  bool on;
};

/// An event: a device was silent until its receive timeout.
struct device_silent {
  unsigned device;
};

/// The readings that the store holds for a device.
struct device_record {
  std::uint64_t readings = 0;
  std::vector<double> newest;  // the last few, oldest first
};
struct store_query {
  using reply = std::vector<device_record>;
};

/// Sent by a beacon at a fixed rate.
struct heartbeat {};
struct fleet_query {
  using reply = std::uint64_t;  // how many heartbeats were heard
};

/// The record of the gateway.
struct gateway_record {
  std::vector<unsigned> parsers_made;  // for each line, without restarts
  unsigned devices_lost = 0;
};
struct gateway_query {
  using reply = gateway_record;
};

inline constexpr double fold_window = 0.5;  // seconds
/// A line of the journal. What repeats within the window is one line.
struct journal_line {
  double seconds = 0;  // of the first time
  std::string what;
  std::uint64_t times = 1;
};

/// The lines that the journal has recorded.
struct journal_page {
  std::vector<journal_line> newest;  // oldest first
  std::uint64_t folded = 0;          // lines, each with its repetitions
  double seconds = 0;                // now
  std::array<std::uint64_t, tactor::drop_reasons> dead_letters{};
  std::uint64_t ticks = 0;        // of the dead letters: those that timers sent
  std::uint64_t alarms_lost = 0;  // of the dead letters
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t rests = 0;        // of the suspensions: because the actor failed
  std::uint64_t services = 0;     // because the store is serviced
  std::uint64_t pushed_back = 0;  // because the mailbox of a receiver was full
  std::uint64_t limited = 0;      // because of a rate limit
  std::uint64_t resumes = 0;
  std::uint64_t silences = 0;
  std::uint64_t alarms = 0;
  std::uint64_t reports = 0;
  std::uint64_t interventions = 0;
  std::uint64_t lines = 0;
  std::uint64_t digest = 0;  // of all lines: the same run has the same one
};
struct journal_query {
  using reply = journal_page;
};

/// The end of a run: the gateway stops the devices, and the store is not serviced any more.
struct retire {};

/// The program's own counts, to be compared with the runtime's.
struct ledger {
  std::atomic<std::uint64_t> by_actors = 0;
  std::atomic<std::uint64_t> heard = 0;   // events: counted by the subscribers
  std::atomic<std::uint64_t> ticked = 0;  // messages of timers: counted by the receiver
  // devices
  std::atomic<std::uint64_t> fell_silent = 0;
  std::atomic<std::uint64_t> timed_out = 0;
  std::atomic<std::uint64_t> stopped_silent = 0;
  std::atomic<std::uint64_t> services = 0;  // of the store
  std::atomic<std::uint64_t> pages = 0;     // of the pager
  // the TCP input
  std::atomic<std::uint64_t> clients = 0;
  std::atomic<std::uint64_t> lines = 0;
  std::atomic<std::uint64_t> bad_lines = 0;
  // beacons
  std::atomic<std::uint64_t> beacons_silent = 0;
  std::atomic<std::uint64_t> beacons_woken = 0;
  std::atomic<std::uint64_t> beacons_stopped_silent = 0;
};

inline void count(std::atomic<std::uint64_t>& what) {
  what.fetch_add(1, std::memory_order_relaxed);
}

/// Publishes, and counts.
template <class Event>
void announce(tactor::context& ctx, ledger& book, const Event& event) {
  book.by_actors.fetch_add(ctx.events().publish(event), std::memory_order_relaxed);
}

/// The store's disk. It can be slow for a while.
struct disk {
  std::chrono::microseconds writing;  // how long a reading takes
  std::atomic<unsigned> slow_writes = 0;
};

/// Sends, and counts.
template <class... Messages, class Message>
void post(ledger& book, const tactor::actor_ref<Messages...>& to, Message&& message) {
  count(book.by_actors);
  to.tell(std::forward<Message>(message));
}

}  // namespace showcase
