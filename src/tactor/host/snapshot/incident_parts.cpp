// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/incident_parts.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/host/metrics/worker_hub.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

void write_path(json_writer& to, std::string_view name, const event_text& path) {
  to.key(name);
  if (path.view().empty()) return to.nothing();
  to.text(path.view());
}

std::string thrown_by(const failure& why) {
  if (why.thrown_type() == nullptr) return {};
  std::array<char, 128> name{};
  return {name.data(), port::write_type_name(why.thrown_type(), name.data(), name.size())};
}

template <class Entry>
std::vector<Entry> newest(const recent_ring<Entry>& of, std::size_t most) {
  std::vector<Entry> all = of.newest_first();
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace

void write_dead_letters(json_writer& to, const metrics_snapshot& sums,
                        const recent_ring<recent_dead_letter>& recent, std::size_t most) {
  to.number("total", sums.all_dead_letters());
  to.number("suppressed", sums.dead_letters_suppressed);
  to.key("by_reason").open('{');
  for (std::size_t i = 0; i < drop_reasons; ++i)
    to.number(to_text(static_cast<drop_reason>(i)), sums.dead_letters[i]);
  to.close('}');
  to.number("not_recorded", recent.missed());
  to.key("recent").open('[');
  for (const recent_dead_letter& each : newest(recent, most)) {
    to.open('{');
    to.number("time_ns", each.time_ns);
    to.text("reason", to_text(each.reason));
    to.text("message", each.message_type);
    write_path(to, "target", each.target_path);
    write_id(to, "target_id", each.target);
    write_path(to, "sender", each.sender_path);
    write_id(to, "sender_id", each.sender);
    to.close('}');
  }
  to.close(']');
}

void write_failures(json_writer& to, seen_system& of, const metrics_snapshot& sums,
                    const recent_ring<recent_failure>& recent, std::size_t most) {
  to.number("failures", sums.failures);
  to.number("restarts", sums.restarts);
  to.key("cause_of_the_end");
  if (const std::optional<root_failure> cause = of.cause()) {
    to.open('{');
    to.text("path", cause->path.view());
    to.text("message", cause->message_type);
    to.text("text", cause->why.text());
    to.close('}');
  } else {
    to.nothing();
  }
  to.number("not_recorded", recent.missed());
  to.key("recent").open('[');
  for (const recent_failure& each : newest(recent, most)) {
    const actor_failed& event = each.event;
    to.open('{');
    to.number("time_ns", each.time_ns);
    write_id(to, "id", event.who.index());
    to.text("path", event.path.view());
    to.text("type", event.actor_type);
    to.text("message", event.message_type);
    to.text("text", event.why.text());
    to.text("thrown", thrown_by(event.why));
    to.text("decision", to_text(event.decided));
    to.number("restarts", std::uint64_t{event.restarts});
    to.close('}');
  }
  to.close(']');
}

namespace {

/// Counts how often each path occurs.
class path_counts {
public:
  void add(std::string_view path) {
    ++all_;
    if (path.starts_with('/')) ++counts_[std::string{path}];
  }
  /// The path that occurs most often, as a part of a sentence; empty: none does.
  [[nodiscard]] std::string most(std::string_view what) const {
    const auto most =
        std::ranges::max_element(counts_, {}, [](const auto& each) { return each.second; });
    if (most == counts_.end()) return {};
    return "; " + std::to_string(most->second) + " of the newest " + std::to_string(all_) + " " +
           std::string{what} + " " + most->first;
  }

private:
  std::map<std::string, std::size_t> counts_;
  std::size_t all_ = 0;
};

}  // namespace

std::string where_most(const health_warning& of, const recent_incidents& past,
                       std::uint64_t since_ns) {
  path_counts counts;
  if (of.what == health_problem::restart_storm) {
    for (const recent_failure& each : past.failures().newest_first())
      if (each.time_ns >= since_ns) counts.add(each.event.path.view());
    return counts.most("failures are of");
  }
  if (of.what != health_problem::hot_dead_letter) return {};
  for (const recent_dead_letter& each : past.dead_letters().newest_first())
    if (each.time_ns >= since_ns && each.reason == of.reason) counts.add(each.target_path.view());
  return counts.most("were sent to");
}

}  // namespace tactor::inline v0::internal
