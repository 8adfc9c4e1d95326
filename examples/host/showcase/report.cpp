// SPDX-License-Identifier: BSL-1.0
#include "showcase/report.hpp"

#include "tactor/actor.hpp"

#include "screen/text.hpp"
#include "showcase/actors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {
namespace {

std::uint64_t readings_of(const findings& end) {
  std::uint64_t sum = 0;
  for (const device_record& each : end.stored)
    sum += each.readings;
  return sum;
}

/// Returns: a list of the reasons that occurred. `form` is for the name and the number of each.
std::string reasons(const findings& end, const char* form, const char* between) {
  std::string list;
  for (std::size_t i = 0; i < tactor::drop_reasons; ++i) {
    const std::uint64_t count = end.runtime.dead_letters[i];
    if (count == 0) continue;
    if (!list.empty()) list += between;
    const std::string name{to_text(tactor::drop_reason{static_cast<std::uint8_t>(i)})};
    list += text(form, name.c_str(), number(count));
  }
  return list;
}

std::string numbers(const std::vector<unsigned>& all) {
  std::string list;
  for (const unsigned each : all)
    list += (list.empty() ? "" : ", ") + std::to_string(each);
  return list;
}

unsigned threads_of(const findings& end, std::string_view kind) {
  const auto entry = std::ranges::find(end.threads, kind, &thread_load::kind);
  return entry == end.threads.end() ? 0 : entry->threads;
}

}  // namespace

std::string shown(const journal_line& line) {
  const std::string once = text("%7.2f s  ", line.seconds) + line.what;
  return line.times == 1 ? once : once + text(" (%llu times)", number(line.times));
}

std::string in_words(const findings& end) {
  const accounts& sums = end.sums;
  std::string all;
  all +=
      text("stored %llu readings of %u devices; devices lost: %u, silences: %llu\n",
           number(readings_of(end)), devices, end.done.devices_lost, number(end.counts.timed_out));
  all += text("parsers: %llu restarts, %llu replaced; store: %llu services\n",
              number(end.runtime.restarts), number(end.parsers_replaced()),
              number(end.counts.services));
  all += text("fleet: %u beacons, %llu heartbeats, %llu silences until a timeout,\n"
              "       %llu suspensions of beacons because the fleet's mailbox was full\n",
              end.beacons, number(end.heartbeats), number(end.counts.beacons_woken),
              number(end.heard.pushed_back));
  all += text(
      "alarms: %llu, %llu paged, %llu dropped; %llu reports; %llu faults and changes by hand\n",
      number(end.heard.alarms), number(end.counts.pages), number(end.heard.alarms_lost),
      number(end.heard.reports), number(end.heard.interventions));
  if (!end.input.empty())
    all += text("tcp: %llu lines from %llu clients, %llu of them bad\n", number(end.counts.lines),
                number(end.counts.clients), number(end.counts.bad_lines));
  all += text("journal: %llu lines, digest %016llx\n", number(end.heard.lines),
              number(end.heard.digest));
  all +=
      text("sent     %8llu = %llu by actors + %llu by timers + %llu events\n", number(sums.sent()),
           number(sums.by_actors), number(sums.by_timers), number(sums.events));
  all += text("         %8llu = %llu handled + %llu failed + %llu dead letters   %s\n",
              number(sums.done()), number(sums.handled), number(sums.failed),
              number(sums.dead_letters), sums.balanced() ? "nothing is missing" : "DIFFERS");
  all += "dead letters: " + reasons(end, "%s %llu", ", ") + "\n";
  if (end.shutdown) {
    all += text("shutdown: %s after %.1f ms\n",
                end.shutdown->complete ? "all actors had ended" : "SOME WERE LATE",
                static_cast<double>(end.shutdown->took.nanoseconds()) / 1e6);
  }
  for (const char* const each : end.broken())
    all += text("BROKEN: %s\n", each);
  return all;
}

std::string in_json(const findings& end, const options& wanted) {
  const accounts& sums = end.sums;
  std::string all =
      text(R"({"mode": "%s", "seed": %llu, "seconds": %.3f, )",
           wanted.simulated ? "simulation" : "threads", number(wanted.seed), end.seconds);
  all += text(R"("sent": {"actors": %llu, "timers": %llu, "events": %llu}, )",
              number(sums.by_actors), number(sums.by_timers), number(sums.events));
  all += text(R"("handled": %llu, "failed": %llu, "dead_letters": {)", number(sums.handled),
              number(sums.failed));
  all += reasons(end, R"("%s": %llu)", ", ") + "}, ";
  all += text(R"("readings": %llu, "devices_lost": %u, )", number(readings_of(end)),
              end.done.devices_lost);
  all += R"("parsers_made": [)" + numbers(end.done.parsers_made) + "], ";
  all += text(R"("restarts": %llu, "suspensions": %llu, "resumes": %llu, "services": %llu, )",
              number(end.runtime.restarts), number(end.runtime.suspensions),
              number(end.runtime.resumes), number(end.counts.services));
  all += text(R"("silences": {"begun": %llu, "timed_out": %llu, "cut_off": %llu}, )",
              number(end.counts.fell_silent), number(end.counts.timed_out),
              number(end.counts.stopped_silent));
  all += text(R"("fleet": {"beacons": %u, "heartbeats": %llu, "pushed_back": %llu, )", end.beacons,
              number(end.heartbeats), number(end.heard.pushed_back));
  all += text(R"("silent": %llu, "woken": %llu, "cut_off": %llu}, )",
              number(end.counts.beacons_silent), number(end.counts.beacons_woken),
              number(end.counts.beacons_stopped_silent));
  all += text(R"("deadlines": %llu, )", number(end.counts.deadlines));
  if (!end.input.empty())
    all += text(R"("tcp": {"clients": %llu, "lines": %llu, "bad": %llu}, )",
                number(end.counts.clients), number(end.counts.lines), number(end.counts.bad_lines));
  all += text(
      R"("pages": %llu, "alarms_lost": %llu, "limited": %llu, "reports": %llu, "interventions": %llu, )",
      number(end.counts.pages), number(end.heard.alarms_lost), number(end.heard.limited),
      number(end.heard.reports), number(end.heard.interventions));
  all += text(R"("alarms": %llu, "journal": {"lines": %llu, "digest": "%016llx"}, )",
              number(end.heard.alarms), number(end.heard.lines), number(end.heard.digest));
  if (end.shutdown) {
    all += text(R"("workers": %u, "shutdown": {"complete": %s, "left": %zu, "took_ms": %.3f}, )",
                threads_of(end, "worker"), end.shutdown->complete ? "true" : "false",
                end.shutdown->left, static_cast<double>(end.shutdown->took.nanoseconds()) / 1e6);
  }
  std::string broken;
  for (const char* const each : end.broken())
    broken += text(R"(%s"%s")", broken.empty() ? "" : ", ", each);
  all += R"("broken": [)" + broken + "], ";
  all += text(R"("balanced": %s, "sound": %s})", sums.balanced() ? "true" : "false",
              end.sound() ? "true" : "false");
  return all;
}

}  // namespace showcase
