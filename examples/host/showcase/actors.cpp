// SPDX-License-Identifier: BSL-1.0
#include "showcase/actors.hpp"

#include "tactor/actor.hpp"

#include "screen/text.hpp"
#include "showcase/faults.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace showcase {
namespace {

using namespace std::chrono_literals;

constexpr unsigned weak_battery = 12;  // samples
constexpr unsigned burst = 24;  // readings after a silence: more than the store's mailbox holds
constexpr double too_hot = 23.6;
constexpr double cooled_down = 23.0;
constexpr int silent_intervals = 4;  // until the receive timeout
constexpr tactor::signal_key serviced{1};
constexpr std::size_t kept = 24;  // readings of a device, for the picture
constexpr std::size_t kept_lines = 100;
constexpr unsigned slow_writes = 300;  // so many writes of a slow disk
constexpr int slowness = 20;           // times as long
constexpr unsigned flood = 200;        // readings of each device

/// The limit for failures of a parser, and its delay before a restart.
tactor::restart parser_strategy(const conditions& given) {
  return {.max_restarts = 2,
          .within = 200 * given.pace,
          .delay = {.min = 2 * given.pace, .max = 20 * given.pace, .jitter_percent = 20}};
}

heat_guard alarmed(ledger* book, unsigned device) {
  return [book, device](heat_guard::context& ctx, reading r) {
    if (r.device != device || r.celsius > cooled_down) return;
    announce(ctx, *book, heat_alarm{.device = r.device, .celsius = r.celsius, .on = false});
    ctx.become(quiet(book));
  };
}

}  // namespace

heat_guard quiet(ledger* book) {
  return [book](heat_guard::context& ctx, reading r) {
    if (r.celsius < too_hot) return;
    announce(ctx, *book, heat_alarm{.device = r.device, .celsius = r.celsius, .on = true});
    ctx.become(alarmed(book, r.device));
  };
}

std::expected<void, tactor::failure> device::pre_start(context& ctx) {
  if (!ctx.set_receive_timeout(silent_intervals * interval(), *this))
    return std::unexpected{tactor::failure{"no timeout"}};
  return start_measuring(ctx);
}

std::expected<void, tactor::failure> device::start_measuring(context& ctx) {
  auto started = ctx.schedule_at_fixed_rate(interval(), interval(), ctx.self(), sample{});
  if (!started) return std::unexpected{tactor::failure{"no timer"}};
  ticking_ = tactor::scoped_cancellable{std::move(*started)};
  return {};
}

void device::receive(context&, sample) {
  count(book_->ticked);
  if (silent_) return;  // sent before the timer was cancelled
  ++samples_;
  if (number_ + 1 == devices && samples_ > weak_battery) throw std::runtime_error{"battery empty"};
  silent_ = random_.below(given_.noise) == 0;
  if (!silent_) return send(load_);
  count(book_->fell_silent);
  ticking_ = {};
}

void device::receive(context&, fall_silent) {
  if (silent_) return;
  silent_ = true;
  count(book_->fell_silent);
  ticking_ = {};
}

std::expected<void, tactor::failure> device::receive(context& ctx, const tactor::receive_timeout&) {
  if (!silent_) return {};  // the timer was late
  silent_ = false;
  count(book_->timed_out);
  announce(ctx, *book_, device_silent{number_});
  send(burst);
  return start_measuring(ctx);
}

void device::post_stop(context&) {
  if (silent_) count(book_->stopped_silent);
}

void device::send(unsigned readings) {
  for (; readings > 0; --readings)
    post(*book_, parser_, raw_reading{.device = number_, .text = measure()});
}

std::string device::measure() {
  const double step = (static_cast<double>(random_.below(1001)) - 500) / 1000;
  celsius_ += step + (21 - celsius_) * 0.03;
  std::string value = text("%.2f", celsius_);
  if (random_.below(given_.noise * load_) == 0) value[1] = '#';
  return value;
}

std::expected<void, tactor::failure> parser::receive(context&, const raw_reading& raw) {
  if (fails_) return std::unexpected{tactor::failure{"told to fail"}};
  double celsius = 0;
  const char* const end = raw.text.data() + raw.text.size();
  const auto [stopped, error] = std::from_chars(raw.text.data(), end, celsius);
  if (error != std::errc{} || stopped != end)
    return std::unexpected{tactor::failure{"'" + raw.text + "' is no number"}};
  const reading understood{.device = raw.device, .celsius = celsius};
  post(*book_, store_, understood);
  post(*book_, guard_, understood);
  return {};
}

