// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"

namespace tactor::inline v0 {

using namespace internal;

std::expected<void, suspend_error> context::suspend(suspend_reason reason,
                                                    const resume_condition& until) noexcept {
  thread_record& here = this_thread();
  return internal::suspend(*here.services, here, *storage_.owner, reason, until);
}
std::expected<void, suspend_error> context::resume(suspend_reason reason) noexcept {
  if (internal::is_of_runtime(reason)) return std::unexpected{suspend_error::runtime_reason};
  thread_record& here = this_thread();
  internal::resume(*here.services, here, *storage_.owner, reason, 0);
  return {};
}
suspension_times context::suspensions() const noexcept {
  const cell& c = *storage_.owner;
  const suspension* const record = c.extended ? c.parts->suspension : nullptr;
  return record == nullptr ? suspension_times{} : record->times;
}

}  // namespace tactor::inline v0
