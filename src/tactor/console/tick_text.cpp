// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/tick_text.hpp"

#include "tactor/console/history_text.hpp"
#include "tactor/console/string_sink.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/snapshot/json_writer.hpp"
#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// A part, as one JSON object without the end of the line.
std::string part_of(const actor_system& of, const snapshot_query& wanted) {
  std::string text;
  string_sink to{text};
  of.write_snapshot(wanted, to);
  to.check();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string tick_text::next(const actor_system& of, warning_window& since) {
  metrics_report now = of.full_metrics();
  std::string text;
  string_sink to{text};
  json_writer out{to};
  out.open('{');
  out.number("version", snapshot_version);
  out.text("part", "tick");
  out.number("time_ns", now.time_ns);
  out.key("point");
  write_point(out, point_between(last_ ? *last_ : now, now), point_sums::of(now.sums));
  to.check();
  text += ",\"system\":" + part_of(of, {.part = snapshot_part::system, .figures = &now});
  text += ",\"workers\":" + part_of(of, {.part = snapshot_part::workers, .figures = &now});
  // Only the list, which is the last value of its part.
  const std::string warnings =
      part_of(of, {.part = snapshot_part::warnings, .before = since.begin(now), .figures = &now});
  constexpr std::string_view name = ",\"warnings\":[";
  text += std::string_view{warnings}.substr(warnings.find(name));
  text.pop_back();
  last_ = std::move(now);
  return text;
}

}  // namespace tactor::inline v0::internal