void store::receive(context&, reading r) {
  const bool slow = disk_->slow_writes.load(std::memory_order_relaxed) > 0;
  if (slow) disk_->slow_writes.fetch_sub(1, std::memory_order_relaxed);
  if (disk_->writing != 0us) std::this_thread::sleep_for(disk_->writing * (slow ? slowness : 1));
  device_record& record = records_[r.device];
  ++record.readings;
  if (record.newest.size() == kept) record.newest.erase(record.newest.begin());
  record.newest.push_back(r.celsius);
}

std::expected<void, tactor::failure> technician::wait(context& ctx,
                                                      std::chrono::milliseconds length) {
  auto started = ctx.schedule_once(length, ctx.self(), next_service{});
  if (!started) return std::unexpected{tactor::failure{"no timer"}};
  waiting_ = tactor::scoped_cancellable{std::move(*started)};
  return {};
}

std::expected<void, tactor::failure> technician::receive(context& ctx, next_service) {
  count(book_->ticked);
  if (at_work_) {
    finish(ctx);
    return wait(ctx, every_ - every_ / 20);
  }
  if (!ctx.suspend(store_, tactor::suspend_reason::await_external, tactor::on_signal(serviced)))
    return std::unexpected{tactor::failure{"no store"}};
  at_work_ = true;
  count(book_->services);
  return wait(ctx, every_ / 20);
}

void technician::finish(context& ctx) {
  at_work_ = false;
  (void)ctx.signal(store_, serviced);
}

void technician::receive(context& ctx, retire) {
  if (at_work_) finish(ctx);
  ctx.stop();
}

void gateway::pre_start(context& ctx) {
  parsers_.resize(parser_lines);
  record_.parsers_made.resize(parser_lines);
  for (unsigned number = 0; number < devices; ++number) {
    const tactor::testkit::seed own{seed_.value * devices + number + 1};
    devices_.push_back(
        ctx.spawn<device>(text("device-%u", number + 1), book_, number, given_, own));
    (void)ctx.watch(devices_.back(), *this);
  }
  for (unsigned line = 0; line < parser_lines; ++line)
    make_parser(ctx, line);
}

void gateway::make_parser(context& ctx, unsigned line) {
  const std::string name = text("parser-%u", line + 1);
  parsers_[line] = ctx.spawn<parser>({.name = name, .on_failure = parser_strategy(given_)}, book_,
                                     store_, guard_);
  (void)ctx.watch(parsers_[line], *this);
  ++record_.parsers_made[line];
  for (unsigned number = line; number < devices; number += parser_lines)
    post(*book_, devices_[number], use_parser{parsers_[line]});
}

void gateway::receive(context&, const raw_reading& raw) {
  if (raw.device < devices) post(*book_, parsers_[raw.device % parser_lines], raw);
}

void gateway::receive(context& ctx, inject what) {
  announce(ctx, *book_, intervention{std::string{"fault: "} + name_of(what.which)});
  switch (what.which) {
  case fault::parser_crash:
    return post(*book_, parsers_[0], fail_next{});
  case fault::store_slow:
    return disk_->slow_writes.store(slow_writes, std::memory_order_relaxed);
  case fault::device_silent:
    return post(*book_, devices_[0], fall_silent{});
  case fault::flood:
    for (const auto& each : devices_)
      post(*book_, each, send_many{flood});
  }
}

void gateway::receive(context& ctx, change_load how) {
  given_.load = how.up ? std::min(2 * given_.load, most_load) : std::max(given_.load / 2, 1U);
  announce(ctx, *book_, intervention{text("load: %u", given_.load)});
  for (const auto& each : devices_)
    post(*book_, each, use_load{given_.load});
}

void gateway::receive(context& ctx, retire) {
  for (const auto& each : devices_) {
    ctx.unwatch(each);
    ctx.drain(each);
  }
}

