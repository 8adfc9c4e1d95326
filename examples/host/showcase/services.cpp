// SPDX-License-Identifier: BSL-1.0
#include "showcase/services.hpp"

#include "tactor/actor.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <utility>

namespace showcase {

using namespace std::chrono_literals;

void pager::receive(context& ctx, heat_alarm) {
  count(book_->pages);
  (void)limit_.take(ctx);
}

std::expected<void, tactor::failure> reporter::pre_start(context& ctx) {
  auto started = ctx.schedule_at_fixed_rate(every_, every_, ctx.self(), report_due{});
  if (!started) return std::unexpected{tactor::failure{"no timer"}};
  ticking_ = tactor::scoped_cancellable{std::move(*started)};
  return {};
}

tactor::reentrant_task<void> reporter::receive(context& ctx, report_due) {
  count(book_->ticked);
  count(book_->by_actors);
  const auto stored = co_await ctx.ask<store_query>(store_, 1s);
  count(book_->by_actors);  // the answer
  report fresh{};
  if (!stored) co_return announce(ctx, *book_, fresh);  // its mailbox was full
  fresh.known = true;
  for (unsigned device = 0; device < stored->size(); ++device) {
    const device_record& record = (*stored)[device];
    fresh.readings += record.readings;
    if (record.newest.empty() || record.newest.back() < fresh.celsius) continue;
    fresh.hottest = device;
    fresh.celsius = record.newest.back();
  }
  fresh.readings -= std::exchange(reported_, fresh.readings);
  announce(ctx, *book_, fresh);
}

}  // namespace showcase
