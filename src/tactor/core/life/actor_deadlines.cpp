// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/actor_deadlines.hpp"

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/timer_envelope.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

timer_envelope* make_envelope(cell& of, scheduler& timers) noexcept {
  timer_envelope* made = timer_envelope::make<deadline_due>(actor_ref<>{&of, of.tenant}, {});
  if (made == nullptr) {  // cancelled timers may hold envelopes until they are cleared away
    timers.clear_away();
    made = timer_envelope::make<deadline_due>(actor_ref<>{&of, of.tenant}, {});
  }
  return made;
}

/// Returns: the time until `when_ns`; less if that is beyond the range of the timers.
duration wait_for(const scheduler& timers, std::uint64_t when_ns, std::uint64_t now_ns) noexcept {
  constexpr std::int64_t far_in_ticks = 1 << 30;
  const std::int64_t far_ns = timers.config().timing.resolution.nanoseconds() * far_in_ticks;
  const std::uint64_t ahead = when_ns > now_ns ? when_ns - now_ns : 1;
  return std::chrono::nanoseconds{
      static_cast<std::int64_t>(std::min(ahead, static_cast<std::uint64_t>(far_ns)))};
}

}  // namespace

std::uint64_t actor_deadlines::earliest() const noexcept {
  std::uint64_t first = 0;
  for (const std::uint64_t when : when_)
    if (when != 0 && (first == 0 || when < first)) first = when;
  return first;
}

std::optional<deadline_of> actor_deadlines::poll_expired(std::uint64_t now_ns) noexcept {
  for (std::size_t key = 0; key < keys; ++key) {
    if (when_[key] == 0 || when_[key] > now_ns) continue;
    when_[key] = 0;
    return static_cast<deadline_of>(key);
  }
  return std::nullopt;
}

bool actor_deadlines::set(system_services& services, cell& of, deadline_of what,
                          std::uint64_t when_ns, std::uint64_t now_ns) noexcept {
  const std::uint64_t before_ns = std::exchange(when(what), when_ns == 0 ? 1 : when_ns);
  if (rearm(services, of, now_ns)) return true;
  when(what) = before_ns;
  return false;
}

bool actor_deadlines::rearm(system_services& services, cell& of, std::uint64_t now_ns) noexcept {
  const std::uint64_t next_ns = earliest();
  const bool timer_runs = armed_for_ns_ != 0 && armed_for_ns_ <= next_ns;
  if (next_ns == 0 || timer_runs) return true;
  scheduler& timers = services.timers();
  timer_envelope* const made = make_envelope(of, timers);
  if (made == nullptr) return false;
  auto timer = timers.schedule_for_runtime(wait_for(timers, next_ns, now_ns),
                                           static_cast<held_sink&>(*made), deadline_due{});
  if (!timer) {
    made->let_go();
    return false;
  }
  timer_.cancel();
  timer_ = *std::move(timer);
  armed_for_ns_ = next_ns;
  return true;
}

}  // namespace tactor::inline v0::internal
