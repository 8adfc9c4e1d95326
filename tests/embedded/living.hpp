// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"

#include "embedded/journal.hpp"

#include <chrono>
#include <cstdint>
#include <expected>

/// A radio station whose parser fails on bad packets, whose sensor goes silent, and whose store
/// rests and is serviced: restarts, a death watch, a receive timeout and suspensions. It runs on a
/// board and in a simulation on the host, with the same output.
namespace living {

using embedded::say;
using namespace std::chrono_literals;

struct packet {
  std::uint32_t value;
};
struct record {
  std::uint32_t value;
};
/// The store is serviced; a signal says when that is over.
struct service {};
struct next_packet {};

inline constexpr tactor::signal_key serviced{7};

/// Prints the events of the runtime.
class observer : public tactor::actor<tactor::actor_restarted, tactor::actor_suspended,
                                      tactor::actor_resumed> {
public:
  void pre_start(context& ctx) {
    ctx.events().subscribe<tactor::actor_restarted>(ctx.self());
    ctx.events().subscribe<tactor::actor_suspended>(ctx.self());
    ctx.events().subscribe<tactor::actor_resumed>(ctx.self());
  }
  void receive(context&, const tactor::actor_restarted& event) {
    say("event", "restarted", event.restarts);
  }
  void receive(context&, const tactor::actor_suspended& event) {
    const bool failed = event.reasons.has(tactor::suspend_reason::failure);
    say("event", failed ? "suspended by a failure" : "suspended", ++suspensions_);
  }
  void receive(context&, const tactor::actor_resumed& event) {
    const auto after_ns = event.after ? event.after->nanoseconds() : 0;
    say("event", "resumed after ms", static_cast<std::uint64_t>(after_ns / 1'000'000));
  }

private:
  std::uint32_t suspensions_ = 0;
};

/// Takes three records, then rests for some time.
class store : public tactor::actor<record, service> {
public:
  void receive(context& ctx, record r) {
    say("store", "keeps", r.value);
    if (++kept_ % 3 != 0) return;
    if (!ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(150ms)))
      say("store", "cannot rest", kept_);
  }
  void receive(context& ctx, service) {
    say("store", "is serviced", kept_);
    if (!ctx.suspend(tactor::suspend_reason::await_external, tactor::on_signal(serviced)))
      say("store", "cannot wait", kept_);
  }
  void post_stop(context&) { say("store", "stops after", kept_); }

private:
  std::uint32_t kept_ = 0;
};

/// Passes on the packets that it understands.
class parser : public tactor::actor<packet> {
public:
  explicit parser(const store::ref& to) : to_(to) {}
  void post_restart(context&, const tactor::failure& why) {
    say("parser", "is new after", static_cast<std::uint64_t>(why.code()));
  }
  std::expected<void, tactor::failure> receive(context&, packet p) {
    if (p.value > 99)
      return std::unexpected{tactor::failure{"too large", static_cast<std::int32_t>(p.value)}};
    say("parser", "reads", p.value);
    ++read_;
    to_.tell(record{p.value});
    return {};
  }
  void post_stop(context&) { say("parser", "stops after", read_); }

private:
  store::ref to_;
  std::uint32_t read_ = 0;
};

/// Has a parser, and handles its end and silence.
class station : public tactor::actor<packet> {
public:
  explicit station(const store::ref& to) : to_(to) {}
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (!ctx.set_receive_timeout(300ms, *this)) return std::unexpected{tactor::failure{"no timer"}};
    return hire(ctx);
  }
  void receive(context&, packet p) { parser_.tell(p); }
  void receive(context& ctx, const tactor::receive_timeout&) {
    say("station", "hears nothing", ++silences_);
    const bool signals =
        silences_ == 2 || silences_ == 3;  // the second signal is sent before it is waited for
    if (!signals) return (void)to_.tell(service{});
    if (!ctx.signal(to_, serviced)) say("station", "cannot signal", silences_);
  }
  std::expected<void, tactor::failure> receive(context& ctx, const tactor::terminated& t) {
    say("station", t.who == parser_ ? "has lost its parser" : "is notified of another actor",
        ++lost_);
    return hire(ctx);
  }
  void post_stop(context&) { say("station", "stops after", silences_); }

private:
  std::expected<void, tactor::failure> hire(context& ctx) {
    const auto made = ctx.try_spawn<parser>(
        {.name = "parser",
         .on_failure = tactor::restart{.max_restarts = 2, .delay = {.min = 40ms, .max = 160ms}}},
        to_);
    if (!made) return std::unexpected{tactor::failure{"no parser"}};
    parser_ = *made;
    if (!ctx.watch(parser_, *this)) return std::unexpected{tactor::failure{"no watch"}};
    return {};
  }

  store::ref to_;
  parser::ref parser_;
  std::uint32_t silences_ = 0;
  std::uint32_t lost_ = 0;
};

/// Sends what it measures, with varying pauses.
class sensor : public tactor::actor<next_packet> {
public:
  explicit sensor(const station::ref& to) : to_(to) {}
  std::expected<void, tactor::failure> pre_start(context& ctx) { return wait(ctx); }
  std::expected<void, tactor::failure> receive(context& ctx, next_packet) {
    to_.tell(packet{input[sent_].value});
    if (++sent_ == count) {
      ctx.stop();
      return {};
    }
    return wait(ctx);
  }
  void post_stop(context&) { say("sensor", "stops after", sent_); }

private:
  struct measurement {
    std::uint16_t after_ms;
    std::uint16_t value;
  };
  static constexpr measurement input[]{
      {50, 21},  {50, 22}, {50, 180}, {10, 23}, {10, 24},   // during the back-off
      {90, 25},  {20, 26}, {20, 190}, {20, 27}, {100, 28},  // and while the store rests
      {20, 200}, {10, 29}, {50, 30},                        // too often
      {700, 31}, {50, 32}, {50, 33},                        // two silences
  };
  static constexpr std::uint32_t count = sizeof input / sizeof input[0];

  std::expected<void, tactor::failure> wait(context& ctx) {
    const std::chrono::milliseconds delay{input[sent_].after_ms};
    if (!ctx.schedule_once(delay, ctx.self(), next_packet{}))
      return std::unexpected{tactor::failure{"no timer"}};
    return {};
  }

  station::ref to_;
  std::uint32_t sent_ = 0;
};

/// Spawns the actors. Returns: whether all were spawned.
template <class System>
[[nodiscard]] bool spawn(System& system) {
  if (!system.template try_spawn<observer>("observer")) return false;
  const auto keeper = system.template try_spawn<store>("store");
  if (!keeper) return false;
  const auto hub = system.template try_spawn<station>("station", *keeper);
  if (!hub) return false;
  return system.template try_spawn<sensor>("sensor", *hub).has_value();
}

/// The time until only silence is left.
inline constexpr auto length = 2s;

/// The last lines.
inline void say_totals(const tactor::metrics_snapshot& counts) {
  embedded::say_totals(counts);
  say("all", "failures", counts.failures);
  say("all", "restarts", counts.restarts);
  say("all", "suspensions", counts.suspensions);
  say("all", "resumes", counts.resumes);
}

}  // namespace living
