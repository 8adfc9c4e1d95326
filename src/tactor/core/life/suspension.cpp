// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/suspension.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/core/timing/deadline.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace internal {

bool early_signals::add(signal_key key) noexcept {
  const auto end = keys.begin() + count;
  if (std::find(keys.begin(), end, key) != end) return true;
  if (count < most) {
    keys[count++] = key;
    return true;
  }
  std::move(keys.begin() + 1, keys.end(), keys.begin());
  keys.back() = key;
  return false;
}

bool early_signals::take(signal_key key) noexcept {
  const auto end = keys.begin() + count;
  const auto found = std::find(keys.begin(), end, key);
  if (found == end) return false;
  std::move(found + 1, end, found);
  --count;
  return true;
}

suspension* suspension_of(thread_record& here, cell& c) noexcept {
  actor_parts* const parts = parts_of(here, c);
  if (parts == nullptr) return nullptr;
  if (parts->suspension == nullptr) parts->suspension = new_record<suspension>(here);
  return parts->suspension;
}

namespace {

suspension* suspension_or_null(const cell& c) noexcept {
  return c.extended ? c.parts->suspension : nullptr;
}

deadline_of deadline_for(suspend_reason reason) noexcept {
  switch (reason) {
  case suspend_reason::await_external:
    return deadline_of::await_external;
  case suspend_reason::rate_limit:
    return deadline_of::rate_limit;
  case suspend_reason::failure:
  case suspend_reason::backpressure:
  case suspend_reason::user_defined:
    break;
  }
  return deadline_of::user_defined;
}

/// Counts how long the suspension was that has just ended.
void count_length(worker_counters& to, duration length) noexcept {
  const auto ns = static_cast<std::uint64_t>(length.nanoseconds());
  to.suspended_ns.add(ns);
  if (turn_times* const measured = times_of(&to)) measured->suspended.record(ns);
}
/// Counts how long the resume took.
void count_latency(worker_counters& to, duration latency) noexcept {
  to.resumes_timed.add(1);
  const auto ns = static_cast<std::uint64_t>(latency.nanoseconds());
  to.resume_latency_ns.add(ns);
  if (turn_times* const measured = times_of(&to)) measured->resume_latency.record(ns);
}

/// Tells counters and services that it is suspended since `now_ns`. `record` null: no memory, times
/// are not counted.
void report_suspended(const turn_context& in, suspension* record, std::uint64_t now_ns) noexcept {
  if (record != nullptr) record->times.begin(now_ns);
  if (in.thread.counters != nullptr) in.thread.counters->suspensions.add(1);
  if (in.system.reports != nullptr) in.system.reports->suspended(in.actor);
}
/// Records and reports that the actor runs again, since `now_ns`. Inlined where a coroutine
/// resumes, which is not requested.
[[gnu::always_inline]] inline void report_resumed(const turn_context& in, suspension* record,
                                                  std::uint64_t now_ns,
                                                  std::uint64_t asked_ns) noexcept {
  cell& c = in.actor;
  std::optional<duration> after;
  if (record != nullptr) {
    after = record->times.end(now_ns, asked_ns == 0 ? std::nullopt : std::optional{asked_ns});
    if (in.thread.counters != nullptr && after) count_length(*in.thread.counters, *after);
    if (in.thread.counters != nullptr && asked_ns != 0)
      count_latency(*in.thread.counters, *record->times.latency());
  }
  c.oldest_mail.forget_seen();
  if (in.thread.counters != nullptr) in.thread.counters->resumes.add(1);
  if (c.wanted.has_receive_timeout) program_features().receive_timeouts->go_on(in.system, c);
  if (in.system.reports != nullptr) in.system.reports->resumed(c, after);
}

/// The result of arming a condition.
enum class armed : std::uint8_t { waits, holds, failed };

}  // namespace

/// A suspended actor that waits for capacity. The payload of a `capacity_available`.
struct capacity_wait : waiting_actor {
  static constexpr const char* type_name = "capacity available";

  std::uint32_t ticket = 0;
  suspend_reason reason = suspend_reason::user_defined;
};

