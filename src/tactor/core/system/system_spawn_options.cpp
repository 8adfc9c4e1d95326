// SPDX-License-Identifier: BSL-1.0
// How a system spawns actors that have options: mailboxes with limits, strategies, middleware.
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/turn/middleware.hpp"

#include <optional>

namespace tactor::inline v0::internal {
namespace {

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

std::optional<spawn_error> system_core::refuses(const spawn_options& options) const noexcept {
  if (const auto wrong = internal::refuses(options.mailbox)) return wrong;
  const supervision_functions* const row = linked().supervision;
  if (row != nullptr && !options.on_failure.is_default() && !row->is_valid(options.on_failure))
    return spawn_error::strategy_invalid;
  if (options.priority >= constants.priorities) return spawn_error::priority_too_high;
  return std::nullopt;
}

/// Returns: false if there is no memory. Requires: there are arguments.
bool system_core::give_arguments(cell& to, const spawn_request& wanted) noexcept {
  to.arguments = new_block(this_thread(), wanted.recipe.arguments);
  if (to.arguments == nullptr) return false;
  wanted.recipe.keep(wanted.arguments, to.arguments);
  return true;
}

/// Of a cell that was never opened.
void system_core::release_parts(cell& c) noexcept {
  thread_record& here = this_thread();
  if (c.name != nullptr) linked().names->erase(*this, c);
  release_arguments(here, c);
  if (c.extended) end_parts(here, c);
  if (c.side_queue.load(relaxed) != nullptr) linked().limits->end(c);  // relaxed: not opened yet
}

/// Allocates the optional parts of a cell. Returns: false if there is no memory.
bool system_core::give_parts(cell& to, const spawn_options& options) noexcept {
  const middleware_chain* const middleware_of_it = options.middleware;
  thread_record& here = this_thread();
  if (middleware_of_it != nullptr) {
    const middleware_functions* const row = linked().middleware;
    if (row == nullptr || !row->give(here, to, *middleware_of_it)) return false;
  }
  const mailbox_options& mail = options.mailbox;
  // Without threads of its own, nothing would make room while the only thread waits.
  const std::uint32_t push_timeout_ms = others_ == nullptr ? 0 : mail.push_timeout_ms;
  if (!mailbox_limits::of(mail).nothing()) {
    const limit_functions* const row = linked().limits;
    if (row == nullptr || !row->give(to, mail, push_timeout_ms)) return false;
  }
  const supervision& how = options.on_failure;
  if (how.is_default()) return true;
  const supervision_functions* const row = linked().supervision;
  return row != nullptr && row->give(here, to, how);
}

void system_core::set_limits(cell& c, const mailbox_options& mail) noexcept {
  const bool reserved = mail.reserve_for_system != mailbox_options::unbounded;
  // relaxed, all of these: opening the mailbox publishes them
  c.limits.store(mailbox_limits::of(mail).bits, relaxed);   // relaxed: as said
  c.pressure.store(pressure_word::of(mail).bits, relaxed);  // relaxed: as said
  c.system_limit.store(reserved ? mail.reserve_for_system + 1 : 0,
                       relaxed);  // relaxed: as said
}

/// Lets the spawn middlewares change or refuse it.
std::expected<actor_ref<>, spawn_error> system_core::inspect_and_spawn(const spawn_request& wanted,
                                                                       cell* parent) noexcept {
  spawn_options options = wanted.options;
  const actor_ref<> above =
      parent == user_ ? actor_ref<>{} : actor_ref<>{parent, parent->generation()};
  for (tactor::spawn_middleware* const each : spawn_middleware_) {
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
  count(&worker_counters::mailbox_pressure);
  if (const report_functions* const reports = linked().reports)
    reports->pressure(*this, who, waiting);
}

consteval spawn_middleware_functions system_core::spawn_row() noexcept {
  return {.spawn = [](system_core& system, const spawn_request& wanted, cell* parent) noexcept {
    return system.inspect_and_spawn(wanted, parent);
  }};
}
constinit const spawn_middleware_functions spawn_middleware_feature = system_core::spawn_row();

consteval spawn_option_functions system_core::option_row() noexcept {
  return {.refuse = [](const system_core& system,
                       const spawn_options& options) noexcept { return system.refuses(options); },
          .give_parts =
              [](system_core& system, cell& to, const spawn_options& options) noexcept {
                return system.give_parts(to, options);
              },
          .set_limits = set_limits};
}
constinit const spawn_option_functions spawn_option_feature = system_core::option_row();

}  // namespace tactor::inline v0::internal
