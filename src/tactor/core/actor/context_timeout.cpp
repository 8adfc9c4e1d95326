// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"
#include "tactor/core/life/receive_timeout.hpp"

// A file of its own: on a board a program that does not call these does not link what it needs.
namespace tactor::inline v0 {

using namespace internal;

std::expected<void, scheduler_error> context::start_receive_timeout(duration timeout) noexcept {
  return internal::set_receive_timeout(this_thread(), *storage_.owner, timeout);
}
void context::cancel_receive_timeout() noexcept {
  internal::cancel_receive_timeout(*storage_.owner);
}

}  // namespace tactor::inline v0
