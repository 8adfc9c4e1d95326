// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/supervision/restart_history.hpp"

#include <chrono>
#include <limits>

namespace tactor::inline v0::internal {
namespace {

/// A strategy may delegate to another so often. More can only be a cycle.
constexpr int most_delegations = 8;

std::uint64_t length_of(duration d) noexcept {
  return static_cast<std::uint64_t>(d.nanoseconds());
}

struct chosen {
  directive what;
  const supervision* by;  // the strategy whose limits apply
  const char* remark;
};

chosen choose(const supervision& first, failure& why) noexcept {
  const supervision* how = &first;
  for (int depth = 0; depth < most_delegations; ++depth) {
    if (how->decides() == nullptr) return {.what = how->always(), .by = how, .remark = nullptr};
    // NOLINTBEGIN(misc-const-correctness): the decider writes them
    decision said{directive::escalate};
    failure why_not;
    // NOLINTEND(misc-const-correctness)
    if (!how->decides()(why, said, why_not)) {
      why = why_not;
      return {.what = directive::escalate, .by = how, .remark = "the decider failed"};
    }
    if (said.instead() == nullptr) return {.what = said.what(), .by = how, .remark = nullptr};
    how = said.instead();
  }
  return {.what = directive::escalate,
          .by = how,
          .remark = "the strategies delegate to each other in a cycle: let one return a directive"};
}

bool has_none(const backoff& delay) noexcept {
  return delay.min == duration{} && delay.max == duration{};
}

bool is_quiet(const backoff& delay, const restart_history& past, std::uint64_t now_ns) noexcept {
  const std::uint64_t quiet =
      length_of(delay.reset_after == duration{} ? delay.max : delay.reset_after);
  return now_ns > past.restarted_ns && now_ns - past.restarted_ns >= quiet;
}

/// Counts one more restart, and returns how long it waits.
duration wait_for_restart(const backoff& given, restart_history& past, std::uint64_t now_ns,
                          std::uint64_t chance, failed_in during) noexcept {
  const bool by_default = has_none(given);
  const backoff& delay = by_default ? after_failed_starts : given;
  const bool fresh = by_default && during == failed_in::message;
  if (fresh || is_quiet(delay, past, now_ns)) past.in_a_row = 0;
  const std::uint32_t before = past.in_a_row;
  if (!fresh && before < std::numeric_limits<std::uint32_t>::max()) ++past.in_a_row;
  duration wait;
  if (!by_default) {
    wait = delay_of(delay, before, chance);
  } else if (before > 0) {
    wait = delay_of(delay, before - 1, chance);
  }
  past.restarted_ns = now_ns + length_of(wait);
  return wait;
}

}  // namespace

bool permit_restart(const restart& limits, restart_history& past, std::uint64_t now_ns) noexcept {
  if (limits.max_restarts == restart::unlimited) return true;
  const bool fresh = past.in_window == 0;
  const bool over = limits.within && now_ns - past.window_began_ns > length_of(*limits.within);
  if (fresh || over) {
    past.window_began_ns = now_ns;
    past.in_window = 0;
  }
  if (past.in_window >= limits.max_restarts) return false;
  ++past.in_window;
  return true;
}

duration delay_of(const backoff& how, std::uint32_t in_a_row, std::uint64_t chance) noexcept {
  std::uint64_t delay = length_of(how.min);
  const std::uint64_t most = length_of(how.max);
  for (std::uint32_t i = 0; i < in_a_row && delay < most; ++i)
    delay = delay > most / 2 ? most : delay * 2;
  if (how.jitter_percent > 0) {
    const std::uint64_t span = delay / 100 * how.jitter_percent;
    delay += chance % (span + 1);
  }
  constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
  return std::chrono::nanoseconds{static_cast<std::int64_t>(delay < longest ? delay : longest)};
}

void count_with_sibling(const supervision& how, restart_history& past,
                        std::uint64_t now_ns) noexcept {
  if (how.limits().scope == failure_scope::all_for_one)
    (void)permit_restart(how.limits(), past, now_ns);
  ++past.restarts;
}

verdict judge(const supervision& how, restart_history& past, failure& why, std::uint64_t now_ns,
              std::uint64_t chance, failed_in during) noexcept {
  const chosen said = choose(how, why);
  const restart& limits = said.by->limits();
  verdict result{.what = said.what,
                 .scope = limits.scope,
                 .keep_children = limits.keep_children,
                 .remark = said.remark};
  if (said.what == directive::resume) {
    result.scope = failure_scope::one_for_one;  // siblings continue
    // There is nothing to resume: it is a restart.
    if (during == failed_in::start)
      result.delay = wait_for_restart(limits.delay, past, now_ns, chance, during);
  }
  if (said.what != directive::restart) return result;
  if (!permit_restart(limits, past, now_ns)) {
    result.what = directive::stop;
    result.remark = "failed more often than max_restarts allows";
    return result;
  }
  result.delay = wait_for_restart(limits.delay, past, now_ns, chance, during);
  ++past.restarts;
  return result;
}

}  // namespace tactor::inline v0::internal
