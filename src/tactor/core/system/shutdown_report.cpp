// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/shutdown_report.hpp"

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/actor_view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

namespace {

/// A field of the log; it is not written if the number is 0.
log_field field_of(std::string_view name, std::uint64_t number) noexcept {
  return number == 0 ? log_field{name, ""} : log_field{name, number};
}

}  // namespace

message_balance report_messages(system_core& system, reporter_of_shutdown& by) noexcept {
  message_balance all;
  for (std::size_t why = 0; why != drop_reasons; ++why)
    all.lost[why] = by.counts[why].load(relaxed);  // relaxed: who counted is in order before
  if (system.hub().level() != metrics_level::off)
    all.waiting = system.metrics_without_timers().waiting();
  const std::uint64_t lost = all.all_lost();
  const std::uint64_t waiting = all.waiting.value_or(0);
  if (lost == 0 && waiting == 0) return all;
  const auto write = [&]<std::uint8_t... Reason>(std::integer_sequence<std::uint8_t, Reason...>) {
    by.out.lost_messages(std::array{field_of("lost", lost), field_of("waiting", waiting),
                                    field_of(to_text(drop_reason{Reason}), all.lost[Reason])...});
  };
  write(std::make_integer_sequence<std::uint8_t, drop_reasons>{});
  return all;
}

void report_suspended(system_core& system, shutdown_report& into) noexcept {
  std::array<mailbox_index, shutdown_report::most_late> found{};
  const std::size_t count = find_suspended_in_order(system, found);
  report_suspended(system, std::span{found}.first(count), into);
}

void report_suspended(system_core& system, std::span<const mailbox_index> suspended,
                      shutdown_report& into) noexcept {
  for (const mailbox_index& each : suspended) {
    late_actor who{.path = {}, .message_type = {}, .busy = {}, .suspended = true};
    system.write_path(who.path, each);
    if (system.reports != nullptr) system.reporting()->still_suspended(who.path.view());
    into.add(who);
  }
}

void run_close_tasks(system_core& system, std::uint64_t until_ns, shutdown_report& into) noexcept {
  constexpr std::chrono::milliseconds at_least{100};
  scheduler& timers = system.timers();
  until_ns = std::max(until_ns, later(system.now_ns(), at_least));
  while (auto next = timers.next_close_task()) {
    const bool fine = next->run().has_value();
    const std::uint64_t now_ns = system.now_ns();
    const bool late = now_ns > until_ns;
    ++(late ? into.tasks_late : fine ? into.tasks_run : into.tasks_failed);
    if (late) until_ns = later(now_ns, at_least);
    if (late || !fine) timers.report_failed(*next);
  }
}

}  // namespace tactor::inline v0::internal
