// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/top.hpp"

#include "tactor/command/fields.hpp"
#include "tactor/command/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace command {
namespace {

using nlohmann::json;
using number = std::optional<std::uint64_t>;
constexpr double second_ns = 1e9;
const json nothing;

/// Returns: the nearest whole number. The value comes from another program and may be any number.
std::uint64_t rounded(double value) {
  constexpr double most = 9e18;
  return static_cast<std::uint64_t>(std::min(value + 0.5, most));
}

/// The growth of numbers since the sample before, for each second.
class rates {
public:
  rates(const json& now, const json* before) : now_(now), before_(before) {
    if (before_ == nullptr) return;
    const number later = number_in(now_, "time_ns"), earlier = number_in(*before_, "time_ns");
    if (later && earlier && *later > *earlier) elapsed_ns_ = static_cast<double>(*later - *earlier);
  }
  /// Returns: nothing if there is no sample before, if the number is not known, or if another
  /// program has started.
  [[nodiscard]] std::optional<double> of(number later, number earlier) const {
    if (elapsed_ns_ == 0 || !later || !earlier || *later < *earlier) return std::nullopt;
    return static_cast<double>(*later - *earlier) * second_ns / elapsed_ns_;
  }
  [[nodiscard]] std::string text(number later, number earlier) const {
    const auto rate = of(later, earlier);
    return short_number(rate ? number{rounded(*rate)} : number{}) + "/s";
  }
  /// Returns: the rate of one of the sums of the system.
  [[nodiscard]] std::string sum(const char* name) const {
    return text(number_in(field(now_, "sums"), name),
                before_ == nullptr ? number{} : number_in(field(*before_, "sums"), name));
  }
  [[nodiscard]] std::string percent(number later_ns, number earlier_ns) const {
    const auto share = of(later_ns, earlier_ns);
    return share ? std::to_string(rounded(*share * 100 / second_ns)) + "%" : "-";
  }

private:
  const json& now_;
  const json* before_;
  double elapsed_ns_ = 0;
};

/// Returns: the entries of a list by name.
std::map<std::string, const json*> by(const char* key, const json& list) {
  std::map<std::string, const json*> entries;
  for (const json& each : list)
    entries.emplace(text_in(each, key), &each);
  return entries;
}

number number_of(const std::map<std::string, const json*>& all, const std::string& key,
                 const char* name) {
  const auto entry = all.find(key);
  return entry == all.end() ? number{} : number_in(*entry->second, name);
}

lines worker_rows(const top_sample& now, const top_sample* before, std::size_t columns) {
  constexpr std::size_t most_rows = 2;
  const rates since{now.workers, before == nullptr ? nullptr : &before->workers};
  const auto earlier =
      by("name", list_in(before == nullptr ? nothing : before->workers, "workers"));
  lines page{""};
  const json& all = list_in(now.workers, "workers");
  std::size_t shown = 0;
  for (const json& each : all) {
    const std::string name = text_in(each, "name");
    const std::string text =
        printable(name) + " " +
        since.percent(number_in(each, "busy_ns"), number_of(earlier, name, "busy_ns")) + "  ";
    if (width_of(page.back()) + width_of(text) > columns && !page.back().empty()) {
      if (page.size() == most_rows) break;
      page.emplace_back();
    }
    page.back() += text;
    ++shown;
  }
  if (shown < all.size()) {
    const std::string more = "+" + std::to_string(all.size() - shown);
    page.back() = cut_to(page.back(), columns > more.size() ? columns - more.size() : 0) + more;
  }
  return page;
}

lines actor_rows(const top_sample& now, const top_sample* before) {
  const rates since{now.actors, before == nullptr ? nullptr : &before->actors};
  const auto earlier = by("id", list_in(before == nullptr ? nothing : before->actors, "actors"));
  using enum table::align;
  table rows{{{"WAITING", right},
              {"RESTARTS", right},
              {"HANDLED", right},
              {"BUSY", right},
              {"P99", right},
              {"STATE", left},
              {"PATH", left}}};
  for (const json& each : list_in(now.actors, "actors")) {
    const std::string id = text_in(each, "id");
    rows.add({short_number(number_in(each, "waiting")), short_number(number_in(each, "restarts")),
              since.text(number_in(each, "handled"), number_of(earlier, id, "handled")),
              since.percent(number_in(each, "busy_ns"), number_of(earlier, id, "busy_ns")),
              duration_text(number_in(each, "handler_p99_ns")), text_in(each, "state"),
              text_in(each, "path")});
  }
  return rows.lines();
}

/// Returns: the order of the list that a key selects; empty: none.
std::string_view order_of(char key) {
  switch (key) {
  case 'w':
    return "waiting";
  case 'h':
    return "handled";
  case 'b':
    return "busy";
  case 'r':
    return "restarts";
  case 's':
    return "suspended";
  case 'p':
    return "path";
  default:
    return {};
  }
}

}  // namespace

