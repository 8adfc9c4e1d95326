// SPDX-License-Identifier: BSL-1.0
#include "showcase/fleet.hpp"

#include "tactor/actor.hpp"

#include "screen/text.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <thread>
#include <utility>

namespace showcase {
namespace {

using namespace std::chrono_literals;

constexpr unsigned groups = 20;  // beacons of one group beat at the same time
constexpr int silent_beats = 3;  // until the receive timeout

}  // namespace

std::expected<void, tactor::failure> beacon::pre_start(context& ctx) {
  if (!ctx.set_receive_timeout(silent_beats * given_.heart + given_.heart / 2, *this))
    return std::unexpected{tactor::failure{"no timeout"}};
  return start_beating(ctx);
}

std::expected<void, tactor::failure> beacon::start_beating(context& ctx) {
  const auto first = (1 + static_cast<int>(random_.below(groups))) * given_.heart / groups;
  auto started = ctx.schedule_at_fixed_rate(first, given_.heart, ctx.self(), beat{});
  if (!started) return std::unexpected{tactor::failure{"no timer"}};
  beating_ = tactor::scoped_cancellable{std::move(*started)};
  return {};
}

void beacon::receive(context&, beat) {
  count(book_->ticked);
  if (silent_) return;  // sent before the timer was cancelled
  silent_ = random_.below(given_.noise) == 0;
  if (!silent_) return post(*book_, receiver_, heartbeat{});
  count(book_->beacons_silent);
  beating_ = {};
}

std::expected<void, tactor::failure> beacon::receive(context& ctx, const tactor::receive_timeout&) {
  if (!silent_) return {};  // the timer was late
  silent_ = false;
  count(book_->beacons_woken);
  return start_beating(ctx);
}

void beacon::post_stop(context&) {
  if (silent_) count(book_->beacons_stopped_silent);
}

void fleet::pre_start(context& ctx) {
  beacons_.reserve(size_);
  for (unsigned number = 0; number < size_; ++number) {
    const tactor::testkit::seed own{seed_.value * 1'000'003 + number};
    beacons_.push_back(
        ctx.spawn<beacon>(text("beacon-%u", number + 1), book_, ctx.self(), given_, own));
  }
}

void fleet::receive(context&, heartbeat) {
  ++heard_;
  if (heard_ % 1000 == 0 && given_.writing != 0us) std::this_thread::sleep_for(50 * given_.writing);
}

void fleet::receive(context& ctx, retire) {
  for (const auto& each : beacons_)
    ctx.drain(each);
}

}  // namespace showcase
