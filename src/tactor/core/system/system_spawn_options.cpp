// SPDX-License-Identifier: BSL-1.0
// How a system spawns actors that have options: mailboxes with limits, strategies, middleware. A board that names none of these in its
// size does without.
#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/turn/middleware.hpp"
#include "tactor/core/system/system_core.hpp"

#include <optional>

namespace tactor::inline v0::internal {
namespace {

// A board links with it:
[[gnu::used]] void (*const options_need_parts)() noexcept = link_spawn_parts;

std::optional<spawn_error> refuses(const mailbox_options& options) noexcept {
  if (options.overflow > last_overflow_strategy || options.order > last_mailbox_order)
    return spawn_error::mailbox_invalid;
  if (options.capacity == 0) return spawn_error::zero_capacity;
  if (options.pressure_at > options.capacity || options.pressure_at > mailbox_options::most)
    return spawn_error::pressure_above_capacity;
  if (options.capacity == mailbox_options::unbounded) {
    if (options.overflow == overflow_strategy::reject) return std::nullopt;
    return spawn_error::capacity_missing;
  }
  if (options.capacity > mailbox_options::most) return spawn_error::capacity_too_large;
  return std::nullopt;
}

}  // namespace

void link_spawn_options() noexcept {}

std::optional<spawn_error> system_core::refuses(const spawn_options& options) const noexcept {
  if (const auto wrong = internal::refuses(options.mailbox)) return wrong;
  if (!options.on_failure.is_default() && !is_valid_strategy(options.on_failure))
    return spawn_error::strategy_invalid;
  if (options.priority >= constants->priorities) return spawn_error::priority_too_high;
  return std::nullopt;
}

/// Allocates the optional parts of a cell. Returns: false if there is no memory.
bool system_core::give_parts(cell& to, const spawn_options& options) noexcept {
  const middleware_chain* const middleware_of_it = options.middleware;
  if (middleware_of_it != nullptr && !give_middleware(this_thread(), to, *middleware_of_it))
    return false;
  const mailbox_options& mail = options.mailbox;
  // Without threads of its own, nothing would make room while the only thread waits.
  const std::uint32_t push_timeout_ms = others_.get() == nullptr ? 0 : mail.push_timeout_ms;
  if (!mailbox_limits::of(mail).nothing() && !give_limits(to, mail, push_timeout_ms)) return false;
  const supervision& how = options.on_failure;
  return how.is_default() || give_strategy(this_thread(), to, how);
}

void system_core::set_limits(cell& c, const mailbox_options& mail) noexcept {
  const bool reserved = mail.reserve_for_system != mailbox_options::unbounded;
  // relaxed, all of these: opening the mailbox publishes them
  c.limits.store(mailbox_limits::of(mail).bits, relaxed);            // relaxed: as said
  if (!cell::may_have_parts()) return;                               // it has no limits
  c.counts().pressure.store(pressure_word::of(mail).bits, relaxed);  // relaxed: as said
  c.rare().system_limit.store(reserved ? mail.reserve_for_system + 1 : 0,
                              relaxed);  // relaxed: as said
}

/// Lets the spawn middlewares change or refuse it.
std::expected<actor_ref<>, spawn_error> system_core::inspect_and_spawn(const spawn_request& wanted,
                                                                       cell* parent) noexcept {
  spawn_options options = wanted.options;
  const actor_ref<> above =
      parent == user_ ? actor_ref<>{} : actor_ref<>{parent, parent->generation()};
  for (tactor::spawn_middleware* const each : config().spawn_middleware) {
    const auto said = each->before_spawn(options, wanted.recipe.type->instance.type.name, above);
    if (!said) return std::unexpected{said.error()};
  }
  return try_spawn({.recipe = wanted.recipe,
                    .arguments = wanted.arguments,
                    .options = options,
                    .if_taken = wanted.if_taken},
                   parent);
}

void system_core::mailbox_filled(const actor_ref<>& who, std::uint32_t waiting) noexcept {
  count([](worker_counters& block) { block.mailbox_pressure.add(1); });
  report_pressure(who, waiting);
}

}  // namespace tactor::inline v0::internal