lines top_picture(const top_sample& now, const top_sample* before, screen_size size) {
  const rates since{now.system, before == nullptr ? nullptr : &before->system};
  const auto figure = [&](const char* name) { return short_number(number_in(now.system, name)); };
  lines page{printable(text_in(now.system, "name") + "  " + text_in(now.system, "phase")) +
                 "  actors " + figure("actors") + "  metrics " +
                 printable(text_in(now.system, "metrics_level")) + "  (q quits; sort: w h b r s p)",
             "sent " + since.sum("actor.messages_sent_total") + "  handled " +
                 since.sum("actor.messages_handled_total") + "  waiting " + figure("waiting") +
                 "  dead letters " + since.sum("dead_letters_total") + "  failures " +
                 since.sum("actor.failures_total"),
             "p99: latency " + duration_text(number_in(now.system, "latency_p99_ns")) +
                 ", handler " + duration_text(number_in(now.system, "handler_p99_ns")) +
                 "  ready actors " + short_number(number_in(now.workers, "ready_queue_depth"))};
  for (std::string& each : worker_rows(now, before, size.columns))
    page.push_back(std::move(each));
  const json& warnings = list_in(now.warnings, "warnings");
  constexpr std::size_t most_warnings = 3;
  for (std::size_t i = 0; i < std::min(warnings.size(), most_warnings); ++i)
    page.push_back(
        "! " + printable(text_in(warnings[i], "what") + ": " + text_in(warnings[i], "evidence")));
  if (warnings.size() > most_warnings)
    page.push_back("! " + std::to_string(warnings.size() - most_warnings) +
                   " more: tactor diagnose");
  page.emplace_back();
  for (std::string& each : actor_rows(now, before))
    page.push_back(std::move(each));
  if (page.size() > size.rows) page.resize(size.rows);
  for (std::string& each : page)
    each = cut_to(each, size.columns);
  return page;
}

result<top_sample> sample_top(const console& of, const std::string& order) {
  top_sample now;
  const query list{{"order", order}, {"limit", std::to_string(size_of_screen().rows)}};
  for (const auto& [name, wanted, to] :
       {std::tuple{"system", query{}, &now.system}, std::tuple{"workers", query{}, &now.workers},
        std::tuple{"actors", list, &now.actors}, std::tuple{"warnings", query{}, &now.warnings}}) {
    auto part = of.part(name, wanted);
    if (!part) return std::unexpected{part.error()};
    *to = std::move(*part);
  }
  return now;
}

result<void> top(const console& of, std::string order, std::chrono::milliseconds interval) {
  auto now = sample_top(of, order);
  if (!now) return std::unexpected{now.error()};
  std::optional<top_sample> before;
  screen shown;
  while (true) {
    const screen_size size = size_of_screen();
    if (now) {
      shown.show(top_picture(*now, before ? &*before : nullptr, size));
    } else {
      shown.show(lines{cut_to(now.error().text, size.columns), "it is tried again; q quits"});
    }
    const auto until = std::chrono::steady_clock::now() + interval;
    for (auto left = interval; left.count() > 0;
         left = std::chrono::ceil<std::chrono::milliseconds>(until -
                                                             std::chrono::steady_clock::now())) {
      const auto key = shown.next_key(left);
      if (key == 'q') return {};
      if (!key || order_of(*key).empty()) continue;
      order = order_of(*key);
      break;
    }
    if (now) before = std::move(*now);
    now = sample_top(of, order);
    // The console does not know this order: use an order that every console knows.
    if (!now && now.error().status == problem::refused) now = sample_top(of, order = "waiting");
  }
}

}  // namespace command
