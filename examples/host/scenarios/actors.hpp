// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <latch>
#include <vector>

// The actors of the scenarios: each checks the order of what it gets.
namespace scenarios {

struct item {
  std::uint32_t from = 0;
  std::uint32_t number = 0;
};
struct total {
  using reply = std::uint64_t;
};

/// The errors that the actors of a scenario find.
using mistakes = std::atomic<std::uint64_t>;

/// The messages that an actor has seen of each sender, in their order.
class ledger {
public:
  ledger(std::uint32_t senders, std::uint32_t each, mistakes* wrong)
      : next_(senders, 0), each_(each), wrong_(wrong) {}
  /// Returns: whether this was the last message of all senders.
  bool enter(const item& i) {
    if (i.number != next_[i.from]++) ++*wrong_;
    return ++entered_ == next_.size() * each_;
  }
  [[nodiscard]] std::uint64_t entered() const { return entered_; }

private:
  std::vector<std::uint32_t> next_;
  std::uint32_t each_;
  std::uint64_t entered_ = 0;
  mistakes* wrong_;
};

/// Counts messages of several senders.
class counting : public tactor::actor<item, total> {
public:
  counting(std::uint32_t senders, std::uint32_t each, mistakes* wrong, std::latch* over)
      : seen_(senders, each, wrong), over_(over) {}
  void receive(context&, const item& i) {
    if (seen_.enter(i)) over_->count_down();
  }
  std::uint64_t receive(context&, total) { return seen_.entered(); }

private:
  ledger seen_;
  std::latch* over_;
};

inline constexpr tactor::signal_key go_on{1};

struct pause_over {
  std::uint32_t number;
};

/// Suspends itself after every tenth message, until another actor gives a signal.
class pausing : public tactor::actor<item> {
public:
  pausing(tactor::actor_ref<pause_over> waker, const std::atomic<std::uint32_t>* signals,
          std::uint32_t messages, mistakes* wrong, std::latch* over)
      : waker_(waker), signals_(signals), seen_(1, messages, wrong), wrong_(wrong), over_(over) {}
  void receive(context& ctx, const item& i) {
    if (signals_->load() != pauses_) ++*wrong_;  // handled while it was suspended
    const bool last = seen_.enter(i);
    if (i.number % 10 == 9) {
      if (!ctx.suspend(tactor::suspend_reason::user_defined, tactor::on_signal(go_on))) ++*wrong_;
      waker_.tell(pause_over{++pauses_});
    }
    if (last) over_->count_down();
  }

private:
  tactor::actor_ref<pause_over> waker_;
  const std::atomic<std::uint32_t>* signals_;
  ledger seen_;
  std::uint32_t pauses_ = 0;
  mistakes* wrong_;
  std::latch* over_;
};

/// Fails at every tenth message. A new instance goes on with the next one.
class fragile : public tactor::actor<item> {
public:
  fragile(ledger* seen, std::latch* over) : seen_(seen), over_(over) {}
  std::expected<void, tactor::failure> receive(context&, const item& i) {
    if (seen_->enter(i)) over_->count_down();
    if (i.number % 10 == 5) return std::unexpected{tactor::failure{"the tenth"}};
    return {};
  }

private:
  ledger* seen_;
  std::latch* over_;
};

struct tick {};
struct neighbour {
  tactor::actor_ref<item> who;
};

inline constexpr std::uint32_t pace_ticks = 2'000;
inline constexpr std::uint32_t pace_items = 100;  // each tick
inline constexpr std::chrono::milliseconds pace_interval{10};

/// Sends 10 000 messages a second to its neighbour, for 20 s.
class paced : public tactor::actor<item, tick, neighbour> {
public:
  paced(mistakes* wrong, std::latch* over)
      : seen_(1, pace_ticks * pace_items, wrong), wrong_(wrong), over_(over) {}
  void receive(context& ctx, const neighbour& n) {
    to_ = n.who;
    const auto pace = tactor::every(pace_interval, tactor::missed::burst);
    if (!ctx.start_timer("send", pace, tick{})) ++*wrong_;
  }
  void receive(context& ctx, tick) {
    for (std::uint32_t i = 0; i < pace_items; ++i)
      if (to_.tell(item{.number = sent_++}) != tactor::tell_result::ok) ++*wrong_;
    if (++ticks_ == pace_ticks) ctx.cancel_timer("send");
  }
  void receive(context&, const item& i) {
    if (seen_.enter(i)) over_->count_down();
  }

private:
  tactor::actor_ref<item> to_;
  ledger seen_;
  std::uint32_t sent_ = 0;
  std::uint32_t ticks_ = 0;
  mistakes* wrong_;
  std::latch* over_;
};

}  // namespace scenarios