void gateway::receive(context& ctx, const tactor::terminated& gone) {
  const auto line = std::ranges::find(parsers_, gone.who);
  if (line == parsers_.end()) {
    ++record_.devices_lost;
  } else {
    make_parser(ctx, static_cast<unsigned>(line - parsers_.begin()));
  }
}

std::uint64_t journal::now_ns() const {
  const tactor::timer_instant now = clock_->now();
  return now.ticks * now.resolution_ns;
}

void journal::write(std::string_view what) {
  const double now = seconds();
  ++page_.lines;
  for (const char each : text("%7.2f s  ", now) + std::string{what})
    page_.digest = (page_.digest ^ static_cast<unsigned char>(each)) * 0x100'0000'01B3U;
  for (auto line = newest_.rbegin(); line != newest_.rend(); ++line) {
    if (line->seconds + fold_window < now) break;
    if (line->what == what) return void(++line->times);
  }
  newest_.push_back({.seconds = now, .what = std::string{what}});
  if (newest_.size() > kept_lines) newest_.pop_front();
  ++page_.folded;
}

void journal::receive(context&, const tactor::dead_letter& letter) {
  count(book_->heard);
  ++page_.dead_letters[std::to_underlying(letter.reason)];
  const bool from_timer = letter.message_type == tactor::type_name_of<sample> ||
                          letter.message_type == tactor::type_name_of<beat> ||
                          letter.message_type == tactor::type_name_of<next_service> ||
                          letter.message_type == tactor::type_name_of<report_due>;
  if (from_timer) ++page_.ticks;
  if (letter.message_type == tactor::type_name_of<heat_alarm>) ++page_.alarms_lost;
  if (from_timer && letter.reason == tactor::drop_reason::draining) return;  // the run ends
  std::string_view message = letter.message_type;
  if (message.starts_with("showcase::")) message.remove_prefix(10);
  write("dead letter   " + std::string{message} + ", " + std::string{to_text(letter.reason)});
}

void journal::receive(context&, const tactor::actor_failed& failed) {
  count(book_->heard);
  ++page_.failures;
  write("failed        " + std::string{failed.path.view()} + ": " + std::string{failed.why.text()} +
        ", " + to_text(failed.decided));
}

void journal::receive(context&, const tactor::actor_restarted&) {
  count(book_->heard);
  ++page_.restarts;
}

void journal::receive(context&, const tactor::actor_suspended& suspended) {
  count(book_->heard);
  ++page_.suspensions;
  using enum tactor::suspend_reason;
  if (suspended.reasons.has(failure)) {
    ++page_.rests;
  } else if (suspended.reasons.has(backpressure)) {
    ++page_.pushed_back;
  } else if (suspended.reasons.has(rate_limit)) {
    ++page_.limited;
  } else if (suspended.reasons.has(await_external)) {
    ++page_.services;
    serviced_.push_back(suspended.who);
    write("service       the store is suspended");
  } else {
    write("suspended     by hand");
  }
}

void journal::receive(context&, const tactor::actor_resumed& resumed) {
  count(book_->heard);
  ++page_.resumes;
  const bool was_serviced = std::erase(serviced_, resumed.who) > 0;
  if (!was_serviced || !resumed.after) return;
  const double milliseconds = static_cast<double>(resumed.after->nanoseconds()) / 1e6;
  write(text("resumed       the store, after %.1f ms", milliseconds));
}

void journal::receive(context&, device_silent silent) {
  ++page_.silences;
  write(text("silent        device-%u, until its timeout", silent.device + 1));
}

void journal::receive(context&, heat_alarm alarm) {
  ++page_.alarms;
  write(text("%s device-%u", alarm.on ? "too hot      " : "cooled down  ", alarm.device + 1));
}

void journal::receive(context&, report sum) {
  ++page_.reports;
  if (!sum.known) return write("report        none: the mailbox of the store is full");
  write(text("report        %llu readings; hottest is device-%u, %.1f degrees",
             number(sum.readings), sum.hottest + 1, sum.celsius));
}

void journal::receive(context&, const intervention& by_hand) {
  ++page_.interventions;
  write("by hand       " + by_hand.what);
}

journal_page journal::receive(context&, journal_query) const {
  journal_page page = page_;
  page.seconds = seconds();
  page.newest.assign(newest_.begin(), newest_.end());
  return page;
}

}  // namespace showcase
