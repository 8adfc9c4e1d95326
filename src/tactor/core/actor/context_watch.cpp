// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/life/death_watch.hpp"

// A file of its own: on a board a program that does not call these does not link what it needs.
namespace tactor::inline v0 {

using namespace internal;

std::expected<void, watch_error> context::watch_told(const actor_ref<>& whom,
                                                     envelope* told) noexcept {
  thread_record& here = this_thread();
  auto result = internal::watch(here, *storage_.owner, whom, told);
  if (!result) here.services->misused(*storage_.owner, to_text(result.error()));
  return result;
}
bool context::unwatch(const actor_ref<>& whom) noexcept {
  return internal::unwatch(this_thread(), *storage_.owner, whom);
}

}  // namespace tactor::inline v0
