// SPDX-License-Identifier: BSL-1.0
// Events, metrics, the log and names: there is nothing of these. See absent_features.hpp.
#include "tactor/bare/absent_features.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/delivery/lost_messages.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/dispatch/worker_executor.hpp"
#include "tactor/core/system/naming/name_table.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0 {

// Metrics: nothing is counted.
TACTOR_ABSENT loop_counts* internal::counts_of_board() noexcept {
  return nullptr;
}

// Events: there are no subscriptions.
TACTOR_ABSENT std::size_t event_stream::remove(const type_identity*, const actor_ref<>&) noexcept {
  return 0;
}
TACTOR_ABSENT std::size_t event_stream::publish(const type_identity&, const void*,
                                                deliver_function) {
  return 0;
}

namespace internal {

namespace {
alignas(event_stream) constexpr std::byte no_events[sizeof(event_stream)] = {};
}  // namespace
TACTOR_ABSENT event_stream& events_of_board() noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): never written, since nothing subscribes
  return *reinterpret_cast<event_stream*>(const_cast<std::byte*>(no_events));
}

// Metrics: nothing is counted.
TACTOR_ABSENT worker_counters* system_core::board_counters() noexcept {
  return nullptr;
}
TACTOR_ABSENT void system_core::start_metrics(const system_config&) noexcept {}
TACTOR_ABSENT void system_core::count_started() noexcept {}
TACTOR_ABSENT void system_core::count_loop(std::uint32_t, std::int32_t) noexcept {}

// Dead letters: nothing counts or reports them.
TACTOR_ABSENT void system_core::dead_letter(const lost_message&) noexcept {}
TACTOR_ABSENT void report_lost(thread_record&, cell*, const lost_message&) noexcept {}
TACTOR_ABSENT void report_lost(thread_record&, cell*, envelope&, drop_reason) noexcept {}
TACTOR_ABSENT void report_unhandled(system_services&, const cell&, envelope&) noexcept {}
TACTOR_ABSENT void report_unsent(thread_record&, cell*, std::uint32_t, const message_operations&,
                                 drop_reason) noexcept {}
TACTOR_ABSENT tell_result dead_letter_no_memory(thread_record&, cell* to, std::uint32_t generation,
                                                const message_operations&) noexcept {
  return result_without_memory(to, generation);
}
TACTOR_ABSENT tell_result refuse_on_board(cell* to, std::uint32_t generation,
                                          const message_operations&) noexcept {
  return result_without_memory(to, generation);
}
TACTOR_ABSENT void count_refused(const cell*, drop_reason) noexcept {}

// The log, and events of the runtime: there is neither.
TACTOR_ABSENT void system_core::start_reports(const system_config&,
                                              std::span<scheduler_event>) noexcept {}
TACTOR_ABSENT void system_core::flush_log() noexcept {}
TACTOR_ABSENT void system_core::report_timer_warnings() noexcept {}
TACTOR_ABSENT void system_core::report_refusal(const spawn_request&, const cell*,
                                               spawn_error) noexcept {}
TACTOR_ABSENT void system_core::report_other_name(const cell&, const name_changed&) noexcept {}
TACTOR_ABSENT void system_core::report_dead_letter(const lost_message&, drop_reason) noexcept {}
TACTOR_ABSENT void system_core::report_pressure(const actor_ref<>&, std::uint32_t) noexcept {}
TACTOR_ABSENT void system_core::report_failure(cell&, const message_operations*, const failure&,
                                               const verdict&) noexcept {}
TACTOR_ABSENT void system_core::report_cause(cell&, const message_operations*,
                                             const failure&) noexcept {}
TACTOR_ABSENT void system_core::report_restart(cell&) noexcept {}
TACTOR_ABSENT void system_core::system_reserve_used_up(const actor_ref<>&) noexcept {}
TACTOR_ABSENT void system_core::backpressure_circle(const wait_circle&) noexcept {}
TACTOR_ABSENT void system_core::suspended(cell&) noexcept {}
TACTOR_ABSENT void system_core::resumed(cell&, std::optional<duration>) noexcept {}
TACTOR_ABSENT void system_core::misused(cell&, const char*) noexcept {}
TACTOR_ABSENT void system_core::log(const cell&, log_level, std::string_view) noexcept {}

// Names: no actor has one.
TACTOR_ABSENT void system_core::start_names() noexcept {}
TACTOR_ABSENT void system_core::erase_name(cell&) noexcept {}
TACTOR_ABSENT std::expected<void, spawn_error> system_core::give_name(const spawn_request& wanted,
                                                                      cell&) noexcept {
  if (wanted.options.name.empty()) return {};
  return std::unexpected{spawn_error::no_memory};
}
TACTOR_ABSENT actor_ref<> system_core::find(std::string_view,
                                            std::span<const message_operations* const>) noexcept {
  return {};
}
TACTOR_ABSENT void system_core::write_path(event_text&, const cell&) const noexcept {}

}  // namespace internal

namespace bare::internal {
void absent_reports() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
