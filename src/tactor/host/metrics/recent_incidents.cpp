// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/recent_incidents.hpp"

#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0::internal {

void recent_incidents::add(system_core& of, const dead_letter& lost) noexcept {
  dead_letters_.add([&](recent_dead_letter& entry) {
    // The target of an answer is a slot without a name.
    const bool has_target = lost.reason != drop_reason::late_answer;
    entry = {.time_ns = of.now_ns(),
             .reason = lost.reason,
             .message_type = lost.message_type,
             .target = has_target ? lost.target.index() : mailbox_index{},
             .sender = lost.sender.index()};
    entry.target_path = of.path_for_log(entry.target);
    entry.sender_path = of.path_for_log(entry.sender);
  });
}

void recent_incidents::add(std::uint64_t now_ns, const actor_failed& event) noexcept {
  failures_.add([&](recent_failure& entry) { entry = {.time_ns = now_ns, .event = event}; });
}

void recent_incidents::count_restarts(mailbox_index who, std::uint32_t restarts) noexcept {
  const std::scoped_lock lock{mutex_};
  if (restarted_ == nullptr)
    restarted_.reset(new (std::nothrow) std::array<restarted_actor, places>{});
  if (restarted_ == nullptr) {
    forgot_some_ = true;
    return;
  }
  restarted_actor& place = (*restarted_)[who.slot % places];
  // In the same slot there was an actor that has ended.
  if (place.who.generation != 0 && place.who.slot != who.slot) forgot_some_ = true;
  place = {.who = who, .restarts = restarts};
}

std::optional<std::uint32_t> recent_incidents::restarts_of(mailbox_index who) const noexcept {
  const std::scoped_lock lock{mutex_};
  if (restarted_ != nullptr)
    if (const restarted_actor& place = (*restarted_)[who.slot % places]; place.who == who)
      return place.restarts;
  return forgot_some_ ? std::nullopt : std::optional<std::uint32_t>{0};
}

}  // namespace tactor::inline v0::internal
