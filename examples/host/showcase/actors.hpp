// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/testkit.hpp"

#include "showcase/messages.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {

inline constexpr unsigned devices = 12;
inline constexpr unsigned parser_lines = 3;  // each with a parser for a third of the devices

/// The rates of a run.
struct conditions {
  std::chrono::milliseconds pace;     // a device measures every 5 to 16 of these
  std::chrono::microseconds writing;  // how long the store's disk takes for a reading
  unsigned noise;                     // one reading in so many is garbled
  std::chrono::milliseconds
      service;  // how often the store is serviced; a service takes a twentieth of it
  std::chrono::milliseconds heart;   // how often a beacon sends a heartbeat
  std::chrono::milliseconds report;  // how often there is a report
  unsigned load = 1;                 // a device sends so many readings with each sample
};

/// A radio thermometer. It measures at a fixed rate; at random, noise garbles a reading, or the
/// device falls silent. Its receive timeout ends the silence: then it sends a burst of readings.
/// The last device has a weak battery, and fails.
class device : public tactor::actor<sample, use_parser, use_load, fall_silent, send_many> {
public:
  device(ledger* book, unsigned number, conditions given, tactor::testkit::seed from)
      : book_(book), number_(number), given_(given), random_(from), load_(given.load) {}

  std::expected<void, tactor::failure> pre_start(context& ctx);
  void receive(context& ctx, sample);
  void receive(context&, use_parser now) { parser_ = now.parser; }
  void receive(context&, use_load now) { load_ = now.readings; }
  void receive(context&, fall_silent);
  void receive(context&, send_many now) { send(now.readings); }
  std::expected<void, tactor::failure> receive(context& ctx, const tactor::receive_timeout&);
  void post_stop(context&);

private:
  [[nodiscard]] std::chrono::milliseconds interval() const { return (5 + number_) * given_.pace; }
  [[nodiscard]] std::expected<void, tactor::failure> start_measuring(context& ctx);
  void send(unsigned readings);
  [[nodiscard]] std::string measure();

  ledger* book_;
  unsigned number_;
  conditions given_;
  tactor::testkit::random_source random_;
  tactor::scoped_cancellable ticking_;
  tactor::actor_ref<raw_reading> parser_;
  double celsius_ = 21;
  unsigned samples_ = 0;
  unsigned load_;
  bool silent_ = false;
};

/// Parses readings, and fails on text that is not a number. Then it is restarted after a delay, and
/// its queued messages stay in the mailbox. After too many failures it is stopped.
class parser : public tactor::actor<raw_reading, fail_next> {
public:
  parser(ledger* book, tactor::actor_ref<reading> store, tactor::actor_ref<reading> guard)
      : book_(book), store_(store), guard_(guard) {}

  std::expected<void, tactor::failure> receive(context&, const raw_reading& raw);
  void receive(context&, fail_next) { fails_ = true; }

private:
  ledger* book_;
  tactor::actor_ref<reading> store_;
  tactor::actor_ref<reading> guard_;
  bool fails_ = false;
};

/// Stores readings on a disk, which blocks: so it runs on the blocking dispatcher. Its mailbox is
/// small and drops the oldest reading. It is suspended while it is serviced.
class store : public tactor::actor<reading, store_query> {
public:
  static constexpr std::uint32_t capacity = 16;

  explicit store(disk* on) : disk_(on) {}

  void receive(context&, reading r);
  std::vector<device_record> receive(context&, store_query) { return records_; }

private:
  disk* disk_;
  std::vector<device_record> records_ = std::vector<device_record>(devices);
};

/// Raises an alarm when a device is too hot, and ends it: two behaviours that replace each other.
using heat_guard = tactor::behaviour<reading>;
[[nodiscard]] heat_guard quiet(ledger* book);

/// Services the store: suspends it, and sends a signal when the service is over.
class technician : public tactor::actor<next_service, retire> {
public:
  technician(ledger* book, tactor::actor_ref<> store, std::chrono::milliseconds every)
      : book_(book), store_(store), every_(every) {}

  std::expected<void, tactor::failure> pre_start(context& ctx) { return wait(ctx, every_); }
  std::expected<void, tactor::failure> receive(context& ctx, next_service);
  void receive(context& ctx, retire);

private:
  [[nodiscard]] std::expected<void, tactor::failure> wait(context& ctx,
                                                          std::chrono::milliseconds length);
  void finish(context& ctx);

  ledger* book_;
  tactor::actor_ref<> store_;
  std::chrono::milliseconds every_;
  tactor::scoped_cancellable waiting_;
  bool at_work_ = false;
};

/// Spawns parsers and devices, and watches them: replaces a parser that was stopped, and counts a
/// device that ended as lost. Causes faults, and changes the load.
class gateway : public tactor::actor<gateway_query, raw_reading, inject, change_load, retire> {
public:
  static constexpr unsigned most_load = 1024;

  gateway(ledger* book, disk* on, tactor::actor_ref<reading> store,
          tactor::actor_ref<reading> guard, conditions given, tactor::testkit::seed from)
      : book_(book), disk_(on), store_(store), guard_(guard), given_(given), seed_(from) {}

  void pre_start(context& ctx);
  void receive(context& ctx, const tactor::terminated& gone);
  gateway_record receive(context&, gateway_query) { return record_; }
  /// A reading that came over TCP.
  void receive(context&, const raw_reading& raw);
  void receive(context& ctx, inject what);
  void receive(context& ctx, change_load how);
  void receive(context& ctx, retire);

private:
  void make_parser(context& ctx, unsigned line);

  ledger* book_;
  disk* disk_;
  tactor::actor_ref<reading> store_;
  tactor::actor_ref<reading> guard_;
  conditions given_;
  tactor::testkit::seed seed_;
  std::vector<parser::ref> parsers_;
  std::vector<device::ref> devices_;
  gateway_record record_;
};

/// Records what happens: reports, faults, dead letters, failures, restarts, suspensions, silences,
/// alarms.
class journal
    : public tactor::actor<tactor::dead_letter, tactor::actor_failed, tactor::actor_restarted,
                           tactor::actor_suspended, tactor::actor_resumed, device_silent,
                           heat_alarm, report, intervention, journal_query> {
public:
  journal(ledger* book, const tactor::monotonic_clock* clock)
      : book_(book), clock_(clock), start_ns_(now_ns()) {}

  void receive(context&, const tactor::dead_letter& letter);
  void receive(context&, const tactor::actor_failed& failed);
  void receive(context&, const tactor::actor_restarted& restarted);
  void receive(context&, const tactor::actor_suspended& suspended);
  void receive(context&, const tactor::actor_resumed& resumed);
  void receive(context&, device_silent silent);
  void receive(context&, heat_alarm alarm);
  void receive(context&, report sum);
  void receive(context&, const intervention& by_hand);
  journal_page receive(context&, journal_query) const;

private:
  [[nodiscard]] std::uint64_t now_ns() const;
  [[nodiscard]] double seconds() const { return static_cast<double>(now_ns() - start_ns_) / 1e9; }
  void write(std::string_view what);

  ledger* book_;
  const tactor::monotonic_clock* clock_;
  std::uint64_t start_ns_;
  std::vector<tactor::actor_ref<>> serviced_;  // suspended, and not because they failed
  std::deque<journal_line> newest_;
  journal_page page_;
};

}  // namespace showcase