namespace {

armed wait_for_capacity(thread_record& here, cell& c, const actor_ref<>& mailbox,
                        suspend_reason reason, suspension::condition& condition) noexcept {
  if (mailbox.slot() == nullptr) return armed::holds;
  auto* const waiting = new_waiting_actor<capacity_wait>(here, c, mailbox);
  if (waiting == nullptr) return armed::failed;
  waiting->ticket = condition.ticket;
  waiting->reason = reason;
  waiting_producers::notified others;
  const auto result = program_memory.producers.enqueue(*waiting, others);
  notify_capacity(std::move(others));
  if (result == waiting_producers::enqueued::waits) {
    condition.waiting = waiting;
    return armed::waits;
  }
  discard_envelope(here, *waiting->news);
  return result == waiting_producers::enqueued::has_capacity ? armed::holds : armed::failed;
}

void cancel_wait(thread_record& here, suspension::condition& condition) noexcept {
  capacity_wait* const waiting = std::exchange(condition.waiting, nullptr);
  if (waiting == nullptr) return;
  waiting_producers::notified others;
  // Otherwise the notification is under way, and ends when it is taken.
  if (program_memory.producers.cancel(*waiting, others)) discard_envelope(here, *waiting->news);
  notify_capacity(std::move(others));
}

void forget_condition(thread_record& here, cell& c, suspend_reason reason) noexcept {
  suspension* const record = suspension_or_null(c);
  if (record == nullptr) return;
  suspension::condition& condition = record->of(reason);
  if (condition.kind == resume_on::after)
    c.parts->deadlines.cancel_with_timer(deadline_for(reason));
  cancel_wait(here, condition);
  condition = {};
}

armed arm(const turn_context& in, suspend_reason reason, const resume_condition& until) noexcept {
  cell& c = in.actor;
  suspension* const record = suspension_of(in.thread, c);
  if (record == nullptr) return until.kind == resume_on::resume ? armed::waits : armed::failed;
  suspension::condition& condition = record->of(reason);
  condition = {.key = until.key, .ticket = ++record->tickets, .kind = until.kind};
  switch (until.kind) {
  case resume_on::after: {
    const std::uint64_t now_ns = in.system.now_ns();
    condition.due_ns = later(now_ns, until.delay);
    const bool set =
        c.parts->deadlines.set(in.system, c, deadline_for(reason), condition.due_ns, now_ns);
    return set ? armed::waits : armed::failed;
  }
  case resume_on::signal:
    return record->early != nullptr && record->early->take(until.key) ? armed::holds : armed::waits;
  case resume_on::capacity:
    return wait_for_capacity(in.thread, c, until.mailbox, reason, condition);
  case resume_on::resume:
    break;
  }
  return armed::waits;
}

}  // namespace

void set_reasons(const turn_context& in, suspend_reasons now, std::uint64_t asked_ns) noexcept {
  cell& c = in.actor;
  c.reasons = now;
  if (now.has_more_than_failure()) pause_receive_timeout(c);
  if (c.box.peek().suspended() != now.empty()) return;
  suspension* const record = suspension_of(in.thread, c);
  if (!now.empty()) {
    c.reader.suspend(c.box);
    return report_suspended(in, record, in.system.now_ns());
  }
  c.reader.resume(c.box);
  report_resumed(in, record, record == nullptr ? 0 : in.system.now_ns(), asked_ns);
}

std::expected<void, suspend_error> check_suspension(const scheduler* timers, const actor_ref<>& who,
                                                    suspend_reason reason,
                                                    const resume_condition& until) noexcept {
  if (is_of_runtime(reason)) return std::unexpected{suspend_error::runtime_reason};
  if (until.kind == resume_on::capacity && until.mailbox == who)
    return std::unexpected{suspend_error::own_mailbox};
  if (until.kind != resume_on::after) return {};
  const bool too_short = until.delay <= duration{};
  const bool fits =
      timers == nullptr ||
      deadline_after(timer_instant{}, until.delay, timers->config().timing.resolution).has_value();
  if (too_short || !fits) return std::unexpected{suspend_error::invalid_delay};
  return {};
}

