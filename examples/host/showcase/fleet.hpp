// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/testkit.hpp"

#include "showcase/actors.hpp"
#include "showcase/messages.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <vector>

namespace showcase {

/// A radio beacon. It sends heartbeats at a fixed rate; at random it falls silent, until its
/// receive timeout.
class beacon : public tactor::actor<beat> {
public:
  beacon(ledger* book, tactor::actor_ref<heartbeat> receiver, conditions given,
         tactor::testkit::seed from)
      : book_(book), receiver_(receiver), given_(given), random_(from) {}

  std::expected<void, tactor::failure> pre_start(context& ctx);
  void receive(context&, beat);
  std::expected<void, tactor::failure> receive(context& ctx, const tactor::receive_timeout&);
  void post_stop(context&);

private:
  [[nodiscard]] std::expected<void, tactor::failure> start_beating(context& ctx);

  ledger* book_;
  tactor::actor_ref<heartbeat> receiver_;
  conditions given_;
  tactor::testkit::random_source random_;
  tactor::scoped_cancellable beating_;
  bool silent_ = false;
};

/// Spawns the beacons, and counts their heartbeats. After every thousand heartbeats it waits for
/// its disk, which blocks: so it runs on the blocking dispatcher. Its mailbox is small and pushes
/// back: a beacon whose message finds it full is suspended until there is capacity.
class fleet : public tactor::actor<heartbeat, fleet_query, retire> {
public:
  static constexpr std::uint32_t capacity = 32;

  fleet(ledger* book, unsigned beacons, conditions given, tactor::testkit::seed from)
      : book_(book), size_(beacons), given_(given), seed_(from) {}

  void pre_start(context& ctx);
  void receive(context&, heartbeat);
  std::uint64_t receive(context&, fleet_query) const { return heard_; }
  void receive(context& ctx, retire);

private:
  ledger* book_;
  unsigned size_;
  conditions given_;
  tactor::testkit::seed seed_;
  std::vector<tactor::actor_ref<beat>> beacons_;
  std::uint64_t heard_ = 0;
};

}  // namespace showcase
