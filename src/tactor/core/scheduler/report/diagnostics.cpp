// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/report/diagnostics.hpp"

#include "tactor/base/lock_guard.hpp"

#include <utility>

namespace tactor::inline v0 {

using namespace internal;

void diagnostics::attach(diagnostics_listener& listener, diagnostics_wish wish) noexcept {
  const lock_guard locked{mutex_};
  attached_.push_back(listener);
  listeners_.fetch_add(1, relaxed);  // relaxed: the mutex orders the list
  // relaxed: see above
  if (wish == diagnostics_wish::everything) full_listeners_.fetch_add(1, relaxed);
}

void diagnostics::detach(diagnostics_listener& listener, diagnostics_wish wish) noexcept {
  const lock_guard locked{mutex_};
  attached_.erase(listener);
  listeners_.fetch_sub(1, relaxed);  // relaxed: the mutex orders the list
  // relaxed: see above
  if (wish == diagnostics_wish::everything) full_listeners_.fetch_sub(1, relaxed);
}

void diagnostics::publish_to_all(const scheduler_event& event) noexcept {
  const lock_guard locked{mutex_};
  for (diagnostics_listener* each = attached_.front(); each != nullptr;
       each = attached_.next(*each))
    each->hear(event);
}

diagnostics_subscription::diagnostics_subscription(diagnostics& stream,
                                                   std::span<scheduler_event> storage,
                                                   wants what) noexcept
    : stream_(stream), wants_(what), unread_(storage) {
  stream_.attach(*this, wants_);
}

diagnostics_subscription::~diagnostics_subscription() {
  stream_.detach(*this, wants_);
}

std::optional<scheduler_event> diagnostics_subscription::try_next() noexcept {
  const lock_guard locked{stream_.mutex_};
  if (dropped_ > 0) {
    if (before_gap_ == 0) {
      return scheduler_event{.kind = scheduler_event_kind::diagnostics_dropped,
                             .value = std::exchange(dropped_, 0)};
    }
    --before_gap_;
  }
  return unread_.pop();
}

}  // namespace tactor::inline v0
