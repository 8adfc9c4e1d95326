// SPDX-License-Identifier: BSL-1.0
#include "showcase/actors.hpp"

#include "tactor/core/actor/event_stream.hpp"

#include "screen/text.hpp"

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
constexpr unsigned burst = 24;  // readings from a dead spot: more than the store's mailbox holds
constexpr double too_hot = 23.6;
constexpr double well_again = 23.0;
constexpr std::size_t kept = 24;  // readings of a device, for the picture
constexpr std::size_t kept_lines = 100;

void announce(tactor::context& ctx, ledger& book, const heat_alarm& alarm) {
  book.told.fetch_add(ctx.events().publish(alarm), std::memory_order_relaxed);
}

heat_guard alarmed(ledger* book, unsigned device) {
  return [book, device](heat_guard::context& ctx, reading r) {
    if (r.device != device || r.celsius > well_again) return;
    announce(ctx, *book, {.device = r.device, .celsius = r.celsius, .on = false});
    ctx.become(quiet(book));
  };
}

}  // namespace

heat_guard quiet(ledger* book) {
  return [book](heat_guard::context& ctx, reading r) {
    if (r.celsius < too_hot) return;
    announce(ctx, *book, {.device = r.device, .celsius = r.celsius, .on = true});
    ctx.become(alarmed(book, r.device));
  };
}

std::expected<void, tactor::failure> device::pre_start(context& ctx) {
  const auto interval = (5 + number_) * given_.pace;
  auto started = ctx.schedule_at_fixed_rate(interval, interval, ctx.self(), sample{});
  if (!started) return std::unexpected{tactor::failure{"no timer"}};
  ticking_ = tactor::scoped_cancellable{std::move(*started)};
  return {};
}

void device::receive(context&, sample) {
  ++samples_;
  if (number_ + 1 == devices && samples_ > weak_battery) throw std::runtime_error{"battery empty"};
  const bool dead_spot = random_.below(given_.noise) == 0;
  for (unsigned i = 0; i < (dead_spot ? burst : 1); ++i)
    post(*book_, parser_, raw_reading{.device = number_, .text = measure()});
}

std::string device::measure() {
  const double step = (static_cast<double>(random_.below(1001)) - 500) / 1000;
  celsius_ += step + (21 - celsius_) * 0.03;
  std::string said = text("%.2f", celsius_);
  if (random_.below(given_.noise) == 0) said[1] = '#';
  return said;
}

std::expected<void, tactor::failure> parser::receive(context&, const raw_reading& raw) {
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
  if (writing_ != 0us) std::this_thread::sleep_for(writing_);
  device_record& record = records_[r.device];
  ++record.readings;
  if (record.newest.size() == kept) record.newest.erase(record.newest.begin());
  record.newest.push_back(r.celsius);
}

void gateway::pre_start(context& ctx) {
  ctx.events().subscribe<tactor::actor_failed>(ctx.self());
  parsers_.resize(parser_lines);
  record_.parsers_made.resize(parser_lines);
  for (unsigned number = 0; number < devices; ++number) {
    const tactor::testkit::seed own{seed_.value * devices + number + 1};
    devices_.push_back(
        ctx.spawn<device>(text("device-%u", number + 1), book_, number, given_, own));
  }
  for (unsigned line = 0; line < parser_lines; ++line)
    make_parser(ctx, line);
}

void gateway::make_parser(context& ctx, unsigned line) {
  parsers_[line] = ctx.spawn<parser>(text("parser-%u", line + 1), book_, store_, guard_);
  ++record_.parsers_made[line];
  for (unsigned number = line; number < devices; number += parser_lines)
    post(*book_, devices_[number], use_parser{parsers_[line]});
}

void gateway::receive(context& ctx, retire) {
  for (const auto& each : devices_)
    ctx.drain(each);
}

void gateway::receive(context& ctx, const tactor::actor_failed& failed) {
  book_->heard.fetch_add(1, std::memory_order_relaxed);
  for (unsigned line = 0; line < parser_lines; ++line) {
    if (parsers_[line] != failed.who) continue;
    make_parser(ctx, line);
    return;
  }
  ++record_.devices_lost;
}

std::uint64_t journal::now_ns() const {
  const tactor::timer_instant now = clock_->now();
  return now.ticks * now.resolution_ns;
}

void journal::write(std::string_view what) {
  const double seconds = static_cast<double>(now_ns() - start_ns_) / 1e9;
  newest_.push_back(text("%7.2f s  ", seconds) + std::string{what});
  if (newest_.size() > kept_lines) newest_.pop_front();
  ++page_.lines;
  for (const char each : newest_.back())
    page_.digest = (page_.digest ^ static_cast<unsigned char>(each)) * 0x100'0000'01B3U;
}

void journal::receive(context&, const tactor::dead_letter& letter) {
  book_->heard.fetch_add(1, std::memory_order_relaxed);
  ++page_.dead_letters[std::to_underlying(letter.reason)];
  std::string_view message = letter.message.view();
  if (message.empty())
    message = letter.message_type;  // of a timer: the message stayed with its job
  if (message.starts_with("showcase::")) message.remove_prefix(10);
  write("dead letter   " + std::string{message} + ", " + std::string{to_text(letter.reason)});
}

void journal::receive(context&, const tactor::actor_failed& failed) {
  book_->heard.fetch_add(1, std::memory_order_relaxed);
  ++page_.failures;
  write("failed        " + std::string{failed.path.view()} + ": " + std::string{failed.why.text()});
}

void journal::receive(context&, heat_alarm alarm) {
  ++page_.alarms;
  write(text("%s device-%u, %.1f degrees", alarm.on ? "too hot      " : "well again   ",
             alarm.device + 1, alarm.celsius));
}

journal_page journal::receive(context&, journal_query) const {
  journal_page page = page_;
  page.newest.assign(newest_.begin(), newest_.end());
  return page;
}

}  // namespace showcase
