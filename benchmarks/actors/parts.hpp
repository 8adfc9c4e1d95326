// SPDX-License-Identifier: BSL-1.0
#pragma once

// Stash, keyed timers and routers, for living.cpp.

#include "tactor/host/cooperative_system.hpp"
#include "tactor/patterns/patterns.hpp"
#include "tactor/timers.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace bench {

struct parcel {
  std::uint64_t number;
};
struct open_up {};
struct next_pack {};
inline constexpr std::uint64_t pack = 100;

/// Handles parcels; or stashes each, and handles them when it is told to.
class depot : public tactor::actor<parcel, open_up> {
  tactor::actor_ref<next_pack> source_;
  bool stashes_;
  bool open_;
  std::uint64_t seen_ = 0;

public:
  depot(const tactor::actor_ref<next_pack>& source, bool stashes)
      : source_(source), stashes_(stashes), open_(!stashes) {}
  void receive(context& ctx, const parcel& p) {
    if (!open_) {
      (void)ctx.stash(p);
      return;
    }
    if (++seen_ % pack != 0) return;
    open_ = !stashes_;
    source_.tell(next_pack{});
  }
  void receive(context& ctx, open_up) {
    open_ = true;
    if (stashes_) (void)ctx.unstash_all();
  }
};

/// Sends packs of parcels to a depot, each when the one before was handled.
class depot_source : public tactor::actor<next_pack> {
  std::uint64_t left_;
  bool stashes_;
  tactor::actor_ref<parcel, open_up> to_;

public:
  depot_source(std::uint64_t count, bool stashes) : left_(count / pack), stashes_(stashes) {}
  void pre_start(context& ctx) { to_ = ctx.spawn<depot>("", ctx.self(), stashes_); }
  void receive(context&, next_pack) {
    if (left_ == 0) return;
    --left_;
    for (std::uint64_t i = 0; i < pack; ++i)
      to_.tell(parcel{i});
    to_.tell(open_up{});
  }
};

struct tick {};

/// Starts and cancels timers by key, beside a timer that comes earlier, or alone: then each start
/// wakes the driver.
class timer_user : public tactor::actor<next_pack, tick> {
  bool alone_;

public:
  explicit timer_user(bool alone) : alone_(alone) {}
  void pre_start(context& ctx) {
    if (!alone_) (void)ctx.start_timer(0, tactor::every(std::chrono::seconds{1}), tick{});
  }
  void receive(context&, tick) {}
  void receive(context& ctx, next_pack) {
    for (std::uint64_t i = 0; i < pack; ++i) {
      (void)ctx.start_timer(1, tactor::after(std::chrono::seconds{5}), next_pack{});
      (void)ctx.cancel_timer(1);
    }
  }
};

/// Handles parcels, and says so after each pack.
class handler : public tactor::actor<parcel> {
  tactor::actor_ref<next_pack> source_;

public:
  explicit handler(const tactor::actor_ref<next_pack>& source) : source_(source) {}
  void receive(context&, const parcel& p) {
    if (p.number == pack - 1) source_.tell(next_pack{});
  }
};

/// Sends packs of parcels to one handler, or to a pool of one.
class routed_source : public tactor::actor<next_pack> {
  std::uint64_t left_;
  bool routes_;
  tactor::actor_ref<parcel> to_;

public:
  routed_source(std::uint64_t count, bool routes) : left_(count / pack), routes_(routes) {}
  void pre_start(context& ctx) {
    if (routes_) {
      to_ = tactor::patterns::spawn_pool<handler>(ctx, {.workers = 1},
                                                  tactor::patterns::round_robin{}, ctx.self());
    } else {
      to_ = ctx.spawn<handler>("", ctx.self());
    }
  }
  void receive(context&, next_pack) {
    if (left_ == 0) return;
    --left_;
    for (std::uint64_t i = 0; i < pack; ++i)
      to_.tell(parcel{i});
  }
};

/// Begins a workload; one of timers is run, too. Returns: false if there is no such workload.
inline bool begin_part(tactor::cooperative_system& system, std::string_view workload,
                       std::uint64_t count) {
  if (workload == "stashed" || workload == "not_stashed") {
    system.spawn<depot_source>("", count, workload == "stashed").tell(next_pack{});
  } else if (workload.starts_with("keyed_timer")) {
    const auto user = system.spawn<timer_user>("", workload == "keyed_timer_alone");
    for (std::uint64_t i = 0; i < count / pack; ++i) {
      user.tell(next_pack{});
      system.poll();  // cleans up what was cancelled
    }
  } else if (workload == "routed" || workload == "direct") {
    system.spawn<routed_source>("", count, workload == "routed").tell(next_pack{});
  } else {
    return false;
  }
  return true;
}

}  // namespace bench
