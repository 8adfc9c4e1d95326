// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/health.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/host/metrics/metrics_history.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tactor::inline v0 {
namespace {

std::uint64_t grown(std::uint64_t before, std::uint64_t after) noexcept {
  return after > before ? after - before : 0;
}

std::string in_ms(std::uint64_t ns) {
  return std::to_string(ns / 1'000'000) + " ms";
}
/// The time between two reports: what was counted in it is much or little. A report without a time
/// is that of the start.
std::string time_between(const metrics_report& before, const metrics_report& after) {
  if (before.time_ns == 0) return " since the start";
  const std::uint64_t tenths = grown(before.time_ns, after.time_ns) / 100'000'000;
  return " in " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

void check_flow(const metrics_report& before, const metrics_report& after,
                const health_limits& limits, std::vector<health_warning>& found) {
  const std::uint64_t was = before.sums.waiting();
  const std::uint64_t is = after.sums.waiting();
  if (grown(was, is) > limits.backlog_growth)
    found.push_back({.what = health_problem::growing_backlog,
                     .evidence = std::to_string(was) + " messages waited, now " +
                                 std::to_string(is) + ": more" + time_between(before, after),
                     .advice =
                         "give the mailboxes of slow actors a capacity, with block_producer or "
                         "a strategy that drops; level `actor` shows which they are"});
}

void check_times(const metrics_point& between, const health_limits& limits,
                 std::vector<health_warning>& found) {
  if (between.latency_p99_ns > limits.latency_p99_ns)
    found.push_back({.what = health_problem::old_messages,
                     .evidence = "one message in a hundred waited " +
                                 in_ms(between.latency_p99_ns) + " or longer",
                     .advice =
                         "if all workers are busy, use more of them; otherwise divide the work "
                         "of the slow actor, for example behind a router"});
  if (between.duration_p99_ns > limits.handler_p99_ns)
    found.push_back({.what = health_problem::slow_handlers,
                     .evidence = "one handler in a hundred took " + in_ms(between.duration_p99_ns) +
                                 " or longer",
                     .advice = "spawn actors that wait for something with dispatcher::blocking, or "
                               "make their handlers coroutines"});
}

void check_failures(const metrics_report& before, const metrics_report& after,
                    const health_limits& limits, std::vector<health_warning>& found) {
  const std::uint64_t restarts = grown(before.sums.restarts, after.sums.restarts);
  if (restarts > limits.restarts)
    found.push_back(
        {.what = health_problem::restart_storm,
         .evidence = std::to_string(restarts) + " restarts" + time_between(before, after),
         .advice = "a restart does not help: use fewer restarts or a longer delay, or "
                   "escalate; the newest failures say why"});
  for (std::size_t i = 0; i < drop_reasons; ++i) {
    const auto reason = static_cast<drop_reason>(i);
    const std::uint64_t lost = grown(before.sums.dead_letters[i], after.sums.dead_letters[i]);
    if (lost <= limits.dead_letters || is_routine(reason)) continue;
    found.push_back({.what = health_problem::hot_dead_letter,
                     .evidence = std::to_string(lost) + " messages were not handled" +
                                 time_between(before, after) + ": " + std::string{to_text(reason)},
                     .advice =
                         "the newest dead letters name receivers and types; watch actors that "
                         "may end, and look at what tell returns",
                     .reason = reason});
  }
}

void check_rest(const metrics_report& after, const health_limits& limits,
                std::vector<health_warning>& found) {
  if (after.sums.timers.drift_last_ns > limits.timer_drift_ns)
    found.push_back(
        {.what = health_problem::late_timers,
         .evidence = "the last timer fired " + in_ms(after.sums.timers.drift_last_ns) + " late",
         .advice = "callables of timers must be short; the machine may be overloaded"});
  for (const actor_report& each : after.actors) {
    if (each.waiting.value_or(0) <= limits.waiting) continue;
    found.push_back({.what = health_problem::full_mailbox,
                     .evidence = std::to_string(*each.waiting) + " messages wait for " + each.label,
                     .advice = "divide its work, or let its senders wait with block_producer"});
  }
}

void check_oldest(const metrics_report& after, const health_limits& limits,
                  std::vector<health_warning>& found) {
  const auto is_old = [&](const actor_backlog& each) { return each.oldest_ns > limits.oldest_ns; };
  const auto old = std::ranges::count_if(after.backlogs, is_old);
  if (old == 0) return;
  const actor_backlog& worst =
      *std::ranges::max_element(after.backlogs, {}, &actor_backlog::oldest_ns);
  std::string evidence =
      "a message to " + worst.path + " waits for at least " + in_ms(worst.oldest_ns);
  if (old > 1) evidence += "; " + std::to_string(old - 1) + " other actors have one";
  found.push_back({.what = health_problem::old_messages,
                   .evidence = std::move(evidence),
                   .advice =
                       "look at the actor's state: it is suspended, its handler does not end, or "
                       "it cannot keep up; then resume it, or divide its work"});
}

/// Returns true if it is the same message: a worker that has gone on is in another turn, or at
/// another message.
bool is_same(const running_handler& a, const running_handler& b) noexcept {
  return a.worker == b.worker && a.turn == b.turn && a.actor == b.actor && a.message == b.message;
}

void check_stuck(const metrics_report& before, const metrics_report& after,
                 const health_limits& limits, std::vector<health_warning>& found) {
  const std::uint64_t between_ns = grown(before.time_ns, after.time_ns);
  if (between_ns <= limits.stuck_ns) return;
  for (const running_handler& each : after.handling) {
    const auto same = [&](const running_handler& other) { return is_same(each, other); };
    if (!each.on_pool || std::ranges::none_of(before.handling, same)) continue;
    found.push_back({.what = health_problem::stuck_handler,
                     .evidence = each.actor + " has handled " + std::string{each.message} +
                                 " for at least " + in_ms(between_ns),
                     .advice = "spawn the actor with dispatcher::blocking, or let it do less at a "
                               "time; the other actors of the pool have a worker less"});
  }
}

void check_waits(const metrics_report& before, const metrics_report& after,
                 const health_limits& limits, std::vector<health_warning>& found) {
  for (const suspended_actor& each : after.suspended_actors) {
    const std::uint64_t ns = grown(each.since_ns, after.time_ns);
    if (ns <= limits.suspended_ns) continue;
    found.push_back(
        {.what = health_problem::suspended_long,
         .evidence = each.path + " is suspended for " + in_ms(ns) + ": " + each.reasons,
         .advice = "resume or stop it, or suspend with a condition that ends by itself"});
  }
  const std::uint64_t refused = grown(before.sums.dead_letters_for(drop_reason::would_deadlock),
                                      after.sums.dead_letters_for(drop_reason::would_deadlock));
  if (refused != 0)
    found.push_back({.what = health_problem::backpressure_cycle,
                     .evidence = std::to_string(refused) +
                                 " messages were refused: their senders would have waited for "
                                 "mailboxes whose actors wait for the senders",
                     .advice = "the log names the cycle; give one of its mailboxes another "
                               "strategy than block_producer, or no capacity"});
}

}  // namespace

std::string_view to_text(health_problem problem) noexcept {
  switch (problem) {
  case health_problem::growing_backlog:
    return "growing_backlog";
  case health_problem::old_messages:
    return "old_messages";
  case health_problem::slow_handlers:
    return "slow_handlers";
  case health_problem::restart_storm:
    return "restart_storm";
  case health_problem::hot_dead_letter:
    return "hot_dead_letter";
  case health_problem::late_timers:
    return "late_timers";
  case health_problem::full_mailbox:
    return "full_mailbox";
  case health_problem::stuck_handler:
    return "stuck_handler";
  case health_problem::suspended_long:
    return "suspended_long";
  case health_problem::backpressure_cycle:
    break;
  }
  return "backpressure_cycle";
}

std::vector<health_warning> find_warnings(const metrics_report& before, const metrics_report& after,
                                          const health_limits& limits) {
  std::vector<health_warning> found;
  check_flow(before, after, limits, found);
  check_times(internal::point_between(before, after), limits, found);
  check_failures(before, after, limits, found);
  check_oldest(after, limits, found);
  check_rest(after, limits, found);
  check_stuck(before, after, limits, found);
  check_waits(before, after, limits, found);
  return found;
}

}  // namespace tactor::inline v0