std::expected<void, suspend_error> suspend(const turn_context& in, suspend_reason reason,
                                           const resume_condition& until) noexcept {
  cell& c = in.actor;
  const scheduler* const timers = until.kind == resume_on::after ? &in.system.timers() : nullptr;
  if (const auto sound = check_suspension(timers, {&c, c.tenant}, reason, until); !sound)
    return sound;
  if (program_features().suspension == nullptr) return std::unexpected{suspend_error::no_memory};
  forget_condition(in.thread, c, reason);
  const armed result = arm(in, reason, until);
  if (result == armed::failed) {
    forget_condition(in.thread, c,
                     reason);  // if the actor was suspended for it, only a resume ends that
    return std::unexpected{suspend_error::no_timer};
  }
  suspend_for(in, reason);
  if (result == armed::holds) resume(in, reason, 0);
  return {};
}

bool defer_until_no_task(const cell& c, void (*then)(void* object) noexcept) noexcept {
  actor_tasks* const tasks = tasks_of(c);
  if (tasks == nullptr || tasks->count == 0) return false;
  tasks->when_over = then;
  return true;
}

void suspend_for_await(const turn_context& in, std::uint64_t now_ns) noexcept {
  cell& c = in.actor;
  if (c.reasons.empty()) {
    c.reader.suspend(c.box);
    return begin_await(in, now_ns);
  }
  c.reasons.add(suspend_reason::await_external);
  pause_receive_timeout(c);
}

void begin_await(const turn_context& in, std::uint64_t now_ns) noexcept {
  cell& c = in.actor;
  c.reasons.add(suspend_reason::await_external);
  pause_receive_timeout(c);
  report_suspended(in, c.parts->suspension, now_ns == 0 ? in.system.now_ns() : now_ns);
}

void end_await(const turn_context& in) noexcept {
  in.actor.reasons.remove(suspend_reason::await_external);
  report_resumed(in, in.actor.parts->suspension, in.system.stamp_ns(), 0);
}

void resume(const turn_context& in, suspend_reason reason, std::uint64_t asked_ns) noexcept {
  cell& c = in.actor;
  forget_condition(in.thread, c, reason);
  const actor_tasks* const tasks = tasks_of(c);
  // Only what its coroutine awaits lets it go on.
  if (reason == suspend_reason::await_external && tasks != nullptr && tasks->waits) return;
  end_suspension(in, reason, asked_ns);
}

void resume_in_time(const turn_context& in, suspend_reason reason) noexcept {
  resume(in, reason, in.actor.parts->suspension->of(reason).due_ns);
}

suspended_for first_reason_of(const cell& c) noexcept {
  const suspend_reason first = c.reasons.first();
  suspension* const record = suspension_or_null(c);
  if (record == nullptr || first == suspend_reason::failure) return {first, resume_on::resume};
  if (first == suspend_reason::backpressure) return {first, resume_on::capacity};
  return {first, record->of(first).kind};
}

void cancel_capacity_waits(thread_record& here, cell& c) noexcept {
  suspension* const record = suspension_or_null(c);
  if (record == nullptr) return;
  for (suspension::condition& each : record->conditions)
    cancel_wait(here, each);
}

void take_capacity_available(const turn_context& in, envelope& e) noexcept {
  const auto& told = *static_cast<const capacity_wait*>(payload_of(e));
  suspension* const record = suspension_or_null(in.actor);
  const suspension::condition* const condition =
      record == nullptr ? nullptr : &record->of(told.reason);
  if (condition == nullptr || condition->kind != resume_on::capacity ||
      condition->ticket != told.ticket)
    return give_back_capacity(in.thread, told);
  resume(in, told.reason, 0);
  e.next.set(in.thread.capacity_used);
  in.thread.capacity_used = &e;
}

// Commands that other actors and threads post: suspend, resume, signal. A signal that nothing
// awaits yet is kept.

