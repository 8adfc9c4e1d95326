// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/observe/event_text.hpp"

#include <span>
#include <string_view>

namespace tactor::inline v0 {

using namespace internal;

event_text context::path() const noexcept {
  event_text path;
  this_thread().services->write_path(path, *storage_.owner);
  return path;
}

actor_ref<> context::find_any(std::string_view path,
                              std::span<const message_operations* const> messages) const noexcept {
  return this_thread().services->find(path, messages);
}

}  // namespace tactor::inline v0
