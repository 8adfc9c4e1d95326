// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include "embedded/journal.hpp"

#include <chrono>
#include <cstdint>
#include <expected>

/// Three actors that pass on 100 messages each: the first is driven by a timer, the second suspends
/// itself, fails and is restarted, the third has a receive timeout. It runs on boards and in a
/// simulation on the host, with the same events at the same times.
namespace relay {

using embedded::say;
using namespace std::chrono_literals;

inline constexpr std::uint32_t count = 100;
inline constexpr auto length = 1500ms;

/// Compares what is said with the expected text, character by character.
struct comparison {
  const char* expected = nullptr;
  std::uint32_t equal = 0;
  std::uint32_t different = 0;

  void add(const char* text) {
    for (; *text != '\0'; ++text) {
      const bool same = *expected != '\0' && *expected == *text;
      ++(same ? equal : different);
      if (same) ++expected;
    }
  }
  [[nodiscard]] bool is_complete() const { return different == 0 && *expected == '\0'; }
};
inline constinit comparison result{};

inline constexpr const char* expected =
#include "relay.expected.inc"
    ;

struct step {};
struct sample {
  std::uint32_t number;
};

/// The last one: notices when nothing arrives.
class sink : public tactor::actor<sample> {
public:
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (!ctx.set_receive_timeout(60ms, *this)) return std::unexpected{tactor::failure{"no timer"}};
    return {};
  }
  void receive(context&, sample s) { say("sink", "takes", s.number); }
  void receive(context&, const tactor::receive_timeout&) {
    say("sink", "hears nothing", ++silences_);
  }

private:
  std::uint32_t silences_ = 0;
};

/// Rests after 40 messages, and fails at the seventieth.
class middle : public tactor::actor<sample> {
public:
  explicit middle(const sink::ref& to) : to_(to) {}
  void post_restart(context&, const tactor::failure& why) {
    say("middle", "is new after", static_cast<std::uint64_t>(why.code()));
  }
  std::expected<void, tactor::failure> receive(context& ctx, sample s) {
    if (s.number == 70) return std::unexpected{tactor::failure{"seventy", 70}};
    say("middle", "takes", s.number);
    to_.tell(s);
    if (s.number == 40 &&
        !ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(150ms)))
      say("middle", "cannot rest", s.number);
    return {};
  }

private:
  sink::ref to_;
};

/// Sends a number every 10 ms.
class source : public tactor::actor<step> {
public:
  explicit source(const middle::ref& to) : to_(to) {}
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (ctx.schedule_at_fixed_rate(10ms, 10ms, ctx.self(), step{})) return {};
    return std::unexpected{tactor::failure{"no timer"}};
  }
  void receive(context& ctx, step) {
    say("source", "sends", ++sent_);
    to_.tell(sample{sent_});
    if (sent_ == count) ctx.stop();
  }

private:
  middle::ref to_;
  std::uint32_t sent_ = 0;
};

/// Spawns the actors. Returns: whether all were spawned.
template <class System>
[[nodiscard]] bool spawn(System& system) {
  const auto last = system.template try_spawn<sink>("sink");
  if (!last) return false;
  const auto between = system.template try_spawn<middle>(
      {.name = "middle", .on_failure = tactor::restart{.delay = {.min = 20ms, .max = 20ms}}},
      *last);
  if (!between) return false;
  return system.template try_spawn<source>("source", *between).has_value();
}

/// Begins a comparison; the actors' words go there.
inline void begin(const tactor::monotonic_clock& clock) {
  result = {.expected = expected};
  embedded::said = {.write = [](const char* text) { result.add(text); }, .clock = &clock};
}

}  // namespace relay