namespace {

/// Requires: it is counted.
std::expected<void, suspend_error> post_command(const actor_ref<>& to,
                                                const suspension_command& what) noexcept {
  thread_record& here = this_thread();
  envelope* const e = new_envelope<suspension_command>(here);
  if (e == nullptr) return std::unexpected{suspend_error::no_memory};
  ::new (payload_of(*e)) suspension_command(what);
  e->from = here.sender;
  if (post_system_message(*to.slot(), to.generation(), *e, system_message_kind::suspension_command))
    return {};
  discard_envelope(here, *e);
  return std::unexpected{suspend_error::gone};
}

/// Calls `each` for every reason that users may give, with its condition.
template <class Each>
void for_each_condition(suspension& record, Each each) noexcept {
  for (const suspend_reason reason :
       {suspend_reason::await_external, suspend_reason::rate_limit, suspend_reason::user_defined})
    each(reason, record.of(reason));
}

}  // namespace

std::expected<void, suspend_error> post_suspension_command(const actor_ref<>& to,
                                                           const suspension_command& what,
                                                           const scheduler* timers) noexcept {
  const bool about_reason = what.what != suspension_command::kind::signal;
  if (about_reason) {
    const auto sound = check_suspension(timers, to, what.reason, what.until);
    if (!sound) return sound;
  }
  if (!to || to.slot()->generation() != to.generation())
    return std::unexpected{suspend_error::gone};
  if (program_features().suspension == nullptr) return std::unexpected{suspend_error::no_memory};
  port::atomic<std::uint16_t>& waiting = to.slot()->commands_waiting;
  const bool resumes = what.what == suspension_command::kind::resume;
  const std::uint32_t places = resumes ? 2 * most_commands : most_commands;
  const bool fits = waiting.fetch_add(1, relaxed) < places;  // relaxed: a number
  const std::expected<void, suspend_error> posted =
      fits ? post_command(to, what) : std::unexpected{suspend_error::full};
  if (!posted) waiting.fetch_sub(1, relaxed);  // relaxed: a number
  return posted;
}

void apply_suspension_command(const turn_context& in, const suspension_command& what) noexcept {
  switch (what.what) {
  case suspension_command::kind::suspend:
    if (const auto done = suspend(in, what.reason, what.until); !done)
      in.system.misused(in.actor, to_text(done.error()));
    return;
  case suspension_command::kind::resume:
    return resume(in, what.reason, what.asked_ns);
  case suspension_command::kind::signal:
    break;
  }
  suspension* const record = suspension_of(in.thread, in.actor);
  if (record == nullptr) return;
  bool awaited = false;
  for_each_condition(*record, [&](suspend_reason reason, const suspension::condition& until) {
    if (until.kind != resume_on::signal || until.key != what.key) return;
    awaited = true;
    resume(in, reason, what.asked_ns);
  });
  if (record->tasks != nullptr && record->tasks->take_signal(in, what.key, what.asked_ns)) return;
  if (awaited) return;
  if (record->early == nullptr) record->early = new_record<early_signals>(in.thread);
  if (record->early == nullptr || !record->early->add(what.key)) record->times.forget_signal();
}

namespace {

/// Ends the notification `e`: the actor has used the capacity, or others may.
void give_back_notification(thread_record& here, envelope& e) noexcept {
  give_back_capacity(here, *static_cast<const capacity_wait*>(payload_of(e)));
}

/// Ends all notifications that this thread keeps until the end of a turn.
void give_back_used_capacity(thread_record& here) noexcept {
  while (envelope* const e = here.capacity_used) {
    here.capacity_used = e->next.get();
    give_back_notification(here, *e);
  }
}

}  // namespace

const suspension_functions suspension_feature{.apply = apply_suspension_command,
                                              .resume_in_time = resume_in_time,
                                              .take_capacity = take_capacity_available,
                                              .give_back_capacity = give_back_notification,
                                              .give_back_used_capacity = give_back_used_capacity,
                                              .end = cancel_capacity_waits};

}  // namespace internal

std::expected<void, suspend_error> notify_resume(mailbox_index who, suspend_reason reason,
                                                 std::uint64_t asked_ns) noexcept {
  return internal::post_suspension_command(
      {program_memory.cells.find(who), who.generation},
      {.what = internal::suspension_command::kind::resume, .reason = reason, .asked_ns = asked_ns});
}

}  // namespace tactor::inline v0
