// SPDX-License-Identifier: BSL-1.0
// Commands that other actors and threads post: suspend, resume, signal. A signal that nothing
// awaits yet is kept.
#include "tactor/core/cell/system_message_kind.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <algorithm>
#include <new>

namespace tactor::inline v0 {

using namespace internal;

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

std::expected<void, suspend_error> notify_resume(mailbox_index who, suspend_reason reason,
                                                 std::uint64_t asked_ns) noexcept {
  return internal::post_suspension_command(
      {program_memory.cells.find(who), who.generation},
      {.what = internal::suspension_command::kind::resume, .reason = reason, .asked_ns = asked_ns});
}

namespace internal {

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
  if (linked().suspension == nullptr) return std::unexpected{suspend_error::no_memory};
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

const suspension_functions suspension_feature{.apply = apply_suspension_command,
                                              .resume_in_time = resume_in_time,
                                              .take_capacity = take_capacity_available,
                                              .give_back_capacity = give_back_capacity,
                                              .give_back_used_capacity = give_back_used_capacity,
                                              .end = cancel_capacity_waits};

}  // namespace internal
}  // namespace tactor::inline v0
